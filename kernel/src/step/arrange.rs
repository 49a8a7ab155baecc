//! The order of a frame's rows: by island, and within it by colour.
//!
//! Manifolds of one colour share no movable body, so their order changes no result. Their points take turns:
//! neighbouring rows do not wait for each other's velocities, which makes a pass twice as fast. Stacks, walls and
//! towers of cards also stand better than in the detector's order.
use crate::math::real::Real;
use crate::problem::contact_rows::ContactRows;
use crate::solve::colour::colours;
use crate::solve::connections::Connections;
use crate::solve::partition::Islands;
use crate::step::kept::KeptContacts;
use crate::step::world::World;

/// Row of a point that has none yet.
pub(crate) const NO_ROW: u16 = u16::MAX;

/// Colours of manifolds at the most.
const COLOURS: u32 = 32;

/// Orders the contacts of a frame.
pub(crate) fn order<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    world: &World<T, NB, R>,
    now: &KeptContacts<T, NC, R>,
    islands: &mut Islands<NB, NC>,
    joints: &mut impl Connections,
) {
    let manifold_of = |contact: usize| now.points.get(contact).map_or(0, |point| usize::from(point.manifold));
    let pair = |manifold: usize| now.list.get(manifold).map(|found| (usize::from(found.a), usize::from(found.b)));
    let has_moments = |contact: usize| now.has_moments(contact);
    islands.split_pairs(world.bodies(), now.points.len(), &|contact| pair(manifold_of(contact)), &has_moments, joints);
    let colours: [u8; NC] = colours::<NB, NC>(now.list.len(), COLOURS, pair, |body| world.bodies().is_movable(body));
    islands.order_by(
        now.points.len(),
        1,
        |contact| {
            let index = manifold_of(contact);
            let point = now.list.get(index).map_or(0, |manifold| contact.abs_diff(usize::from(manifold.first)));
            4 * colours.get(index).copied().unwrap_or(0) + (point % 4) as u8
        },
        has_moments,
    );
}

/// For each row the place where its data is now, given the first rows of the contacts in the step before. New rows take
/// the places that are left.
pub(crate) fn sources<const NB: usize, const NC: usize>(
    rows: &[u16],
    islands: &Islands<NB, NC>,
    has_moments: impl Fn(usize) -> bool,
) -> [u16; NC] {
    let mut source = [NO_ROW; NC];
    let mut used = [false; NC];
    for (contact, row) in rows.iter().enumerate().filter(|(_, row)| **row != NO_ROW) {
        for second in 0..if has_moments(contact) { 2 } else { 1 } {
            let from = usize::from(*row) + second;
            let slots = (source.get_mut(islands.row_of(contact) + second), used.get_mut(from));
            if let (Some(slot), Some(used)) = slots {
                (*slot, *used) = (from as u16, true);
            }
        }
    }
    let mut spare = (0..NC).filter(|row| !used.get(*row).copied().unwrap_or(true));
    for slot in source.iter_mut().filter(|slot| **slot == NO_ROW) {
        *slot = spare.next().unwrap_or(0) as u16;
    }
    source
}

/// Moves rows to their new places by exchanges, given where each comes from.
pub(crate) fn rearrange<const NC: usize>(source: &[u16; NC], rows: usize, mut swap: impl FnMut(usize, usize)) {
    for row in 0..if rows < NC { rows } else { NC } {
        let mut from = usize::from(source[row]);
        // What stood at a row before this one was exchanged with what came there.
        for _ in 0..NC {
            if from >= row {
                break;
            }
            from = source.get(from).map_or(row, |next| usize::from(*next));
        }
        if from != row {
            swap(row, from);
        }
    }
}
