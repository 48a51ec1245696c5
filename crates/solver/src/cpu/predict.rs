//! Start of a substep: `v += h g; x_prev = x; x += h v`; kinematic particles go to their targets.
//!
//! The predicted position is kept, so that [`velocity`](super::velocity) can add to `v` what the constraints changed: a particle
//! on which nothing acts keeps its velocity to the last bit, however far it is from the origin.

use glam::Vec3;
use rayon::prelude::*;

use super::PARTICLES_AT_A_TIME;
use super::lanes::Particle;

/// Predicts. Particles without inverse mass stay, with zero velocity, until [`aim`] says otherwise.
pub(crate) fn predict(
    particles: &mut [Particle],
    predicted: &mut [Particle],
    velocities: &mut [Vec3],
    h: f32,
    gravity: Vec3,
) {
    let kick = gravity * h;
    particles
        .par_chunks_mut(PARTICLES_AT_A_TIME)
        .zip(predicted.par_chunks_mut(PARTICLES_AT_A_TIME))
        .zip(velocities.par_chunks_mut(PARTICLES_AT_A_TIME))
        .for_each(|((particles, predicted), velocities)| {
            for ((p, predicted), v) in particles.iter_mut().zip(predicted).zip(velocities) {
                if p[3] > 0.0 {
                    *v += kick;
                    p[0] += h * v.x;
                    p[1] += h * v.y;
                    p[2] += h * v.z;
                } else {
                    *v = Vec3::ZERO;
                }
                *predicted = *p;
            }
        });
}

/// Moves a kinematic particle to its target, with the velocity that takes it there.
pub(crate) fn aim(
    particle: &mut Particle,
    predicted: &mut Particle,
    velocity: &mut Vec3,
    target: Vec3,
    h: f32,
) {
    let Vec3 { x, y, z } = target;
    *velocity = (target - Vec3::new(particle[0], particle[1], particle[2])) / h;
    *particle = [x, y, z, 0.0];
    *predicted = *particle;
}
