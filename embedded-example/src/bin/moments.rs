//! Counts the cost of contacts that resist twisting and rolling: visits, memory, stack. The host compares every line
//! with the committed figures, and the velocities with its own.

#![no_std]
#![no_main]

use core::mem::size_of;

use cortex_m_rt::entry;
use defmt::{error, info};
use static_cell::StaticCell;
use stiction::{Bodies, Contacts, InputError, Report, Settings, SixRows, Solver};
use stiction_board::board::{Clock, end};
use stiction_board::stack::measured;
use stiction_scenes::moments::{BODIES, CONTACTS, HOLDING, PLACES, SLIDING, rods, surface};

/// Measured data, kept in static memory so that it does not use the stack.
struct State {
    solver: Solver<f32, BODIES, PLACES, SixRows>,
    bodies: Bodies<f32, BODIES>,
    contacts: Contacts<f32, PLACES, SixRows>,
}

static STATE: StaticCell<State> = StaticCell::new();

#[entry]
fn main() -> ! {
    let state =
        STATE.init_with(|| State { solver: Solver::empty(), bodies: Bodies::new(), contacts: Contacts::empty() });
    let ended = count(&Clock::start(), state);
    if let Err(error) = &ended {
        error!("rejected: {}", error);
    }
    end(ended.is_ok())
}

fn count(clock: &Clock, state: &mut State) -> Result<(), InputError<f32>> {
    for rows in [4, 5, 6] {
        for (name, speed, radius) in [("stick", 0.0, HOLDING), ("slide", 3.0, SLIDING)] {
            let mut took = [0; 2];
            for (took, sweeps) in took.iter_mut().zip([4, 12]) {
                rods(&mut state.bodies, &mut state.contacts, speed, surface(rows, radius))?;
                let start = clock.now();
                solve(state, sweeps)?;
                *took = clock.now().wrapping_sub(start);
            }
            let reached = (0..CONTACTS).filter_map(|contact| state.solver.reached(contact));
            // Of a sticking contact no bound may be reached.
            let moving =
                reached.filter(|reached| if speed > 0.0 { reached[0] } else { reached.contains(&true) }).count();
            info!(
                "count moments_{=str}_visit_{=usize} {=u32}",
                name,
                rows,
                (took[1] - took[0]) / (8 * CONTACTS as u32)
            );
            info!("count moments_{=str}_moving_{=usize} {=usize}", name, rows, moving);
        }
    }
    rods(&mut state.bodies, &mut state.contacts, 3.0, surface(6, SLIDING))?;
    let (solved, bytes) = measured(|| solve(state, 12));
    solved?;
    info!("moments: digest {=u64:016x}", stiction::record::digest(&state.bodies));
    info!("count moments_stack {=u32}", bytes);
    info!("count moments_memory {=usize}", size_of::<State>());
    Ok(())
}

/// Zero tolerance: every sweep is made.
#[inline(never)]
fn solve(state: &mut State, sweeps: u32) -> Result<Report<f32>, InputError<f32>> {
    let settings = Settings { sweeps, tolerance: 0.0, ..Settings::default() };
    state.solver.solve(&mut state.bodies, &state.contacts, &settings, 1.0 / 60.0)
}
