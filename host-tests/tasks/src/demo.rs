//! `cargo demo`: the difference that exact friction makes, then the same kernel on a microcontroller.

use std::path::Path;

use crate::board::show;
use crate::setup;

/// Shows both; the error is one line.
pub fn run(root: &Path) -> Result<(), String> {
    print!("{}", stiction_host::demo::sliding_cube_table());
    println!("\n{}", cube_picture(root)?);
    if let Err(reason) = setup::target(setup::BOARD).and_then(|()| setup::qemu()) {
        println!("\nthe board is left out: {reason}");
        return Ok(());
    }
    println!("\nThe same kernel in a legged robot's 1 kHz loop on an STM32F405, emulated:\n");
    let show = show::run(root)?;
    show.lines.iter().for_each(|line| println!("  {line}"));
    println!();
    for (name, count) in &show.counts {
        println!("  {name}: {count} instructions");
    }
    println!("\n{} scenes end with the same bits on the board and here", show::compare_with_host(&show.lines)?);
    println!("picture: {}", show::picture(root, &show.lines)?);
    Ok(())
}

/// Draws the sliding cube beside the build's other products and says where.
fn cube_picture(root: &Path) -> Result<String, String> {
    let (svg, about) = stiction_host::demo::sliding_cube_picture()?;
    Ok(format!("{about}\npicture: {}", draw(root, "sliding-cube.svg", &svg)?))
}

/// Writes a picture and gives its path.
pub fn draw(root: &Path, name: &str, svg: &str) -> Result<String, String> {
    let folder = root.join("target/demo");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    stiction_host::picture::save(svg, &folder.join(name))?;
    Ok(format!("target/demo/{name}"))
}
