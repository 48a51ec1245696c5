//! PC2 point caches: raw positions, one sample after the other.
//!
//! Little-endian: `POINTCACHE2\0`, version 1 (i32), number of points (i32), start frame (f32), frames a sample (f32),
//! number of samples (i32), and for each sample 3 f32 a point.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use glam::Vec3;
use gordian_mesh::io::MeshError;

use super::io_error;

const MAGIC: &[u8; 12] = b"POINTCACHE2\0";
const HEADER: u64 = 32;
const SAMPLES_AT: u64 = 28;

/// An open cache. The number of samples in its header is raised after a sample is there.
pub(super) struct Pc2 {
    path: PathBuf,
    file: File,
    points: usize,
    samples: u32,
}

impl Pc2 {
    /// Begins a cache, or goes on with the one that is there behind frame `after`.
    pub fn open(path: PathBuf, points: usize, every: u32, after: Option<u32>) -> Result<Self, MeshError> {
        let too_many = |_| io_error(&path)(io::Error::other("a point cache holds at most 2^31 points"));
        let count = i32::try_from(points).map_err(too_many)?;
        let mut header = Vec::with_capacity(HEADER as usize);
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(&1i32.to_le_bytes());
        header.extend_from_slice(&count.to_le_bytes());
        header.extend_from_slice(&0f32.to_le_bytes());
        header.extend_from_slice(&(every as f32).to_le_bytes());
        let result = (|| {
            let mut file =
                OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)?;
            let mut samples = 0;
            if let Some(after) = after {
                let mut there = Vec::new();
                Read::take(&file, HEADER).read_to_end(&mut there)?;
                if let Some(count) = there.strip_prefix(&header[..]).and_then(|rest| rest.try_into().ok()) {
                    samples = u32::from_le_bytes(count).min(after / every + 1);
                }
            }
            header.extend_from_slice(&samples.to_le_bytes());
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header)?;
            file.set_len(HEADER + u64::from(samples) * 12 * points as u64)?;
            Ok((file, samples))
        })();
        let (file, samples) = result.map_err(io_error(&path))?;
        Ok(Self { path, file, points, samples })
    }

    /// Number of samples in it.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// Appends a sample.
    pub fn append(&mut self, positions: &[Vec3]) -> Result<(), MeshError> {
        let mut bytes = Vec::with_capacity(12 * positions.len());
        for p in positions {
            p.to_array().iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
        }
        self.write(&bytes).map_err(io_error(&self.path))
    }

    fn write(&mut self, sample: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(HEADER + u64::from(self.samples) * 12 * self.points as u64))?;
        self.file.write_all(sample)?;
        self.file.seek(SeekFrom::Start(SAMPLES_AT))?;
        self.file.write_all(&(self.samples + 1).to_le_bytes())?;
        self.samples += 1;
        Ok(())
    }
}
