// End of a substep: v = (x - x_prev - shift)/h, then damping.
//
// With the predicted position x̂ = x_prev + h v this is v += (x - x̂ - shift)/h, which is what is computed: rounding of the
// positions reaches the velocity only where constraints moved the particle.

// Updates the velocity of a particle. The velocity of kinematic particles is not damped.
fn update(rank: u32, shift: vec3<f32>) {
    let x = positions[rank];
    let change = x.xyz - predicted[rank].xyz;
    var v = velocities[rank].xyz + (change - shift) / params.h;
    if x.w > 0.0 {
        v *= params.keep;
    }
    velocities[rank] = vec4(v, 0.0);
}

@compute @workgroup_size(WG)
fn velocity(@builtin(global_invocation_id) id: vec3<u32>) {
    let rank = particle_of(id);
    if rank < params.particles {
        update(rank, vec3(0.0));
    }
}

@compute @workgroup_size(WG)
fn velocity_with_shift(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = particle_of(id);
    if i < params.particles {
        update(ranks[i], incoming(i));
    }
}
