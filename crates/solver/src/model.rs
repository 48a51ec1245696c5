//! What is simulated: particles, materials and constraints, in the user's order.

use glam::Vec3;

use crate::plan::rest_edges;

/// How a tetrahedron resists deformation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elasticity {
    /// Neo-Hookean, split so that both constraints vanish at rest and solved as a 2×2 block (the default).
    NeoHookean,
    /// Neo-Hookean as in Macklin & Müller 2021: deviatoric and hydrostatic constraint, one after the other.
    NeoHookeanPair,
    /// Volume constraint only; the edges of the body come as [`Distance`] constraints (mass-spring).
    Volume,
}

/// Elastic material of a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Model.
    pub elasticity: Elasticity,
    /// Young's modulus, pascal. For [`Elasticity::Volume`] the stiffness `k` of the energy `½ k V0 (V/V0 - 1)²`.
    pub young_pa: f32,
    /// Poisson's ratio, in `[0, 0.5)`.
    pub poisson: f32,
    /// Strain-rate damping time, seconds: the constraint damping of XPBD (Macklin et al. 2016, eq. 26) with
    /// `beta = damping_s / compliance`. Zero for none.
    pub damping_s: f32,
}

impl Material {
    /// Lamé parameters `(μ, λ)`, pascal: `μ = E / (2 (1+ν))`, `λ = E ν / ((1+ν)(1-2ν))`.
    pub fn lame(&self) -> (f64, f64) {
        let (e, nu) = (self.young_pa as f64, self.poisson as f64);
        (e / (2.0 * (1.0 + nu)), e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)))
    }
}

/// A tetrahedral element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tet {
    /// Particles; positive volume in the rest pose.
    pub particles: [u32; 4],
    /// Index into [`Model::materials`].
    pub material: u32,
}

/// `C = |x0 - x1| - rest`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Particles.
    pub particles: [u32; 2],
    /// Rest length, metres.
    pub rest_m: f32,
    /// Compliance, metres per newton (the inverse of a spring's stiffness).
    pub compliance: f32,
}

/// `C = 6 (V - V0)` of a tetrahedron, for mass-spring bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    /// Particles.
    pub particles: [u32; 4],
    /// Rest volume, cubic metres.
    pub rest_m3: f32,
    /// Compliance of `C`, m⁶/J.
    pub compliance: f32,
}

/// Dihedral angle between two triangles `(p0, p1, p2)` and `(p1, p0, p3)` that share the edge `p0 p1`: `C = angle - rest`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// Particles: the two of the edge, then the two opposite it.
    pub particles: [u32; 4],
    /// Rest angle, radians; 0 is flat.
    pub rest_rad: f32,
    /// Compliance, radians per newton metre.
    pub compliance: f32,
}

/// Everything that a solver is built from. All indices and all orders are the user's.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Positions in which the constraints on tetrahedra are at rest, metres.
    pub rest_positions: Vec<Vec3>,
    /// Positions at the start, metres.
    pub positions: Vec<Vec3>,
    /// Velocities at the start, metres per second.
    pub velocities: Vec<Vec3>,
    /// Inverse masses, per kilogram. Zero for a particle that only its [`Target`](crate::Target) moves.
    pub inverse_masses: Vec<f32>,
    /// Materials that the elements name.
    pub materials: Vec<Material>,
    /// Tetrahedral elements.
    pub tets: Vec<Tet>,
    /// Distance constraints.
    pub distances: Vec<Distance>,
    /// Volume constraints.
    pub volumes: Vec<Volume>,
    /// Bending constraints.
    pub bends: Vec<Bend>,
    /// Velocity damping rate, per second: `v *= exp(-rate h)` at the end of a substep.
    pub damping_per_s: f32,
}

impl Model {
    /// Checks lengths, indices and ranges of everything; the first fault found is returned.
    pub fn check(&self) -> Result<(), ModelError> {
        let particles = self.positions.len();
        for (array, len) in [
            ("rest_positions", self.rest_positions.len()),
            ("velocities", self.velocities.len()),
            ("inverse_masses", self.inverse_masses.len()),
        ] {
            if len != particles {
                return Err(ModelError::Length { array, len, particles });
            }
        }
        for (what, vectors) in [
            ("rest position", &self.rest_positions),
            ("position", &self.positions),
            ("velocity", &self.velocities),
        ] {
            if let Some(index) = vectors.iter().position(|v| !v.is_finite()) {
                return Err(value(what, index, format!("{} is not finite", vectors[index])));
            }
        }
        for (index, &w) in self.inverse_masses.iter().enumerate() {
            require(w >= 0.0 && w.is_finite(), "inverse mass", index, || {
                format!("{w} is not a finite number of at least 0")
            })?;
        }
        require(self.damping_per_s >= 0.0 && self.damping_per_s.is_finite(), "damping rate", 0, || {
            format!("{} is not a finite number of at least 0", self.damping_per_s)
        })?;
        self.check_materials()?;
        self.check_constraints()
    }

    fn check_materials(&self) -> Result<(), ModelError> {
        for (i, m) in self.materials.iter().enumerate() {
            require(m.young_pa > 0.0 && m.young_pa.is_finite(), "material", i, || {
                format!("Young's modulus {} Pa is not a positive number", m.young_pa)
            })?;
            require((0.0..0.5).contains(&m.poisson), "material", i, || {
                format!("Poisson's ratio {} is not in [0, 0.5)", m.poisson)
            })?;
            require(m.damping_s >= 0.0 && m.damping_s.is_finite(), "material", i, || {
                format!("damping time {} s is not a finite number of at least 0", m.damping_s)
            })?;
        }
        Ok(())
    }

    fn check_constraints(&self) -> Result<(), ModelError> {
        for (i, t) in self.tets.iter().enumerate() {
            self.check_particles("tetrahedron", i, &t.particles)?;
            require((t.material as usize) < self.materials.len(), "tetrahedron", i, || {
                format!("names material {}, but there are {}", t.material, self.materials.len())
            })?;
            let [a, b, c] = rest_edges(self, t.particles).map(|e| e.as_dvec3());
            let six = a.cross(b).dot(c);
            require(six > 0.0, "tetrahedron", i, || {
                format!("its rest volume {} m³ is not positive", six / 6.0)
            })?;
            let steepest =
                [a.cross(b), b.cross(c), c.cross(a)].map(|n| n.length()).into_iter().fold(0.0, f64::max);
            require(
                steepest / six < 1e18 && six > 1e-30 * f32::MAX.recip() as f64,
                "tetrahedron",
                i,
                || "is too small or too flat for single precision in the rest pose".into(),
            )?;
        }
        for (i, d) in self.distances.iter().enumerate() {
            self.check_particles("distance", i, &d.particles)?;
            require(d.rest_m >= 0.0 && d.rest_m.is_finite(), "distance", i, || {
                format!("rest length {} m is not a finite number of at least 0", d.rest_m)
            })?;
            check_compliance("distance", i, d.compliance)?;
        }
        for (i, v) in self.volumes.iter().enumerate() {
            self.check_particles("volume", i, &v.particles)?;
            require(v.rest_m3.is_finite(), "volume", i, || {
                format!("rest volume {} m³ is not finite", v.rest_m3)
            })?;
            check_compliance("volume", i, v.compliance)?;
        }
        for (i, b) in self.bends.iter().enumerate() {
            self.check_particles("bend", i, &b.particles)?;
            require(b.rest_rad.abs() <= std::f32::consts::PI, "bend", i, || {
                format!("rest angle {} is not in [-π, π]", b.rest_rad)
            })?;
            check_compliance("bend", i, b.compliance)?;
        }
        Ok(())
    }

    fn check_particles(
        &self,
        constraint: &'static str,
        index: usize,
        names: &[u32],
    ) -> Result<(), ModelError> {
        let particles = self.positions.len();
        for (k, &particle) in names.iter().enumerate() {
            if particle as usize >= particles {
                return Err(ModelError::Index { constraint, index, particle, particles });
            }
            require(!names[..k].contains(&particle), constraint, index, || {
                format!("names particle {particle} twice")
            })?;
        }
        Ok(())
    }
}

fn check_compliance(what: &'static str, index: usize, compliance: f32) -> Result<(), ModelError> {
    require(compliance >= 0.0 && compliance.is_finite(), what, index, || {
        format!("compliance {compliance} is not a finite number of at least 0")
    })
}

fn require(
    holds: bool,
    what: &'static str,
    index: usize,
    message: impl FnOnce() -> String,
) -> Result<(), ModelError> {
    if holds { Ok(()) } else { Err(value(what, index, message())) }
}

fn value(what: &'static str, index: usize, message: String) -> ModelError {
    ModelError::Value { what, index, message }
}

/// Why a [`Model`] cannot be solved; each names the particle or the element.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The arrays over particles differ in length.
    #[error("{array} has {len} entries, but the model has {particles} particles")]
    Length {
        /// Which array.
        array: &'static str,
        /// Its length.
        len: usize,
        /// Number of particles.
        particles: usize,
    },
    /// A constraint names a particle that is not there.
    #[error("{constraint} {index} names particle {particle}, but there are {particles}")]
    Index {
        /// Kind of constraint.
        constraint: &'static str,
        /// Which one.
        index: usize,
        /// The particle it names.
        particle: u32,
        /// Number of particles.
        particles: usize,
    },
    /// A value outside its range.
    #[error("{what} {index}: {message}")]
    Value {
        /// Kind of thing.
        what: &'static str,
        /// Which one.
        index: usize,
        /// What is wrong.
        message: String,
    },
}
