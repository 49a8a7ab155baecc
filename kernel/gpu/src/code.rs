//! The code for graphics processors: a PTX for each entry of `kernel/gpu/device`, compiled by `cargo ptx`.

/// The code of an entry. Both texts end with a zero, up to which the driver reads them.
pub(crate) struct Code {
    pub entry: &'static str,
    pub ptx: &'static str,
}

/// Declares the codes: a constant for the place of each in [`CODES`].
macro_rules! codes {
    ($($constant:ident = $entry:literal,)*) => {
        /// Places in [`CODES`].
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Place { $($constant,)* }

        $(pub(crate) const $constant: usize = Place::$constant as usize;)*

        /// All codes.
        pub(crate) const CODES: &[Code] = &[$(Code {
            entry: concat!($entry, "\0"),
            ptx: concat!(include_str!(concat!("../ptx/", $entry, ".ptx")), "\0"),
        },)*];
    };
}

codes! {
    SOLVE_F32_5_8 = "stiction_solve_f32_5_8",
    SOLVE_F32_8_16 = "stiction_solve_f32_8_16",
    SOLVE_F32_16_64 = "stiction_solve_f32_16_64",
    SOLVE_F64_5_8 = "stiction_solve_f64_5_8",
    SOLVE_F64_16_64 = "stiction_solve_f64_16_64",
    SURFACES_F32_5_16 = "stiction_surfaces_f32_5_16",
    SURFACES_F64_5_16 = "stiction_surfaces_f64_5_16",
    DELASSUS_F32_8 = "stiction_delassus_f32_8",
    DELASSUS_F32_32 = "stiction_delassus_f32_32",
    DELASSUS_F64_8 = "stiction_delassus_f64_8",
    ROBOT_F32 = "stiction_robot_f32",
    ROBOT_F32_SIZE = "stiction_robot_f32_size",
    LEG_F32 = "stiction_leg_f32",
    LEG_F32_SIZE = "stiction_leg_f32_size",
    PACK_F32 = "stiction_pack_f32",
    PACK_F64 = "stiction_pack_f64",
    UNPACK_F32 = "stiction_unpack_f32",
    UNPACK_F64 = "stiction_unpack_f64",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_entry_and_no_other() {
        for Code { entry, ptx } in CODES {
            let head = format!(".entry {}(", entry.trim_end_matches('\0'));
            assert!(ptx.contains(&head), "{entry}");
            assert_eq!(ptx.matches(".entry ").count(), 1, "{entry}");
            assert!(ptx.ends_with("}\n\0") && ptx.matches('\0').count() == 1, "{entry}");
        }
    }
}
