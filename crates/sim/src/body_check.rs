//! What a body made in code must hold before a world is made of it.

use glam::Vec3;

use crate::SimError;
use crate::body::Body;

impl Body {
    /// Checks lengths, indices and ranges; the first fault found is returned. [`World::with_bodies`](crate::World::with_bodies) does it.
    ///
    /// Tetrahedra that are flat or inverted at rest are found by the solver, which then names them.
    pub fn check(&self) -> Result<(), SimError> {
        let n = self.rest.len();
        for (what, len) in [("positions", self.positions.len()), ("velocities", self.velocities.len())] {
            if len != n {
                return Err(self.value(what, format!("{len} are given, but `rest` has {n} vertices")));
            }
        }
        self.finite("rest position", &self.rest)?;
        self.finite("position", &self.positions)?;
        self.finite("velocity", &self.velocities)?;
        self.indices("tetrahedron", &self.tets)?;
        self.indices("triangle", &self.triangles)?;
        for (g, group) in self.pins.iter().enumerate() {
            if let Some(v) = group.vertices.iter().find(|&&v| v as usize >= n) {
                let message = format!("holds vertex {v}, but the body has {n} (counted from 0)");
                return Err(self.element("pin group", g, message));
            }
        }
        if !self.triangles.is_empty() && self.fabric.is_none() {
            return Err(
                self.value("triangles", "are given without a `fabric`, which says what they are made of")
            );
        }
        self.not_negative("friction.fixed", self.friction.fixed.into())?;
        self.not_negative("friction.kinetic", self.friction.kinetic.into())?;
        if !self.tets.is_empty() {
            self.positive("density", self.density.into())?;
            self.positive("material.young_pa", self.material.young_pa.into())?;
            self.not_negative("material.damping_s", self.material.damping_s.into())?;
            let poisson = self.material.poisson;
            if !(0.0..0.5).contains(&poisson) {
                return Err(
                    self.value("material.poisson", format!("is {poisson}; it is from 0 to below 0.5"))
                );
            }
        }
        if let Some(fabric) = &self.fabric {
            self.positive("fabric.density", fabric.density)?;
            for (key, x) in ["fabric.stiffness[0]", "fabric.stiffness[1]", "fabric.stiffness[2]"]
                .into_iter()
                .zip(fabric.stiffness)
            {
                self.not_negative(key, x)?;
            }
            self.not_negative("fabric.bend", fabric.bend)?;
            if !fabric.warp.is_finite() || fabric.warp.length_squared() == 0.0 {
                return Err(self.value("fabric.warp", format!("is {}, which is no direction", fabric.warp)));
            }
        }
        Ok(())
    }

    fn value(&self, what: &'static str, message: impl Into<String>) -> SimError {
        SimError::BodyValue { body: self.name.clone(), what, message: message.into() }
    }

    fn element(&self, what: &'static str, index: usize, message: String) -> SimError {
        SimError::Body { body: self.name.clone(), what, index: index as u32, message }
    }

    fn finite(&self, what: &'static str, vectors: &[Vec3]) -> Result<(), SimError> {
        match vectors.iter().position(|v| !v.is_finite()) {
            Some(i) => Err(self.element(what, i, format!("{} is not finite", vectors[i]))),
            None => Ok(()),
        }
    }

    fn indices<const K: usize>(&self, what: &'static str, simplices: &[[u32; K]]) -> Result<(), SimError> {
        let n = self.rest.len();
        let Some(i) = simplices.iter().position(|s| s.iter().any(|&v| v as usize >= n)) else {
            return Ok(());
        };
        let message = format!("is {:?}, but the body has {n} vertices (counted from 0)", simplices[i]);
        Err(self.element(what, i, message))
    }

    fn not_negative(&self, what: &'static str, x: f64) -> Result<(), SimError> {
        match (x as f32).is_finite() && x >= 0.0 {
            true => Ok(()),
            false => Err(self.value(what, format!("is {x}; it must be finite and not negative"))),
        }
    }

    fn positive(&self, what: &'static str, x: f64) -> Result<(), SimError> {
        match (x as f32).is_finite() && x > 0.0 {
            true => Ok(()),
            false => Err(self.value(what, format!("is {x}; it must be finite and above 0"))),
        }
    }
}
