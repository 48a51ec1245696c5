//! What a run reports: one JSON object, with an entry a frame.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use glam::Vec3;
use gordian_mesh::io::{MeshError, write_atomically};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::Scene;

/// The report of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Name of the scene.
    pub scene: String,
    /// What computed, such as `cpu (AVX2)` or `NVIDIA L4 (vulkan)`.
    pub adapter: String,
    /// Version of this program.
    pub version: String,
    /// All settings of the scene, defaults included; see [`Report::set_scene`].
    pub settings: serde_json::Value,
    /// Number of vertices, of all bodies together.
    pub vertices: u64,
    /// Number of tetrahedra.
    pub tetrahedra: u64,
    /// Number of triangles: of cloth, and of the surfaces of volumes.
    pub triangles: u64,
    /// Number of bodies, copies counted.
    pub bodies: u64,
    /// The frames, in their order.
    pub frames: Vec<FrameReport>,
    /// What the scene holds its run to, and whether it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<crate::Verdict>,
    /// What a part of the run shows nothing of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_judged: Vec<crate::Unjudged>,
}

/// What happened in a frame. Counts are sums over its substeps unless they say "at the end".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FrameReport {
    /// The frame, from 1.
    pub frame: u32,
    /// Time at its end, seconds.
    pub time_s: f64,
    /// Contacts that were found.
    pub contacts: Contacts,
    /// Boundary queries: penetrating points times the elements that hold them.
    pub queries: u64,
    /// Element traversals, and elements flooded, that the queries took.
    pub traversals: u64,
    /// Queries for which no valid path was found.
    pub unresolved_queries: u64,
    /// Boundary vertices inside a tetrahedron that is not theirs, at the end of the frame.
    pub penetrating_vertices: u64,
    /// Tetrahedra of negative volume, at the end of the frame.
    pub inverted_tetrahedra: u64,
    /// Pairs of surface triangles that cross in more than what they share, at the end of the frame; `null` where they were not
    /// looked for. Zero penetrating vertices is not zero crossings: edges may pass through a body without an end inside it.
    pub intersecting_triangle_pairs: Option<u64>,
    /// Length of the intersection contours of cloth, metres, at the end of the frame; `null` without cloth.
    pub contour_length_m: Option<f64>,
    /// Contours of cloth that had stalled and were kicked at random.
    #[serde(default)]
    pub contour_kicks: u64,
    /// Kinetic energy at the end of the frame, joule.
    pub kinetic_energy_j: f64,
    /// Elastic energy at the end of the frame, joule.
    pub elastic_energy_j: f64,
    /// xxh3 of the raw position bits in file order at the end of the frame, sixteen hexadecimal digits.
    #[serde(with = "hex")]
    pub position_hash: u64,
    /// Where the time went, milliseconds.
    pub ms: StageTimes,
}

/// Contacts of a frame, by the way they were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contacts {
    /// By continuous detection.
    pub ccd: u64,
    /// Of vertices that were inside already.
    pub dcd: u64,
    /// Of cloth, by proximity.
    pub proximity: u64,
    /// With colliders.
    pub collider: u64,
}

impl Contacts {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.ccd + self.dcd + self.proximity + self.collider
    }
}

/// Where the time of a frame went, milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageTimes {
    /// Prediction, elastic constraints, velocities.
    pub solve: f64,
    /// Positions to and from the solver.
    pub transfer: f64,
    /// Trees.
    pub refit: f64,
    /// Discrete detection.
    pub dcd: f64,
    /// Continuous detection.
    pub ccd: f64,
    /// Shortest paths to the boundary.
    pub shortest_path: f64,
    /// Projection of contacts, friction, velocities.
    pub response: f64,
    /// Cloth: contours and their response.
    pub untangle: f64,
    /// Frames, checkpoints, and the figures of the report.
    pub output: f64,
    /// The whole frame; more than the sum by what no stage claims.
    pub total: f64,
}

/// A stage of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are the fields of StageTimes")]
pub enum Stage {
    Solve,
    Transfer,
    Refit,
    Dcd,
    Ccd,
    ShortestPath,
    Response,
    Untangle,
    Output,
}

impl Stage {
    /// All stages, in the order of the report.
    pub const ALL: [Stage; 9] = [
        Stage::Solve,
        Stage::Transfer,
        Stage::Refit,
        Stage::Dcd,
        Stage::Ccd,
        Stage::ShortestPath,
        Stage::Response,
        Stage::Untangle,
        Stage::Output,
    ];

    /// Its name in the report.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Solve => "solve",
            Stage::Transfer => "transfer",
            Stage::Refit => "refit",
            Stage::Dcd => "dcd",
            Stage::Ccd => "ccd",
            Stage::ShortestPath => "shortest_path",
            Stage::Response => "response",
            Stage::Untangle => "untangle",
            Stage::Output => "output",
        }
    }
}

impl StageTimes {
    /// Does `work` and adds the time it took to a stage.
    pub fn time<T>(&mut self, stage: Stage, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.add(stage, start.elapsed());
        result
    }

    /// Adds to a stage a time measured elsewhere.
    pub fn add(&mut self, stage: Stage, time: Duration) {
        *self.slot(stage) += time.as_secs_f64() * 1e3;
    }

    /// Milliseconds of a stage.
    pub fn get(&self, stage: Stage) -> f64 {
        let mut copy = *self;
        *copy.slot(stage)
    }

    /// Adds the times of another frame, or of a part of this one.
    pub fn add_all(&mut self, other: &StageTimes) {
        for stage in Stage::ALL {
            *self.slot(stage) += other.get(stage);
        }
        self.total += other.total;
    }

    fn slot(&mut self, stage: Stage) -> &mut f64 {
        match stage {
            Stage::Solve => &mut self.solve,
            Stage::Transfer => &mut self.transfer,
            Stage::Refit => &mut self.refit,
            Stage::Dcd => &mut self.dcd,
            Stage::Ccd => &mut self.ccd,
            Stage::ShortestPath => &mut self.shortest_path,
            Stage::Response => &mut self.response,
            Stage::Untangle => &mut self.untangle,
            Stage::Output => &mut self.output,
        }
    }
}

/// xxh3 of the raw bits of positions, in the order given. Equal hashes are equal bits; so minus zero differs from zero.
pub fn position_hash(positions: &[Vec3]) -> u64 {
    xxh3_64(bytemuck::cast_slice(positions))
}

impl Report {
    /// The head of the report of a run of `scene` in `world`; there are no frames yet.
    pub fn of(world: &crate::World, scene: &Scene) -> Self {
        let topology = world.topology();
        let mut report = Report {
            adapter: crate::adapter::describe(world.adapter()),
            version: env!("CARGO_PKG_VERSION").into(),
            vertices: world.positions().len() as u64,
            tetrahedra: topology.tets.len() as u64,
            triangles: (topology.faces.len() + world.cloth().triangles().len()) as u64,
            bodies: world.bodies().len() as u64,
            ..Report::default()
        };
        report.set_scene(scene);
        report
    }

    /// Takes over the name and all settings of a scene.
    pub fn set_scene(&mut self, scene: &Scene) {
        self.scene.clone_from(&scene.simulation.name);
        self.settings = serde_json::to_value(scene).expect("every scene can be written as JSON");
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("every report can be written as JSON")
    }

    /// Writes the report, whole or not at all.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), MeshError> {
        write_atomically(path.as_ref(), |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        })
    }
}

/// A 64-bit hash as sixteen hexadecimal digits: JSON numbers hold 53 bits in most readers.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(hash: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{hash:016x}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the fields as the design lists them.
    const FIELDS: &str = "scene adapter version settings vertices tetrahedra triangles bodies frames";
    const FRAME_FIELDS: &str = "frame time_s contacts queries traversals unresolved_queries penetrating_vertices \
        inverted_tetrahedra intersecting_triangle_pairs contour_length_m contour_kicks kinetic_energy_j elastic_energy_j \
        position_hash ms";
    const CONTACT_FIELDS: &str = "ccd dcd proximity collider";
    const TIME_FIELDS: &str = "solve transfer refit dcd ccd shortest_path response untangle output total";

    fn assert_fields(value: &serde_json::Value, names: &str) {
        let mut names: Vec<&str> = names.split_whitespace().collect();
        let mut found: Vec<&String> = value.as_object().unwrap().keys().collect();
        names.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, names);
    }

    fn sample() -> Report {
        let mut report = Report { adapter: "cpu".into(), vertices: 3, ..Report::default() };
        report.set_scene(&Scene::parse("[[body]]\ngenerator = { kind = \"box\" }", "a box").unwrap());
        let frame = FrameReport { frame: 1, position_hash: 0x00ab_cdef_0123_4567, ..FrameReport::default() };
        report.frames.push(frame);
        report
    }

    #[test]
    fn the_fields_are_those_of_the_design() {
        let json = serde_json::to_value(sample()).unwrap();
        assert_fields(&json, FIELDS);
        assert_fields(&json["frames"][0], FRAME_FIELDS);
        assert_fields(&json["frames"][0]["contacts"], CONTACT_FIELDS);
        assert_fields(&json["frames"][0]["ms"], TIME_FIELDS);
        assert_eq!(json["frames"][0]["position_hash"], "00abcdef01234567");
        assert_eq!(json["settings"]["body"][0]["material"]["poisson"], 0.4);
        assert_eq!(json["settings"]["simulation"]["substeps"], 20);
    }

    #[test]
    fn a_report_is_read_back_equal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/r.json");
        sample().write(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), sample());
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1,
            "no temporary file is left"
        );
    }

    #[test]
    fn stages_collect_their_times() {
        let mut times = StageTimes::default();
        for (i, stage) in Stage::ALL.into_iter().enumerate() {
            times.add(stage, Duration::from_millis(i as u64 + 1));
            times.add(stage, Duration::from_millis(1));
        }
        for (i, stage) in Stage::ALL.into_iter().enumerate() {
            assert!((times.get(stage) - (i as f64 + 2.0)).abs() < 1e-9, "{}", stage.name());
        }
        let json = serde_json::to_value(times).unwrap();
        assert_eq!(Stage::ALL.map(|s| json[s.name()].as_f64().unwrap()), Stage::ALL.map(|s| times.get(s)));
        assert_eq!(times.time(Stage::Solve, || 7), 7);
    }

    #[test]
    fn the_hash_is_of_bits_and_of_order() {
        let p = [Vec3::new(0.0, 1.0, 2.0), Vec3::new(3.0, 4.0, 5.0)];
        assert_eq!(position_hash(&p), position_hash(&p.clone()));
        assert_ne!(position_hash(&p), position_hash(&[p[1], p[0]]));
        assert_ne!(position_hash(&p), position_hash(&[Vec3::new(-0.0, 1.0, 2.0), p[1]]));
    }
}
