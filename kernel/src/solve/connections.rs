//! What connects bodies to islands beside contacts: joints.

/// What connects bodies beside contacts.
pub(crate) trait Connections {
    /// How many there are.
    fn len(&self) -> usize;
    /// Two bodies, of which at least one can move.
    fn pair(&self, index: usize) -> (usize, usize);
    /// Takes the island that it is in.
    fn set_island(&mut self, index: usize, island: u16);
}

/// Nothing connects bodies beside contacts.
pub(crate) struct NoJoints;

impl Connections for NoJoints {
    #[inline(always)]
    fn len(&self) -> usize {
        0
    }

    fn pair(&self, _index: usize) -> (usize, usize) {
        (0, 0)
    }

    fn set_island(&mut self, _index: usize, _island: u16) {}
}
