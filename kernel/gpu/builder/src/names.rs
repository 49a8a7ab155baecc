//! Short names for functions and constants, and no comments.
//!
//! The compiler's names have hashes of folders and up to 300 characters; with comments they are half of the text. Functions
//! are named `f0`, `f1` and so on, constants `c0`, `c1`, in the order in which they occur. Entries keep their names.
use std::collections::BTreeMap;

/// The same PTX with short names.
pub fn shortened(ptx: &str) -> String {
    let mut short = Short::default();
    let mut text = String::with_capacity(ptx.len() / 2);
    for line in ptx.lines() {
        let code = line.split("//").next().unwrap_or("").trim_end();
        if !code.is_empty() {
            short.add(code, &mut text);
            text.push('\n');
        }
    }
    text
}

#[derive(Default)]
struct Short {
    names: BTreeMap<String, String>,
    functions: usize,
    constants: usize,
}

impl Short {
    /// Adds a line.
    fn add(&mut self, line: &str, text: &mut String) {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        let mut rest = line;
        while !rest.is_empty() {
            let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(length);
            // A parameter's name begins with that of its function.
            let (name, parameter) = word.find("_param_").map_or((word, ""), |at| word.split_at(at));
            match self.of(name) {
                Some(short) => text.extend([short, parameter]),
                None => text.push_str(word),
            }
            let other = after.find(is_part).unwrap_or(after.len());
            text.push_str(&after[..other]);
            rest = &after[other..];
        }
    }

    /// The short name of a long one.
    fn of(&mut self, name: &str) -> Option<&str> {
        if !self.names.contains_key(name) {
            // Tables are constants with a mangled name in capitals; those of a `match` are named after its function.
            let is_constant = ["anon_$_", "switch_$_table_$_"].iter().any(|start| name.starts_with(start));
            let is_constant = is_constant || name.ends_with("_TAB");
            if !is_constant && !name.starts_with("_R") {
                return None;
            }
            let (kind, count) = if is_constant { ('c', &mut self.constants) } else { ('f', &mut self.functions) };
            self.names.insert(name.to_string(), format!("{kind}{count}"));
            *count += 1;
        }
        self.names.get(name).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_the_same_everywhere() {
        let long = ".func _RNvA_3abc(\n\t.param .b64 _RNvA_3abc_param_0\n)\n{ // begin\n\n// why\n\tcall.uni _RNvB, (param0);\n\
                    \tld.global.b8 %r1, [anon_$_77_$_3+4];\n$L__BB0_1:\n\tcall.uni _RNvA_3abc, (param0);\n}";
        let short = ".func f0(\n\t.param .b64 f0_param_0\n)\n{\n\tcall.uni f1, (param0);\n\tld.global.b8 %r1, [c0+4];\n$L__BB0_1:\n\
                     \tcall.uni f0, (param0);\n}\n";
        assert_eq!(shortened(long), short);
        assert_eq!(shortened(short), short);
        let table = "\tmov.b64 \t%rd1, switch_$_table_$__RNvB_7;\n\tmov.b64 \t%rd2, switch_$_table_$__RNvB_;\n";
        assert_eq!(shortened(table), "\tmov.b64 \t%rd1, c0;\n\tmov.b64 \t%rd2, c1;\n");
        assert_eq!(shortened(".visible .entry stiction_solve_f32_5_8("), ".visible .entry stiction_solve_f32_5_8(\n");
    }
}
