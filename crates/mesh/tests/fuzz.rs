//! Broken files of every format: no reader panics, hangs, or takes more memory than the file's size justifies.

use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use glam::DVec3;
use gordian_mesh::io::{self, MshEncoding, Vtu};

mod dialects;

use dialects::vtk::{Form, Xml};
use dialects::{msh, vtk};

/// The system's allocator, which remembers the largest request.
struct Largest;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Largest {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`; the block came from the same allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.fetch_max(size, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Largest = Largest;

/// Random numbers that are the same in every run (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Good files of every format, with their extension.
fn good_files(dir: &Path) -> Vec<(&'static str, Vec<u8>)> {
    let mut files = Vec::new();
    for binary in [None, Some(false), Some(true)] {
        files.push(("msh", msh::v2(binary)));
        files.push(("msh", msh::v4(binary, |i| i + 1, &[5], false)));
        files.push(("msh", msh::v4(binary, |i| 7 << (8 * i), &[2, 0, 3], true)));
    }
    for version in ["2.0", "5.1"] {
        for binary in [false, true] {
            files.push(("vtk", vtk::legacy(version, binary, "float")));
        }
    }
    for form in [
        Form::Ascii,
        Form::Inline { zlib: false },
        Form::Inline { zlib: true },
        Form::Appended { base64: false, zlib: false },
        Form::Appended { base64: false, zlib: true },
        Form::Appended { base64: true, zlib: true },
    ] {
        files.push(("vtu", Xml { big: true, header: "UInt64", ..vtk::xml(form) }.file("Float64")));
    }

    let points = msh::POINTS.map(DVec3::from_array);
    let tets = msh::TETS.map(|t| t.map(|v| v as u32));
    let path = dir.join("good");
    let mut written = |extension, result: Result<(), io::MeshError>| {
        result.unwrap();
        files.push((extension, std::fs::read(&path).unwrap()));
    };
    let faces = [[0, 1, 2], [1, 4, 3]];
    written("msh", io::write_msh41(&path, &points[..], &tets, &faces, MshEncoding::Binary));
    written("vtu", io::write_vtu(&path, &Vtu::volume(&points[..], &tets)));
    written("ply", io::write_ply(&path, &points[..], &faces));
    written("obj", io::write_obj(&path, &points[..], &faces));

    let mut ply =
        String::from("ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\n");
    ply += "property float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n";
    let mut obj = String::from("# cube\nvt 0 0\nvn 0 0 1\n");
    let mut stl = String::from("solid a\n");
    let mut medit = String::from("MeshVersionFormatted 2\nDimension 3\nVertices\n5\n");
    let mut dot_t = String::new();
    let mut node = String::from("# TetGen\n5 3 1 1\n");
    for (i, p) in msh::POINTS.iter().enumerate() {
        let [x, y, z] = p;
        ply += &format!("{x} {y} {z}\n");
        obj += &format!("v {x} {y} {z}\n");
        medit += &format!("{x} {y} {z} 0\n");
        dot_t += &format!("Vertex {i} {x} {y} {z}\n");
        node += &format!("{i} {x} {y} {z} 0.5 1\n");
    }
    for f in faces {
        stl += "facet normal 0 0 1\nouter loop\n";
        for v in f {
            let [x, y, z] = msh::POINTS[v as usize];
            stl += &format!("vertex {x} {y} {z}\n");
        }
        stl += "endloop\nendfacet\n";
    }
    ply += "3 0 1 2\n4 1 4 3 2\n";
    obj += "f 1/1/1 2/1/1 3/1/1\nf -1 -2 -3 -4\n";
    stl += "endsolid a\n";
    medit += "Tetrahedra\n2\n1 2 3 4 0\n2 5 3 4 0\nTriangles\n1\n1 2 3 0\nEnd\n";
    dot_t += "Tet 0 0 1 2 3\nTet 1 1 4 2 3\n";
    let ele = String::from("2 4 0\n0 0 1 2 3\n1 1 4 2 3\n");
    for (extension, text) in [
        ("ply", ply),
        ("obj", obj),
        ("stl", stl),
        ("mesh", medit),
        ("t", dot_t),
        ("node", node),
        ("ele", ele),
    ] {
        files.push((extension, text.into_bytes()));
    }
    let mut stl = vec![0; 80];
    stl.extend(2u32.to_le_bytes());
    for f in faces {
        stl.extend([0; 12]);
        stl.extend(f.iter().flat_map(|&v| msh::POINTS[v as usize]).flat_map(|x| (x as f32).to_le_bytes()));
        stl.extend([0; 2]);
    }
    files.push(("stl", stl));
    files
        .push(("npy", npy("<f8", "(5, 3)", msh::POINTS.as_flattened().iter().flat_map(|x| x.to_le_bytes()))));
    files.push(("npz", npz()));
    files
}

fn npy(descr: &str, shape: &str, data: impl Iterator<Item = u8>) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.into_bytes());
    file.extend(data);
    file
}

/// An archive whose second array is compressed.
fn npz() -> Vec<u8> {
    use npyz::WriterBuilder;
    use npyz::zip::{CompressionMethod, write::FileOptions};
    let mut out = std::io::Cursor::new(Vec::new());
    let mut archive = npyz::npz::NpzWriter::new(&mut out);
    let stored = FileOptions::default().compression_method(CompressionMethod::Stored);
    let rest = archive.array("rest", stored).unwrap().default_dtype().shape(&[5, 3]);
    let mut rest = rest.begin_nd().unwrap();
    rest.extend(msh::POINTS.as_flattened().iter().copied()).unwrap();
    rest.finish().unwrap();
    let deflated = FileOptions::default().compression_method(CompressionMethod::Deflated);
    let tets = archive.array("tets", deflated).unwrap().default_dtype().shape(&[2, 4]);
    let mut tets = tets.begin_nd().unwrap();
    tets.extend(msh::TETS.as_flattened().iter().map(|&v| v as u32)).unwrap();
    tets.finish().unwrap();
    drop(archive);
    out.into_inner()
}

/// Breaks a file in one to three places.
fn mutate(good: &[u8], random: &mut Random) -> Vec<u8> {
    const WORDS: [&str; 14] = [
        "0",
        "-1",
        "1",
        "3",
        "65536",
        "2147483648",
        "4294967295",
        "99999999999",
        "18446744073709551615",
        "1e400",
        "nan",
        "-inf",
        "x",
        "",
    ];
    const NUMBERS: [u64; 8] =
        [0, 1, 0xff, 0x7fff_ffff, 0xffff_ffff, 1 << 40, 0x7fff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff];
    let mut bytes = good.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        match random.below(8) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 if at < bytes.len() => bytes[at] = random.next() as u8,
            3 | 4 => {
                // The token at a random place becomes another.
                let space = |b: &u8| b.is_ascii_whitespace() || b"\"<>=".contains(b);
                let start = bytes[..at].iter().rposition(space).map_or(0, |i| i + 1);
                let end = bytes[at..].iter().position(space).map_or(bytes.len(), |i| at + i);
                bytes.splice(start.min(end)..end, random.of(&WORDS).bytes());
            }
            5 => {
                let number = random.of(&NUMBERS).to_le_bytes();
                let size = random.of(&[1, 4, 8]);
                let end = (at + size).min(bytes.len());
                bytes[at..end].copy_from_slice(&number[..end - at]);
                if random.below(2) == 0 {
                    bytes[at..end].reverse();
                }
            }
            6 => {
                let end = (at + random.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let end = (at + random.below(40)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, copy);
            }
        }
    }
    bytes
}

#[test]
fn broken_files_are_refused_and_nothing_else_happens() {
    let dir = tempfile::tempdir().unwrap();
    let good = good_files(dir.path());
    let path_of = |extension: &str| dir.path().join(format!("broken.{extension}"));
    for (extension, bytes) in &good {
        // Formats of several files find the others whole.
        std::fs::write(path_of(extension), bytes).unwrap();
    }
    let mut random = Random(2026);
    // More for a longer search: each file is broken so many times.
    let rounds: usize = std::env::var("FUZZ_ROUNDS").map_or(400, |n| n.parse().unwrap());
    for (number, (extension, good)) in good.iter().enumerate() {
        for round in 0..rounds {
            let bytes = if round == 0 { good.clone() } else { mutate(good, &mut random) };
            let path = path_of(extension);
            // Truncating a file that is there makes some file systems wait for the disk.
            let _ = std::fs::remove_file(&path);
            std::fs::write(&path, &bytes).unwrap();
            if round == 0 && io::format_list().contains(&format!(".{extension}")) {
                io::read_raw(&path).unwrap_or_else(|e| panic!("file {number} should be a good one: {e}"));
            }
            LARGEST.store(0, Ordering::Relaxed);
            let start = Instant::now();
            let result = catch_unwind(AssertUnwindSafe(|| {
                let _ = io::load_tets(&path);
                let _ = io::load_surface(&path);
                let _ = io::load_pose(&path, 5);
            }));
            let (largest, took) = (LARGEST.load(Ordering::Relaxed), start.elapsed());
            let told = || format!("file {number}, round {round}, .{extension}: {}", bytes.escape_ascii());
            assert!(result.is_ok(), "panics: {}", told());
            assert!(largest < (4 << 20) + 1000 * bytes.len(), "takes {largest} bytes: {}", told());
            // A hang, not a stall of the disk.
            assert!(took < Duration::from_secs(60), "takes {took:?}: {}", told());
        }
        std::fs::write(path_of(extension), good).unwrap();
    }
}

/// A longer search found this: two elements whose counts do not fit into one number together.
#[test]
fn counts_of_elements_that_are_passed_over_may_be_huge() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("counts.ply");
    let text = "ply\nformat ascii 1.0\nelement verte 5\nproperty float x\nelement other 18446744073709551615\n\
        property float x\nend_header\n0 1 2 3 4 5 6 7\n";
    std::fs::write(&path, text).unwrap();
    let e = io::read_raw(&path).unwrap_err().to_string();
    assert!(e.contains("the file ends where"), "{e}");
}
