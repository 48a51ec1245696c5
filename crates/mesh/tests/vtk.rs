//! One mesh in the dialects of VTK's legacy and XML formats, and what is told of broken files.

use std::path::PathBuf;

use gordian_mesh::io::{self, RawMesh};
use tempfile::TempDir;

mod dialects;

use dialects::vtk::{Form, POINTS, Xml, legacy, xml};

fn check(name: &str, raw: &RawMesh) {
    let positions: Vec<_> = raw.positions.iter().map(|p| p.to_array().map(f64::to_bits)).collect();
    assert_eq!(positions, POINTS.map(|p| p.map(f64::to_bits)), "{name}");
    assert_eq!(raw.tets, [[0, 1, 2, 3], [3, 2, 1, 4]], "{name}");
    let quadrangles = [[0, 1, 2], [0, 2, 3], [0, 1, 2], [0, 2, 3]];
    let strip = [[0, 1, 2], [2, 1, 3], [2, 3, 4]];
    let pentagon = [[1, 2, 3], [1, 3, 4], [1, 4, 5]];
    let triangles = [&[[0, 1, 2]][..], &quadrangles, &strip, &pentagon].concat();
    assert_eq!(raw.triangles, triangles, "{name}");
    assert_eq!(raw.other, [("lines", 1), ("points", 1)], "{name}");
    assert!(raw.warnings.is_empty(), "{name}: {:?}", raw.warnings);
}

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Files(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    fn error(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        io::read_raw(self.write(name, content)).expect_err(name).to_string()
    }
}

#[test]
fn legacy_dialects_are_one_mesh() {
    let files = Files::new();
    for version in ["2.0", "3.0", "4.2", "5.1"] {
        for binary in [false, true] {
            for real in ["float", "double"] {
                let name = format!("{version} {binary} {real}");
                let mut bytes = legacy(version, binary, real);
                if real == "double" && !binary {
                    bytes = String::from_utf8(bytes).unwrap().replace('\n', "\r\n").into_bytes();
                }
                check(
                    &name,
                    &io::read_raw(files.write("mesh.vtk", bytes)).unwrap_or_else(|e| panic!("{name}: {e}")),
                );
            }
        }
    }
}

#[test]
fn legacy_surfaces_are_read() {
    let files = Files::new();
    let head =
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 1 1 0 0 1 0\n";
    let body = "VERTICES 1 2\n1 0\nLINES 1 3\n2 0 1\nPOLYGONS 2 9\n4 0 1 2 3\n3 0 1 2\nTRIANGLE_STRIPS 1 5\n4 0 1 2 3\n";
    let raw = io::read_raw(files.write("s.vtk", format!("{head}{body}"))).unwrap();
    assert_eq!(raw.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2], [0, 1, 2], [2, 1, 3]]);
    assert_eq!(raw.other, [("points", 1), ("lines", 1)]);
}

#[test]
fn broken_legacy_files_say_what_is_wrong() {
    let files = Files::new();
    let text = String::from_utf8(legacy("3.0", false, "float")).unwrap();
    for (broken, wanted) in [
        (text.replace("ASCII", "ASCI"), "line 3: ASCII or BINARY"),
        (text.replace("UNSTRUCTURED_GRID", "STRUCTURED_POINTS"), "save it as an unstructured grid"),
        (text.replace("0.125", "O.125"), "line 6: the points should be a number, not `O.125`"),
        (text.replace("POINTS 6", "POINTS 66666666666666"), "the points should be a number, not `CELLS`"),
        (text.replace("4 0 1 2 3 3", "44 0 1 2 3 3"), "cell 0 has more vertices than the section holds"),
        (
            text.replace("4 0 1 2 3 3", "4 0 1 2 6 3"),
            "tetrahedron 0 uses vertex 6, but the file has 6 vertices",
        ),
        (text.replace("4 0 1 2 3 3", "4 0 1 2 -1 3"), "tetrahedron 0 uses vertex -1"),
        (text.replace("10 5 3 9", "5 5 3 9"), "cell 0 is a triangle with 4 vertices"),
        (text.replace("CELL_TYPES 9\n", "CELL_TYPES 8\n"), "`1` is no keyword"),
        (text.replace("6 float", "6 quad"), "`quad` is no type of numbers"),
        (text[..text.find("CELL_TYPES").unwrap()].to_string(), "9 cells, but 0 cell types"),
        (text[..text.find("CELLS").unwrap() - 9].to_string(), "the file ends where the points"),
    ] {
        let e = files.error("broken.vtk", &broken);
        assert!(e.contains(wanted), "{e}\n{broken}");
    }
    let new = String::from_utf8(legacy("5.1", false, "float")).unwrap();
    for (broken, wanted) in [
        (new.replace("\n0 4 7 9", "\n0 4 3 9"), "cell 1 has offsets that lead out"),
        (new.replace("\n0 4 7 9", "\n0 4 7 999"), "cell 2 has offsets that lead out"),
        (new.replace("\n0 4 7 9", "\n-1 4 7 9"), "cell 0 has offsets that lead out"),
        (new.replace("CONNECTIVITY", "CONNECTIVITIES"), "CONNECTIVITY was expected"),
    ] {
        let e = files.error("broken.vtk", &broken);
        assert!(e.contains(wanted), "{e}\n{broken}");
    }
}

#[test]
fn xml_dialects_are_one_mesh() {
    let files = Files::new();
    let mut forms = vec![Form::Ascii];
    for zlib in [false, true] {
        forms.push(Form::Inline { zlib });
        forms.push(Form::Appended { base64: false, zlib });
        forms.push(Form::Appended { base64: true, zlib });
    }
    for form in forms {
        for (big, header, integer, real, block) in [
            (false, "UInt32", "Int64", "Float32", 40),
            (true, "UInt64", "Int32", "Float64", 16),
            (true, "UInt32", "UInt8", "Float32", 1000),
            (false, "UInt64", "UInt16", "Float64", 1),
            (false, "UInt64", "UInt64", "Float32", 24),
        ] {
            let name = format!("{form:?} {big} {header} {integer} {real}");
            let real = if matches!(form, Form::Ascii) { "Float32" } else { real };
            let bytes = Xml { form, big, header, integer, block, appended: Vec::new() }.file(real);
            let path = files.write("mesh.vtu", bytes);
            check(&name, &io::read_raw(path).unwrap_or_else(|e| panic!("{name}: {e}")));
        }
    }
}

#[test]
fn pieces_follow_each_other_and_surfaces_are_read() {
    let files = Files::new();
    let piece = "<Piece NumberOfPoints=\"3\" NumberOfPolys=\"1\"><Points><DataArray type=\"Float32\" \
        NumberOfComponents=\"3\">0 0 0 1 0 0 0 1 0</DataArray></Points><Polys><DataArray type=\"Int32\" \
        Name=\"connectivity\">0 1 2</DataArray><DataArray type=\"Int32\" Name=\"offsets\">3</DataArray></Polys></Piece>";
    let file = format!("<VTKFile type=\"PolyData\"><PolyData>{piece}{piece}</PolyData></VTKFile>");
    let raw = io::read_raw(files.write("two.vtp", file)).unwrap();
    assert_eq!(raw.positions.len(), 6);
    assert_eq!(raw.triangles, [[0, 1, 2], [3, 4, 5]]);
}

#[test]
fn broken_xml_files_say_what_is_wrong() {
    let files = Files::new();
    let text = String::from_utf8(xml(Form::Ascii).file("Float32")).unwrap();
    for (broken, wanted) in [
        (text.replace("UnstructuredGrid\" version", "ImageData\" version"), "type ImageData is not read"),
        (
            text.replace("version=\"1.0\" byte", "compressor=\"vtkLZ4DataCompressor\" byte"),
            "save it with zlib",
        ),
        (text.replace("0.125", "O.125"), "a number of the array `Points` should be a number, not `O.125`"),
        (
            text.replace("NumberOfPoints=\"6\"", "NumberOfPoints=\"7\""),
            "18 coordinates of points, where 7 points",
        ),
        (text.replace("NumberOfCells=\"9\"", "NumberOfCells=\"8\""), "9 cells with 9 types, where 8 cells"),
        (
            text.replace("NumberOfCells=\"9\"", "NumberOfCells=\"nine\""),
            "line 5: NumberOfCells should be a whole",
        ),
        (text.replace("\n0 1 2 3 ", "\n0 1 2 7 "), "tetrahedron 0 uses vertex 7"),
        (text.replace("type=\"Float32\"", "type=\"Float16\""), "`Float16` is no type of numbers"),
        (text.replace("\n4 7 9", "\n4 2 9"), "cell 1 has offsets that lead out"),
        (text[..text.find("</Cells>").unwrap()].to_string(), "the file ends inside <Cells>; is it complete?"),
        (text.replace("</Points>", "</Pints>"), "line"),
        (text.replace("Piece", "Peace"), "no <Piece>"),
    ] {
        let e = files.error("broken.vtu", &broken);
        assert!(e.contains(wanted), "{e}\n{broken}");
    }
    for form in [Form::Appended { base64: false, zlib: false }, Form::Appended { base64: true, zlib: true }] {
        let bytes = xml(form).file("Float32");
        let start = bytes.windows(12).position(|w| w == b"AppendedData").unwrap();
        let e = files.error("cut.vtu", &bytes[..start + 60]);
        assert!(e.contains("complete?"), "{e}");
        let e = files.error("cut.vtu", &bytes[..start - 1]);
        assert!(e.contains("complete?"), "{e}");
    }
    let inline = xml(Form::Inline { zlib: false }).file("Float32");
    let e = files.error(
        "b.vtu",
        String::from_utf8(inline)
            .unwrap()
            .replace("\"Points\" format=\"binary\">\n ", "\"Points\" format=\"binary\">\n *"),
    );
    assert!(e.contains("the array `Points` ends early or is damaged"), "{e}");
}
