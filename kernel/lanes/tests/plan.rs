//! What a plan promises: every row once, no movable body twice in a group, and the order of rows that share a body.

use stiction::sweep::lane_memory::MovableBodies;
use stiction_lanes::plan::{LEAST, Plan};
use stiction_testkit::rng::Rng;

const NB: usize = 40;
const NC: usize = 300;

/// Random pairs of bodies, some of them immovable.
fn pairs(rng: &mut Rng) -> Vec<MovableBodies> {
    let bodies = 2 + rng.below(NB - 2);
    let immovable = rng.below(3);
    let body = |rng: &mut Rng| {
        let body = rng.below(bodies);
        (body >= immovable).then_some(body as u16)
    };
    (0..1 + rng.below(NC - 1)).map(|_| [body(rng), body(rng)]).collect()
}

/// The rows in the order of a forward sweep, and how many of them are in lanes.
fn visited(plan: &Plan<NB, NC>, movable: &[MovableBodies]) -> (Vec<usize>, usize) {
    let (mut order, mut in_lanes) = (Vec::new(), 0);
    for run in plan.runs() {
        if !run.in_lanes {
            order.extend(plan.alone(*run).iter().map(|row| usize::from(*row)));
            continue;
        }
        for group in run.first..run.end {
            let members = plan.members(usize::from(group));
            assert!((LEAST.min(4)..=8).contains(&members.len()));
            let mut bodies: Vec<u16> = members.iter().flat_map(|row| movable[usize::from(*row)]).flatten().collect();
            bodies.sort_unstable();
            // A contact of a body with itself counts once.
            let own = members.iter().filter(|row| matches!(movable[usize::from(**row)], [Some(a), Some(b)] if a == b));
            let (all, own) = (bodies.len(), own.count());
            bodies.dedup();
            assert_eq!(bodies.len(), all - own, "a body is twice in a group");
            in_lanes += members.len();
            order.extend(members.iter().map(|row| usize::from(*row)));
        }
    }
    (order, in_lanes)
}

#[test]
fn rows_that_share_a_movable_body_keep_their_order() {
    let (mut rng, mut plan) = (Rng::new(7), Plan::<NB, NC>::new());
    let mut most_in_lanes = 0;
    for case in 0..2_000 {
        let movable = pairs(&mut rng);
        let (lanes, most) = (if case % 2 == 0 { 8 } else { 4 }, [0, 3, 1000][case % 3]);
        let count = plan.make(movable.len(), lanes, most, &|row| movable[row]);
        let (order, in_lanes) = visited(&plan, &movable);
        assert_eq!(count, in_lanes);
        assert!(plan.groups_in_lanes() <= most);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..movable.len()), "case {case}: not every row once");
        let mut last_of_body = [None; NB];
        for row in order {
            for body in movable[row].into_iter().flatten() {
                let last = last_of_body[usize::from(body)].replace(row);
                assert!(last.is_none_or(|last| last <= row), "case {case}: row {row} after {last:?}");
            }
        }
        most_in_lanes = most_in_lanes.max(in_lanes);
    }
    assert!(most_in_lanes > 200, "{most_in_lanes}");
}

#[test]
fn too_many_rows_or_bodies_are_left_to_single_visits() {
    let mut plan = Plan::<NB, NC>::new();
    assert_eq!(plan.make(NC + 1, 8, 100, &|_| [None; 2]), 0);
    assert_eq!(plan.make(NC, 8, 100, &|_| [Some(NB as u16), None]), 0);
    assert!(plan.make(NC, 8, 100, &|_| [None; 2]) == NC);
}
