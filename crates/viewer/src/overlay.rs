//! What can be shown on top of the bodies.

use std::str::FromStr;

use crate::theme::{self, Colour, Theme};

/// One thing that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    /// Vertices inside a tetrahedron that is not theirs.
    Penetrating,
    /// Tetrahedra of negative volume.
    Inverted,
    /// Contacts with their normals.
    Contacts,
    /// Shortest paths to the boundary.
    Paths,
    /// Edges of the surface.
    Wireframe,
    /// Intersection contours of cloth.
    Contours,
    /// Colours of the colouring: what is solved at once.
    Colouring,
    /// What the searches pass over.
    Culled,
}

impl Overlay {
    /// All, in the order of the switches.
    pub const ALL: [Overlay; 8] = [
        Overlay::Penetrating,
        Overlay::Inverted,
        Overlay::Contacts,
        Overlay::Paths,
        Overlay::Wireframe,
        Overlay::Contours,
        Overlay::Colouring,
        Overlay::Culled,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Overlay::Penetrating => "penetrating",
            Overlay::Inverted => "inverted",
            Overlay::Contacts => "contacts",
            Overlay::Paths => "paths",
            Overlay::Wireframe => "wireframe",
            Overlay::Contours => "contours",
            Overlay::Colouring => "colouring",
            Overlay::Culled => "culled",
        }
    }

    /// The colours by which it is known.
    pub fn colours(self, theme: Theme) -> Vec<Colour> {
        match self {
            Overlay::Penetrating => vec![theme::PENETRATING],
            Overlay::Inverted => vec![theme::INVERTED],
            Overlay::Contacts => {
                vec![theme.contact(), theme::CONTACT_INSIDE, theme::CONTACT_COLLIDER, theme::CONTACT_LAYERS]
            }
            Overlay::Paths => [0.0, 0.33, 0.66, 1.0].map(theme::depth).to_vec(),
            Overlay::Wireframe => vec![theme.surroundings().collider],
            Overlay::Contours => vec![theme::CONTOUR],
            Overlay::Colouring => (0..4).map(theme::colouring).collect(),
            Overlay::Culled => vec![theme::CULLED],
        }
    }

    /// What it shows.
    pub fn about(self) -> &'static str {
        match self {
            Overlay::Penetrating => "vertices inside a body, red",
            Overlay::Inverted => "tetrahedra turned inside out, violet",
            Overlay::Contacts => {
                "contacts of the last substep and their normals: bodies that meet dark (light in the dark theme), \
                 what is pushed out from inside orange, against colliders rose, layers of cloth green-blue"
            }
            Overlay::Paths => "shortest paths to the boundary, brighter where deeper",
            Overlay::Wireframe => "edges of the surface",
            Overlay::Contours => "where cloth crosses cloth, green",
            Overlay::Colouring => {
                "what the solver takes at once has one colour: tetrahedra on the surface and in a cut, \
                 springs of cloth as lines"
            }
            Overlay::Culled => {
                "what searches pass over, cyan. Cloth: regions that face one way and cannot cross themselves. \
                 Bodies: of the path of the chosen vertex, or of the deepest one, boxes of boundary faces that are near \
                 enough and all face away, so that none can hold the end of the path"
            }
        }
    }
}

/// A set of overlays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlays(u8);

impl Default for Overlays {
    /// What is wrong is shown: penetrating vertices, inverted tetrahedra, contours of cloth.
    fn default() -> Self {
        Self::NONE.with(Overlay::Penetrating).with(Overlay::Inverted).with(Overlay::Contours)
    }
}

impl Overlays {
    /// Nothing.
    pub const NONE: Overlays = Overlays(0);

    /// Whether `overlay` is shown.
    pub fn has(self, overlay: Overlay) -> bool {
        self.0 & 1 << overlay as u8 != 0
    }

    /// The same set, and `overlay`.
    pub fn with(self, overlay: Overlay) -> Self {
        Overlays(self.0 | 1 << overlay as u8)
    }

    /// Shows `overlay`, or no longer.
    pub fn toggle(&mut self, overlay: Overlay) {
        self.0 ^= 1 << overlay as u8;
    }
}

impl FromStr for Overlays {
    type Err = String;

    /// Names joined by commas; `none` or `all`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => return Ok(Self::NONE),
            "all" => return Ok(Overlay::ALL.into_iter().fold(Self::NONE, Overlays::with)),
            _ => {}
        }
        text.split(',').map(str::trim).try_fold(Self::NONE, |set, name| {
            match Overlay::ALL.into_iter().find(|o| o.name() == name) {
                Some(overlay) => Ok(set.with(overlay)),
                None => {
                    let names = Overlay::ALL.map(Overlay::name).join(", ");
                    Err(format!("`{name}` is no overlay; there are {names}, and none and all"))
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_and_switched() {
        let mut set: Overlays = "paths, contacts".parse().unwrap();
        assert!(set.has(Overlay::Paths) && set.has(Overlay::Contacts) && !set.has(Overlay::Wireframe));
        set.toggle(Overlay::Paths);
        assert_eq!(set, Overlays::NONE.with(Overlay::Contacts));
        assert!(Overlay::ALL.into_iter().all(|o| "all".parse::<Overlays>().unwrap().has(o)));
        assert!("path".parse::<Overlays>().unwrap_err().contains("paths"));
    }
}
