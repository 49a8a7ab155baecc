//! Pictures as files: SVG as it is, PNG drawn from it.

use std::path::Path;

/// Rejects a name that no picture can be written to, before the work is done.
pub fn check_writable(path: &Path) -> Result<(), String> {
    let shown = path.display();
    if !["svg", "png"].iter().any(|kind| is_kind(path, kind)) {
        return Err(format!("{shown}: pictures are .svg or .png"));
    }
    check_creatable(path)
}

/// Whether a file has an extension.
fn is_kind(path: &Path, kind: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(kind))
}

/// Rejects a path that cannot be written, and leaves no file behind.
pub fn check_creatable(path: &Path) -> Result<(), String> {
    let there = path.exists();
    if there && !path.is_file() && !path.is_dir() {
        // Pipes and devices: opening them has side effects.
        return Ok(());
    }
    let opened = std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(path);
    opened.map_err(|error| format!("{}: {error}", path.display()))?;
    if !there {
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// Writes SVG, as it is or drawn into PNG: the extension says which.
pub fn save(svg: &str, path: &Path) -> Result<(), String> {
    let bytes = if is_kind(path, "png") { png(svg)? } else { svg.as_bytes().to_vec() };
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// Draws SVG into PNG, at twice its size.
fn png(svg: &str) -> Result<Vec<u8>, String> {
    use resvg::{tiny_skia, usvg};
    let mut options = usvg::Options::default();
    options.fontdb_mut().load_font_data(dejavu::sans::regular().to_vec());
    let tree = usvg::Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size();
    let (width, height) = (2.0 * size.width(), 2.0 * size.height());
    let mut pixels = tiny_skia::Pixmap::new(width as u32, height as u32).ok_or("not enough memory for the picture")?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(2.0, 2.0), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}
