//! Counts the cost of frames in which four boxes rest on each other, the top one a thousand times heavier: sixteen
//! contacts, with a factor that is kept from frame to frame, and without it (feature `nothing`).

#![no_std]
#![no_main]

use core::mem::size_of;

use cortex_m_rt::entry;
use defmt::{error, info};
use static_cell::StaticCell;
use stiction::{InputError, Pipeline};
use stiction_board::board::{Clock, end};
use stiction_board::stack::measured;
use stiction_scenes::boxes::Boxes;
use stiction_scenes::rest::{BLOCKS, BODIES, BOXES, CONTACTS, FRAMES, resting};

/// Blocks of the kept factor.
const KEPT: usize = if cfg!(feature = "nothing") { 0 } else { BLOCKS };

type Scene = Boxes<f32, BODIES, CONTACTS, KEPT>;

static SCENE: StaticCell<Scene> = StaticCell::new();

#[entry]
fn main() -> ! {
    let scene = SCENE.init_with(resting);
    let ended = count(&Clock::start(), scene);
    if let Err(error) = &ended {
        error!("rejected: {}", error);
    }
    end(ended.is_ok())
}

fn count(clock: &Clock, scene: &mut Scene) -> Result<(), InputError<f32>> {
    let (mut sum, mut most) = (0, 0);
    for frame in 0..2 * FRAMES {
        let start = clock.now();
        step(scene)?;
        let took = clock.now().wrapping_sub(start);
        // The boxes come to rest in the first half.
        if frame >= FRAMES {
            sum += took;
            most = if took > most { took } else { most };
        }
    }
    info!("rest: {=usize} boxes, digest {=u64:016x}", BOXES, scene.world.digest());
    info!("count rest_frame_mean {=u32}", sum / FRAMES);
    info!("count rest_frame_most {=u32}", most);
    info!("count rest_memory {=usize}", size_of::<Pipeline<f32, BODIES, CONTACTS, KEPT>>());
    let (stepped, bytes) = measured(|| step(scene));
    stepped?;
    info!("count rest_stack {=u32}", bytes);
    Ok(())
}

#[inline(never)]
fn step(scene: &mut Scene) -> Result<(), InputError<f32>> {
    scene.step().map(|_| ())
}
