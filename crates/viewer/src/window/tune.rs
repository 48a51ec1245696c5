//! Settings of the scene: what changes live, and what needs a restart.

use std::io::Write;
use std::path::Path;

use gordian_sim::scene::{Body, ClothResponse, Fabric, Material, QueryMethod, QueryMode};
use gordian_sim::{Scene, World};

use super::app::App;
use super::browser::Purpose;
use super::driver::Command;
use super::style::{faint, section};

pub(super) fn show(app: &mut App, ui: &mut egui::Ui) {
    section(ui, "Tune", false, |ui| {
        let Some(mut draft) = app.draft.take() else {
            ui.label(faint("choose a scene"));
            return;
        };
        let before = draft.clone();
        live(&mut draft, ui);
        friction(&mut draft, ui);
        cloth(&mut draft, ui);
        if draft != before {
            send(app, &draft, false);
        }
        let before = draft.clone();
        ui.separator();
        ui.label(faint("with these the scene restarts"));
        restarting(&mut draft, ui);
        let built = app.opened.as_ref().map(|o| &o.scene);
        let differs = draft != before || built.is_some_and(|s| needs_restart(s, &draft));
        if differs && ui.button("Restart with the changes").clicked() {
            send(app, &draft, true);
        }
        ui.separator();
        let save =
            ui.button("Save the scene…").on_hover_text("with the changes, as a file (ctrl S)").clicked();
        app.draft = Some(draft);
        if save {
            app.browse(Purpose::Save, None);
        }
    });
}

/// Whether a draft differs from the scene that was built in more than what changes live.
fn needs_restart(built: &Scene, draft: &Scene) -> bool {
    World::tuned(built, draft) != *draft
}

fn send(app: &mut App, draft: &Scene, restart: bool) {
    if let Err(error) = draft.validate() {
        app.say(error.to_string(), true);
        return;
    }
    let scene = Box::new(draft.clone());
    app.driver.send(if restart { Command::Restart(scene) } else { Command::Tune(scene) });
}

/// Writes the scene with the changes made here.
pub(super) fn save(app: &mut App, path: &Path) {
    let Some(draft) = &app.draft else { return };
    let written = draft.validate().map_err(|e| e.to_string()).and_then(|()| {
        let text = with_whole_paths(draft).to_toml();
        let write = |out: &mut std::io::BufWriter<std::fs::File>| out.write_all(text.as_bytes());
        gordian_mesh::io::write_atomically(path, write).map_err(|e| e.to_string())
    });
    match written {
        Ok(()) => {
            app.say(format!("saved as {}", path.display()), false);
            app.save_as = path.file_name().map_or_else(String::new, |n| n.display().to_string());
        }
        Err(message) => app.say(message, true),
    }
}

/// The same scene for another folder: its files are named from the root.
fn with_whole_paths(scene: &Scene) -> Scene {
    let mut moved = scene.clone();
    let whole = |file: &mut std::path::PathBuf| {
        let resolved = scene.resolve(file);
        *file = std::path::absolute(&resolved).unwrap_or(resolved);
    };
    for body in &mut moved.body {
        body.mesh.iter_mut().chain(&mut body.pose).for_each(whole);
    }
    for collider in &mut moved.collider {
        if let gordian_sim::scene::Shape::Mesh(mesh) = &mut collider.shape {
            whole(&mut mesh.mesh);
        }
    }
    moved
}

fn row<T: egui::emath::Numeric>(
    ui: &mut egui::Ui,
    name: &str,
    value: &mut T,
    range: std::ops::RangeInclusive<T>,
    speed: f64,
) {
    ui.horizontal(|ui| {
        ui.add(egui::DragValue::new(value).range(range).speed(speed));
        ui.label(name);
    });
}

fn live(scene: &mut Scene, ui: &mut egui::Ui) {
    let simulation = &mut scene.simulation;
    row(ui, "substeps a frame", &mut simulation.substeps, 1..=1000, 0.2);
    row(ui, "iterations a substep", &mut simulation.iterations, 1..=100, 0.1);
    ui.horizontal(|ui| {
        for g in &mut simulation.gravity_m_s2 {
            ui.add(egui::DragValue::new(g).speed(0.05).max_decimals(2));
        }
        ui.label("gravity m/s²");
    });
    let c = &mut scene.collision;
    ui.checkbox(&mut c.enabled, "collisions").on_hover_text(
        "of volumes: with each other, with themselves and with cloth; those of cloth with cloth are under cloth",
    );
    ui.checkbox(&mut c.self_collision, "self-collision").on_hover_text("of volumes");
    ui.checkbox(&mut c.ccd, "continuous detection");
    ui.checkbox(&mut c.edge_edge, "edge-edge pairs");
    ui.checkbox(&mut c.recovery, "recovery")
        .on_hover_text("all vertices and centroids leave along their shortest paths");
    ui.checkbox(&mut c.culling, "culling by feasible region");
    ui.checkbox(&mut c.velocity_pass, "velocity pass");
    ui.horizontal(|ui| {
        ui.label(faint("paths")).on_hover_text("what a shortest path out of a body is");
        for (mode, name) in [
            (QueryMode::Geodesic, "geodesic"),
            (QueryMode::Euclidean, "euclidean"),
            (QueryMode::RestShape, "rest shape"),
        ] {
            ui.selectable_value(&mut c.mode, mode, name);
        }
    });
    ui.horizontal(|ui| {
        ui.label(faint("search")).on_hover_text("how the end of a path is found");
        for (method, name) in [
            (QueryMethod::Auto, "auto"),
            (QueryMethod::Flood, "flood"),
            (QueryMethod::Traversal, "traversal"),
        ] {
            ui.selectable_value(&mut c.method, method, name);
        }
    });
    row(ui, "distance of contacts, edges", &mut c.thickness_edges, 0.0..=1.0, 0.0005);
    row(ui, "restitution", &mut c.restitution, 0.0..=1.0, 0.01);
    row(ui, "depenetration, edges a frame", &mut c.max_depenetration_edges, 0.0..=10.0, 0.01);
    row(ui, "damping of what is inside", &mut c.penetrating_damping, 0.0..=1.0, 0.01);
}

fn restarting(scene: &mut Scene, ui: &mut egui::Ui) {
    row(ui, "velocity damping 1/s", &mut scene.simulation.damping_per_s, 0.0..=100.0, 0.01);
    for (i, body) in scene.body.iter_mut().enumerate() {
        let what = if body.fabric.is_some() { "fabric" } else { "material" };
        let heading = egui::CollapsingHeader::new(format!("{what} of {}", name_of(body, i)));
        heading.id_salt(i).show(ui, |ui| match &mut body.fabric {
            Some(fabric) => self::fabric(fabric, ui),
            None => material(&mut body.material, ui),
        });
    }
}

fn name_of(body: &Body, index: usize) -> String {
    if body.name.is_empty() { format!("body {index}") } else { body.name.clone() }
}

fn friction(scene: &mut Scene, ui: &mut egui::Ui) {
    for (i, body) in scene.body.iter_mut().enumerate() {
        egui::CollapsingHeader::new(format!("friction of {}", name_of(body, i)))
            .id_salt(("friction", i))
            .show(ui, |ui| {
                let f = &mut body.friction;
                row(ui, "static", &mut f.static_, 0.0..=5.0, 0.01);
                f.dynamic = f.dynamic.min(f.static_);
                row(ui, "kinetic", &mut f.dynamic, 0.0..=f.static_, 0.01);
            });
    }
}

fn material(m: &mut Material, ui: &mut egui::Ui) {
    let speed = m.young_pa * 0.01;
    row(ui, "Young's modulus Pa", &mut m.young_pa, 1.0..=1e12, speed);
    row(ui, "Poisson's ratio", &mut m.poisson, 0.0..=0.49, 0.002);
    row(ui, "density kg/m³", &mut m.density_kg_m3, 1.0..=1e5, 5.0);
    row(ui, "damping s", &mut m.damping_s, 0.0..=1.0, 0.0005);
}

fn fabric(f: &mut Fabric, ui: &mut egui::Ui) {
    for (name, value) in
        [("warp N/m", &mut f.warp_n_m), ("weft N/m", &mut f.weft_n_m), ("shear N/m", &mut f.shear_n_m)]
    {
        let speed = *value * 0.01;
        row(ui, name, value, 1e-3..=1e9, speed);
    }
    let speed = (f.bend_n_m * 0.01).max(1e-6);
    row(ui, "bending N m", &mut f.bend_n_m, 0.0..=1e3, speed);
    row(ui, "density kg/m²", &mut f.density_kg_m2, 1e-3..=1e3, 0.002);
}

/// Responses to crossing cloth, and what they do.
const RESPONSES: [(ClothResponse, &str, &str); 5] = [
    (ClothResponse::Off, "off", "crossings stay"),
    (ClothResponse::Icm, "icm", "intersection contour minimisation"),
    (ClothResponse::Kikuchi, "kikuchi", "triangle by triangle along the smaller depth"),
    (ClothResponse::Ye, "ye", "by the type of contour"),
    (ClothResponse::Buffet, "buffet", "layers in their order; for several sheets"),
];

/// What changes live of cloth.
fn cloth(scene: &mut Scene, ui: &mut egui::Ui) {
    if scene.body.iter().all(|b| b.fabric.is_none()) {
        return;
    }
    ui.separator();
    ui.label("cloth: how crossings are undone");
    let c = &mut scene.cloth;
    ui.horizontal_wrapped(|ui| {
        for (response, name, about) in RESPONSES {
            ui.selectable_value(&mut c.response, response, name).on_hover_text(about);
        }
    });
    row(ui, "strength, edges a frame", &mut c.strength, 0.0..=10.0, 0.01);
    row(ui, "thickness, edges", &mut c.thickness_edges, 0.0..=1.0, 0.002);
    let volumes = scene.body.iter().any(|b| b.fabric.is_none());
    let apart = if volumes { "layers, and cloth and volumes, kept apart" } else { "layers kept apart" };
    ui.checkbox(&mut c.proximity, apart);
    row(ui, "searches a substep", &mut c.searches, 1..=100, 0.05);
    row(ui, "smoothing of velocities", &mut c.smoothing, 0.0..=1.0, 0.01);
    row(ui, "speed limit, edges a frame (0: none)", &mut c.speed_limit_edges, 0.0..=10.0, 0.01);
    ui.checkbox(&mut c.culling, "culling of regions that cannot cross themselves");
}
