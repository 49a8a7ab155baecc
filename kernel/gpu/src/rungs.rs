//! The capacities that graphics processors have code for: one entry of the PTX each (`kernel/gpu/device`: `entries`).
use stiction_batch::Layout;

/// The code, compiled by `cargo ptx`. The driver reads it up to the zero.
pub(crate) const PTX: &str = concat!(include_str!("../ptx/stiction.ptx"), "\0");

/// A capacity: problems with up to so many bodies and contacts, in `f32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rung {
    /// Bodies of a problem, at most.
    pub bodies: usize,
    /// Contacts of a problem, at most.
    pub contacts: usize,
    /// The entry of the PTX, with a zero at its end.
    pub(crate) entry: &'static str,
}

/// All capacities, ascending.
pub const RUNGS: [Rung; 1] = [Rung { bodies: 5, contacts: 8, entry: "stiction_solve_f32_5_8\0" }];

/// The smallest capacity, by its place, that problems of a layout fit.
pub(crate) fn fitting(layout: &Layout) -> Option<usize> {
    RUNGS.iter().position(|rung| layout.bodies <= rung.bodies && layout.contacts <= rung.contacts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parameters of an entry, by their types in PTX.
    fn parameters(entry: &str) -> Vec<&'static str> {
        let head = format!(".entry {}(", entry.trim_end_matches('\0'));
        let (_, after) = PTX.split_once(&head).unwrap_or_else(|| panic!("no {head}"));
        let (list, _) = after.split_once(')').expect("an end");
        list.lines().filter_map(|line| line.trim().strip_prefix(".param ")?.split(' ').next()).collect()
    }

    #[test]
    fn every_rung_has_an_entry_with_the_parameters_that_a_launch_passes() {
        for Rung { bodies, contacts, entry } in RUNGS {
            assert_eq!(entry, format!("stiction_solve_f32_{bodies}_{contacts}\0"));
            let expected = [&[".b32"; 4][..], &[".b64"; 6]].concat();
            let plain = |kind: &str| kind.replace(".u", ".b").replace(".f", ".b");
            let found: Vec<String> = parameters(entry).into_iter().map(plain).collect();
            assert_eq!(found, expected);
        }
        assert_eq!(PTX.matches(".entry ").count(), RUNGS.len());
    }

    #[test]
    fn the_smallest_rung_that_fits_is_taken() {
        assert_eq!(fitting(&Layout::blocks(5, 8)), Some(0));
        assert_eq!(fitting(&Layout::blocks(1, 0)), Some(0));
        assert_eq!(fitting(&Layout::blocks(6, 8)), None);
        assert_eq!(fitting(&Layout::blocks(5, 9)), None);
    }
}
