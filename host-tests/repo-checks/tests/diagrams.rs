//! The diagrams of `docs/ARCHITECTURE.md` name what exists, and the book shows the same ones.
//!
//! The repository's page draws mermaid; mdBook does not without a plug-in or a script of megabytes. So the book has
//! pictures, drawn here from the same text.

use std::collections::{BTreeMap, BTreeSet};

use crate::structure::{FOLDERS, kernel, used};
use stiction_pictures::flowchart::Flowchart;
use stiction_repo_checks::{read, root, sources, whole};

const PAGE: &str = "docs/ARCHITECTURE.md";
const IN_BOOK: &str = "docs/book/src/pages/ARCHITECTURE.md";

/// The diagrams in their order: the name of the picture, and its title.
const DIAGRAMS: [(&str, &str); 3] =
    [("solve", "Data of one solve"), ("step", "Data of one step"), ("layers", "Folders of the kernel")];

/// The texts of the diagrams, and the page without them.
fn diagrams() -> (Vec<String>, String) {
    let (mut texts, mut rest, mut inside) = (Vec::new(), String::new(), false);
    for line in read(PAGE).lines() {
        match (line, inside) {
            ("```mermaid", _) => {
                texts.push(String::new());
                inside = true;
            }
            ("```", true) => inside = false,
            (line, true) => texts.last_mut().expect("a diagram").extend([line, "\n"]),
            (line, false) => rest.extend([line, "\n"]),
        }
    }
    (texts, rest)
}

fn chart(name: &str) -> Flowchart {
    let at = DIAGRAMS.iter().position(|(other, _)| *other == name).expect("a diagram");
    Flowchart::parse(&diagrams().0[at]).unwrap_or_else(|error| panic!("{PAGE}, diagram {name}: {error}"))
}

/// All that can be reached from each name.
fn closure(edges: &BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    let mut reached = edges.clone();
    for _ in 0..edges.len() {
        let before = reached.clone();
        for found in reached.values_mut() {
            let further: Vec<String> = found.iter().flat_map(|name| before[name].iter().cloned()).collect();
            found.extend(further);
        }
    }
    reached
}

#[test]
fn the_diagram_of_layers_is_the_graph_of_imports() {
    let layers = chart("layers");
    let mut drawn: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for node in &layers.nodes {
        assert_eq!(node.id, node.lines[0], "a layer is named by its folder");
        drawn.insert(node.id.clone(), BTreeSet::new());
    }
    for edge in &layers.edges {
        let (from, to) = (&layers.nodes[edge.from].id, &layers.nodes[edge.to].id);
        drawn.get_mut(from).expect("a layer").insert(to.clone());
    }
    let mut imported: BTreeMap<String, BTreeSet<String>> =
        FOLDERS.iter().map(|folder| (folder.to_string(), BTreeSet::new())).collect();
    for (name, source) in kernel().iter().filter(|(name, _)| *name != "lib") {
        let own = name.split('/').next().unwrap_or_default();
        let folders = used(source).into_iter().filter_map(|path| path.split('/').next().map(String::from));
        imported.get_mut(own).expect("a folder").extend(folders.filter(|folder| folder != own));
    }
    assert_eq!(closure(&drawn), closure(&imported));
    // No arrow follows from others.
    for (from, to) in drawn.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to))) {
        let mut without = drawn.clone();
        without.get_mut(from).expect("a layer").remove(to);
        assert!(!closure(&without)[from].contains(to), "{from} --> {to} follows from other arrows");
    }
}

#[test]
fn the_diagrams_of_data_name_files_and_types_that_exist() {
    let files = sources("kernel/src");
    let declares = |source: &String, name: &str| {
        let forms = ["struct", "enum", "trait"].map(|kind| format!("{kind} {name}"));
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        forms.iter().any(|form| source.match_indices(form).any(|(at, _)| ends(&source[at + form.len()..])))
    };
    let is_type =
        |word: &str| word.chars().next().is_some_and(char::is_uppercase) && word.chars().any(char::is_lowercase);
    for name in ["solve", "step"] {
        let (chart, mut types) = (chart(name), 0);
        for node in &chart.nodes {
            let (last, others) = node.lines.split_last().expect("a line");
            // Collision detection is not the kernel's.
            if others.is_empty() && last.ends_with("the caller's") {
                continue;
            }
            let file = last.strip_suffix(".rs").unwrap_or_else(|| panic!("{name}: {last} is no file"));
            assert!(files.contains_key(file), "{name}: there is no kernel/src/{last}");
            for word in
                others.iter().flat_map(|line| line.split(|c: char| !c.is_alphanumeric())).filter(|word| is_type(word))
            {
                assert!(files.values().any(|source| declares(source, word)), "{name}: there is no type {word}");
                types += 1;
            }
        }
        assert!(types >= 5, "{name} names only {types} types");
    }
}

#[test]
fn the_book_shows_the_same_diagrams() {
    let (texts, rest) = diagrams();
    assert_eq!(texts.len(), DIAGRAMS.len());
    for (name, title) in DIAGRAMS {
        whole(&format!("docs/book/src/pictures/{name}.svg"), &chart(name).svg(title));
    }
    // The book includes the text between the diagrams, all of it and in order, and a picture in place of each.
    let mut parts = Vec::new();
    let mut open = None;
    for line in rest.lines().filter(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix("<!-- ANCHOR: ") {
            open = name.strip_suffix(" -->");
            parts.push(format!("{{{{#include ../../../ARCHITECTURE.md:{}}}}}", open.expect("a name")));
        } else if let Some(name) = line.strip_prefix("<!-- ANCHOR_END: ") {
            assert_eq!(open.take(), name.strip_suffix(" -->"));
        } else {
            assert!(open.is_some(), "not in the book: {line}");
        }
    }
    let pictures = DIAGRAMS.map(|(name, title)| format!("![{title}](../pictures/{name}.svg)"));
    let mut expected = vec![parts[0].clone()];
    pictures.iter().zip(&parts[1..]).for_each(|(picture, part)| expected.extend([picture.clone(), part.clone()]));
    let page = read(IN_BOOK);
    assert_eq!(page.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>(), expected);
    assert!(root().join(IN_BOOK).is_file() && parts.len() == DIAGRAMS.len() + 1);
}

#[test]
fn a_diagram_with_a_mistake_is_rejected() {
    let good = "flowchart TB\n a[\"one<br/>two\"]\n b([\"three\"])\n a -->|words| b\n";
    let chart = Flowchart::parse(good).unwrap();
    assert_eq!((chart.nodes[0].lines.len(), chart.nodes[1].round, chart.edges[0].words.as_str()), (2, true, "words"));
    assert!(chart.svg("title").contains(">three</text>"));
    for bad in [
        "",
        "flowchart TB\n",
        "flowchart LR\n a[\"one\"]",
        "flowchart TB\n a[one]",
        "flowchart TB\n a[\"one\"]\n a[\"again\"]",
        "flowchart TB\n a[\"one\"]\n a --> b",
        "flowchart TB\n a[\"one\"]\n b[\"two\"]\n a --> b\n b --> a",
    ] {
        assert!(Flowchart::parse(bad).is_err(), "{bad}");
    }
}
