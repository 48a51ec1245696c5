//! Targets of kinematic particles, checked and translated for the device.

use super::layout::Goal;
use crate::{Model, ModelError, Plan, SolverError, Target};

/// The kinematic particles of a model, and where they go in the present substep.
#[derive(Debug)]
pub(super) struct Targets {
    particles: usize,
    /// The user's index and the rank of each kinematic particle, ascending.
    kinematic: Vec<(u32, u32)>,
    goals: Vec<Goal>,
    /// For each kinematic particle its place in `goals`, if it has a target.
    place: Vec<Option<usize>>,
}

impl Targets {
    /// Without targets.
    pub fn new(model: &Model, plan: &Plan) -> Self {
        let masses = (0..).zip(&model.inverse_masses);
        let kinematic: Vec<(u32, u32)> =
            masses.filter(|&(_, &w)| w == 0.0).map(|(i, _)| (i, plan.rank[i as usize])).collect();
        Targets {
            particles: plan.particles(),
            goals: Vec::with_capacity(kinematic.len()),
            place: vec![None; kinematic.len()],
            kinematic,
        }
    }

    /// Takes the targets of a substep; the last one of a particle counts.
    pub fn collect(&mut self, targets: &[Target]) -> Result<&[Goal], SolverError> {
        self.goals.clear();
        self.place.fill(None);
        for (index, target) in targets.iter().enumerate() {
            let at = self.kinematic.binary_search_by_key(&target.particle, |k| k.0);
            let (Ok(at), true) = (at, target.position.is_finite()) else {
                return Err(self.fault(index, target));
            };
            let goal = Goal { position: target.position, particle: self.kinematic[at].1 };
            match self.place[at] {
                Some(place) => self.goals[place] = goal,
                None => {
                    self.place[at] = Some(self.goals.len());
                    self.goals.push(goal);
                }
            }
        }
        Ok(&self.goals)
    }

    /// What was collected.
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// What is wrong with a target.
    fn fault(&self, index: usize, target: &Target) -> SolverError {
        let (particle, particles) = (target.particle, self.particles);
        if particle as usize >= particles {
            return ModelError::Index { constraint: "target", index, particle, particles }.into();
        }
        let message = if target.position.is_finite() {
            format!("particle {particle} is not kinematic: its inverse mass is not zero")
        } else {
            format!("its position {} is not finite", target.position)
        };
        ModelError::Value { what: "target", index, message }.into()
    }
}
