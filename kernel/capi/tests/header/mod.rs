//! Sizes and offsets of the header's structs, as C lays them out for pointers of a size. `double` is aligned to eight
//! bytes, as on every 64-bit processor and on ARM.

use std::collections::BTreeMap;

/// Size and alignment of a type, in bytes.
type Extent = (usize, usize);

/// A field of a struct: its name, the name of its type, and how many there are in an array.
struct Field<'a> {
    name: &'a str,
    kind: &'a str,
    count: usize,
}

/// A field from its line, such as `const float *data;` or `char field[STICTION_FIELD_BYTES];`.
fn field<'a>(line: &'a str, constants: &BTreeMap<&str, usize>) -> Field<'a> {
    let (kind, name) = line.trim_end_matches(';').rsplit_once(' ').expect("a type and a name");
    let (name, count) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((name, count)) => (name, count.parse().unwrap_or_else(|_| constants[count])),
        None => (name, 1),
    };
    match name.strip_prefix('*') {
        Some(name) => Field { name, kind: "*", count },
        None => Field { name, kind: kind.trim_start_matches("struct "), count },
    }
}

/// Sizes and offsets by the expressions that `checks/layout.c` has for them.
pub fn layouts(header: &str, pointer: usize) -> BTreeMap<String, usize> {
    let numbers = [("bool", 1), ("char", 1), ("uint32_t", 4), ("float", 4), ("double", 8), ("size_t", pointer)];
    let mut types: BTreeMap<&str, Extent> = numbers.map(|(name, size)| (name, (size, size))).into();
    types.insert("*", (pointer, pointer));
    let (mut constants, mut out) = (BTreeMap::new(), BTreeMap::new());
    let (mut inside, mut extent): (_, Extent) = (None, (0, 1));
    for line in header.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        if let Some((name, value)) = line.strip_prefix("#define ").and_then(|rest| rest.split_once(' ')) {
            constants.extend(value.parse().ok().map(|value| (name, value)));
        } else if let Some((_, rest)) = line.strip_prefix("typedef ").and_then(|rest| rest.split_once("(*")) {
            // A pointer to a function.
            types.extend(rest.split_once(')').map(|(name, _)| (name, (pointer, pointer))));
        } else if let Some(name) = line.strip_prefix("typedef struct ").and_then(|rest| rest.strip_suffix(" {")) {
            (inside, extent) = (Some(name), (0, 1));
        } else if let Some(name) = inside.take_if(|_| line.starts_with('}')) {
            let size = extent.0.next_multiple_of(extent.1);
            types.insert(name, (size, extent.1));
            out.insert(format!("sizeof({name})"), size);
        } else if let Some(name) = inside.filter(|_| line.ends_with(';')) {
            let field = field(line, &constants);
            let (size, alignment) = types[field.kind];
            let offset = extent.0.next_multiple_of(alignment);
            extent = (offset + field.count * size, extent.1.max(alignment));
            out.insert(format!("offsetof({name}, {})", field.name), offset);
        }
    }
    out
}
