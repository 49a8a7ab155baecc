//! `stiction.h`, made from the Rust sources by cbindgen and committed: a user needs neither cbindgen nor Rust to read it.

use std::path::Path;

use cbindgen::{
    Builder, Config, DocumentationStyle, EnumConfig, ExportConfig, Language, MangleConfig, RenameRule, Style,
};
use stiction_tasks::{draws, read};

/// Where the header is kept.
pub const HEADER: &str = "kernel/capi/include/stiction.h";

/// Files with types and functions that C sees, in the order of the header.
const SOURCES: [&str; 18] = [
    "sizes", "error", "view", "choices", "report", "place", "hooks", "input", "output", "world", "touch", "room",
    "solver", "pipeline", "kept", "delassus", "text", "f32",
];

const TOP: &str = include_str!("top.h");

/// Constants, by how their names begin.
const CONSTANTS: [&str; 6] = ["ALIGNMENT", "ABI", "NO_CONTACT", "FIELD_BYTES", "F32_", "F64_"];

/// Aligns memory for an object, in any C.
const ALIGNED: &str = "\
// To be written before memory for an object: STICTION_ALIGNED static unsigned char memory[STICTION_F32_SOLVER_8_16_BYTES];
#if defined(__cplusplus)
#define STICTION_ALIGNED alignas(32)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define STICTION_ALIGNED _Alignas(32)
#else
#define STICTION_ALIGNED __attribute__((aligned(32)))
#endif";

/// Enumerations that are fields by number, so that a wrong one is refused instead of undefined.
const ENUMERATIONS: [&str; 11] = [
    "Error",
    "Place",
    "Approach",
    "LocalRule",
    "BounceMode",
    "SweepOrder",
    "Stabilisation",
    "Extent",
    "Status",
    "Method",
    "ContactState",
];

fn config() -> Config {
    let mut export = ExportConfig { prefix: Some("Stiction".into()), ..ExportConfig::default() };
    export.include = ENUMERATIONS.iter().map(|name| (*name).into()).collect();
    export.include.push("PointKind".into());
    export.mangle = MangleConfig { rename_types: RenameRule::PascalCase, remove_underscores: true };
    Config {
        language: Language::C,
        style: Style::Both,
        cpp_compat: true,
        header: Some(TOP.trim_end().into()),
        include_guard: Some("STICTION_H".into()),
        sys_includes: ["stdbool.h", "stddef.h", "stdint.h"].map(String::from).to_vec(),
        no_includes: true,
        after_includes: Some(ALIGNED.into()),
        usize_is_size_t: true,
        documentation_style: DocumentationStyle::C99,
        line_length: 120,
        tab_width: 4,
        enumeration: EnumConfig { rename_variants: RenameRule::QualifiedScreamingSnakeCase, ..EnumConfig::default() },
        export,
        ..Config::default()
    }
}

/// The header as it should be.
pub fn generate(root: &Path) -> Result<String, String> {
    let mut builder = Builder::new().with_config(config());
    for source in SOURCES.iter().chain(&["f64"]) {
        builder = builder.with_src(root.join(format!("kernel/capi/src/{source}.rs")));
    }
    let bindings = builder.generate().map_err(|error| error.to_string())?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    let text = String::from_utf8(text).map(|text| polished(&text)).map_err(|error| error.to_string())?;
    // Not every compiler takes more.
    match text.lines().find(|line| !line.is_ascii()) {
        Some(line) => Err(format!("{HEADER} would not be plain ASCII: {line}")),
        None => Ok(text),
    }
}

/// Constants in capitals throughout, and enumerations as plain numbers of 32 bits whatever the compiler: C compilers for
/// microcontrollers make them as short as they can.
fn polished(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("enum ") {
            out += &format!("typedef uint32_t {name};\nenum {{\n");
            let body = lines.by_ref().skip_while(|line| line.trim() != "{").skip(1);
            let mut end = false;
            for line in body.take_while(|line| !line.starts_with("#endif // __cplusplus")) {
                end |= line == "};";
                if !end || line == "};" {
                    out += line;
                    out.push('\n');
                }
            }
        } else {
            out += line;
            out.push('\n');
        }
    }
    CONSTANTS.iter().fold(out, |out, name| out.replace(&format!("Stiction{name}"), &format!("STICTION_{name}")))
}

/// Compares the committed header with the sources, or updates it.
pub fn check(root: &Path) -> Result<(), String> {
    let path = root.join(HEADER);
    let fresh = generate(root)?;
    if draws() {
        return std::fs::write(&path, fresh).map_err(|error| format!("{}: {error}", path.display()));
    }
    let kept = read(&path)?;
    if kept == fresh {
        Ok(())
    } else {
        Err(format!("{HEADER} is stale: STICTION_DRAW=1 cargo verify \"C interface\" updates it"))
    }
}
