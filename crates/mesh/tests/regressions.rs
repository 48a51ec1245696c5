//! One test per case of input that broke other simulators, named by the case's number; the recipe is in its
//! documentation.

mod dialects;

use dialects::msh;
use gordian_mesh::doctor::{Elements, Finding, Problem, SurfaceReport, examine_surface, examine_tets};
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
        ["only the tetrahedra are used; passed over: triangles (3), points (1), lines (2)"],
        "the quadrangle is two triangles"
    );
    let surface = load_surface(&path).unwrap();
    assert_eq!(surface.mesh.triangles, [[0, 2, 1], [0, 1, 2], [0, 2, 3]]);
    assert!(surface.warnings[0].contains("tetrahedra (1)"), "{:?}", surface.warnings);

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
    assert!(e.contains("a volume (tetrahedra: 1, triangles: 0)") && e.contains("save its boundary"), "{e}");
    let e = load_tets(only("2")).unwrap_err().to_string();
    assert!(e.contains("no tetrahedra in it; what the file has is vertices: 4, lines: 1"), "{e}");

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

/// C1, the mesh part: one tetrahedron (0,0,0) (1,0,0) (0,0,1) (0,1,0) of negative volume, and the same with two ids
/// swapped. Both load, the first re-oriented with one warning that names the element, in every format.
#[test]
fn c01_a_negative_tetrahedron_is_turned_round_and_told() {
    let files = Files::new();
    let msh = |ids: &str| {
        format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 0 1\n4 0 1 0\n$EndNodes\n\
             $Elements\n1\n1 4 2 0 1 {ids}\n$EndElements\n"
        )
    };
    let t =
        |ids: &str| format!("Vertex 1 0 0 0\nVertex 2 1 0 0\nVertex 3 0 0 1\nVertex 4 0 1 0\nTet 0 {ids}\n");
    let medit = |ids: &str| {
        format!(
            "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 0 1 0\n0 1 0 0\nTetrahedra 1\n{ids} 0\n"
        )
    };
    files.write("one.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 0 1\n4 0 1 0\n");
    let ele = |ids: &str| format!("1 4 0\n1 {ids}\n");
    for (name, file) in
        [("one.msh", &msh as &dyn Fn(&str) -> String), ("one.t", &t), ("one.mesh", &medit), ("one.ele", &ele)]
    {
        let negative = load_tets(files.write(name, file("1 2 3 4"))).unwrap();
        let swapped = load_tets(files.write(name, file("1 2 4 3"))).unwrap();
        assert_eq!(negative.warnings, ["1 tetrahedron was negative and is turned round: 0"], "{name}");
        assert!(swapped.warnings.is_empty(), "{name}");
        assert_eq!(negative.mesh, swapped.mesh, "{name}");
        assert_eq!(negative.mesh.volume(), 1.0 / 6.0);
    }
}

/// C2, the mesh part: cloth (0,0,0) (1,0,0) (0,1,0) (2,2,0) with the one triangle 0-1-2. Vertex 3 is told, kept, and
/// stays fourth.
#[test]
fn c02_an_unreferenced_vertex_is_kept_and_told() {
    let files = Files::new();
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 2 0\nf 1 2 3\n";
    let ply = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
               element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n2 2 0\n3 0 1 2\n";
    for path in [files.write("cloth.obj", obj), files.write("cloth.ply", ply)] {
        let loaded = load_surface(path).unwrap();
        assert_eq!(loaded.mesh.triangles, [[0, 1, 2]]);
        let positions: Vec<[f64; 3]> = loaded.mesh.positions.iter().map(|p| p.to_array()).collect();
        assert_eq!(positions, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [2.0, 2.0, 0.0]]);
        assert_eq!(loaded.warnings, ["1 vertex belongs to no triangle and is kept: 3"]);
    }
}

/// C4: an OBJ cube of 8 `v` and 24 `vt` with faces `f v/vt`: 8 particles in the order of the `v` lines (so that a pin
/// by OBJ index is on the right corner), and a closed surface (no cracks).
#[test]
fn c04_texture_seams_make_no_vertices() {
    let corner = |i: u32| [f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)];
    let quads = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]];
    let mut text = String::new();
    for i in 0..8 {
        let [x, y, z] = corner(i);
        text += &format!("v {x} {y} {z}\n");
    }
    for k in 0..24 {
        text += &format!("vt {} {}\n", f64::from(k % 5) / 5.0, f64::from(k % 7) / 7.0);
    }
    for (q, quad) in quads.iter().enumerate() {
        let corners: Vec<String> =
            quad.iter().enumerate().map(|(k, v)| format!("{v}/{}", 4 * q + k + 1)).collect();
        text += &format!("f {}\n", corners.join(" "));
    }
    let loaded = load_surface(Files::new().write("cube.obj", text)).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let positions: Vec<[f64; 3]> = loaded.mesh.positions.iter().map(|p| p.to_array()).collect();
    assert_eq!(positions, (0..8).map(corner).collect::<Vec<_>>());
    assert_eq!(loaded.mesh.triangles.len(), 12);
    // Every edge once in each direction: closed and oriented.
    let mut edges: Vec<[u32; 2]> =
        loaded.mesh.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]).collect();
    edges.sort_unstable();
    edges.dedup();
    assert_eq!(edges.len(), 36);
    assert!(edges.iter().all(|&[a, b]| edges.binary_search(&[b, a]).is_ok()));
}

/// C5: negative indices in interleaved blocks, a quad `f -4 -3 -2 -1`, CRLF, a face continued over two lines with `\`:
/// one mesh, the quad as two triangles.
#[test]
fn c05_obj_dialects_are_one_mesh() {
    let first = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    let second = "v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n";
    let interleaved = format!("{first}f -4 -3 -2 -1\n{second}f -4 -3 -2 -1\nf -8 -7 -3\n");
    let dialects = [
        ("positive", format!("{first}{second}f 1 2 3 4\nf 5 6 7 8\nf 1 2 6\n")),
        ("negative", interleaved.clone()),
        ("CR LF", interleaved.replace('\n', "\r\n")),
        ("continued", interleaved.replace("-3 -2", "-3 \\\n-2")),
        ("continued, CR LF", interleaved.replace("-3 -2", "\\\n-3 \\\n-2").replace('\n', "\r\n")),
        ("with textures", interleaved.replace("f -4 -3 -2 -1", "f -4/1/1 -3/2/1 -2//1 -1/7")),
        ("no last line end", interleaved.trim_end().to_string()),
    ];
    let files = Files::new();
    let mut hashes = Vec::new();
    for (name, text) in &dialects {
        let loaded = load_surface(files.write("two.obj", text)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(loaded.mesh.triangles, [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7], [0, 1, 5]], "{name}");
        assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
        hashes.push(loaded.mesh.mesh_hash());
    }
    assert!(hashes.iter().all(|&h| h == hashes[0]), "{hashes:x?}");
}

/// C11: two tetrahedra that share only an edge; three cloth triangles on one edge; the same triangle twice; a triangle
/// with a repeated id. All load without panic, keep every element and vertex, and are listed.
#[test]
fn c11_non_manifold_meshes_load_and_are_listed() {
    let files = Files::new();
    let vertices =
        "Vertex 0 0 0 0\nVertex 1 0 0 1\nVertex 2 1 0 0\nVertex 3 1 1 0\nVertex 4 -1 0 0\nVertex 5 -1 -1 0\n";
    let two = load_tets(files.write("edge.t", format!("{vertices}Tet 0 0 1 2 3\nTet 1 0 1 4 5\n"))).unwrap();
    let report = examine_tets(&two.mesh);
    assert_eq!((report.tets, report.components, report.boundary_faces), (2, 1, 8));
    let [finding] = report.findings.as_slice() else { panic!("{:?}", report.findings) };
    assert_eq!(
        (finding.problem, &finding.elements),
        (Problem::NonmanifoldEdge, &Elements::Edges(vec![[0, 1]]))
    );

    let vertices = "v 0 0 0\nv 0 0 1\nv 1 0 0\nv -1 1 0\nv -1 -1 0\n";
    let surface = |faces: &str| {
        let loaded = load_surface(files.write("cloth.obj", format!("{vertices}{faces}"))).unwrap();
        assert_eq!(loaded.mesh.positions.len(), 5);
        let report = examine_surface(&loaded.mesh);
        (loaded, report)
    };
    let has =
        |report: &SurfaceReport, problem, elements| report.findings.contains(&Finding { problem, elements });
    let (loaded, report) = surface("f 1 2 3\nf 1 2 4\nf 1 2 5\n");
    assert_eq!(loaded.mesh.triangles.len(), 3);
    assert!(has(&report, Problem::NonmanifoldEdge, Elements::Edges(vec![[0, 1]])), "{report:?}");

    let (loaded, report) = surface("f 1 2 3\nf 2 1 4\nf 2 1 5\nf 3 1 2\n");
    assert_eq!(loaded.warnings, ["1 triangle is there before: 3"]);
    assert_eq!(loaded.mesh.triangles.len(), 4);
    assert!(has(&report, Problem::Duplicate, Elements::Triangles(vec![3])), "{report:?}");

    let (loaded, report) = surface("f 1 2 3\nf 2 1 4\nf 5 5 1\n");
    assert_eq!(loaded.warnings, ["1 triangle has no area: 2"]);
    assert!(has(&report, Problem::RepeatedVertex, Elements::Triangles(vec![2])), "{report:?}");
}

/// Indices beyond the vertices, from a program: an error that names the tetrahedron.
#[test]
fn a_topology_of_indices_out_of_range_is_an_error() {
    use gordian_mesh::{TetTopology, TopologyError};
    let wrong = TetTopology::try_new(3, &[[0, 1, 2, 3]]).unwrap_err();
    assert_eq!(wrong, TopologyError::IndexOutOfRange { tet: 0, vertex: 3, count: 3 });
    assert_eq!(TetTopology::try_new(4, &[[0, 1, 2, 3]]).unwrap().faces.len(), 4);
}
