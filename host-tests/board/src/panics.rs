//! Finds panics in a firmware from its code: every branch to `core`'s panics, and the function that contains it.
//!
//! The kernel has no panic at all (the linker proof). A firmware with a log has those of the logger, which would stop
//! it if one interrupt logged inside another; this check shows that it has no others.

use std::collections::BTreeSet;
use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

/// The logger's own panics: a log inside a log, or a write outside of one.
const OF_THE_LOG: [&str; 3] = ["_defmt_acquire", "_defmt_release", "_defmt_write"];

/// A function: its first byte, its end, its name.
type Function = (u64, u64, String);

/// Rejects a program for Cortex-M in which anything but its log can panic.
pub fn only_the_log_panics(program: &Path) -> Result<(), String> {
    let bytes = std::fs::read(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let file = object::File::parse(&*bytes).map_err(|error| error.to_string())?;
    let functions = functions(&file);
    let function_at = |address| functions.iter().find(|(start, end, _)| (*start..*end).contains(&address));
    let is_panic = |name: &str| name.contains("core9panicking");
    let mut who = BTreeSet::new();
    for (from, to) in branches(&file)? {
        let (Some((.., caller)), Some((.., called))) = (function_at(from), function_at(to)) else { continue };
        if is_panic(called) && !is_panic(caller) {
            who.insert(caller.as_str());
        }
    }
    // The logger's panics must be found: otherwise nothing was read.
    if who.iter().copied().eq(OF_THE_LOG) {
        println!("    panics: only the log's own, of a log within a log");
        Ok(())
    } else {
        Err(format!("{}: panics are called from {who:?}, and should be from {OF_THE_LOG:?}", program.display()))
    }
}

fn functions(file: &object::File<'_>) -> Vec<Function> {
    let is_function = |symbol: &object::Symbol<'_, '_>| symbol.kind() == SymbolKind::Text && symbol.size() > 0;
    file.symbols()
        .filter(is_function)
        // The lowest bit of an address says that the code is Thumb.
        .map(|symbol| {
            let start = symbol.address() & !1;
            (start, start + symbol.size(), symbol.name().unwrap_or("").to_string())
        })
        .collect()
}

/// All direct branches: where they are, and where they go.
fn branches(file: &object::File<'_>) -> Result<Vec<(u64, u64)>, String> {
    // `$t` begins code, `$d` data between code.
    let mut marks: Vec<(u64, bool)> = file
        .symbols()
        .filter_map(|symbol| {
            let name = symbol.name().ok()?;
            (name.starts_with("$t") || name.starts_with("$d")).then(|| (symbol.address(), name.starts_with("$t")))
        })
        .collect();
    marks.sort_unstable();
    let text = file.section_by_name(".text").ok_or("a firmware without code")?;
    let bytes = text.data().map_err(|error| error.to_string())?;
    let end = text.address() + bytes.len() as u64;
    let mut found = Vec::new();
    for (index, (start, is_code)) in marks.iter().enumerate() {
        if !is_code || !(text.address()..end).contains(start) {
            continue;
        }
        let stop = marks.get(index + 1).map_or(end, |(next, _)| end.min(*next));
        let code = &bytes[(start - text.address()) as usize..(stop - text.address()) as usize];
        let halves: Vec<u16> = code.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        found.extend(decoded(&halves, *start));
    }
    Ok(found)
}

/// The direct branches of a piece of Thumb code at an address.
fn decoded(halves: &[u16], address: u64) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < halves.len() {
        let (first, here) = (halves[at], address + 2 * at as u64);
        let wide = first >> 11 >= 0b11101;
        let offset =
            if wide { halves.get(at + 1).and_then(|second| wide_offset(first, *second)) } else { narrow_offset(first) };
        if let Some(offset) = offset {
            found.push((here, here.wrapping_add(4).wrapping_add_signed(offset.into())));
        }
        at += if wide { 2 } else { 1 };
    }
    found
}

/// `B` and `B<c>` in 16 bits.
fn narrow_offset(half: u16) -> Option<i32> {
    let signed = |bits: u16, width: u32| (i32::from(bits) << (32 - width)) >> (31 - width);
    match half >> 12 {
        0b1110 if half & 0x0800 == 0 => Some(signed(half & 0x7ff, 11)),
        0b1101 if half >> 9 & 7 != 7 => Some(signed(half & 0xff, 8)),
        _ => None,
    }
}

/// `BL`, `B.W` and `B<c>.W`.
fn wide_offset(first: u16, second: u16) -> Option<i32> {
    if first >> 11 != 0b11110 || second >> 15 == 0 {
        return None;
    }
    let (first, second) = (u32::from(first), u32::from(second));
    let (sign, j1, j2) = (first >> 10 & 1, second >> 13 & 1, second >> 11 & 1);
    if second >> 12 & 1 == 1 {
        let bits =
            sign << 24 | (j1 ^ sign ^ 1) << 23 | (j2 ^ sign ^ 1) << 22 | (first & 0x3ff) << 12 | (second & 0x7ff) << 1;
        return Some(((bits << 7) as i32) >> 7);
    }
    // Other instructions have the condition codes 14 and 15.
    if second >> 14 & 1 == 1 || first >> 7 & 7 == 7 {
        return None;
    }
    let bits = sign << 20 | j2 << 19 | j1 << 18 | (first & 0x3f) << 12 | (second & 0x7ff) << 1;
    Some(((bits << 11) as i32) >> 11)
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn branches_go_where_the_disassembler_says() {
        // 80144e4: bl 80144ce; then b.n 80144e0 from 80144e8; nop; beq.w to 80144f0 from 80144ec.
        let code = [0xf7ff, 0xfff3, 0xe7fa, 0xbf00, 0xf000, 0x8000];
        assert_eq!(
            decoded(&code, 0x0801_44e4),
            [(0x0801_44e4, 0x0801_44ce), (0x0801_44e8, 0x0801_44e0), (0x0801_44ec, 0x0801_44f0)]
        );
    }
}
