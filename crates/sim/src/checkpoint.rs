//! The complete state between two frames, on disk.
//!
//! A run that is resumed from a checkpoint equals the run that never stopped, bit for bit, so positions and velocities
//! are kept as raw bits. The file is written whole or not at all and carries a checksum.
//!
//! Format, all numbers little-endian: `GORDIANC`, version (u32), then frame (u32), time (f64), model hash (u64), number of
//! particles (u64), adapter and scene (texts), positions, velocities (3 f32 a particle), number of extras (u32) and
//! for each a name (text) and bytes (length u64); at the end xxh3 (u64) of all before it. A text is its length in bytes (u32)
//! and UTF-8.

use std::io::Write;
use std::path::{Path, PathBuf};

use glam::Vec3;
use gordian_mesh::io::{MeshError, write_atomically};
use xxhash_rust::xxh3::xxh3_64;

use crate::{Scene, SimError, World};

const MAGIC: &[u8; 8] = b"GORDIANC";
const VERSION: u32 = 1;

/// The complete state of a world between two frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// Frames done.
    pub frame: u32,
    /// Time, seconds.
    pub time_s: f64,
    /// Hash of the meshes that the world was built from: paths may stay while files change.
    pub model_hash: u64,
    /// What computed; another adapter may round differently.
    pub adapter: String,
    /// The settings that change the result: [`Scene::identity`].
    pub scene: String,
    /// Positions, metres, all bodies one after the other in file order.
    pub positions: Vec<Vec3>,
    /// Velocities, metres per second, likewise.
    pub velocities: Vec<Vec3>,
    /// Further state by name.
    pub extras: Vec<(String, Vec<u8>)>,
}

/// Why a checkpoint cannot be read or taken up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is something else.
    #[error("{}: this is no checkpoint", path.display())]
    NotACheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// Written by another version of the format.
    #[error("{}: version {found} of the format, but this program reads {VERSION}; run again from the start", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// Cut short or changed.
    #[error("{}: {message}; take an earlier checkpoint", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// Made from other settings.
    #[error("the checkpoint is of another scene: {difference}")]
    OtherScene {
        /// The first difference.
        difference: String,
    },
    /// Made from other meshes.
    #[error("the checkpoint is of other meshes: {message}")]
    OtherModel {
        /// What differs.
        message: String,
    },
}

impl Checkpoint {
    /// Writes it, whole or not at all.
    ///
    /// # Panics
    /// When there are not as many velocities as positions.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), MeshError> {
        let bytes = self.to_bytes();
        write_atomically(path.as_ref(), |out| out.write_all(&bytes))
    }

    /// Reads one.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        let path = path.as_ref();
        let bytes =
            std::fs::read(path).map_err(|source| CheckpointError::Io { path: path.to_path_buf(), source })?;
        Self::from_bytes(path, &bytes)
    }

    /// Whether this is a state of `scene` with the meshes of `model_hash` and `particles` particles; the error says
    /// the first difference.
    pub fn check(&self, scene: &Scene, model_hash: u64, particles: usize) -> Result<(), CheckpointError> {
        if let Some(difference) = first_difference(&self.scene, &scene.identity()) {
            return Err(CheckpointError::OtherScene { difference });
        }
        let message = match self.positions.len() {
            n if n != particles => format!("it has {n} vertices, the scene {particles}"),
            _ if self.model_hash != model_hash => "the same number of vertices, but another shape".into(),
            _ => return Ok(()),
        };
        Err(CheckpointError::OtherModel { message })
    }

    fn to_bytes(&self) -> Vec<u8> {
        assert_eq!(self.positions.len(), self.velocities.len());
        let mut out = Vec::with_capacity(24 * self.positions.len() + self.scene.len() + 256);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&self.frame.to_le_bytes());
        out.extend_from_slice(&self.time_s.to_le_bytes());
        out.extend_from_slice(&self.model_hash.to_le_bytes());
        out.extend_from_slice(&(self.positions.len() as u64).to_le_bytes());
        put_text(&mut out, &self.adapter);
        put_text(&mut out, &self.scene);
        for v in self.positions.iter().chain(&self.velocities) {
            v.to_array().iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
        }
        out.extend_from_slice(&(self.extras.len() as u32).to_le_bytes());
        for (name, bytes) in &self.extras {
            put_text(&mut out, name);
            out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            out.extend_from_slice(bytes);
        }
        out.extend_from_slice(&xxh3_64(&out).to_le_bytes());
        out
    }

    fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Self, CheckpointError> {
        let path_buf = || path.to_path_buf();
        let damaged = |message: &str| CheckpointError::Damaged { path: path_buf(), message: message.into() };
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(CheckpointError::NotACheckpoint { path: path_buf() });
        };
        // The version comes before the checksum: a later format may sum up differently.
        let version = rest.first_chunk().map(|b| u32::from_le_bytes(*b));
        match version {
            Some(VERSION) => {}
            Some(found) => return Err(CheckpointError::Version { path: path_buf(), found }),
            None => return Err(damaged("the file is cut short")),
        }
        let Some((body, sum)) = bytes.split_last_chunk() else {
            return Err(damaged("the file is cut short"));
        };
        if body.len() < 12 || u64::from_le_bytes(*sum) != xxh3_64(body) {
            return Err(damaged("the checksum does not match, the file is cut short or changed"));
        }
        let mut reader = Reader { bytes: &body[12..] };
        reader
            .checkpoint()
            .filter(|_| reader.bytes.is_empty())
            .ok_or_else(|| damaged("its lengths do not match"))
    }
}

impl World {
    /// The state between two frames, of a world built from `scene`.
    pub fn checkpoint(&self, scene: &Scene) -> Checkpoint {
        Checkpoint {
            frame: self.frame(),
            time_s: self.time_s(),
            model_hash: self.model_hash,
            adapter: crate::adapter::describe(self.adapter()),
            scene: scene.identity(),
            positions: self.positions().to_vec(),
            velocities: self.velocities().to_vec(),
            extras: Vec::new(),
        }
    }

    /// Goes on from a checkpoint; one of another scene or of other meshes is refused.
    pub fn resume(&mut self, scene: &Scene, checkpoint: &Checkpoint) -> Result<(), SimError> {
        checkpoint.check(scene, self.model_hash, self.positions().len())?;
        self.restore(checkpoint.frame, &checkpoint.positions, &checkpoint.velocities)
    }
}

/// Hash of the meshes of a world: rest positions and tetrahedra.
pub(crate) fn model_hash(rest: &[Vec3], tets: &[[u32; 4]]) -> u64 {
    xxh3_64(bytemuck::cast_slice(&[xxh3_64(bytemuck::cast_slice(rest)), xxh3_64(bytemuck::cast_slice(tets))]))
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// Takes values from the front of bytes; none when there are too few.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.bytes.split_at_checked(count)?;
        self.bytes = tail;
        Some(head)
    }

    fn number<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn text(&mut self) -> Option<String> {
        let count = u32::from_le_bytes(self.number()?);
        String::from_utf8(self.take(count as usize)?.to_vec()).ok()
    }

    fn vectors(&mut self, count: usize) -> Option<Vec<Vec3>> {
        let bytes = self.take(count.checked_mul(12)?)?;
        let float = |b: &[u8]| f32::from_le_bytes(b.try_into().expect("four bytes"));
        Some(
            bytes
                .chunks_exact(12)
                .map(|c| Vec3::new(float(&c[..4]), float(&c[4..8]), float(&c[8..])))
                .collect(),
        )
    }

    fn checkpoint(&mut self) -> Option<Checkpoint> {
        let frame = u32::from_le_bytes(self.number()?);
        let time_s = f64::from_le_bytes(self.number()?);
        let model_hash = u64::from_le_bytes(self.number()?);
        let particles = usize::try_from(u64::from_le_bytes(self.number()?)).ok()?;
        let adapter = self.text()?;
        let scene = self.text()?;
        let positions = self.vectors(particles)?;
        let velocities = self.vectors(particles)?;
        let count = u32::from_le_bytes(self.number()?);
        let mut extras = Vec::new();
        for _ in 0..count {
            let name = self.text()?;
            let length = usize::try_from(u64::from_le_bytes(self.number()?)).ok()?;
            extras.push((name, self.take(length)?.to_vec()));
        }
        Some(Checkpoint { frame, time_s, model_hash, adapter, scene, positions, velocities, extras })
    }
}

/// The first difference of two scenes written by [`Scene::identity`], with the section it stands in.
fn first_difference(there: &str, here: &str) -> Option<String> {
    if there == here {
        return None;
    }
    let mut section = "";
    let (mut a, mut b) = (there.lines(), here.lines());
    loop {
        match (a.next(), b.next()) {
            (x, y) if x == y => {
                let line = x?;
                if line.starts_with('[') {
                    section = line;
                }
            }
            (x, y) => {
                let tell =
                    |line: Option<&str>| line.map_or("nothing more".into(), |l| format!("`{}`", l.trim()));
                let place = if section.is_empty() { String::new() } else { format!(" in {section}") };
                return Some(format!("{} there, {} here{place}", tell(x), tell(y)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(substeps: u32) -> Scene {
        let text = format!("[simulation]\nsubsteps = {substeps}\n[[body]]\ngenerator = {{ kind = \"box\" }}");
        Scene::parse(&text, "s").unwrap()
    }

    fn sample() -> Checkpoint {
        Checkpoint {
            frame: 12,
            time_s: 0.2,
            model_hash: 0x1234_5678_9abc_def0,
            adapter: "cpu (µ)".into(),
            scene: scene(20).identity(),
            positions: vec![Vec3::new(0.1, -0.0, f32::MIN_POSITIVE / 2.0), Vec3::new(1e30, 2.0, 3.0)],
            velocities: vec![Vec3::new(-1.0, 0.0, 7.5), Vec3::ZERO],
            extras: vec![("empty".into(), vec![]), ("some".into(), vec![1, 2, 3])],
        }
    }

    #[test]
    fn every_bit_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.checkpoint");
        for checkpoint in [sample(), Checkpoint::default()] {
            checkpoint.write(&path).unwrap();
            let again = Checkpoint::read(&path).unwrap();
            assert_eq!(again, checkpoint);
            let bits = |c: &Checkpoint| bytemuck::cast_slice::<_, u32>(&c.positions).to_vec();
            assert_eq!(bits(&again), bits(&checkpoint));
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn no_flipped_byte_and_no_cut_gets_through() {
        let path = Path::new("c");
        let bytes = sample().to_bytes();
        for i in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[i] ^= 1 << (i % 8);
            assert!(Checkpoint::from_bytes(path, &broken).is_err(), "byte {i}");
            assert!(Checkpoint::from_bytes(path, &bytes[..i]).is_err(), "cut at {i}");
        }
        let mut longer = bytes;
        longer.push(0);
        assert!(Checkpoint::from_bytes(path, &longer).is_err());
    }

    #[test]
    fn lengths_that_lie_are_refused_even_with_a_right_checksum() {
        let bytes = sample().to_bytes();
        // The number of particles stands after magic, version, frame, time and model hash.
        for count in [0u64, 1, 3, u64::MAX, u64::MAX / 12 + 1] {
            let mut broken = bytes[..bytes.len() - 8].to_vec();
            broken[32..40].copy_from_slice(&count.to_le_bytes());
            let sum = xxh3_64(&broken);
            broken.extend_from_slice(&sum.to_le_bytes());
            let error = Checkpoint::from_bytes(Path::new("c"), &broken).unwrap_err();
            assert!(matches!(error, CheckpointError::Damaged { .. }), "{count}: {error}");
        }
    }

    #[test]
    fn other_files_and_versions_are_told_apart() {
        let path = Path::new("c");
        let told = |bytes: &[u8]| Checkpoint::from_bytes(path, bytes).unwrap_err();
        assert!(matches!(told(b"solid cube"), CheckpointError::NotACheckpoint { .. }));
        assert!(matches!(told(b""), CheckpointError::NotACheckpoint { .. }));
        let mut later = sample().to_bytes();
        later[8] = 9;
        assert!(matches!(told(&later), CheckpointError::Version { found: 9, .. }));
        assert!(matches!(Checkpoint::read("does/not/exist").unwrap_err(), CheckpointError::Io { .. }));
    }

    #[test]
    fn only_the_same_scene_and_meshes_are_taken_up() {
        let c = sample();
        c.check(&scene(20), c.model_hash, 2).unwrap();
        let error = c.check(&scene(10), c.model_hash, 2).unwrap_err().to_string();
        assert!(error.ends_with("`substeps = 20` there, `substeps = 10` here in [simulation]"), "{error}");
        assert!(
            c.check(&scene(20), c.model_hash, 3)
                .unwrap_err()
                .to_string()
                .contains("has 2 vertices, the scene 3")
        );
        assert!(c.check(&scene(20), 1, 2).unwrap_err().to_string().contains("another shape"));
    }
}
