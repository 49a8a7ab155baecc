//! Structures of arrays: the columns of a container are listed once.

/// Declares parallel columns of up to `capacity` entries, one for each field of a row.
///
/// Columns grow together: where the first has capacity, all have.
macro_rules! columns {
    (
        $(#[$attribute:meta])*
        struct $name:ident<$capacity:ident> of $row:ident where T: $bound:path {
            $first:ident: $first_type:ty,
            $($field:ident: $type:ty,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq)]
        pub(crate) struct $name<T: $bound, const $capacity: usize> {
            pub $first: arrayvec::ArrayVec<$first_type, $capacity>,
            $(pub $field: arrayvec::ArrayVec<$type, $capacity>,)*
        }

        impl<T: $bound, const $capacity: usize> $name<T, $capacity> {
            pub const fn new() -> Self {
                $name { $first: arrayvec::ArrayVec::new_const(), $($field: arrayvec::ArrayVec::new_const(),)* }
            }

            /// Appends a row; false, without a change, if there is no capacity left.
            #[cfg_attr(not(target_os = "none"), inline(always))]
            pub fn push(&mut self, row: &$row<T>) -> bool {
                if self.$first.try_push(row.$first).is_err() {
                    return false;
                }
                $(let _ = self.$field.try_push(row.$field);)*
                true
            }

            #[inline(always)]
            pub fn get(&self, index: usize) -> Option<$row<T>> {
                Some($row { $first: *self.$first.get(index)?, $($field: *self.$field.get(index)?,)* })
            }

            /// Replaces a row; false if there is none at the index.
            pub fn set(&mut self, index: usize, row: &$row<T>) -> bool {
                let Some(slot) = self.$first.get_mut(index) else { return false };
                *slot = row.$first;
                $($crate::problem::columns::replace(&mut self.$field, index, row.$field);)*
                true
            }

            pub fn clear(&mut self) {
                self.$first.clear();
                $(self.$field.clear();)*
            }
        }
    };
}
pub(crate) use columns;

/// Replaces an entry of a column, if it is there.
pub(crate) fn replace<V, const N: usize>(column: &mut arrayvec::ArrayVec<V, N>, index: usize, value: V) {
    if let Some(slot) = column.get_mut(index) {
        *slot = value;
    }
}
