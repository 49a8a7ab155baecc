//! Counts the cost of a direct solve where sweeps do not converge: four boxes on each other, the top one a thousand
//! times heavier.

#![no_std]
#![no_main]

use core::mem::size_of;

use cortex_m_rt::entry;
use defmt::{error, info};
use static_cell::StaticCell;
use stiction::nalgebra::Vector3;
use stiction::{Bodies, Contacts, InputError, MethodChoice, Report, Settings, Solver, Status};
use stiction::{DirectMemory, Hooks};
use stiction_board::board::{Clock, end};
use stiction_board::stack::measured;
use stiction_scenes::heavy::{BODIES, CONTACTS, SLOTS, heavy_stack};

/// Measured data, kept in static memory so that it does not use the stack.
struct State {
    solver: Solver<f32, BODIES, CONTACTS>,
    bodies: Bodies<f32, BODIES>,
    contacts: Contacts<f32, CONTACTS>,
    direct_memory: DirectMemory<f32, CONTACTS, SLOTS>,
}

static STATE: StaticCell<State> = StaticCell::new();

#[entry]
fn main() -> ! {
    let state = STATE.init_with(|| State {
        solver: Solver::new(),
        bodies: Bodies::new(),
        contacts: Contacts::new(),
        direct_memory: DirectMemory::new(),
    });
    let ended = count(&Clock::start(), state);
    if let Err(error) = &ended {
        error!("rejected: {}", error);
    }
    end(ended.is_ok())
}

fn count(clock: &Clock, state: &mut State) -> Result<(), InputError<f32>> {
    heavy_stack(&mut state.bodies, &mut state.contacts)?;
    let start = clock.now();
    let report = solve(state)?;
    let took = clock.now().wrapping_sub(start);
    let digest = stiction::record::digest(&state.bodies);
    info!(
        "direct: converged {=bool}, residual {=f32}, {=u32} sweeps, digest {=u64:016x}",
        report.status == Status::Converged,
        report.residual.natural,
        report.sweeps,
        digest
    );
    info!("count direct_instructions {=u32}", took);
    info!("count direct_factorisations {=u32}", report.direct.newton_steps + report.direct.interior_steps);
    let memory = size_of::<State>();
    info!("count direct_room {=usize}", size_of::<DirectMemory<f32, CONTACTS, SLOTS>>());
    info!("count direct_memory {=usize}", memory);
    heavy_stack(&mut state.bodies, &mut state.contacts)?;
    let (solved, bytes) = measured(|| solve(state));
    solved?;
    info!("count direct_stack {=u32}", bytes);
    // Kicked, so that every contact state changes: close to the worst case.
    heavy_stack(&mut state.bodies, &mut state.contacts)?;
    for index in 1..BODIES {
        let way = if index % 2 == 0 { 0.4 } else { -0.3 };
        state.bodies.set_velocity(index, Vector3::new(way, 0.5 * way, -0.2), Vector3::new(0.3, way, -0.2))?;
    }
    let start = clock.now();
    let report = solve(state)?;
    info!("count direct_kicked_instructions {=u32}", clock.now().wrapping_sub(start));
    info!("count direct_kicked_factorisations {=u32}", report.direct.newton_steps + report.direct.interior_steps);
    Ok(())
}

#[inline(never)]
fn solve(state: &mut State) -> Result<Report<f32>, InputError<f32>> {
    let settings = Settings { method: MethodChoice::Direct, ..Settings::default() };
    state.solver.solve_with(
        &mut state.bodies,
        &state.contacts,
        &settings,
        1.0 / 60.0,
        Hooks::with_direct(state.direct_memory.view()),
    )
}
