//! The capacities that graphics processors have code for: one entry of the PTX each (`kernel/gpu/device`: `entries`).
use bytemuck::Pod;
use stiction::{InputError, Settings, SixRows, Solver, ThreeRows};
use stiction_batch::{Layout, PackedView};
use stiction_batch_layout::Problem;
use stiction_batch_layout::delassus::{DelassusWork, OneDelassus};
use stiction_batch_layout::given::ReadRows;
use stiction_lanes::scalar::LaneScalar;

use crate::code;
use crate::error::GpuError;
use crate::parameters::Parameter;

/// A capacity for bodies with contacts: problems with up to so many of them.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Rung<T: Scalar> {
    /// Bodies of a problem, at most.
    pub bodies: usize,
    /// Contacts of a problem, at most. With friction beyond sliding: places, of which a contact takes two if it resists
    /// twisting or rolling.
    pub contacts: usize,
    /// The place of its code.
    pub(crate) code: usize,
    /// What the host says to a problem.
    pub(crate) why: Why<T>,
}

/// Why a problem is rejected, if it is.
pub(crate) type Why<T> = fn(&PackedView<'_, T>, usize, &Settings<T>, T) -> Option<InputError<T>>;

/// A capacity for problems in Delassus form.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct DelassusRung<T: Scalar> {
    /// Contacts of a problem, at most.
    pub contacts: usize,
    /// The place of its code.
    pub(crate) code: usize,
    /// What the host says to a problem.
    pub(crate) why: fn(&OneDelassus<'_, T>, &Settings<T>) -> Option<InputError<T>>,
}

/// Precisions that there is code for: `f32` and `f64`.
pub trait Scalar: LaneScalar + Pod + Into<Parameter> + Send + Sync {
    /// Its name.
    const NAME: &'static str;
    /// Capacities for contacts with sliding friction only, ascending.
    const RUNGS: &'static [Rung<Self>];
    /// Capacities for friction beyond sliding, ascending.
    const RUNGS_WITH_SURFACES: &'static [Rung<Self>];
    /// Capacities for Delassus form, ascending.
    const DELASSUS_RUNGS: &'static [DelassusRung<Self>];
    /// Places of the codes that read arrays of callers and that write arrays of answers.
    #[doc(hidden)]
    const COLUMN_CODES: [usize; 2];
}

const fn rung<T: Scalar, const NB: usize, const NC: usize, R: ReadRows>(code: usize) -> Rung<T> {
    Rung { bodies: NB, contacts: NC, code, why: why::<T, NB, NC, R> }
}

const fn delassus<T: Scalar, const NC: usize>(code: usize) -> DelassusRung<T> {
    DelassusRung {
        contacts: NC,
        code,
        why: |one, settings| DelassusWork::<T, NC>::default().solve(one, settings, None).err(),
    }
}

impl Scalar for f32 {
    const NAME: &'static str = "f32";
    const RUNGS: &'static [Rung<f32>] = &[
        rung::<f32, 5, 8, ThreeRows>(code::SOLVE_F32_5_8),
        rung::<f32, 8, 16, ThreeRows>(code::SOLVE_F32_8_16),
        rung::<f32, 16, 64, ThreeRows>(code::SOLVE_F32_16_64),
    ];
    const RUNGS_WITH_SURFACES: &'static [Rung<f32>] = &[rung::<f32, 5, 16, SixRows>(code::SURFACES_F32_5_16)];
    const DELASSUS_RUNGS: &'static [DelassusRung<Self>] =
        &[delassus::<Self, 8>(code::DELASSUS_F32_8), delassus::<Self, 32>(code::DELASSUS_F32_32)];
    const COLUMN_CODES: [usize; 2] = [code::PACK_F32, code::UNPACK_F32];
}

impl Scalar for f64 {
    const NAME: &'static str = "f64";
    const RUNGS: &'static [Rung<f64>] =
        &[rung::<f64, 5, 8, ThreeRows>(code::SOLVE_F64_5_8), rung::<f64, 16, 64, ThreeRows>(code::SOLVE_F64_16_64)];
    const RUNGS_WITH_SURFACES: &'static [Rung<f64>] = &[rung::<f64, 5, 16, SixRows>(code::SURFACES_F64_5_16)];
    const DELASSUS_RUNGS: &'static [DelassusRung<Self>] = &[delassus::<Self, 8>(code::DELASSUS_F64_8)];
    const COLUMN_CODES: [usize; 2] = [code::PACK_F64, code::UNPACK_F64];
}

/// The smallest capacity that problems of a layout fit, whatever their arrangement.
pub(crate) fn rung_for<T: Scalar>(layout: &Layout) -> Result<&'static Rung<T>, GpuError> {
    let rungs = if layout.has_surfaces { T::RUNGS_WITH_SURFACES } else { T::RUNGS };
    let fits = |rung: &&Rung<T>| layout.bodies <= rung.bodies && layout.contacts <= rung.contacts;
    rungs.iter().find(fits).ok_or_else(|| GpuError::TooLarge {
        asked: (Some(layout.bodies), layout.contacts),
        largest: rungs.last().map_or((None, 0), |rung| (Some(rung.bodies), rung.contacts)),
    })
}

/// The smallest capacity that problems with so many contacts fit.
pub(crate) fn delassus_rung_for<T: Scalar>(contacts: usize) -> Result<&'static DelassusRung<T>, GpuError> {
    let fits = |rung: &&DelassusRung<T>| contacts <= rung.contacts;
    T::DELASSUS_RUNGS.iter().find(fits).ok_or_else(|| GpuError::TooLarge {
        asked: (None, contacts),
        largest: (None, T::DELASSUS_RUNGS.last().map_or(0, |rung| rung.contacts)),
    })
}

/// What the host says to a problem with the capacity of a rung.
fn why<T: Scalar, const NB: usize, const NC: usize, R: ReadRows>(
    problems: &PackedView<'_, T>,
    index: usize,
    settings: &Settings<T>,
    dt: T,
) -> Option<InputError<T>> {
    let mut problem = Problem::<T, NB, NC, R>::empty();
    let loaded = problems.given().load(index, &mut problem).and_then(|()| problem.check_size(&problems.layout()));
    loaded.and_then(|()| Solver::validate(&problem.bodies, &problem.contacts, settings, dt)).err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_rung_that_fits_is_taken() {
        let found = |bodies, contacts| rung_for::<f32>(&Layout::blocks(bodies, contacts)).map(|rung| rung.code);
        assert_eq!(found(5, 8), Ok(code::SOLVE_F32_5_8));
        assert_eq!(found(1, 0), Ok(code::SOLVE_F32_5_8));
        assert_eq!(found(6, 8), Ok(code::SOLVE_F32_8_16));
        assert_eq!(found(5, 17), Ok(code::SOLVE_F32_16_64));
        let largest = (Some(16), 64);
        assert_eq!(found(17, 8), Err(GpuError::TooLarge { asked: (Some(17), 8), largest }));
        let surfaces = rung_for::<f64>(&Layout::rows(5, 16).with_surfaces()).unwrap();
        assert_eq!(surfaces.code, code::SURFACES_F64_5_16);
        assert_eq!(delassus_rung_for::<f32>(9).unwrap().code, code::DELASSUS_F32_32);
        let too_large = GpuError::TooLarge { asked: (None, 33), largest: (None, 32) };
        assert_eq!(delassus_rung_for::<f32>(33).err(), Some(too_large));
    }

    #[test]
    fn rungs_ascend_and_have_the_code_of_their_capacity() {
        fn check<T: Scalar>() {
            for (family, rungs) in [("solve", T::RUNGS), ("surfaces", T::RUNGS_WITH_SURFACES)] {
                for Rung { bodies, contacts, code, .. } in rungs {
                    let entry = format!("stiction_{family}_{}_{bodies}_{contacts}\0", T::NAME);
                    assert_eq!(code::CODES[*code].entry, entry);
                }
                assert!(rungs.windows(2).all(|pair| pair[0].contacts < pair[1].contacts));
            }
            for DelassusRung { contacts, code, .. } in T::DELASSUS_RUNGS {
                assert_eq!(code::CODES[*code].entry, format!("stiction_delassus_{}_{contacts}\0", T::NAME));
            }
        }
        check::<f32>();
        check::<f64>();
    }
}
