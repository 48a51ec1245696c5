//! The meshes under assets/ are what the commands in its README make.

use std::path::Path;

use gordian_mesh::generate::{Generated, Generator, Kind};
use gordian_mesh::io;

#[test]
fn each_asset_is_what_its_command_makes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    let text = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let mut seen = Vec::new();
    for command in text.lines().filter_map(|l| l.trim().strip_prefix("gordian mesh ")) {
        let (arguments, name) = command.split_once(" -o ").unwrap();
        // The large ones are only told of.
        if name.ends_with("k.msh") {
            continue;
        }
        let mut words = arguments.split(' ');
        let mut generator = Generator::new(Kind::from_name(words.next().unwrap()).unwrap());
        while let Some(word) = words.next() {
            let (parameter, value) = match word {
                "--vertices" => ("vertices", words.next().unwrap()),
                _ => word.split_once('=').unwrap(),
            };
            generator.set(parameter, value.parse().unwrap()).unwrap();
        }
        let Generated::Tets(made) = generator.build().unwrap() else { panic!("{name} is no volume") };
        let stored = io::load_tets(folder.join(name)).unwrap();
        assert_eq!(stored.warnings, Vec::<String>::new(), "{name}");
        assert_eq!(stored.mesh.tets, made.tets, "{name}");
        // Sines differ in their last digit between systems.
        let size = made.positions.iter().map(|p| p.length()).fold(0.0, f64::max);
        for (v, (p, q)) in stored.mesh.positions.iter().zip(&made.positions).enumerate() {
            assert!(p.distance(*q) <= 1e-9 * size, "{name}: vertex {v} is at {p}, not {q}");
        }
        seen.push(name.to_string());
    }
    seen.sort();
    let files = std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap());
    let mut total = 0;
    let mut files: Vec<String> = files
        .inspect(|f| total += f.metadata().unwrap().len())
        .map(|f| f.file_name().into_string().unwrap())
        .filter(|n| n.ends_with(".msh"))
        .collect();
    files.sort();
    assert_eq!(files, seen);
    assert!(total < 3_000_000, "assets take {total} bytes");
}
