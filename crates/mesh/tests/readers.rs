//! The readers of TetGen, `.t`, Medit, OBJ, PLY and STL: dialects of one mesh, what is told of broken files,
//! and that no file makes them panic or hang.

use std::path::PathBuf;

use glam::DVec3;
use gordian_mesh::io::{self, RawMesh};
use gordian_mesh::{signed_volume, testdata};
use tempfile::TempDir;

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Files(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        // Truncating a file that is there makes some file systems wait for the disk.
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, content).unwrap();
        path
    }

    fn read(&self, name: &str, content: impl AsRef<[u8]>) -> RawMesh {
        io::read_raw(self.write(name, content)).unwrap_or_else(|e| panic!("{e}"))
    }

    fn error(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        io::read_raw(self.write(name, content)).expect_err(name).to_string()
    }
}

fn points(rows: &[[f64; 3]]) -> Vec<DVec3> {
    rows.iter().copied().map(DVec3::from_array).collect()
}

/// Two tetrahedra on one face, with the surface of the first.
const POINTS: [[f64; 3]; 5] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.125, 0.25, 1.0], [1.0, 1.0, 1.5]];
const TETS: [[u32; 4]; 2] = [[0, 1, 2, 3], [1, 4, 2, 3]];
const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

/// A line for each item: its number from `base`, then its own numbers.
fn numbered<T: ToString, const K: usize>(base: u32, rows: &[[T; K]]) -> String {
    let row = |(i, row): (usize, &[T; K])| {
        let numbers: Vec<String> = row.iter().map(T::to_string).collect();
        format!("{} {}\n", base + i as u32, numbers.join(" "))
    };
    rows.iter().enumerate().map(row).collect()
}

/// Numbers of vertices from `base`.
fn from<const K: usize>(base: u32, rows: &[[u32; K]]) -> Vec<[u32; K]> {
    rows.iter().map(|row| row.map(|v| v + base)).collect()
}

#[test]
fn shared_volumes_load_as_listed() {
    for (name, vertices, tets) in [
        ("noodle.t", 15_122, 63_412),
        ("octopus.t", 3_225, 11_866),
        ("overhand_knot.t", 8_605, 22_830),
        ("armadillo_4k.node", 1_180, 3_717),
        ("armadillo_4k.ele", 1_180, 3_717),
    ] {
        let Some(path) = testdata::path(&format!("meshes/{name}")) else { return };
        let loaded = io::load_tets(&path).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((loaded.mesh.positions.len(), loaded.mesh.tets.len()), (vertices, tets), "{name}");
        assert!((0..tets).all(|t| signed_volume(loaded.mesh.corners(t)) > 0.0), "{name}");
        eprintln!("{name}: {:?}", loaded.warnings);
    }
}

#[test]
fn the_octopus_as_t_and_as_vtk_is_one_mesh() {
    let [Some(t), Some(vtk)] = ["octopus.t", "octopus.vtk"].map(|n| testdata::path(&format!("meshes/{n}")))
    else {
        return;
    };
    let [t, vtk] = [t, vtk].map(|path| io::load_tets(path).unwrap().mesh);
    assert_eq!(t.tets, vtk.tets);
    // Both are rounded decimals of one model.
    assert!(t.positions.iter().zip(&vtk.positions).all(|(&p, &q)| p.distance(q) < 1e-5));
}

#[test]
fn tetgen_finds_the_other_file_and_numbers_from_0_or_1() {
    let node = |base| {
        format!("# points\n5  3  2  1\n{}# end\n", numbered(base, &POINTS).replace('\n', " 7 8 -1 # c\n"))
    };
    let ele = |base| format!("\n2 4 1\n\n{}", numbered(base, &from(base, &TETS)).replace('\n', " 5\n"));
    for base in [0, 1, 40] {
        let files = Files::new();
        let node = files.write("two.1.node", node(base));
        let ele = files.write("two.1.ele", ele(base));
        let [by_node, by_ele] = [&node, &ele].map(|path| io::read_raw(path).unwrap());
        for raw in [&by_node, &by_ele] {
            assert_eq!(raw.positions, points(&POINTS));
            assert_eq!(raw.tets, TETS);
            assert!(raw.warnings.is_empty(), "{:?}", raw.warnings);
        }
    }
    let files = Files::new();
    files.write("TWO.NODE", node(1).replace('\n', "\r\n"));
    assert_eq!(files.read("TWO.ELE", ele(1).replace('\n', "\r\n")).tets, TETS);

    let files = Files::new();
    let raw = files.read("alone.node", node(0));
    assert_eq!((raw.positions.len(), raw.tets.len()), (5, 0));
    assert!(raw.warnings[0].contains("no alone.ele beside it"), "{:?}", raw.warnings);
    files.write("alone.face", format!("4 1\n{}", numbered(0, &FACES).replace('\n', " -1\n")));
    for name in ["alone.node", "alone.face"] {
        assert_eq!(io::read_raw(files.0.path().join(name)).unwrap().triangles, FACES);
    }
    let e = files.error("lost.ele", ele(0));
    assert!(e.contains("lost.node beside it, which is missing"), "{e}");
}

#[test]
fn broken_tetgen_files_say_where() {
    let node = format!("5 3 0 0\n{}", numbered(1, &POINTS));
    for (broken, wanted) in [
        (node.replace("5 3", "6 3"), "the file ends where another point was expected"),
        (node.replace("5 3", "4 3"), "line 6: 4 lines were announced, and here is one more"),
        (node.replace("5 3", "5 2"), "line 1: the points have dimension 2; 3 is read"),
        (node.replace("3 0 1 0\n", "3 0 1\n"), "line 4: the line ends where z was expected"),
        (node.replace("3 0 1 0\n", "3 0 I 0\n"), "line 4: y should be a number, not `I`"),
        (node.replace("\n3 0", "\n2 0"), "node 2 is defined twice"),
        (String::new(), "the file ends where the number of points was expected"),
        ("999999999999 3 0 0\n1 0 0 0\n".into(), "the file ends where another point was expected"),
    ] {
        let e = Files::new().error("broken.node", &broken);
        assert!(e.contains(wanted), "{e}\n{broken}");
    }
    let files = Files::new();
    files.write("x.node", node);
    for (broken, wanted) in [
        (
            "1 4 0\n1 1 2 3 0\n",
            "x.ele, line 2: an element uses point 0, which the .node file does not define",
        ),
        ("1 5 0\n1 1 2 3 4\n", "x.ele, line 1: tetrahedra have 4 corners here, not `5`"),
        ("1 4 0\n1 1 2 3\n", "x.ele, line 2: the line ends where a corner of the element"),
    ] {
        let e = files.error("x.ele", broken);
        assert!(e.contains(wanted), "{e}\n{broken}");
    }
    let raw = files.read("x.ele", "3 10 0\n1 1 2 3 4 5 1 2 3 4 5\n");
    assert_eq!((raw.tets.len(), raw.other), (0, vec![("second-order tetrahedra", 3)]));
}

#[test]
fn t_files_have_any_ids_in_any_order() {
    let id = |v: u32| 1_000_000_007u64 * u64::from(7 - v);
    let vertices: String = POINTS
        .iter()
        .enumerate()
        .map(|(i, [x, y, z])| format!("Vertex {} {x} {y} {z} {{rgb}}\n", id(i as u32)))
        .collect();
    let tets: String = TETS
        .iter()
        .enumerate()
        .map(|(i, t)| format!("Tet {i} {}\n", t.map(|v| id(v).to_string()).join(" ")))
        .collect();
    let files = Files::new();
    for text in [format!("{vertices}{tets}"), format!("# c\r\n\r\n{tets}Edge 1 2\n{vertices}")] {
        let raw = files.read("two.t", &text);
        assert_eq!((raw.positions, raw.tets.as_slice()), (points(&POINTS), &TETS[..]));
    }
    for (broken, wanted) in [
        (
            format!("{vertices}{tets}").replace("Tet 1", "Tat 1"),
            "line 7: a line begins with `Vertex` or `Tet`, not `Tat`",
        ),
        (format!("{vertices}Tet 0 1 2 3 4\n"), "line 6: a tetrahedron uses vertex 1, which"),
        (format!("{vertices}Tet 0 {} 2 3\n", id(0)), "line 6"),
        (format!("# c\n{vertices}{vertices}"), "line 7: vertex 7000000049 is defined twice, first in line 2"),
        ("Vertex 0 1 2\n".into(), "line 1: the line ends where z was expected"),
        ("Vertex -1 1 2 3\n".into(), "line 1: the vertex's id should be a whole number from 0, not `-1`"),
    ] {
        let e = files.error("broken.t", &broken);
        assert!(e.contains(wanted), "{e}\n{broken}");
    }
}

fn medit() -> String {
    let rows = |rows: Vec<String>| rows.join("\n");
    let ids = |r: &[u32]| r.iter().map(|v| (v + 1).to_string()).collect::<Vec<_>>().join(" ");
    format!(
        "MeshVersionFormatted 2\n# made by hand\nDimension\n3\n\nVertices # count next\n5\n{}\nTriangles\n4\n{}\n\
         Quadrilaterals 1\n1 2 3 4 0\nEdges 1\n1 2 0\nRidges 1\n1\nTetrahedra\n2\n{}\nRequiredVertices\n2\n1 2\n\nEnd\n",
        rows(POINTS.iter().map(|[x, y, z]| format!("{x} {y} {z} 0")).collect()),
        rows(FACES.iter().map(|f| format!("{} 7", ids(f))).collect()),
        rows(TETS.iter().map(|t| format!("{} 1 # c", ids(t))).collect()),
    )
}

#[test]
fn medit_sections_are_read_or_counted() {
    let files = Files::new();
    for text in [medit(), medit().replace('\n', "\r\n")] {
        let raw = files.read("two.mesh", text);
        assert_eq!((raw.positions, raw.tets.as_slice()), (points(&POINTS), &TETS[..]));
        assert_eq!(raw.triangles, [&FACES[..], &[[0, 1, 2], [0, 2, 3]]].concat());
        assert_eq!(raw.other, [("lines", 1)]);
    }
    for (broken, wanted) in [
        (medit().replace("Dimension\n3", "Dimension\n2"), "line 4: the mesh has dimension 2; 3 is read"),
        (
            medit().replace("1 2 3 4 1 ", "1 2 3 6 1 "),
            "tetrahedron 0 uses vertex 6; the file has 5 vertices, counted from 1",
        ),
        (
            medit().replace("1 2 3 4 1 ", "1 2 3 0 1 "),
            "tetrahedron 0 uses vertex 0; the file has 5 vertices, counted from 1",
        ),
        (
            medit().replace("Tetrahedra\n2", "Tetrahedra\n3"),
            "a vertex of the element should be a whole number, not `RequiredVertices`",
        ),
        (
            medit().replace("Tetrahedra\n2", "Tetrahedra\n1"),
            "a keyword was expected, not `2`; a count may be wrong",
        ),
        ("MeshVersionFormatted 2\nVertices 99999999999999\n0 0".into(), "the file ends where a coordinate"),
    ] {
        let e = files.error("broken.mesh", &broken);
        assert!(e.contains(wanted) && e.contains("line ") | e.contains("ends"), "{e}\n{broken}");
    }
    let e = files.error("two.meshb", [1, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0]);
    assert!(e.contains("binary .meshb is not read; save it as text .mesh"), "{e}");
    let e = files.error("mfem.mesh", "MFEM mesh v1.0\n");
    assert!(e.contains("is it a Medit mesh?"), "{e}");
}

#[test]
fn obj_lines_that_are_no_vertices_or_faces_change_nothing() {
    let files = Files::new();
    let raw = files.read(
        "a.obj",
        "\u{feff}# c\nmtllib a.mtl\no thing\nv 0 0 0 1.0\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\ns off\n\
         usemtl m\nf 1//1 2//1 3//1 # c\nf 1/1 3/1 4/1\nl 1 2\np 1\nwibble 3\nwobble\nf 1 2 3 4 1\n",
    );
    assert_eq!(raw.positions, points(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]));
    assert_eq!(raw.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2], [0, 2, 3], [0, 3, 0]]);
    assert_eq!(raw.other, [("lines", 1), ("points", 1)]);
    assert_eq!(
        raw.warnings,
        ["2 lines begin with nothing of the format OBJ, and are passed over; the first is line 16, `wibble`"]
    );
    let e = files.error("noise.obj", "\u{1}\u{2}noise\nmore noise\n");
    assert!(e.contains("line 1") && e.contains("is it an OBJ file?"), "{e}");
    // A face may come before its vertices.
    assert_eq!(files.read("b.obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n").triangles, [[0, 1, 2]]);
}

#[test]
fn broken_obj_files_say_where() {
    let files = Files::new();
    let v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (broken, wanted) in [
        (format!("{v}f 1 2 0\n"), "line 4: vertices are counted from 1, but a face uses vertex 0"),
        (format!("{v}f 1 2 -4\n"), "line 4: a face uses vertex -4, but there are 3 vertices before it"),
        (
            format!("{v}f 1 2 3\nf 1 2 \\\n 9\nf 1 2 3\n"),
            "line 5: a face uses vertex 9, but the file has 3 vertices",
        ),
        (format!("{v}f 1 2\n"), "line 4: a face needs three corners or more, not 2"),
        (format!("{v}f a b c\n"), "line 4: a corner of a face should be `v`, `v/vt` or `v/vt/vn`, not `a`"),
        ("v 0 0\n".into(), "line 1: the line ends where z was expected"),
        ("v 0 0 x\n".into(), "line 1: z should be a number, not `x`"),
        (format!("{v}f 1 2 99999999999\n"), "line 4"),
        (format!("{v}f 1 2 -9223372036854775808\n"), "line 4"),
    ] {
        let e = files.error("broken.obj", &broken);
        assert!(e.contains(wanted), "{e}\n{broken}");
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Ply {
    Text,
    Little,
    Big,
}

/// Two triangles, a quad and a strip, with properties before, between and behind those of interest.
fn ply(form: Ply) -> Vec<u8> {
    let format = match form {
        Ply::Text => "ascii",
        Ply::Little => "binary_little_endian",
        Ply::Big => "binary_big_endian",
    };
    let mut out = format!(
        "ply\nformat {format} 1.0\ncomment made by hand\nobj_info x\nelement material 1\nproperty list ushort short a\n\
         element vertex 5\nproperty uchar red\nproperty double z\nproperty float x\nproperty list uchar int tags\n\
         property short y\nelement face 3\nproperty float quality\nproperty list uint8 int32 vertex_indices\nproperty uchar flag\n\
         element edge 1\nproperty int vertex1\nproperty int vertex2\nelement nothing 99999999999\n\
         element tristrips 1\nproperty list int int vertex_indices\nelement tet 2\nproperty list uchar ulonglong vertex_index\nend_header\n"
    )
    .into_bytes();
    // `size` bytes of the value in the form of the file; text otherwise.
    let mut put = |size: i32, value: f64| {
        let mut bytes = match size {
            1 => vec![value as u8],
            2 => (value as i16).to_le_bytes().to_vec(),
            4 => (value as i32).to_le_bytes().to_vec(),
            8 => (value as u64).to_le_bytes().to_vec(),
            -4 => (value as f32).to_le_bytes().to_vec(),
            _ => value.to_le_bytes().to_vec(),
        };
        match form {
            Ply::Text => bytes = format!("{value} ").into_bytes(),
            Ply::Little => {}
            Ply::Big => bytes.reverse(),
        }
        out.extend(bytes);
    };
    for value in [2.0, -1.0, 5.0] {
        put(2, value);
    }
    for (i, p) in PLY_POINTS.iter().enumerate() {
        put(1, 200.0);
        put(-8, p[2]);
        put(-4, p[0]);
        put(1, i as f64);
        (0..i).for_each(|k| put(4, k as f64));
        put(2, p[1]);
    }
    for face in [&[0.0, 1.0, 2.0][..], &[2.0, 1.0, 3.0], &[0.0, 1.0, 2.0, 3.0]] {
        put(-4, 0.5);
        put(1, face.len() as f64);
        face.iter().for_each(|&v| put(4, v));
        put(1, 1.0);
    }
    [0.0, 1.0].iter().for_each(|&v| put(4, v));
    [8.0, 0.0, 1.0, 2.0, 3.0, -1.0, 4.0, 3.0, 2.0].iter().for_each(|&v| put(4, v));
    for tet in TETS {
        put(1, 4.0);
        tet.iter().for_each(|&v| put(8, f64::from(v)));
    }
    out
}

const PLY_POINTS: [[f64; 3]; 5] =
    [[0.5, 0.0, 0.1], [1.25, 7.0, 1e-9], [-3.0, 1.0, 2.0], [0.0, -1.0, 0.0], [4.0, 300.0, -1e300]];

#[test]
fn ply_forms_are_one_mesh_whatever_the_order_of_properties() {
    let files = Files::new();
    for form in [Ply::Text, Ply::Little, Ply::Big] {
        let raw = files.read("a.ply", ply(form));
        assert_eq!(raw.positions, points(&PLY_POINTS), "{form:?}");
        let triangles = [[0, 1, 2], [2, 1, 3], [0, 1, 2], [0, 2, 3], [0, 1, 2], [1, 3, 2], [4, 3, 2]];
        assert_eq!(raw.triangles, triangles, "{form:?}");
        assert_eq!(raw.tets, TETS);
        assert_eq!(raw.other, [("elements of other kinds", 100_000_000_000), ("lines", 1)]);
    }
}

#[test]
fn broken_ply_files_say_where() {
    let files = Files::new();
    let text = String::from_utf8(ply(Ply::Text)).unwrap();
    for (broken, wanted) in [
        (text.replace("format ascii 1.0\n", ""), "the header has no `format`"),
        (text.replace("ascii", "utf8"), "line 2: the format `utf8` is not known"),
        (text.replace("property short y\n", ""), "no properties `x`, `y` and `z`"),
        (
            text.replace("element vertex 5", "element vertex -5"),
            "line 7: an element's count should be a whole number",
        ),
        (
            text.replace("uint8 int32", "float int32"),
            "line 15: the length of a list should be of a whole-number type",
        ),
        (text.replace("property double z", "property quad z"), "line 9: `quad` is no type of numbers"),
        (text.replace("end_header", "end_heade"), "is not expected in a header"),
        (text.replace("element material 1\n", ""), "line 5: a property stands before any element"),
    ] {
        let e = files.error("broken.ply", &broken);
        assert!(e.contains(wanted), "{e}\n{broken}");
    }
    let binary = ply(Ply::Big);
    let e = files.error("cut.ply", &binary[..binary.len() - 5]);
    assert!(e.contains("byte") && e.contains("the file ends where"), "{e}");
    let huge =
        String::from_utf8_lossy(&binary).replace("element vertex 5", "element vertex 9223372036854775807");
    assert!(files.error("huge.ply", huge).contains("the file ends where"));
}

/// The surface of the first tetrahedron as text, without an end.
fn stl_text() -> String {
    let mut text = String::new();
    for face in FACES {
        text += "  facet normal 0 0 0\n    outer loop\n";
        for [x, y, z] in face.map(|v| POINTS[v as usize]) {
            text += &format!("      vertex {x:e} {y} {z}\n");
        }
        text += "    endloop\n  endfacet\n";
    }
    format!("solid a solid of 4\n{text}endsolid a solid of 4\n")
}

fn stl_binary(title: &str) -> Vec<u8> {
    let mut bytes = format!("{title:80}").into_bytes();
    bytes.extend((FACES.len() as u32).to_le_bytes());
    for face in FACES {
        bytes.extend([0; 12]);
        for x in face.map(|v| POINTS[v as usize]).as_flattened() {
            bytes.extend((*x as f32).to_le_bytes());
        }
        bytes.extend([7, 7]);
    }
    bytes
}

#[test]
fn stl_text_and_binary_are_one_closed_surface_numbered_by_first_use() {
    let files = Files::new();
    let order = [0, 2, 1, 3];
    let expected = points(&order.map(|v| POINTS[v]));
    let forms = [
        stl_text().into_bytes(),
        stl_text().to_uppercase().replace('\n', "\r\n").into_bytes(),
        stl_text().replace(" 0\n", " -0\n").into_bytes(),
        stl_binary("made by hand"),
        // The title of a binary file may begin as a text does.
        stl_binary("solid"),
    ];
    for bytes in forms {
        let raw = files.read("a.stl", &bytes);
        assert_eq!(raw.positions, expected);
        assert_eq!(raw.triangles, [[0, 1, 2], [0, 2, 3], [2, 1, 3], [1, 0, 3]]);
        assert!(raw.warnings.is_empty());
        // Told by its content, whatever its name.
        let raw = files.read("a.obj", &bytes);
        assert_eq!(raw.triangles.len(), 4);
        assert!(raw.warnings[0].contains("holds STL"), "{:?}", raw.warnings);
    }
}

#[test]
fn corners_that_differ_in_the_last_bit_stay_apart() {
    let moved = stl_text().replacen("vertex 0e0 0 0", "vertex 5e-324 0 0", 1);
    assert_eq!(Files::new().read("a.stl", moved).positions.len(), 5);
}

#[test]
fn broken_stl_files_say_where() {
    let files = Files::new();
    for (broken, wanted) in [
        (stl_text().replacen("    endloop\n", "", 1), "line 7: `endfacet` is not expected here"),
        (stl_text().replacen("      vertex 0e0 1 0\n", "", 1), "line 6: a facet has 2 vertices, not 3"),
        (stl_text().replacen("    outer loop\n", "", 1), "line 3: a vertex stands outside of any loop"),
        (stl_text().replacen("0e0 1 0", "0e0 1", 1), "line 5: the line ends where z was expected"),
        (stl_text()[..200].to_string(), "the file ends where"),
    ] {
        let e = files.error("broken.stl", &broken);
        assert!(e.contains(wanted), "{e}\n{broken}");
    }
    let binary = stl_binary("x");
    let e = files.error("cut.stl", &binary[..200]);
    assert!(e.contains("byte 200: the file ends where another triangle"), "{e}");
    let raw = files.read("long.stl", [&binary[..], b"tail"].concat());
    assert_eq!(raw.warnings, ["4 bytes behind the 4 triangles are passed over"]);
}

/// Files of every format with bytes changed, cut out, doubled and numbers made large are read or refused,
/// with a reason; what loads has indices in range and finite positions.
#[test]
fn mutated_files_never_panic_or_hang() {
    let mut state = 1u64;
    let mut random = move |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n.max(1)
    };
    let files = Files::new();
    files.write("y.node", format!("5 3 0 0\n{}", numbered(1, &POINTS)));
    let seeds: [(&str, Vec<u8>); 11] = [
        ("x.node", format!("5 3 1 0\n{}", numbered(0, &POINTS)).into_bytes()),
        ("y.ele", format!("2 4 0\n{}", numbered(1, &from(1, &TETS))).into_bytes()),
        ("y.face", format!("4 1\n{}", numbered(1, &from(1, &FACES))).into_bytes()),
        ("x.t", b"Vertex 0 0 0 0\nVertex 1 1 0 0\nVertex 5 0 1 0\nVertex 3 0 0 1\nTet 0 0 1 5 3\n".to_vec()),
        ("x.mesh", medit().into_bytes()),
        ("x.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 1 1\nf 1/1 2/2/3 \\\n -1//2\nf 1 2 3 1\n".to_vec()),
        ("t.ply", ply(Ply::Text)),
        ("l.ply", ply(Ply::Little)),
        ("b.ply", ply(Ply::Big)),
        ("t.stl", stl_text().into_bytes()),
        ("b.stl", stl_binary("x")),
    ];
    let words: [&[u8]; 12] = [
        b"99999999999999999999",
        b"18446744073709551615",
        b"-1",
        b"4294967296",
        b"nan",
        b"\n",
        b"\\",
        b"#",
        b"list ",
        b"1e999",
        b"\xff\xfe",
        b"0",
    ];
    for (name, seed) in &seeds {
        let (mut loaded, mut refused) = (0, 0);
        for _ in 0..200 {
            let mut bytes = seed.clone();
            for _ in 0..=random(3) {
                let at = random(bytes.len());
                let end = (at + random(12)).min(bytes.len());
                match random(5) {
                    0 if at < bytes.len() => bytes[at] ^= 1 << random(8),
                    1 => bytes.truncate(at),
                    2 => drop(bytes.drain(at..end)),
                    3 => bytes = [&bytes[..end], &bytes[at..]].concat(),
                    _ => drop(bytes.splice(at..end, words[random(words.len())].iter().copied())),
                }
            }
            let path = files.write(name, &bytes);
            match io::load_surface(&path)
                .map(|l| l.mesh.triangles.len())
                .or_else(|_| io::load_tets(&path).map(|l| l.mesh.tets.len()))
            {
                Ok(elements) => {
                    assert!(elements > 0);
                    loaded += 1;
                }
                Err(e) => {
                    assert!(e.to_string().contains(name), "{e}");
                    refused += 1;
                }
            }
        }
        assert!(refused > 20, "{name}: {loaded} loaded, {refused} refused");
    }
}
