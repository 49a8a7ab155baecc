//! Only the solve. Its code size is compared with the same program without it (feature `nothing`).

#![no_std]
#![no_main]

use core::hint::black_box;
use core::ptr::addr_of_mut;

use cortex_m_rt::entry;
use stiction::{Bodies, Contacts, InputError, Report, Settings, Solver};
use stiction_board::board::{Clock, end};

type Answer = Result<Report<f32>, InputError<f32>>;

struct State {
    solver: Solver<f32, 5, 8>,
    bodies: Bodies<f32, 5>,
    contacts: Contacts<f32, 8>,
    settings: Option<Settings<f32>>,
    answer: Option<Answer>,
}

static mut STATE: State =
    State { solver: Solver::new(), bodies: Bodies::new(), contacts: Contacts::new(), settings: None, answer: None };

#[entry]
fn main() -> ! {
    let _ = Clock::start();
    // SAFETY: the only reference to it, taken once, in the only thread.
    let state = unsafe { &mut *black_box(addr_of_mut!(STATE)) };
    #[cfg(not(feature = "nothing"))]
    if let Some(settings) = &state.settings {
        state.answer = Some(state.solver.solve(&mut state.bodies, &state.contacts, settings, 1.0 / 60.0));
    }
    end(black_box(state).answer.is_none())
}
