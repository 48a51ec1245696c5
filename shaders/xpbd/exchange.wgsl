// Positions and velocities from and to the user's order.

@compute @workgroup_size(WG)
fn import_positions(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = particle_of(id);
    if i < params.particles {
        let rank = ranks[i];
        positions[rank] = vec4(incoming(i), positions[rank].w);
    }
}

@compute @workgroup_size(WG)
fn export_positions(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = particle_of(id);
    if i < params.particles {
        send(i, positions[ranks[i]].xyz);
    }
}

@compute @workgroup_size(WG)
fn import_velocities(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = particle_of(id);
    if i < params.particles {
        velocities[ranks[i]] = vec4(incoming(i), 0.0);
    }
}

@compute @workgroup_size(WG)
fn export_velocities(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = particle_of(id);
    if i < params.particles {
        send(i, velocities[ranks[i]].xyz);
    }
}
