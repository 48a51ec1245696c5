//! Colours: two themes, and bodies that can be told apart by everyone.

use glam::Vec3;

use crate::camera::Camera;

/// An opaque or translucent colour, sRGB bytes.
pub type Colour = [u8; 4];

/// Light or dark surroundings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// A pale backdrop.
    #[default]
    Light,
    /// A dark backdrop.
    Dark,
}

/// Bodies. From Okabe & Ito 2008, "Color universal design", without its reds: red means penetration here.
const BODIES: [[u8; 3]; 6] =
    [[38, 122, 186], [235, 160, 32], [24, 160, 122], [204, 121, 167], [110, 186, 232], [238, 224, 90]];

/// A vertex that is inside something.
pub const PENETRATING: Colour = [226, 26, 28, 255];
/// Where cloth crosses cloth.
pub const CONTOUR: Colour = [30, 220, 60, 255];
/// A tetrahedron of negative volume.
pub const INVERTED: Colour = [190, 20, 220, 255];
/// What searches pass over.
pub const CULLED: Colour = [0, 190, 220, 255];
/// A contact that pushes out what is inside.
pub const CONTACT_INSIDE: Colour = [240, 120, 0, 255];
/// A contact with a collider.
pub const CONTACT_COLLIDER: Colour = [214, 60, 140, 255];
/// Layers of cloth that are kept apart.
pub const CONTACT_LAYERS: Colour = [0, 140, 125, 255];

/// Colour of what the solver takes at once: hues a golden section apart, in three lightnesses; grey for what it takes one by
/// one.
pub fn colouring(colour: u8) -> Colour {
    if colour == u8::MAX {
        return [70, 70, 74, 255];
    }
    let hue = (colour as f32 * 0.618_034).fract() * 6.0;
    let ramp = |shift: f32| ((hue + shift).rem_euclid(6.0) - 3.0).abs() - 1.0;
    let value = [0.95, 0.62, 0.8][colour as usize % 3];
    let channel = |shift: f32| ((ramp(shift).clamp(0.0, 1.0) * 0.72 + 0.28) * value * 255.0) as u8;
    [channel(0.0), channel(4.0), channel(2.0), 255]
}

/// Colour of a body. After six bodies the colours come again, each time lighter or darker.
pub fn body(index: usize) -> Colour {
    let [r, g, b] = BODIES[index % BODIES.len()].map(f32::from);
    let towards = match (index / BODIES.len()) % 3 {
        0 => return [r as u8, g as u8, b as u8, 255],
        1 => 255.0,
        _ => 0.0,
    };
    let mix = |c: f32| (c * 0.62 + towards * 0.38) as u8;
    [mix(r), mix(g), mix(b), 255]
}

/// `colour` moved towards white by a part of the way.
pub fn lighter(colour: Colour, part: f32) -> Colour {
    let mix = |c: u8| (c as f32 + (255.0 - c as f32) * part) as u8;
    [mix(colour[0]), mix(colour[1]), mix(colour[2]), colour[3]]
}

/// A colour for a depth between 0 and 1: viridis, whose lightness grows evenly, so that it also reads in grey.
pub fn depth(t: f32) -> Colour {
    const STOPS: [[f32; 3]; 6] = [
        [68.0, 1.0, 84.0],
        [65.0, 68.0, 135.0],
        [42.0, 120.0, 142.0],
        [34.0, 168.0, 132.0],
        [122.0, 209.0, 81.0],
        [253.0, 231.0, 37.0],
    ];
    let at = t.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let i = (at as usize).min(STOPS.len() - 2);
    let [a, b] = [Vec3::from(STOPS[i]), Vec3::from(STOPS[i + 1])];
    let c = a.lerp(b, at - i as f32);
    [c.x as u8, c.y as u8, c.z as u8, 255]
}

/// Towards the light, from above and from the left of where the camera starts; unit length. `up`: the vertical.
pub fn towards_light(up: Vec3) -> Vec3 {
    (Camera::world_axes(up) * Vec3::new(-0.25, 1.0, 0.62)).normalize()
}

/// What a theme gives the renderer: colours of light and surroundings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surroundings {
    /// Backdrop at the top and at the bottom, sRGB.
    pub backdrop: [Vec3; 2],
    /// Ground, linear.
    pub ground: Vec3,
    /// Lines of the ground: how much they darken it.
    pub grid: f32,
    /// Light from the lamp, the sky and below, linear.
    pub light: [Vec3; 3],
    /// Colliders.
    pub collider: Colour,
    /// Thin lines on surfaces.
    pub wire: Colour,
}

impl Theme {
    /// A contact of bodies that meet.
    pub fn contact(self) -> Colour {
        match self {
            Theme::Light => [20, 20, 24, 255],
            Theme::Dark => [240, 240, 245, 255],
        }
    }

    /// Its colours.
    pub fn surroundings(self) -> Surroundings {
        match self {
            Theme::Light => Surroundings {
                backdrop: [Vec3::new(0.78, 0.825, 0.875), Vec3::new(0.955, 0.96, 0.965)],
                ground: Vec3::new(0.73, 0.74, 0.75),
                grid: 0.22,
                light: [
                    Vec3::new(0.92, 0.89, 0.84),
                    Vec3::new(0.46, 0.49, 0.53),
                    Vec3::new(0.27, 0.26, 0.25),
                ],
                collider: [176, 176, 172, 255],
                wire: [20, 24, 30, 110],
            },
            Theme::Dark => Surroundings {
                backdrop: [Vec3::new(0.085, 0.10, 0.125), Vec3::new(0.165, 0.18, 0.205)],
                ground: Vec3::new(0.030, 0.034, 0.040),
                grid: -0.9,
                light: [
                    Vec3::new(0.92, 0.89, 0.84),
                    Vec3::new(0.36, 0.39, 0.44),
                    Vec3::new(0.15, 0.15, 0.16),
                ],
                collider: [120, 124, 130, 255],
                wire: [8, 10, 14, 140],
            },
        }
    }
}

impl std::str::FromStr for Theme {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "light" => Ok(Theme::Light),
            "dark" => Ok(Theme::Dark),
            _ => Err(format!("`{text}` is no theme; there are light and dark")),
        }
    }
}
