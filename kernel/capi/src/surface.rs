//! Friction beyond sliding, read in place from an engine's own memory.

use stiction::nalgebra::Vector3;
use stiction::{Contacts as KernelContacts, Real, SixRows, Surface, ThreeRows, Tread};

use crate::error::{Ending, Fault};
use crate::input::{ContactColumns, Contacts, or_zeros};
use crate::view::{Column, View};

/// The coefficient across a direction, and the direction.
type TreadColumns<'a, T> = (Column<'a, T, 1>, Column<'a, T, 3>);

/// Checked columns of friction beyond sliding.
pub struct SurfaceColumns<'a, T> {
    torsion: Column<'a, T, 1>,
    rolling: Column<'a, T, 1>,
    tread: Option<TreadColumns<'a, T>>,
    is_joined: Option<Column<'a, u32, 1>>,
    warm_moment: Column<'a, T, 3>,
}

impl<T: Real> Contacts<T> {
    /// Rejects views that need a solver with moments, if this one has none.
    #[inline(always)]
    pub fn reject_without(&self, has_moments: impl FnOnce() -> bool) -> Result<(), Fault> {
        let radii = self.torsion.data as usize | self.rolling.data as usize;
        let tread = self.mu_across.data as usize | self.friction_direction.data as usize;
        let rest = self.is_joined.data as usize | self.warm_moment.data as usize;
        // Most callers give none of these.
        if radii | tread | rest == 0 || has_moments() { Ok(()) } else { Err(self.without_moments()) }
    }

    #[cold]
    #[inline(never)]
    fn without_moments(&self) -> Fault {
        Fault::without_moments(&[
            (self.torsion.data.is_null(), "contacts.torsion"),
            (self.rolling.data.is_null(), "contacts.rolling"),
            (self.mu_across.data.is_null(), "contacts.mu_across"),
            (self.friction_direction.data.is_null(), "contacts.friction_direction"),
            (self.is_joined.data.is_null(), "contacts.is_joined"),
            (self.warm_moment.data.is_null(), "contacts.warm_moment"),
        ])
    }

    fn surfaces<'a>(&self) -> Result<SurfaceColumns<'a, T>, Fault> {
        let count = self.count;
        Ok(SurfaceColumns {
            torsion: or_zeros(&self.torsion).column(count, "contacts.torsion")?,
            rolling: or_zeros(&self.rolling).column(count, "contacts.rolling")?,
            tread: self.tread()?,
            is_joined: self.is_joined.optional(count, "contacts.is_joined")?,
            warm_moment: or_zeros(&self.warm_moment).column(count, "contacts.warm_moment")?,
        })
    }

    fn tread<'a>(&self) -> Result<Option<TreadColumns<'a, T>>, Fault> {
        if self.mu_across.data.is_null() && self.friction_direction.data.is_null() {
            return Ok(None);
        }
        let across = self.mu_across.column(self.count, "contacts.mu_across")?;
        Ok(Some((across, self.friction_direction.column(self.count, "contacts.friction_direction")?)))
    }
}

impl<T: Real> SurfaceColumns<'_, T> {
    /// # Safety
    /// `index` is below the count, and the memory that the columns describe is readable.
    unsafe fn at(&self, index: usize) -> Surface<T> {
        // SAFETY: the same promise.
        unsafe {
            let ([torsion], [rolling]) = (self.torsion.at(index), self.rolling.at(index));
            Surface {
                torsion,
                rolling,
                tread: self.tread.and_then(|(across, direction)| tread_of(direction.at(index), || across.at(index)[0])),
                is_joined: self.is_joined.is_some_and(|column| column.at(index) != [0]),
                warm_moment: self.warm_moment.at(index).into(),
            }
        }
    }
}

/// None where there is no direction; then the coefficient across it is not asked for.
pub fn tread_of<T: Real>(direction: [T; 3], mu_across: impl FnOnce() -> T) -> Option<Tread<T>> {
    (direction != [T::ZERO; 3]).then(|| Tread { direction: Vector3::from(direction), mu_across: mu_across() })
}

/// Contacts that a solver copies from the caller's memory.
pub trait CopiesContacts<T: Real> {
    /// Adds all contacts.
    ///
    /// # Safety
    /// The memory that the columns and views describe is readable.
    unsafe fn copy(&mut self, columns: &ContactColumns<'_, T>, views: &Contacts<T>) -> Result<(), Ending<T>>;
}

impl<T: Real, const NC: usize> CopiesContacts<T> for KernelContacts<T, NC, ThreeRows> {
    #[inline(always)]
    unsafe fn copy(&mut self, columns: &ContactColumns<'_, T>, _views: &Contacts<T>) -> Result<(), Ending<T>> {
        // SAFETY: the same promise.
        for contact in (0..columns.count).map_while(|index| unsafe { columns.get(index) }) {
            self.push(contact)?;
        }
        Ok(())
    }
}

impl<T: Real, const NC: usize> CopiesContacts<T> for KernelContacts<T, NC, SixRows> {
    unsafe fn copy(&mut self, columns: &ContactColumns<'_, T>, views: &Contacts<T>) -> Result<(), Ending<T>> {
        let surfaces = views.surfaces()?;
        // SAFETY: the same promise; all columns have the same count.
        for (index, contact) in (0..columns.count).map_while(|index| Some((index, unsafe { columns.get(index)? }))) {
            // SAFETY: as above.
            self.push_on(contact, unsafe { surfaces.at(index) })?;
        }
        Ok(())
    }
}

/// Checked columns of friction beyond sliding in Delassus form.
pub struct DelassusSurfaces<'a, T> {
    torsion: Column<'a, T, 1>,
    rolling: Column<'a, T, 1>,
    is_joined: Option<Column<'a, u32, 1>>,
}

impl<'a, T: Real> DelassusSurfaces<'a, T> {
    /// Checks pointers, strides and counts.
    pub fn new(torsion: &View<T>, rolling: &View<T>, is_joined: &View<u32>, rows: usize) -> Result<Self, Fault> {
        Ok(DelassusSurfaces {
            torsion: or_zeros(torsion).column(rows, "problem.torsion")?,
            rolling: or_zeros(rolling).column(rows, "problem.rolling")?,
            is_joined: is_joined.optional(rows, "problem.is_joined")?,
        })
    }

    /// The surface of a block row; the plain one beyond the end.
    ///
    /// # Safety
    /// The memory that the columns describe is readable.
    pub unsafe fn get(&self, row: usize) -> Surface<T> {
        // SAFETY: the same promise.
        unsafe {
            let (Some([torsion]), Some([rolling])) = (self.torsion.get(row), self.rolling.get(row)) else {
                return Surface::default();
            };
            let joined = self.is_joined.and_then(|column| column.get(row));
            Surface { torsion, rolling, is_joined: joined.is_some_and(|[joined]| joined != 0), ..Surface::default() }
        }
    }
}
