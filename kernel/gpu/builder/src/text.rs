//! What PTX must not say, line by line.
//!
//! A driver compiles PTX for its processor and may contract a product and a sum that have no rounding mode into one operation
//! with one rounding; it flushes subnormal numbers where it is told `.ftz`, and some operations are approximate by definition.
//! Each changes bits. With `.rn` on every operation that rounds, IEEE 754 defines all bits.

/// Operations that round.
const ROUNDED: [&str; 6] = ["add", "sub", "mul", "div", "rcp", "sqrt"];
/// Parts of an instruction that change bits: contraction, flushed subnormal numbers, approximations, hardware's own functions.
const FORBIDDEN: [&str; 10] = ["fma", "ftz", "approx", "full", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh"];

/// The first line that must not be there, and why.
pub fn check(ptx: &str) -> Result<(), String> {
    for (number, line) in ptx.lines().enumerate() {
        if let Some(reason) = fault(line) {
            return Err(format!("line {}: {}: {reason}", number + 1, line.trim()));
        }
    }
    Ok(())
}

/// Why a line must not be there.
fn fault(line: &str) -> Option<&'static str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.contains(&".extern") {
        return Some("a symbol that nothing defines");
    }
    // What follows the predicate, if there is one.
    let instruction = words.iter().find(|word| !word.starts_with('@'))?.trim_end_matches(';');
    let parts: Vec<&str> = instruction.split('.').collect();
    let is_float = parts.iter().any(|part| ["f16", "f32", "f64"].contains(part));
    if parts[0] == "trap" {
        return Some("a panic is reachable");
    }
    if parts.iter().any(|part| FORBIDDEN.contains(part)) {
        return Some("bits that IEEE 754 does not define");
    }
    if parts[0] == "mad" && is_float {
        return Some("one rounding instead of two");
    }
    if is_float && ROUNDED.contains(&parts[0]) && !parts.contains(&"rn") {
        return Some("a driver may contract it");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_fault_is_found() {
        for line in [
            "\tfma.rn.f32 \t%r1, %r2, %r3, %r4;",
            "\t@%p1 mad.rn.f32 \t%r1, %r2, %r3, %r4;",
            "\tadd.f32 \t%r1, %r2, %r3;",
            "\tmul.rn.ftz.f32 \t%r1, %r2, %r3;",
            "\tdiv.full.f32 \t%r1, %r2, %r3;",
            "\tsqrt.approx.f32 \t%r1, %r2;",
            "\tadd.rz.f64 \t%rd1, %rd2, %rd3;",
            ".extern .func malloc(",
            "\ttrap;",
        ] {
            assert!(check(line).is_err(), "{line}");
        }
        for line in [
            "\tadd.rn.f32 \t%r1, %r2, %r3;",
            "\tmad.lo.s64 \t%rd1, %rd2, 4, %rd3;",
            "\tadd.s64 \t%rd1, %rd2, 4;",
            "\t@%p1 bra \t$L__BB0_1;",
            "\tmax.f32 \t%r1, %r2, 0f00000000;",
            "",
        ] {
            assert_eq!(check(line), Ok(()), "{line}");
        }
    }
}
