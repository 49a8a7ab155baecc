//! Functions, what they call, and how much local memory the deepest chain of calls needs.
//!
//! A thread's local variables are in frames, as on a processor. The frame of a function is its `.local` array; what the driver
//! adds for registers that it spills is not known here.
use std::collections::{BTreeMap, BTreeSet};

/// A function's own figures.
#[derive(Debug, Default, PartialEq)]
struct Function {
    is_entry: bool,
    frame: usize,
    calls: BTreeSet<String>,
    /// Calls through a pointer.
    indirect: usize,
}

/// What an entry needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Bytes of the frames of its deepest chain of calls. Calls through pointers are not followed.
    pub local_bytes: usize,
    /// How many functions it reaches, itself included.
    pub functions: usize,
    /// Calls through pointers in all of them.
    pub indirect: usize,
}

/// What all entries need. An error if a function calls what is not there or, through others, itself.
pub fn entries(ptx: &str) -> Result<Vec<Entry>, String> {
    let functions = functions(ptx);
    let mut entries = Vec::new();
    for (name, _) in functions.iter().filter(|(_, function)| function.is_entry) {
        let (mut done, mut chain) = (BTreeMap::new(), Vec::new());
        let local_bytes = depth(name, &functions, &mut done, &mut chain)?;
        let indirect = done.keys().filter_map(|name| functions.get(*name)).map(|function| function.indirect).sum();
        entries.push(Entry { name: name.clone(), local_bytes, functions: done.len(), indirect });
    }
    if entries.is_empty() { Err("no entry".to_string()) } else { Ok(entries) }
}

/// Bytes of the frames from a function on.
fn depth<'a>(
    name: &'a str,
    functions: &'a BTreeMap<String, Function>,
    done: &mut BTreeMap<&'a str, usize>,
    chain: &mut Vec<&'a str>,
) -> Result<usize, String> {
    if let Some(bytes) = done.get(name) {
        return Ok(*bytes);
    }
    if chain.contains(&name) {
        return Err(format!("{name} calls itself"));
    }
    let function = functions.get(name).ok_or_else(|| format!("{name} is called and not defined"))?;
    chain.push(name);
    let mut deepest = 0;
    for called in &function.calls {
        deepest = deepest.max(depth(called, functions, done, chain)?);
    }
    chain.pop();
    done.insert(name, function.frame + deepest);
    Ok(function.frame + deepest)
}

/// All functions that are defined.
fn functions(ptx: &str) -> BTreeMap<String, Function> {
    let mut all = BTreeMap::new();
    let (mut name, mut function) = (String::new(), Function::default());
    for line in ptx.lines() {
        if line.starts_with(".func") || line.contains(".entry ") {
            name = name_of(line);
            function = Function { is_entry: line.contains(".entry "), ..Function::default() };
        } else if line == "}" {
            all.insert(std::mem::take(&mut name), std::mem::take(&mut function));
        } else if line.contains("__local_depot") && line.contains(".local") {
            function.frame += between(line, "[", "]").and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
        } else if is_call(line) {
            add_call(line, &mut function);
        }
    }
    all
}

/// The name in `.func  (.param .b32 func_retval0) NAME(`.
fn name_of(line: &str) -> String {
    let after = line.rsplit(')').next().unwrap_or(line).trim_end_matches('(');
    after.split_whitespace().last().unwrap_or("").to_string()
}

/// Whether the instruction, after a predicate if it has one, is a call.
fn is_call(line: &str) -> bool {
    let instruction = line.split_whitespace().find(|word| !word.starts_with('@'));
    instruction.is_some_and(|word| word == "call" || word.starts_with("call."))
}

/// What `call.uni (retval0), NAME, (param0);` calls; a register's name begins with `%`.
fn add_call(line: &str, function: &mut Function) {
    let mut operands =
        line.split([',', ' ', '\t']).map(|word| word.trim_end_matches(';')).filter(|word| !word.is_empty());
    let target = operands.find(|word| !word.starts_with(['(', '@', '{']) && !word.starts_with("call"));
    match target {
        Some(register) if register.starts_with('%') => function.indirect += 1,
        Some(name) => {
            function.calls.insert(name.to_string());
        }
        None => {}
    }
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    text.split_once(open)?.1.split_once(close).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".func f1\n(\n\t.param .b64 f1_param_0\n)\n;\n\
        .visible .entry stiction_a(\n\t.param .u32 stiction_a_param_0\n)\n{\n\t.local .align 8 .b8 \t__local_depot0[100];\n\
        \tcall.uni (retval0), f0, (param0, param1);\n\t@%p1 call.uni f1, (param0);\n}\n\
        .func  (.param .b32 func_retval0) f0(\n)\n{\n\t.local .align 4 .b8 \t__local_depot1[20];\n\
        \tprototype_36 : .callprototype (.param .b32 _) _ (.param .b64 _);\n\
        \tcall (retval0), %rd55, (param0), prototype_36;\n}\n\
        .func f1(\n)\n{\n\t.local .align 4 .b8 \t__local_depot2[8];\n\tcall.uni (retval0), f0, (param0);\n}\n";

    #[test]
    fn frames_of_the_deepest_chain_are_added() {
        let entry = Entry { name: "stiction_a".to_string(), local_bytes: 128, functions: 3, indirect: 1 };
        assert_eq!(entries(PTX), Ok(vec![entry]));
    }

    #[test]
    fn what_is_not_defined_or_calls_itself_is_an_error() {
        let missing = PTX.replace("call.uni f1", "call.uni malloc");
        assert_eq!(entries(&missing), Err("malloc is called and not defined".to_string()));
        let circle = PTX.replace("%rd55", "f1");
        assert_eq!(entries(&circle), Err("f0 calls itself".to_string()));
        assert_eq!(entries(""), Err("no entry".to_string()));
    }
}
