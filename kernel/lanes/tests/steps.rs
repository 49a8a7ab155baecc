//! Steps with several sweeps in each substep, in lanes and without: the same bits.

use stiction::Hooks;
use stiction_lanes::Lanes;
use stiction_lanes::scalar::LaneScalar;
use stiction_scenes::boxes::{Boxes, stack};
use stiction_scenes::digest::Digest;
use stiction_testkit::effort;
use stiction_testkit::large_stack::on_large_stack;

const NB: usize = 40;
const NC: usize = 160;

/// A step's digest: of bodies, impulses and the report.
fn step<T: LaneScalar>(boxes: &mut Boxes<T, NB, NC>, hooks: Hooks<'_, T>) -> u64 {
    let report = boxes.step_with(hooks).unwrap();
    let mut digest = Digest::default();
    digest.add_step(&boxes.world, &boxes.pipeline, &report);
    digest.0
}

fn compare<T: LaneScalar>(sweeps: u32) {
    let mut lanes = Box::new(Lanes::<T, NB, NC, NC>::new());
    let scene = || {
        let mut boxes = Box::new(stack::<T, NB, NC>(16));
        boxes.pipeline.settings.solver.sweeps = sweeps;
        // Boxes that rest are not swept, and the ground is a belt: a body that moves and that no impulse moves.
        for body in 0..boxes.world.len() {
            let mut pushed = boxes.world.get(body).unwrap();
            pushed.linear_velocity.x = T::lit(if body == 0 { 0.05 } else { 0.1 * (body % 3) as f64 });
            boxes.world.set(body, pushed).unwrap();
        }
        boxes
    };
    let (mut plain, mut in_lanes) = (scene(), scene());
    let mut most = 0;
    for frame in 0..effort::cases(40, 400) {
        let alone = step(&mut plain, Hooks::default());
        assert_eq!(step(&mut in_lanes, Hooks::with_lanes(&mut *lanes)), alone, "frame {frame}");
        most = most.max(lanes.in_lanes().0);
    }
    assert!(most >= 24, "no island was swept in lanes: {most}");
}

#[test]
fn steps_have_the_same_bits_in_lanes() {
    on_large_stack(32 << 20, || {
        for sweeps in [6, 30] {
            compare::<f32>(sweeps);
            compare::<f64>(sweeps);
        }
    })
    .unwrap();
}
