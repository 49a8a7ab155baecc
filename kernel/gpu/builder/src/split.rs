//! One text for each entry, with the functions and constants that it needs and no others: a program loads only what it launches,
//! and a driver compiles only that.
//!
//! The compiler writes one text: a head, then items. An item is a declaration that ends with `;`, a constant in one line, or a
//! function that ends with `}`, each end at the beginning of a line. What an item needs are the items whose names it says.
use std::collections::{BTreeMap, BTreeSet};

/// A part of the text with a name of its own.
struct Item<'a> {
    name: &'a str,
    is_entry: bool,
    text: &'a str,
}

/// The name of every entry and its text, in the order in which the compiler wrote them.
pub fn entries(ptx: &str) -> Result<Vec<(String, String)>, String> {
    let (head, items) = items(ptx)?;
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, item) in items.iter().enumerate() {
        places.entry(item.name).or_default().push(place);
    }
    let found: Vec<_> = (0..items.len())
        .filter(|place| items[*place].is_entry)
        .map(|place| {
            let text = needed(place, &items, &places).into_iter().map(|place| items[place].text).collect::<String>();
            (items[place].name.to_string(), format!("{head}{text}"))
        })
        .collect();
    if found.is_empty() { Err("no entry".to_string()) } else { Ok(found) }
}

/// The places of all items that one needs, itself included, ascending.
fn needed(first: usize, items: &[Item<'_>], places: &BTreeMap<&str, Vec<usize>>) -> BTreeSet<usize> {
    let (mut found, mut left) = (BTreeSet::from([first]), vec![first]);
    while let Some(place) = left.pop() {
        for name in names(items[place].text) {
            for other in places.get(name).into_iter().flatten() {
                if found.insert(*other) {
                    left.push(*other);
                }
            }
        }
    }
    found
}

/// The head and all items. Lines before the first item are the head.
fn items(ptx: &str) -> Result<(&str, Vec<Item<'_>>), String> {
    let (mut items, mut head, mut begin, mut at) = (Vec::new(), 0, None, 0);
    for line in ptx.split_inclusive('\n') {
        let code = line.trim_end();
        if begin.is_none() && starts_item(code) {
            begin = Some(at);
            if items.is_empty() {
                head = at;
            }
        }
        at += line.len();
        let ends = code == "}" || code == ";" || code.starts_with(".global") && code.ends_with(';');
        if let Some(begin) = begin.take_if(|_| ends) {
            items.push(item(&ptx[begin..at])?);
        }
    }
    match begin {
        Some(begin) => Err(format!("no end: {}", ptx[begin..].lines().next().unwrap_or(""))),
        None => Ok((&ptx[..head], items)),
    }
}

fn starts_item(line: &str) -> bool {
    [".func", ".global", ".const", ".visible", ".weak", ".entry", ".extern"].iter().any(|word| line.starts_with(word))
}

fn item(text: &str) -> Result<Item<'_>, String> {
    let line = text.lines().next().unwrap_or("");
    let is_entry = line.contains(".entry ");
    let name = if line.contains(".global") {
        line.split('[').next().and_then(|before| before.split_whitespace().last())
    } else {
        line.rsplit(')').next().map(|after| after.trim_end_matches('(')).and_then(|name| name.split_whitespace().last())
    };
    let name = name.filter(|name| !name.starts_with('.')).ok_or_else(|| format!("no name: {line}"))?;
    Ok(Item { name, is_entry, text })
}

/// Everything that could be a name.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".version 6.0\n.target sm_70\n.func f1\n(\n\t.param .b64 f1_param_0\n)\n;\n\
        .global .align 1 .b8 c0[1] = {97};\n.global .align 1 .b8 c1[1] = {98};\n\
        .func f0(\n)\n{\n\tcall.uni f1, (param0);\n}\n\
        .visible .entry stiction_a(\n\t.param .u32 stiction_a_param_0\n)\n{\n\tcall.uni f0, ();\n}\n\
        .visible .entry stiction_b(\n)\n{\n\tld.global.b8 %r1, [c1];\n}\n\
        .func  (.param .b32 func_retval0) f1(\n)\n{\n\tld.global.b8 %r1, [c0+4];\n}\n";

    #[test]
    fn an_entry_has_what_it_needs_and_nothing_else() {
        let found = entries(PTX).unwrap();
        assert_eq!(found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["stiction_a", "stiction_b"]);
        let [a, b] = [&found[0].1, &found[1].1];
        assert!(a.starts_with(".version 6.0\n.target sm_70\n.func f1\n") && a.ends_with("[c0+4];\n}\n"), "{a}");
        assert!(!a.contains("c1[") && !a.contains("stiction_b") && a.contains("c0[1]") && a.contains(" f0("), "{a}");
        assert_eq!(b.lines().skip(2).count(), 6, "{b}");
    }

    #[test]
    fn a_text_without_an_entry_or_an_end_is_an_error() {
        assert_eq!(entries(".version 6.0\n"), Err("no entry".to_string()));
        assert!(entries(".func f1(\n)\n{\n").unwrap_err().contains("no end"));
    }
}
