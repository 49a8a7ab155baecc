//! Colours: pairs of one colour share no movable body.
//!
//! Each pair takes the first colour that none of its movable bodies has yet. Contacts of one colour do not wait for each
//! other's velocities, and those of large islands fill the lanes of vector registers. Immovable bodies have no colours.
//! If colours run out, the remaining pairs share the last one.

/// Colours that bodies can have at the most.
pub(crate) const MOST_COLOURS: u32 = 64;

/// Colours the first `count` pairs with at most `most` colours.
pub(crate) fn colours<const NB: usize, const N: usize>(
    count: usize,
    most: u32,
    pair: impl Fn(usize) -> Option<(usize, usize)>,
    is_movable: impl Fn(usize) -> bool,
) -> [u8; N] {
    let mut taken = [0_u64; NB];
    let mut colours = [0_u8; N];
    for (index, colour) in colours.iter_mut().enumerate().take(count) {
        let Some((a, b)) = pair(index) else { break };
        let mut mask = 0;
        for body in [a, b].into_iter().filter(|body| is_movable(*body)) {
            mask |= taken.get(body).copied().unwrap_or(0);
        }
        let free = mask.trailing_ones();
        *colour = (if free < most { free } else { most - 1 }) as u8;
        for body in [a, b] {
            if let Some(slot) = taken.get_mut(body) {
                *slot |= 1 << (*colour % MOST_COLOURS as u8);
            }
        }
    }
    colours
}
