//! One suite, stamped over every solver: each must pass every case. A case is a function in one of the modules below; it
//! gets a **factory** that makes a solver for a model.

use gordian_solver::{CpuSolver, Model, Solver, SolverError};

#[path = "../common/mod.rs"]
mod common;
mod face;
mod motion;
mod nasty;

/// Makes a solver for a model.
pub type Factory = dyn Fn(&Model) -> Result<Box<dyn Solver>, SolverError>;

/// Stamps the whole suite over one kind of solver.
macro_rules! conformance {
    ($name:ident, $factory:expr) => {
        mod $name {
            use super::*;

            conformance!(@cases $factory, face {
                unsound_models_are_refused_with_the_index
                arguments_are_checked
                stages_come_in_order
                order_is_the_users
                shifts_do_not_become_velocity
                velocity_damping_is_exponential
                energy_is_analytic
            });
            conformance!(@cases $factory, motion {
                rest_is_exact
                free_flight_is_exact
                kinematic_particles_follow_their_targets
                momentum_is_conserved
                every_constraint_relaxes
                material_damping_slows_strain_only
                the_same_run_gives_the_same_bits
                scales_do_not_matter
            });
            conformance!(@cases $factory, nasty {
                nothing_at_all
                particles_without_constraints
                one_tetrahedron
                everything_kinematic
                a_hub_with_many_spokes
                shared_kinematic_particles
                tiny_and_huge_bodies
                slivers
                collapsed_and_inverted_bodies_recover
                constraints_without_direction
                rigid_constraints
                extreme_poses_stay_finite
            });
        }
    };
    (@cases $factory:expr, $module:ident { $($case:ident)* }) => {
        $(
            #[test]
            fn $case() {
                super::$module::$case(&$factory);
            }
        )*
    };
}

conformance!(cpu, |model: &Model| CpuSolver::new(model).map(|s| Box::new(s) as Box<dyn Solver>));
