//! Two tetrahedra on one face, in the dialects of MSH.

pub const POINTS: [[f64; 3]; 5] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.1, 0.2, 1.0], [1.0, 1.0, 1.0e-3 + 1.0]];
pub const TETS: [[u64; 4]; 2] = [[0, 1, 2, 3], [1, 4, 2, 3]];

/// Numbers of a section, as text or bytes.
pub struct Out {
    pub bytes: Vec<u8>,
    binary: Option<bool>,
}

impl Out {
    /// `binary`: `None` for text, else whether the greatest byte comes first.
    pub fn new(version: &str, binary: Option<bool>) -> Self {
        let mut out = Out { bytes: Vec::new(), binary };
        out.text(&format!("$MeshFormat\n{version} {} 8\n", u8::from(binary.is_some())));
        if binary.is_some() {
            out.int(&[1]);
            out.text("\n");
        }
        out.text("$EndMeshFormat\n");
        out
    }

    pub fn text(&mut self, text: &str) {
        self.bytes.extend(text.as_bytes());
    }

    pub fn int(&mut self, numbers: &[u64]) {
        self.numbers(numbers, |n| (n as i32).to_le_bytes().to_vec());
    }

    pub fn size(&mut self, numbers: &[u64]) {
        self.numbers(numbers, |n| n.to_le_bytes().to_vec());
    }

    pub fn double(&mut self, numbers: &[f64]) {
        self.numbers(numbers, |x| x.to_le_bytes().to_vec());
    }

    fn numbers<T: Copy + std::fmt::Display>(&mut self, numbers: &[T], bytes: impl Fn(T) -> Vec<u8>) {
        for &n in numbers {
            match self.binary {
                None => self.text(&format!("{n} ")),
                Some(big) => {
                    let mut b = bytes(n);
                    if big {
                        b.reverse();
                    }
                    self.bytes.extend(b);
                }
            }
        }
        self.end_line();
    }

    fn end_line(&mut self) {
        if self.binary.is_none() {
            self.text("\n");
        }
    }

    pub fn end(&mut self, section: &str) {
        if self.binary.is_some() {
            self.text("\n");
        }
        self.text(&format!("$End{section}\n"));
    }
}

pub fn v2(binary: Option<bool>) -> Vec<u8> {
    let mut out = Out::new("2.2", binary);
    out.text("$Nodes\n5\n");
    for (i, p) in POINTS.iter().enumerate() {
        out.int(&[i as u64 + 1]);
        out.double(p);
    }
    out.end("Nodes");
    out.text("$Elements\n2\n");
    if binary.is_some() {
        out.int(&[4, 2, 2]);
    }
    for (i, t) in TETS.iter().enumerate() {
        let mut row = vec![i as u64 + 1];
        if binary.is_none() {
            row.extend([4, 2]);
        }
        row.extend([0, 1]);
        row.extend(t.map(|v| v + 1));
        out.int(&row);
    }
    out.end("Elements");
    out.bytes
}

/// `tag` numbers the nodes; `blocks` are the entities that the nodes are cut into.
pub fn v4(binary: Option<bool>, tag: impl Fn(u64) -> u64, blocks: &[u64], extra: bool) -> Vec<u8> {
    let mut out = Out::new("4.1", binary);
    if extra {
        out.text("$PhysicalNames\n1\n3 1 \"a $Nodes of mine\"\n$EndPhysicalNames\n");
        out.text("$Comments\nsaid by people: $EndCommentsNot and 1 2 3\n$EndComments\n");
    }
    out.text("$Nodes\n");
    out.size(&[blocks.len() as u64, 5, tag(0), tag(4)]);
    let mut first = 0;
    for (entity, &count) in blocks.iter().enumerate() {
        out.int(&[3, entity as u64 + 1, 0]);
        out.size(&[count]);
        let ids: Vec<u64> = (first..first + count).collect();
        out.size(&ids.iter().map(|&i| tag(i)).collect::<Vec<_>>());
        for i in ids {
            out.double(&POINTS[i as usize]);
        }
        first += count;
    }
    out.end("Nodes");
    out.text("$Elements\n");
    out.size(&[1, 2, 1, 2]);
    out.int(&[3, 1, 4]);
    out.size(&[2]);
    for (i, t) in TETS.iter().enumerate() {
        let [a, b, c, d] = t.map(&tag);
        out.size(&[i as u64 + 1, a, b, c, d]);
    }
    out.end("Elements");
    if extra {
        out.text("$NodeData\n1\n\"T\"\n1\n0\n3\n0\n1\n2\n");
        out.size(&[tag(0)]);
        out.double(&[0.5]);
        out.end("NodeData");
    }
    out.bytes
}
