//! End of a substep: `v = (x - x_prev - shift)/h`, then damping.
//!
//! With the predicted position x̂ = x_prev + h v this is `v += (x - x̂ - shift)/h`, which is what is computed: rounding of the
//! positions reaches the velocity only where constraints moved the particle.

use glam::Vec3;
use rayon::prelude::*;

use super::PARTICLES_AT_A_TIME;
use super::lanes::Particle;

/// Updates velocities. `shift(rank)`: displacement that must not become velocity. `keep`: factor of damping; the
/// velocity of kinematic particles is not damped.
pub(crate) fn velocity(
    particles: &[Particle],
    predicted: &[Particle],
    velocities: &mut [Vec3],
    shift: impl Fn(usize) -> Vec3 + Sync,
    h: f32,
    keep: f32,
) {
    particles
        .par_chunks(PARTICLES_AT_A_TIME)
        .zip(predicted.par_chunks(PARTICLES_AT_A_TIME))
        .zip(velocities.par_chunks_mut(PARTICLES_AT_A_TIME))
        .enumerate()
        .for_each(|(chunk, ((particles, predicted), velocities))| {
            for (i, ((p, q), v)) in particles.iter().zip(predicted).zip(velocities).enumerate() {
                let change = Vec3::new(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
                *v += (change - shift(chunk * PARTICLES_AT_A_TIME + i)) / h;
                if p[3] > 0.0 {
                    *v *= keep;
                }
            }
        });
}
