//! Islands: groups of contacts that share no movable body, so that each can be solved on its own.
//!
//! Union–find over movable bodies; immovable bodies do not connect contacts. The root of a set is its smallest body
//! index, islands are numbered in the order of their first contact, and contacts and bodies keep their order inside an
//! island: the same input has the same islands on every machine, and one island's order does not depend on another's
//! contacts. A contact with moments has two rows, one after the other.
use core::ops::Range;

use crate::math::real::Real;
use crate::problem::bodies::Bodies;
use crate::problem::contact_rows::ContactRows;
use crate::problem::contacts::Contacts;
use crate::solve::colour::{MOST_COLOURS, colours};
use crate::solve::connections::{Connections, NoJoints};

/// Marks a body that is in no island.
const NONE: u16 = u16::MAX;

/// Where an island's contacts and bodies are.
#[derive(Clone, Copy)]
struct Span {
    contacts: (u16, u16),
    bodies: (u16, u16),
}

/// The islands of one problem.
pub(crate) struct Islands<const NB: usize, const NC: usize> {
    /// Contact indices, island by island: row `r` is contact `contact_order[r]`.
    contact_order: [u16; NC],
    /// The row of each contact.
    row_of: [u16; NC],
    /// Body indices, island by island; bodies in none at the end.
    body_order: [u16; NB],
    spans: [Span; NB],
    count: u16,
    /// Bodies of the island that is being solved.
    selected: (u16, u16),
}

impl<const NB: usize, const NC: usize> Islands<NB, NC> {
    pub const fn new() -> Self {
        let empty = Span { contacts: (0, 0), bodies: (0, 0) };
        Islands {
            contact_order: [0; NC],
            row_of: [0; NC],
            body_order: [0; NB],
            spans: [empty; NB],
            count: 0,
            selected: (0, 0),
        }
    }

    /// Number of islands.
    pub fn count(&self) -> usize {
        let count = usize::from(self.count);
        if count < NB { count } else { NB }
    }

    /// An island's rows.
    pub fn rows(&self, island: usize) -> Range<usize> {
        self.spans.get(island).map_or(0..0, |span| usize::from(span.contacts.0)..usize::from(span.contacts.1))
    }

    /// Selects the island that is solved next.
    pub fn select(&mut self, island: usize) {
        self.selected = self.spans.get(island).map_or((0, 0), |span| span.bodies);
    }

    /// The bodies of the selected island.
    #[inline(always)]
    pub fn bodies(&self) -> &[u16] {
        self.body_order.get(usize::from(self.selected.0)..usize::from(self.selected.1)).unwrap_or(&[])
    }

    /// The bodies of the selected island as indices, visibly within capacity.
    #[inline(always)]
    pub fn members(&self) -> impl Iterator<Item = usize> + '_ {
        self.bodies().iter().map(|body| usize::from(*body)).filter(|body| *body < NB)
    }

    /// The contact of a row.
    #[inline]
    pub fn contact_of(&self, row: usize) -> usize {
        self.contact_order.get(row).map_or(0, |index| usize::from(*index))
    }

    /// The row of a contact.
    #[inline]
    pub fn row_of(&self, contact: usize) -> usize {
        self.row_of.get(contact).map_or(0, |row| usize::from(*row))
    }

    /// Whether a row has the moments of the contact whose row is the one before.
    #[inline(always)]
    pub fn is_second(&self, row: usize) -> bool {
        self.row_of(self.contact_of(row)) != row
    }

    /// Everything in one island: all contacts in their order, all bodies.
    pub fn merge<T: Real, R: ContactRows>(&mut self, bodies: usize, contacts: &Contacts<T, NC, R>) {
        for (i, (contact, row)) in self.contact_order.iter_mut().zip(&mut self.row_of).enumerate() {
            (*contact, *row) = (i as u16, i as u16);
        }
        if R::HAS_MOMENTS {
            let mut end = 0;
            for contact in 0..contacts.len() {
                self.append_contact(&mut end, contact, contacts.has_moments(contact));
            }
        }
        for (i, slot) in self.body_order.iter_mut().enumerate() {
            *slot = i as u16;
        }
        self.count = 1;
        if let Some(span) = self.spans.first_mut() {
            *span = Span { contacts: (0, contacts.places() as u16), bodies: (0, bodies as u16) };
        }
    }

    /// Splits checked contacts into islands.
    #[inline(never)]
    pub fn split<T: Real, R: ContactRows>(&mut self, bodies: &Bodies<T, NB>, contacts: &Contacts<T, NC, R>) {
        let pair = |contact| contacts.pair(contact);
        self.split_pairs(bodies, contacts.len(), &pair, &|contact| contacts.has_moments(contact), &mut NoJoints);
    }

    /// The same for `contacts` contacts whose pairs are known, and whether they have moments. Joints connect bodies, too.
    #[inline(always)]
    pub fn split_pairs<T: Real>(
        &mut self,
        bodies: &Bodies<T, NB>,
        contacts: usize,
        pair: &impl Fn(usize) -> Option<(usize, usize)>,
        has_moments: &impl Fn(usize) -> bool,
        joints: &mut impl Connections,
    ) {
        let mut parent: [u16; NB] = core::array::from_fn(|i| i as u16);
        let movable = |body: usize| bodies.is_movable(body);
        for i in 0..contacts {
            let Some((a, b)) = pair(i) else { break };
            if movable(a) && movable(b) {
                join(&mut parent, a, b);
            }
        }
        for i in 0..joints.len() {
            let (a, b) = joints.pair(i);
            if movable(a) && movable(b) {
                join(&mut parent, a, b);
            }
        }
        // Number the islands by their first contact and count their contacts; then those that have joints only.
        let mut island_of: [u16; NB] = [NONE; NB];
        self.count = 0;
        for i in 0..contacts {
            let island = self.island_of_contact(&mut parent, &mut island_of, pair(i), &movable);
            if let Some(span) = self.spans.get_mut(usize::from(island)) {
                span.contacts.1 += if has_moments(i) { 2 } else { 1 };
            }
            // Its row is known when all are counted; until then its entry holds the island.
            if let Some(row) = self.row_of.get_mut(i) {
                *row = island;
            }
        }
        for i in 0..joints.len() {
            let island = self.island_of_contact(&mut parent, &mut island_of, Some(joints.pair(i)), &movable);
            joints.set_island(i, island);
        }
        // Bodies of an island take its number; then both orders follow by counting.
        for body in 0..bodies.len() {
            let island = root_island(&mut parent, &island_of, body);
            if movable(body)
                && let Some(span) = self.spans.get_mut(usize::from(island))
            {
                span.bodies.1 += 1;
            }
        }
        self.turn_counts_into_starts();
        for i in 0..contacts {
            let Some(row) = self.row_of.get_mut(i) else { break };
            if let Some(span) = self.spans.get_mut(usize::from(*row)) {
                *row = span.contacts.1;
                append(&mut self.contact_order, &mut span.contacts.1, i);
                if has_moments(i) {
                    append(&mut self.contact_order, &mut span.contacts.1, i);
                }
            }
        }
        for body in 0..bodies.len() {
            let island = root_island(&mut parent, &island_of, body);
            if movable(body)
                && let Some(span) = self.spans.get_mut(usize::from(island))
            {
                append(&mut self.body_order, &mut span.bodies.1, body);
            }
        }
    }

    /// Orders the rows of each island of at least `least` contacts by colours.
    #[inline(never)]
    pub fn order_by_colours<T: Real, R: ContactRows>(
        &mut self,
        bodies: &Bodies<T, NB>,
        contacts: &Contacts<T, NC, R>,
        least: usize,
    ) {
        let (count, pair) = (contacts.len(), |contact: usize| contacts.pair(contact));
        let colours: [u8; NC] = colours::<NB, NC>(count, MOST_COLOURS, pair, |body| bodies.is_movable(body));
        let key = |contact: usize| colours.get(contact).copied().unwrap_or(0);
        self.order_by(count, least, key, |contact| contacts.has_moments(contact));
    }

    /// Orders the rows of each island of at least `least` rows by their contacts' keys, below 128; rows of equal keys
    /// keep their order.
    pub fn order_by(
        &mut self,
        contacts: usize,
        least: usize,
        key: impl Fn(usize) -> u8,
        has_moments: impl Fn(usize) -> bool,
    ) {
        for island in 0..self.count() {
            let rows = self.rows(island);
            if rows.len() < least {
                continue;
            }
            let mut next = [0_u16; 128];
            for row in rows.clone() {
                next[usize::from(key(self.contact_of(row)) % 128)] += 1;
            }
            let mut start = rows.start as u16;
            for slot in &mut next {
                (*slot, start) = (start, start + *slot);
            }
            let mut last = NONE;
            for row in rows {
                let contact = self.contact_of(row);
                if has_moments(contact) && contact as u16 == last {
                    continue;
                }
                last = contact as u16;
                let slot = &mut next[usize::from(key(contact) % 128)];
                if let Some(place) = self.row_of.get_mut(contact) {
                    *place = *slot;
                }
                *slot += if has_moments(contact) { 2 } else { 1 };
            }
        }
        for contact in 0..contacts {
            let row = self.row_of(contact);
            for row in row..row + if has_moments(contact) { 2 } else { 1 } {
                if let Some(slot) = self.contact_order.get_mut(row) {
                    *slot = contact as u16;
                }
            }
        }
    }

    /// The island of a contact, a new one if its set has none yet.
    fn island_of_contact(
        &mut self,
        parent: &mut [u16; NB],
        island_of: &mut [u16; NB],
        pair: Option<(usize, usize)>,
        movable: &impl Fn(usize) -> bool,
    ) -> u16 {
        let Some((a, b)) = pair else { return NONE };
        let root = root(parent, if movable(a) { a } else { b });
        let count = self.count();
        let Some(slot) = island_of.get_mut(root) else { return NONE };
        if *slot == NONE {
            *slot = count as u16;
            if let Some(span) = self.spans.get_mut(count) {
                *span = Span { contacts: (0, 0), bodies: (0, 0) };
            }
            self.count = count as u16 + 1;
        }
        *slot
    }

    /// Appends a contact's rows.
    fn append_contact(&mut self, end: &mut u16, contact: usize, has_moments: bool) {
        if let Some(row) = self.row_of.get_mut(contact) {
            *row = *end;
        }
        append(&mut self.contact_order, end, contact);
        if has_moments {
            append(&mut self.contact_order, end, contact);
        }
    }

    /// Counts in the second entry become empty spans at the right starts.
    fn turn_counts_into_starts(&mut self) {
        let (mut contact, mut body) = (0, 0);
        let count = self.count();
        for span in self.spans.iter_mut().take(count) {
            let (contacts, bodies) = (span.contacts.1, span.bodies.1);
            *span = Span { contacts: (contact, contact), bodies: (body, body) };
            contact += contacts;
            body += bodies;
        }
    }
}

/// Appends an index at the end of a span.
fn append(order: &mut [u16], end: &mut u16, index: usize) {
    if let Some(slot) = order.get_mut(usize::from(*end)) {
        *slot = index as u16;
        *end += 1;
    }
}

/// The smallest body of a body's set. Paths are halved on the way; a set of `n` bodies needs at most `n` steps.
fn root<const NB: usize>(parent: &mut [u16; NB], body: usize) -> usize {
    let mut at = body;
    for _ in 0..NB {
        let up = parent.get(at).map_or(at, |p| usize::from(*p));
        if up == at {
            break;
        }
        let above = parent.get(up).copied().unwrap_or(up as u16);
        if let Some(slot) = parent.get_mut(at) {
            *slot = above;
        }
        at = up;
    }
    at
}

fn join<const NB: usize>(parent: &mut [u16; NB], a: usize, b: usize) {
    let (a, b) = (root(parent, a), root(parent, b));
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if let Some(slot) = parent.get_mut(high) {
        *slot = low as u16;
    }
}

fn root_island<const NB: usize>(parent: &mut [u16; NB], island_of: &[u16; NB], body: usize) -> u16 {
    island_of.get(root(parent, body)).copied().unwrap_or(NONE)
}
