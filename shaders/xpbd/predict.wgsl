// Start of a substep: v += h g; x_prev = x; x += h v; kinematic particles go to their targets.
//
// The predicted position is kept, so that `velocity.wgsl` can add to v what the constraints changed: a particle on
// which nothing acts keeps its velocity to the last bit, however far it is from the origin.
// Source: M. Macklin, M. Müller, N. Chentanez, "XPBD" (MIG 2016), algorithm 1.

// Predicts. Particles without inverse mass stay, with zero velocity, until `aim` says otherwise.
@compute @workgroup_size(WG)
fn predict(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = particle_of(id);
    if i >= params.particles {
        return;
    }
    let before = positions[i];
    if DAMPED {
        previous[i] = before;
    }
    var x = before;
    var v = vec3(0.0);
    if x.w > 0.0 {
        v = velocities[i].xyz + params.gravity * params.h;
        x = vec4(x.xyz + params.h * v, x.w);
    }
    velocities[i] = vec4(v, 0.0);
    positions[i] = x;
    predicted[i] = x;
}

// Moves kinematic particles to their targets, with the velocity that takes them there.
@compute @workgroup_size(WG)
fn aim(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x + id.y * params.target_row;
    if i >= params.targets {
        return;
    }
    let goal = goals[i];
    let x = vec4(goal.position, 0.0);
    velocities[goal.particle] = vec4((goal.position - positions[goal.particle].xyz) / params.h, 0.0);
    positions[goal.particle] = x;
    predicted[goal.particle] = x;
}
