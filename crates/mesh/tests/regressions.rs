//! One test per case of input that broke other simulators, named by the case's number; the recipe is in its
//! documentation.

mod dialects;

use dialects::msh;
use gordian_mesh::io::{MeshError, load_surface, load_tets, read_raw};
use tempfile::TempDir;

/// A folder for the files of one test.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Files(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> std::path::PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

/// C6: the same two tetrahedra as 2.2 text and binary, 4.1 text and binary (both byte orders), and 4.1 with the
/// nodes in three entity blocks with tags 10, 20, … among `$PhysicalNames`, `$Comments` and `$NodeData`, have the
/// same hash; the header `4 0 8` is refused with what to do.
#[test]
fn c06_msh_dialects_are_one_mesh() {
    let files = Files::new();
    let sparse = |i: u64| 10 * (i + 1);
    let sparser = |i: u64| 7 + (4 - i) * 1_000_000_000_000;
    let dialects = [
        ("2.2 text", msh::v2(None)),
        ("2.2 binary", msh::v2(Some(false))),
        ("2.2 binary, big", msh::v2(Some(true))),
        ("4.1 text", msh::v4(None, |i| i + 1, &[5], false)),
        ("4.1 binary", msh::v4(Some(false), |i| i + 1, &[5], false)),
        ("4.1 binary, big", msh::v4(Some(true), |i| i + 1, &[5], false)),
        ("4.1 text, sparse", msh::v4(None, sparse, &[2, 2, 1], true)),
        ("4.1 binary, sparse", msh::v4(Some(false), sparse, &[2, 0, 3], true)),
        ("4.1 text, very sparse", msh::v4(None, sparser, &[1, 3, 1], true)),
        ("4.1 binary, very sparse", msh::v4(Some(true), sparser, &[4, 1], true)),
    ];
    let crlf = String::from_utf8(dialects[0].1.clone()).unwrap().replace('\n', "\r\n").into_bytes();
    let mut hashes = Vec::new();
    for (name, bytes) in dialects.iter().chain([&("2.2 text, CR LF", crlf)]) {
        let loaded = load_tets(files.write("two.msh", bytes)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
        let positions = loaded.mesh.positions.iter().map(|p| p.to_array());
        assert_eq!(positions.collect::<Vec<_>>(), msh::POINTS, "{name}");
        assert_eq!(loaded.mesh.tets, msh::TETS.map(|t| t.map(|v| v as u32)), "{name}");
        hashes.push(loaded.mesh.mesh_hash());
    }
    assert!(hashes.iter().all(|&h| h == hashes[0]), "{hashes:x?}");

    for version in ["4", "4.0"] {
        let old = format!("$MeshFormat\n{version} 0 8\n$EndMeshFormat\n$Nodes\n1 1\n");
        let e = load_tets(files.write("old.msh", old)).unwrap_err().to_string();
        assert!(e.contains("line 2: MSH 4.0 is not read; save it as 4.1 or 2.2"), "{e}");
    }
}

/// C6, the kind: what a file of another program may get wrong is told with its place.
#[test]
fn c06_broken_msh_files_say_where() {
    let text = String::from_utf8(msh::v2(None)).unwrap();
    let sparse = String::from_utf8(msh::v4(None, |i| 10 * (i + 1), &[2, 2, 1], true)).unwrap();
    let files = Files::new();
    for (what, broken, wanted) in [
        (
            "undefined node",
            text.replace("1 4 2 0 1 1 2 3 4", "1 4 2 0 1 1 2 3 9"),
            "line 19: an element uses node 9",
        ),
        ("node twice", sparse.replace("\n30 40", "\n30 20"), "node 20 is defined twice"),
        ("word for number", text.replace("1 0 0", "1 O 0"), "line 9: a node's y should be a number, not `O`"),
        (
            "cut in the nodes",
            text[..text.find("$EndNodes").unwrap() - 8].into(),
            "the file ends where a node's",
        ),
        (
            "too few elements",
            text.replace("$Elements\n2", "$Elements\n1"),
            "$EndElements was expected, not `2`",
        ),
        ("huge count", text.replace("$Nodes\n5", "$Nodes\n999999999999"), "should be a whole number"),
        ("no end", text.replace("$EndElements", ""), "the file ends where $EndElements"),
        (
            "elements first",
            text.replace("$Nodes", "$Nudes").replace("$EndNodes", "$EndNudes"),
            "before $Nodes",
        ),
        ("section without end", sparse.replace("$EndComments\n", ""), "$Comments has no $EndComments"),
    ] {
        let e = load_tets(files.write("broken.msh", &broken)).expect_err(what).to_string();
        assert!(e.contains(wanted), "{what}: {e}\n{broken}");
    }
    let binary = msh::v4(Some(false), |i| i + 1, &[5], false);
    let e = load_tets(files.write("cut.msh", &binary[..binary.len() - 40])).unwrap_err().to_string();
    assert!(e.contains("byte") && e.contains("the file ends where the elements"), "{e}");
}

/// C8: a file with vertices, lines, triangles *and* tetrahedra: the tetrahedra are used and the rest counted. A
/// surface where a volume is wanted is refused, and the message says what to do; the other way round likewise.
#[test]
fn c08_the_wrong_kind_of_mesh_is_told() {
    let files = Files::new();
    let mixed = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
        $Elements\n6\n1 15 2 0 1 1\n2 1 2 0 1 1 2\n3 1 2 0 1 2 3\n4 2 2 0 1 1 3 2\n5 3 2 0 1 1 2 3 4\n6 4 2 0 1 1 2 3 4\n\
        $EndElements\n";
    let path = files.write("mixed.msh", mixed);
    let volume = load_tets(&path).unwrap();
    assert_eq!(volume.mesh.tets, [[0, 1, 2, 3]]);
    assert_eq!(
        volume.warnings,
        ["only the tetrahedra are used; passed over: 3 triangles, 1 points, 2 lines"],
        "the quadrangle is two triangles"
    );
    let surface = load_surface(&path).unwrap();
    assert_eq!(surface.mesh.triangles, [[0, 2, 1], [0, 1, 2], [0, 2, 3]]);
    assert!(surface.warnings[0].contains("1 tetrahedra"), "{:?}", surface.warnings);

    let only = |keep: &str| {
        let (head, elements) = mixed.split_once("$Elements\n6\n").unwrap();
        let line = elements.lines().find(|l| l.starts_with(keep)).unwrap();
        files.write("only.msh", format!("{head}$Elements\n1\n{line}\n$EndElements\n"))
    };
    let e = load_tets(only("4")).unwrap_err();
    assert!(matches!(e, MeshError::WrongKind { .. }));
    assert!(
        e.to_string().contains("fill it with tetrahedra first, or use it as cloth or as a collider"),
        "{e}"
    );
    let e = load_surface(only("6")).unwrap_err().to_string();
    assert!(e.contains("a volume (1 tetrahedra, no triangles)") && e.contains("save its boundary"), "{e}");
    let e = load_tets(only("2")).unwrap_err().to_string();
    assert!(e.contains("no tetrahedra in it; the file has 4 vertices, 1 lines"), "{e}");

    let second_order = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n0 0 0 0\n$EndNodes\n\
        $Elements\n1 2 1 2\n3 1 11 2\n1 1 2 3 4 5 6 7 8 9 10\n2 1 2 3 4 5 6 7 8 9 10\n$EndElements\n";
    let raw = read_raw(files.write("order2.msh", second_order)).unwrap();
    assert_eq!(raw.other, [("second-order tetrahedra", 2)]);
}

/// C24: one vertex that is not a number is refused with its index, and so is an infinite one; a triangle of three
/// equal points loads with a warning.
#[test]
fn c24_poison_is_refused_with_the_vertex() {
    let files = Files::new();
    let text = String::from_utf8(msh::v2(None)).unwrap();
    for bad in ["nan", "NaN", "-nan", "inf", "-Infinity", "1e999"] {
        let path = files.write("poison.msh", text.replace("0.1 0.2 1", &format!("0.1 {bad} 1")));
        let e = load_tets(path).unwrap_err();
        assert!(matches!(e, MeshError::NonFinite { vertex: 3, .. }), "{bad}: {e}");
        assert!(e.to_string().contains("vertex 3 has a position that is not finite"), "{e}");
    }
    let mut out = msh::Out::new("2.2", None);
    out.text("$Nodes\n3\n1 1 2 3\n2 1 2 3\n3 1 2 3\n$EndNodes\n$Elements\n1\n1 2 0 1 2 3\n$EndElements\n");
    let loaded = load_surface(files.write("point.msh", &out.bytes)).unwrap();
    assert_eq!(loaded.warnings, ["1 triangle has no area: 0"]);
}
