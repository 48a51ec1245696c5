//! One suite, stamped over every solver: each must pass every case. A case is a function in one of the modules below; it
//! gets a **factory** that makes a solver for a model.

use gordian_solver::gpu::{self, AdapterChoice, GpuSolver};
use gordian_solver::{CpuSolver, Model, Solver, SolverError};

#[path = "../common/mod.rs"]
mod common;
mod face;
mod motion;
mod nasty;

/// Makes a solver for a model.
pub type Factory = dyn Fn(&Model) -> Result<Box<dyn Solver>, SolverError>;

/// Stamps the whole suite over one kind of solver, where there is one.
macro_rules! conformance {
    ($name:ident, $factory:expr) => {
        conformance!($name, $factory, true);
    };
    ($name:ident, $factory:expr, $there:expr) => {
        mod $name {
            use super::*;

            conformance!(@cases $factory, $there, face {
                unsound_models_are_refused_with_the_index
                arguments_are_checked
                stages_come_in_order
                order_is_the_users
                shifts_do_not_become_velocity
                velocity_damping_is_exponential
                energy_is_analytic
            });
            conformance!(@cases $factory, $there, motion {
                rest_is_exact
                free_flight_is_exact
                kinematic_particles_follow_their_targets
                momentum_is_conserved
                every_constraint_relaxes
                material_damping_slows_strain_only
                the_same_run_gives_the_same_bits
                scales_do_not_matter
            });
            conformance!(@cases $factory, $there, nasty {
                nothing_at_all
                particles_without_constraints
                one_tetrahedron
                everything_kinematic
                a_hub_with_many_spokes
                shared_kinematic_particles
                tiny_and_huge_bodies
                slivers
                collapsed_and_inverted_bodies_recover
                what_is_torn_within_a_substep_is_not_thrown
                constraints_without_direction
                rigid_constraints
                extreme_poses_stay_finite
            });
        }
    };
    (@cases $factory:expr, $there:expr, $module:ident { $($case:ident)* }) => {
        $(
            #[test]
            fn $case() {
                if $there {
                    super::$module::$case(&$factory);
                }
            }
        )*
    };
}

conformance!(cpu, |model: &Model| CpuSolver::new(model).map(|s| Box::new(s) as Box<dyn Solver>));
conformance!(on_gpu, gpu_solver, gpu_there());

/// Solvers on the software adapter, else on any.
fn gpu_solver(model: &Model) -> Result<Box<dyn Solver>, SolverError> {
    let adapter = gpu::choose(&AdapterChoice::Software).or_else(|_| gpu::choose(&AdapterChoice::Auto))?;
    Ok(Box::new(GpuSolver::new(model, &adapter)?))
}

/// Whether there is an adapter. Where there is none that is said; with `CI` set it is a failure.
fn gpu_there() -> bool {
    match gpu_solver(&Model::default()) {
        Err(error @ SolverError::NoAdapter(_)) => {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            eprintln!("NOT TESTED: the suite over the solver on a graphics adapter: {error}");
            false
        }
        _ => true,
    }
}
