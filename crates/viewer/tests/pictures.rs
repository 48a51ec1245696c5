//! Pictures against what geometry says must be seen. They are drawn by the software adapter, so they are the same everywhere.

use glam::{Mat4, Vec2, Vec3};
use gordian_sim::{AdapterChoice, Scene, World};
use gordian_viewer::compose::extent;
use gordian_viewer::{
    Camera, CameraChoice, ClipPlane, DrawWith, Gpu, Image, Interest, Look, Model, Overlay, Overlays, Quality,
    Shot, Snapshot, Theme,
};

const SIZE: [u32; 2] = [320, 240];
const ASPECT: f32 = 320.0 / 240.0;

struct Studio {
    shot: Shot,
    model: Model,
    snapshot: Snapshot,
    camera: Camera,
}

impl Studio {
    /// The first moment of a scene, seen from the front.
    fn new(scene: &str) -> Self {
        Self::after(scene, 0)
    }

    /// A scene after some frames, seen from the front.
    fn after(scene: &str, frames: u32) -> Self {
        let scene = Scene::parse(scene, "test").unwrap_or_else(|e| panic!("{e}"));
        let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
        let model = Model::of(&world, scene.up().as_vec3());
        for _ in 0..frames {
            world.step_frame().unwrap();
        }
        let snapshot = Snapshot::inspect(&mut world, "all".parse::<Overlays>().unwrap()).unwrap();
        let choice: CameraChoice = "0,0".parse().unwrap();
        let camera = choice.camera(model.up, extent(&model, &snapshot).into_iter(), ASPECT);
        let mut shot = Shot::new(&Gpu::offscreen(&DrawWith::Auto).unwrap()).unwrap();
        shot.quality = Quality { shadow_samples: 8, shadow_map: 512, occlusion: true };
        Studio { shot, model, snapshot, camera }
    }

    fn take(&mut self, look: &Look) -> Image {
        self.shot.take_from(&self.model, &self.snapshot, look, &self.camera, SIZE).unwrap()
    }

    fn bare(&mut self) -> Image {
        self.take(&Look { overlays: Overlays::NONE, ..Look::default() })
    }

    /// Pixels that an overlay changes.
    fn changed_by(&mut self, overlay: Overlay) -> Vec<Vec2> {
        let with = self.take(&Look { overlays: Overlays::NONE.with(overlay), ..Look::default() });
        changed(&self.bare(), &with)
    }

    fn projection(&self) -> Mat4 {
        self.camera.view_projection(ASPECT, 100.0)
    }
}

/// Where a point is seen, in pixels.
fn pixel(m: &Mat4, p: Vec3) -> Vec2 {
    let q = m.project_point3(p);
    Vec2::new((q.x + 1.0) / 2.0 * SIZE[0] as f32, (1.0 - q.y) / 2.0 * SIZE[1] as f32)
}

/// How far two colours are apart, largest channel.
fn apart(a: [u8; 4], b: [u8; 4]) -> u8 {
    (0..3).map(|k| a[k].abs_diff(b[k])).max().unwrap()
}

/// Pixels that differ by more than rounding.
fn changed(a: &Image, b: &Image) -> Vec<Vec2> {
    let all = (0..a.height).flat_map(|y| (0..a.width).map(move |x| (x, y)));
    all.filter(|&(x, y)| apart(a.pixel(x, y), b.pixel(x, y)) > 3)
        .map(|(x, y)| Vec2::new(x as f32 + 0.5, y as f32 + 0.5))
        .collect()
}

/// A colour is the backdrop's: grey-blue, hardly saturated. Bodies are saturated.
fn saturation(p: [u8; 4]) -> u8 {
    let c = &p[..3];
    c.iter().max().unwrap() - c.iter().min().unwrap()
}

const BALL: &str = "
[simulation]
gravity_m_s2 = [0, 0, 0]
[[body]]
generator = { kind = \"sphere\", radius = 0.5, resolution = 16 }
";

#[test]
fn a_ball_is_a_disc_of_the_right_size() {
    let mut studio = Studio::new(BALL);
    let image = studio.bare();
    let body = (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| (x, y)));
    let area = body.filter(|&(x, y)| saturation(image.pixel(x, y)) > 60).count() as f32;
    // A ball of radius r at distance d is seen under the angle asin(r / d): a disc of radius f r / √(d² - r²).
    let focal = SIZE[1] as f32 / 2.0 / (studio.camera.field_of_view / 2.0).tan();
    let radius = focal * 0.5 / (studio.camera.distance.powi(2) - 0.25).sqrt();
    let expected = std::f32::consts::PI * radius * radius;
    // The mesh is inscribed into the ball.
    assert!(area < 1.01 * expected && area > 0.95 * expected, "{area} {expected}");
}

#[test]
fn bodies_have_their_own_colours_where_they_are() {
    let two = "
[simulation]
gravity_m_s2 = [0, 0, 0]
[[body]]
generator = { kind = \"sphere\", radius = 0.5, resolution = 8 }
translate_m = [-0.7, 0, 0]
[[body]]
generator = { kind = \"sphere\", radius = 0.5, resolution = 8 }
translate_m = [0.7, 0, 0]
";
    for theme in [Theme::Light, Theme::Dark] {
        let mut studio = Studio::new(two);
        let image = studio.take(&Look { theme, overlays: Overlays::NONE, ..Look::default() });
        let m = studio.projection();
        let at = |p: Vec3| {
            let p = pixel(&m, p);
            image.pixel(p.x as u32, p.y as u32)
        };
        let [left, right] = [at(Vec3::new(-0.7, 0.1, 0.0)), at(Vec3::new(0.7, 0.1, 0.0))];
        assert!(left[2] > left[0] + 40, "blue: {left:?}");
        assert!(right[0] > right[2] + 40, "orange: {right:?}");
        let corner = image.pixel(2, 2);
        assert!(saturation(corner) < 40, "{corner:?}");
        assert_eq!(theme == Theme::Light, corner[1] > 128, "{corner:?}");
    }
}

/// Two balls that overlap.
const OVERLAP: &str = "
[simulation]
gravity_m_s2 = [0, 0, 0]
[[body]]
generator = { kind = \"sphere\", radius = 0.5, resolution = 8 }
[[body]]
generator = { kind = \"sphere\", radius = 0.5, resolution = 8 }
translate_m = [0.8, 0.05, 0.02]
";

#[test]
fn overlays_change_the_picture_where_they_are_and_nowhere_else() {
    let mut studio = Studio::new(OVERLAP);
    let bare = studio.bare();
    let m = studio.projection();
    assert!(!studio.snapshot.penetrating.is_empty() && !studio.snapshot.paths.is_empty());

    let red = studio.take(&Look { overlays: Overlays::NONE.with(Overlay::Penetrating), ..Look::default() });
    let inside: Vec<Vec2> = studio
        .snapshot
        .penetrating
        .iter()
        .map(|p| pixel(&m, studio.snapshot.positions[p.0 as usize]))
        .collect();
    let pixels = changed(&bare, &red);
    assert!(!pixels.is_empty());
    for p in &pixels {
        assert!(inside.iter().any(|d| d.distance(*p) < 7.0), "{p} is not near a penetrating vertex");
    }
    for d in &inside {
        assert!(pixels.iter().any(|p| p.distance(*d) < 3.0), "nothing is shown at {d}");
    }

    let paths = studio.take(&Look { overlays: Overlays::NONE.with(Overlay::Paths), ..Look::default() });
    let lines: Vec<[Vec2; 2]> =
        studio.snapshot.paths.iter().map(|p| [p.from, p.to].map(|q| pixel(&m, q))).collect();
    for p in changed(&bare, &paths) {
        let near = |[a, b]: &[Vec2; 2]| {
            let t = ((p - a).dot(b - a) / (b - a).length_squared().max(1e-9)).clamp(0.0, 1.0);
            a.lerp(*b, t).distance(p) < 6.0
        };
        assert!(lines.iter().any(near), "{p} is not near a path");
    }

    let wires = studio.take(&Look { overlays: Overlays::NONE.with(Overlay::Wireframe), ..Look::default() });
    let pixels = changed(&bare, &wires);
    assert!(pixels.len() > 1000, "{}", pixels.len());
    // A wire on the rim is half a pixel wide on the outside.
    let near_body = |p: &Vec2| {
        let (x, y) = (p.x as u32, p.y as u32);
        (x - 1..=x + 1).any(|x| (y - 1..=y + 1).any(|y| saturation(bare.pixel(x, y)) > 30))
    };
    for p in pixels {
        assert!(near_body(&p), "{p}: a wire beside the bodies");
    }
    assert_eq!(bare, studio.bare(), "the same picture again");
}

#[test]
fn a_clip_plane_takes_half_of_a_ball_and_closes_it() {
    let mut studio = Studio::new(BALL);
    let whole = studio.bare();
    let clip = |normal: Vec3| Look {
        overlays: Overlays::NONE,
        clip: Some(ClipPlane { normal, offset: 0.0 }),
        ..Look::default()
    };
    // What looks at us is cut off: the same disc, flat.
    let cut = studio.take(&clip(Vec3::Z));
    let count =
        |image: &Image| image.rgba.chunks(4).filter(|p| saturation([p[0], p[1], p[2], 255]) > 45).count();
    let (all, flat) = (count(&whole) as f32, count(&cut) as f32);
    // The ball is seen as a disc of radius f r / √(d² - r²), the cut through its middle as one of f r / d.
    let expected = all * (1.0 - 0.25 / studio.camera.distance.powi(2));
    assert!(flat > 0.96 * expected && flat <= 1.01 * expected, "{flat} of {expected}");
    let m = studio.projection();
    let at = |image: &Image, p: Vec3| image.pixel(pixel(&m, p).x as u32, pixel(&m, p).y as u32);
    let [a, b] = [Vec3::new(-0.3, 0.0, 0.0), Vec3::new(0.3, 0.05, 0.0)];
    // On the ball light falls off to one side, on the cut it does not; outlines of tetrahedra are thin.
    assert!(apart(at(&cut, a), at(&cut, b)) < 40, "{:?} {:?}", at(&cut, a), at(&cut, b));
    // Only the left half is left.
    let half = studio.take(&clip(Vec3::X));
    assert!(saturation(at(&half, b)) < 40 && saturation(at(&half, a)) > 60);
    assert!((count(&half) as f32 / all - 0.5).abs() < 0.03, "{} of {all}", count(&half));
}

/// Tetrahedra that are turned inside out are glass: those beyond the plane are cut away with the rest, and others are seen.
#[test]
fn glass_is_cut_away_with_what_it_is_in() {
    let mut studio = Studio::new(BALL);
    let side = |s: &Studio, t: u32| {
        let corners = s.model.topology.tets[t as usize].map(|v| s.snapshot.positions[v as usize]);
        (corners.map(|p| p.z).into_iter().fold(f32::MAX, f32::min), corners.iter().sum::<Vec3>() / 4.0)
    };
    let all = 0..studio.model.topology.tets.len() as u32;
    // Nothing is turned inside out here; the marks do not mind.
    let beyond: Vec<u32> = all.clone().filter(|&t| side(&studio, t).0 > 0.02).collect();
    let middle = all.filter(|&t| side(&studio, t).0 < -0.02 && side(&studio, t).1.length() < 0.2);
    let middle: Vec<u32> = middle.collect();
    assert!(beyond.len() > 100 && middle.len() > 3);
    let clip = Some(ClipPlane { normal: Vec3::Z, offset: 0.0 });
    let seen = |studio: &mut Studio, inverted: &[u32]| {
        studio.snapshot.inverted = inverted.to_vec();
        let look = |overlays| Look { overlays, clip, ..Look::default() };
        let with = studio.take(&look(Overlays::NONE.with(Overlay::Inverted)));
        changed(&studio.take(&look(Overlays::NONE)), &with)
    };
    assert_eq!(seen(&mut studio, &beyond), [], "cut away");
    let pixels = seen(&mut studio, &middle);
    let m = studio.projection();
    let places: Vec<Vec2> = middle.iter().map(|&t| pixel(&m, side(&studio, t).1)).collect();
    assert!(pixels.len() > 20, "behind the cut they shine through: {}", pixels.len());
    assert!(pixels.iter().all(|p| places.iter().any(|q| q.distance(*p) < 25.0)), "and nowhere else");
}

/// Dots as close as pixels: their rims do not hide their colours.
#[test]
fn many_marks_together_keep_their_colour() {
    let mut studio = Studio::new(BALL);
    let colour = gordian_viewer::theme::CONTACT_COLLIDER;
    let mut geometry = gordian_viewer::Geometry { radius: 1.0, grid: 1.0, ..Default::default() };
    let spacing = 2.0 / SIZE[1] as f32;
    let places = (0..3600).map(|i| Vec3::new((i % 60) as f32 - 29.5, (i / 60) as f32 - 29.5, 0.0) * spacing);
    geometry.dots = places.map(|p| gordian_viewer::geometry::Dot::new(p, colour, 2.5)).collect();
    let gpu = Gpu::offscreen(&DrawWith::Auto).unwrap();
    let mut renderer = gordian_viewer::Renderer::new(&gpu);
    renderer.upload(&geometry);
    let view = gordian_viewer::View {
        camera: studio.camera,
        theme: Theme::Light,
        size: SIZE,
        scale: 1.0,
        quality: studio.shot.quality,
    };
    renderer.draw(&view);
    let image = renderer.read().unwrap();
    studio.snapshot.positions.clear();
    // The middle of the dots.
    let m = studio.projection();
    let [low, high] =
        [Vec3::new(-20.0, 20.0, 0.0), Vec3::new(20.0, -20.0, 0.0)].map(|p| pixel(&m, p * spacing));
    let all = (low.y as u32..high.y as u32).flat_map(|y| (low.x as u32..high.x as u32).map(move |x| (x, y)));
    let all: Vec<(u32, u32)> = all.collect();
    let kept = all.iter().filter(|&&(x, y)| apart(image.pixel(x, y), colour) < 30).count();
    assert!(all.len() > 1000 && kept * 10 > all.len() * 9, "{kept} of {}", all.len());
}

/// Shadows are drawn once for what was uploaded: a camera that turns, another quality and other bodies look as if drawn afresh.
#[test]
fn shadows_are_those_of_what_is_seen() {
    let scene = "
[[body]]
generator = { kind = \"sphere\", radius = 0.5, resolution = 8 }
clearance_m = 0.3
[[collider]]
shape = { kind = \"plane\" }
";
    let mut studio = Studio::new(scene);
    let look = Look { overlays: Overlays::NONE, ..Look::default() };
    let first = gordian_viewer::compose(&studio.model, &studio.snapshot, &look);
    studio.snapshot.positions.iter_mut().for_each(|p| *p += Vec3::new(0.4, 0.2, 0.0));
    let second = gordian_viewer::compose(&studio.model, &studio.snapshot, &look);
    let gpu = Gpu::offscreen(&DrawWith::Auto).unwrap();
    let mut kept = gordian_viewer::Renderer::new(&gpu);
    let mut pictures = Vec::new();
    for (geometry, yaw, shadow_map) in
        [(&first, 0.0, 512), (&first, 0.7, 512), (&first, 0.7, 256), (&second, 0.7, 256)]
    {
        let view = gordian_viewer::View {
            camera: Camera { yaw, pitch: 0.5, ..studio.camera },
            theme: Theme::Light,
            size: SIZE,
            scale: 1.0,
            quality: Quality { shadow_map, ..studio.shot.quality },
        };
        let drawn = |renderer: &mut gordian_viewer::Renderer, upload: bool| {
            if upload {
                renderer.upload(geometry);
            }
            renderer.draw(&view);
            renderer.read().unwrap()
        };
        let picture = drawn(&mut kept, pictures.is_empty() || std::ptr::eq(geometry, &second));
        let afresh = drawn(&mut gordian_viewer::Renderer::new(&gpu), true);
        assert!(picture == afresh, "yaw {yaw}, shadow map {shadow_map}");
        pictures.push(picture);
    }
    assert!(pictures.windows(2).all(|p| p[0] != p[1]));
}

/// What a camera brings into view holds the shadow on the ground: no point of it is nearer to the edge than points of bodies may be.
#[test]
fn shadows_are_in_view() {
    let scene = "
[[body]]
generator = { kind = \"cloth\", width = 2.0, height = 2.0, nx = 5, ny = 5 }
rotate_deg = [-90, 0, 0]
translate_m = [0, 1.2, 0]
fabric = {}
[[collider]]
shape = { kind = \"plane\" }
";
    let studio = Studio::new(scene);
    let light = gordian_viewer::theme::towards_light(Vec3::Y);
    let points = gordian_viewer::compose::in_view(&studio.model, &studio.snapshot);
    for (yaw, pitch) in [("35", "22"), ("0", "40"), ("200", "15")] {
        let choice: CameraChoice = format!("{yaw},{pitch}").parse().unwrap();
        let camera = choice.camera(Vec3::Y, points.iter().copied(), ASPECT);
        let m = camera.view_projection(ASPECT, 100.0);
        for p in &studio.snapshot.positions {
            let shadow = *p - light * (p.y / light.y);
            for q in [*p, shadow] {
                let at = m.project_point3(q).truncate().abs().max_element();
                assert!(at < 0.9, "{q} is seen at {at} of the way to the edge from {yaw}, {pitch}");
            }
        }
    }
}

#[test]
fn a_ball_on_the_ground_throws_a_shadow_away_from_the_light() {
    let scene = "
[[body]]
generator = { kind = \"sphere\", radius = 0.5, resolution = 10 }
clearance_m = 0.05
[[collider]]
shape = { kind = \"plane\" }
";
    let mut studio = Studio::new(scene);
    studio.camera.pitch = 0.9;
    let image = studio.bare();
    let m = studio.projection();
    let bright = |p: Vec3| {
        let p = pixel(&m, p);
        let c = image.pixel(p.x as u32, p.y as u32);
        c[0] as u32 + c[1] as u32 + c[2] as u32
    };
    // The light comes from (-0.25, 1, 0.62): the centre's shadow falls at its height times (0.25, -0.62).
    let shadow = bright(Vec3::new(0.14, 0.0, -0.6));
    let open = bright(Vec3::new(-1.0, 0.0, 0.3));
    assert!(shadow + 90 < open, "{shadow} {open}");
}

#[test]
fn sizes_that_no_picture_has_do_not_break_the_renderer() {
    let mut studio = Studio::new(BALL);
    let look = Look::default();
    for size in [[1, 1], [1, 300], [257, 3]] {
        let image =
            studio.shot.take(&studio.model, &studio.snapshot, &look, &CameraChoice::default(), size).unwrap();
        assert_eq!([image.width, image.height], size);
    }
}

#[test]
fn cloth_is_seen_from_both_sides_with_its_contours() {
    let sheets = "
[simulation]
gravity_m_s2 = [0, 0, 0]
[[body]]
generator = { kind = \"cloth\", width = 1.0, height = 1.0, nx = 9, ny = 9 }
fabric = { bend_n_m = 0.002 }
[[body]]
generator = { kind = \"cloth\", width = 1.0, height = 1.0, nx = 8, ny = 8 }
fabric = { bend_n_m = 0.002 }
rotate_deg = [0, 70, 0]
translate_m = [0.03, 0.02, 0.01]
";
    let mut studio = Studio::new(sheets);
    assert!(!studio.snapshot.contours.is_empty());
    let count =
        |image: &Image| image.rgba.chunks(4).filter(|p| saturation([p[0], p[1], p[2], 255]) > 60).count();
    for pitch in [0.7, -0.7] {
        studio.camera.pitch = pitch;
        let bare = studio.bare();
        assert!(count(&bare) > 2000, "{}", count(&bare));
        let look = Look { overlays: Overlays::NONE.with(Overlay::Contours), ..Look::default() };
        let green = studio.take(&look);
        let m = studio.projection();
        let points: Vec<Vec2> = studio.snapshot.contours.iter().flatten().map(|&p| pixel(&m, p)).collect();
        let pixels = changed(&bare, &green);
        assert!(!pixels.is_empty());
        let reach = 12.0 + SIZE[1] as f32 / 9.0;
        assert!(
            pixels.iter().all(|p| points.iter().any(|q| q.distance(*p) < reach)),
            "far from the contours"
        );
    }
}

/// Eight bits are too few for a slow gradient: each row is a mix of two steps, whose mean is what it should be.
#[test]
fn the_backdrop_has_no_bands() {
    let mut studio = Studio::new(BALL);
    for theme in [Theme::Light, Theme::Dark] {
        let image = studio.take(&Look { theme, overlays: Overlays::NONE, ..Look::default() });
        let [top, bottom] = theme.surroundings().backdrop;
        // Beside the ball.
        let columns = 0..SIZE[0] / 6;
        for y in 0..SIZE[1] {
            let height = 1.0 - (y as f32 + 0.5) / SIZE[1] as f32;
            let wanted = bottom.lerp(top, height) * 255.0;
            for k in 0..3 {
                let sum: u32 = columns.clone().map(|x| image.pixel(x, y)[k] as u32).sum();
                let mean = sum as f32 / columns.len() as f32;
                assert!((mean - wanted[k]).abs() < 0.25, "{theme:?} row {y}: {mean} {}", wanted[k]);
            }
        }
    }
}

/// Cloth whose vertices lie on a ball is seen, and not the ball through it, although its triangles dip into the ball.
#[test]
fn a_ball_is_not_seen_through_the_cloth_on_it() {
    let scene = "
[simulation]
gravity_m_s2 = [0, 0, 0]
[[body]]
generator = { kind = \"cloth\", width = 1.6, height = 1.6, nx = 17, ny = 17 }
fabric = {}
rotate_deg = [-90, 0, 0]
[[collider]]
shape = { kind = \"sphere\", radius_m = 0.5 }
";
    let mut studio = Studio::new(scene);
    studio.camera.pitch = 0.9;
    // Down on the ball, as from above.
    for p in &mut studio.snapshot.positions {
        let flat = Vec2::new(p.x, p.z);
        let angle = (flat.length() / 0.5).min(std::f32::consts::FRAC_PI_2);
        let side = flat.normalize_or_zero() * 0.5 * angle.sin();
        *p = Vec3::new(side.x, 0.5 * angle.cos() - (flat.length() / 0.5 - angle).max(0.0) * 0.5, side.y);
    }
    let image = studio.bare();
    let m = studio.projection();
    let eye = studio.camera.eye().normalize();
    let mut seen = 0;
    for i in 0..4000 {
        // Points evenly spread over the ball: those in the upper half that face the eye.
        let (y, turn) = (i as f32 / 4000.0, i as f32 * 2.399_963);
        let side = (1.0 - y * y).sqrt();
        let n = Vec3::new(side * turn.cos(), y, side * turn.sin());
        if n.dot(eye) > 0.35 && y > 0.1 {
            let at = pixel(&m, n * 0.5);
            seen += 1;
            let c = image.pixel(at.x as u32, at.y as u32);
            assert!(saturation(c) > 45, "the ball is seen at {n}: {c:?}");
        }
    }
    assert!(seen > 1000);
}

/// How far a pixel is from a line in the picture.
fn from_line(p: Vec2, [a, b]: [Vec2; 2]) -> f32 {
    let t = ((p - a).dot(b - a) / (b - a).length_squared().max(1e-9)).clamp(0.0, 1.0);
    a.lerp(b, t).distance(p)
}

#[test]
fn the_colouring_gives_each_face_the_colour_of_its_tetrahedron() {
    let mut studio = Studio::new(BALL);
    let image = studio.take(&Look { overlays: Overlays::NONE.with(Overlay::Colouring), ..Look::default() });
    let m = studio.projection();
    let (x, topology) = (&studio.snapshot.positions, &studio.model.topology);
    let (mut faces, mut right, mut hues) = (0, 0, std::collections::BTreeSet::new());
    for (face, &tet) in topology.faces.iter().zip(&topology.face_tet) {
        let [a, b, c] = face.map(|v| x[v as usize]);
        let middle = (a + b + c) / 3.0;
        let normal = (b - a).cross(c - a).normalize();
        let eye = studio.camera.eye();
        if normal.dot((eye - middle).normalize()) < 0.7 {
            continue;
        }
        faces += 1;
        let colour = gordian_viewer::theme::colouring(studio.model.colouring.tets[tet as usize]);
        let at = pixel(&m, middle);
        let seen = image.pixel(at.x as u32, at.y as u32);
        // Light changes how bright a colour is, not which of its channels is the strongest and which the weakest.
        let order = |c: [u8; 4]| {
            let mut k = [0, 1, 2];
            k.sort_by_key(|&k| c[k]);
            [k[0], k[2]]
        };
        right += usize::from(order(seen) == order(colour));
        hues.insert(colour);
    }
    assert!(faces > 100 && hues.len() > 5, "{faces} {}", hues.len());
    assert!(right as f32 > 0.8 * faces as f32, "{right} of {faces}");
    // Nothing beside the body.
    let bare = studio.bare();
    let body = |x: u32, y: u32| saturation(bare.pixel(x, y)) > 30;
    for p in changed(&bare, &image) {
        let (x, y) = (p.x as u32, p.y as u32);
        assert!((x - 1..=x + 1).any(|x| (y - 1..=y + 1).any(|y| body(x, y))), "{p} is beside the body");
    }
}

#[test]
fn culled_boxes_are_seen_round_what_a_search_passes_over() {
    let mut studio = Studio::new(OVERLAP);
    let deepest = |a: &&gordian_viewer::snapshot::PathMark, b: &&gordian_viewer::snapshot::PathMark| {
        a.length().total_cmp(&b.length())
    };
    let path = *studio.snapshot.paths.iter().max_by(deepest).unwrap();
    let m = studio.projection();
    let mut lines = vec![[path.from, path.to].map(|p| pixel(&m, p))];
    for b in studio.snapshot.culled.iter().filter(|b| b.vertex == Some(path.vertex)) {
        let [low, high] = b.corners;
        // Nothing that is passed over is farther away than the end of the path.
        assert!(path.from.clamp(low, high).distance(path.from) <= path.length() * 1.001);
        let corner =
            |i: usize| Vec3::new([low, high][i & 1].x, [low, high][i >> 1 & 1].y, [low, high][i >> 2].z);
        for (i, j) in (0..8).flat_map(|i| [1, 2, 4].map(|a| (i, i | a))) {
            lines.push([corner(i), corner(j)].map(|p| pixel(&m, p)));
        }
    }
    assert!(lines.len() > 12, "a ball has a far side: {}", lines.len());
    let pixels = studio.changed_by(Overlay::Culled);
    assert!(!pixels.is_empty());
    assert!(pixels.iter().all(|p| lines.iter().any(|l| from_line(*p, *l) < 4.0)), "far from the boxes");

    // A flat sheet cannot cross itself: one box round all of it.
    let sheet = "
[[body]]
generator = { kind = \"cloth\", width = 1.0, height = 1.0, nx = 9, ny = 9 }
fabric = {}
";
    let mut studio = Studio::new(sheet);
    let (low, high) = gordian_viewer::camera::bounds(studio.snapshot.positions.iter().copied()).unwrap();
    let boxes: Vec<_> = studio.snapshot.culled.iter().map(|b| (b.vertex, b.corners)).collect();
    assert_eq!(boxes, [(None, [low, high])]);
    assert!(studio.changed_by(Overlay::Culled).len() > 100);
}

#[test]
fn contacts_with_colliders_are_marked_where_a_body_stands() {
    let scene = "
[simulation]
substeps = 4
[[body]]
generator = { kind = \"box\", x = 0.6, y = 0.6, z = 0.6, nx = 3, ny = 3, nz = 3 }
clearance_m = 0.001
[[collider]]
shape = { kind = \"plane\" }
";
    assert!(Studio::new(scene).snapshot.contacts.is_empty(), "nothing has touched yet");
    let mut studio = Studio::after(scene, 12);
    let contacts = studio.snapshot.contacts.clone();
    assert_eq!(contacts.len(), 16, "the vertices of the lower side");
    for c in &contacts {
        assert_eq!(c.kind, gordian_viewer::snapshot::ContactKind::Collider);
        assert!(c.position.y.abs() < 0.05 && c.normal.dot(Vec3::Y) > 0.999, "{c:?}");
    }
    studio.camera.pitch = 0.3;
    let m = studio.projection();
    // A normal is as long as an edge.
    let lines: Vec<[Vec2; 2]> =
        contacts.iter().map(|c| [c.position, c.position + c.normal * 0.3].map(|p| pixel(&m, p))).collect();
    let pixels = studio.changed_by(Overlay::Contacts);
    assert!(pixels.iter().all(|p| lines.iter().any(|l| from_line(*p, *l) < 6.0)), "far from the contacts");
    for l in lines.iter().filter(|l| l[0].y > 0.0) {
        assert!(pixels.iter().any(|p| p.distance(l[0]) < 4.0), "nothing at {}", l[0]);
    }
}

/// A sheet that is held, and a smaller one at a place just above it. `settings`: more of `[simulation]`.
fn layers(settings: &str, place: &str) -> String {
    format!(
        "
[simulation]
substeps = 1
iterations = 10
{settings}
[cloth]
thickness_edges = 0.2
[[body]]
generator = {{ kind = \"cloth\", width = 1.0, height = 1.0, nx = 9, ny = 9 }}
rotate_deg = [-90, 0, 0]
fabric = {{}}
pin = [{{ at = {{ kind = \"all\" }} }}]
[[body]]
generator = {{ kind = \"cloth\", width = 0.7, height = 0.7, nx = 7, ny = 7 }}
{place}
fabric = {{}}
"
    )
}

#[test]
fn layers_of_cloth_that_are_kept_apart_are_marked_between_them() {
    let scene = layers("", "rotate_deg = [-90, 10, 0]\ntranslate_m = [0, 0.03, 0]");
    let studio = Studio::after(&scene, 3);
    let layers: Vec<_> = studio
        .snapshot
        .contacts
        .iter()
        .filter(|c| c.kind == gordian_viewer::snapshot::ContactKind::Layers)
        .collect();
    assert!(!layers.is_empty());
    for c in layers {
        assert!(c.normal.y.abs() > 0.8, "{c:?}");
        assert!(c.position.y > -0.01 && c.position.y < 0.06 && c.position.x.abs() < 0.6, "{c:?}");
    }
}

/// Two layers that touch, and a third one that hides them from above.
#[test]
fn contacts_of_cloth_are_seen_from_its_sides_and_not_through_other_cloth() {
    let touching =
        layers("gravity_m_s2 = [0, 0, 0]", "rotate_deg = [-90, 0, 0]\ntranslate_m = [0.013, 0.01, 0.017]");
    let scene = touching
        + "
[[body]]
generator = { kind = \"cloth\", width = 4.0, height = 4.0, nx = 9, ny = 9 }
rotate_deg = [-90, 0, 0]
translate_m = [0, 1.5, 0]
fabric = {}
pin = [{ at = { kind = \"all\" } }]
";
    let mut studio = Studio::after(&scene, 2);
    assert!(studio.snapshot.contacts.len() > 20);
    studio.camera.target = Vec3::ZERO;
    studio.camera.distance = 3.0;
    studio.camera.pitch = 1.3;
    assert_eq!(studio.changed_by(Overlay::Contacts).len(), 0, "the third one hides them");
    studio.camera.pitch = -1.3;
    assert!(studio.changed_by(Overlay::Contacts).len() > 100, "from below");
    // Between the third one and the others.
    studio.camera.distance = 1.3;
    studio.camera.pitch = 1.3;
    assert!(studio.changed_by(Overlay::Contacts).len() > 100, "from above");
}

#[test]
fn paths_and_contacts_of_a_vertex_that_is_looked_at_are_known_without_their_overlays() {
    let scene = Scene::open("tangled_noodle", &[]).unwrap();
    let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
    world.step_frame().unwrap();
    let all = Snapshot::inspect(&mut world, "all".parse::<Overlays>().unwrap()).unwrap();
    let none = Snapshot::inspect(&mut world, Overlays::NONE).unwrap();
    assert!(none.paths.is_empty() && none.contacts.is_empty());
    let has_path = |v: u32| all.paths.iter().any(|p| p.vertex == v);
    let vertices = all.contacts.iter().flat_map(|c| c.particles).filter(|v| *v != u32::MAX);
    let vertex = vertices.into_iter().find(|v| has_path(*v)).expect("what is inside has contacts");
    let interest = Interest { overlays: Overlays::NONE, vertex: Some(vertex) };
    let one = Snapshot::inspect(&mut world, interest).unwrap();
    let paths: Vec<_> = all.paths.iter().filter(|p| p.vertex == vertex).copied().collect();
    let contacts: Vec<_> = all.contacts.iter().filter(|c| c.particles.contains(&vertex)).copied().collect();
    assert_eq!((one.paths, one.contacts), (paths, contacts));
}

#[test]
fn edges_of_cloth_are_seen_on_it_from_both_sides() {
    let sheet = "
[simulation]
gravity_m_s2 = [0, 0, 0]
[[body]]
generator = { kind = \"cloth\", width = 1.0, height = 1.0, nx = 7, ny = 7 }
rotate_deg = [-90, 0, 0]
fabric = {}
";
    let mut studio = Studio::new(sheet);
    for pitch in [1.2, 0.35, -0.35, -1.2] {
        studio.camera.pitch = pitch;
        let m = studio.projection();
        let edges: Vec<[Vec2; 2]> = studio
            .model
            .sheets
            .edges
            .iter()
            .map(|e| e.map(|v| pixel(&m, studio.snapshot.positions[v as usize])))
            .collect();
        for overlay in [Overlay::Wireframe, Overlay::Colouring] {
            let pixels = studio.changed_by(overlay);
            let lost = edges.iter().filter(|[a, b]| {
                let middle = (*a + *b) / 2.0;
                pixels.iter().all(|p| p.distance(middle) > 1.5)
            });
            assert_eq!(lost.count(), 0, "{overlay:?} at {pitch} of {}", edges.len());
        }
    }
}

/// What the device refuses is told, and the next thing is drawn.
#[test]
fn what_a_device_refuses_is_an_error() {
    let gpu = Gpu::offscreen(&DrawWith::Auto).unwrap();
    let _ = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::MAX - 3,
        usage: wgpu::BufferUsages::VERTEX,
        mapped_at_creation: false,
    });
    let error = Shot::new(&gpu).err().expect("told").to_string();
    assert!(error.contains(&gpu.name), "{error}");
    assert!(Shot::new(&gpu).is_ok());
}

/// Where there is an adapter of OpenGL, as under most drivers, it draws what the others draw.
#[test]
fn opengl_draws_the_same_picture() {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::GL;
    let instance = wgpu::Instance::new(descriptor);
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::GL));
    let Some(adapter) = adapters.first() else { return };
    let mut studio = Studio::new(OVERLAP);
    let look = Look { overlays: "all".parse().unwrap(), ..Look::default() };
    let usual = studio.take(&look);
    let quality = studio.shot.quality;
    studio.shot = Shot::new(&Gpu::open(adapter).unwrap()).unwrap();
    studio.shot.quality = quality;
    let other = studio.take(&look);
    let differ = changed(&usual, &other).len();
    assert!(differ < (SIZE[0] * SIZE[1] / 50) as usize, "{differ} pixels");
}
