//! `cargo demo` shows the main job; `cargo verify` proves every promise. Both set up what they need.

mod link_proof;
mod setup;
mod steps;

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("demo") => {
            print!("{}", stiction_host::demo::sliding_cube_table());
            match demo_picture() {
                Ok(line) => {
                    println!("\n{line}");
                    ExitCode::SUCCESS
                }
                Err(line) => {
                    eprintln!("{line}");
                    ExitCode::FAILURE
                }
            }
        }
        Some("verify") => steps::verify(),
        _ => {
            eprintln!("usage: cargo demo | cargo verify");
            ExitCode::from(2)
        }
    }
}

/// Draws the demonstration's picture beside the build's other products and says where.
fn demo_picture() -> Result<String, String> {
    let (svg, about) = stiction_host::demo::sliding_cube_picture()?;
    let folder = std::path::Path::new("target/demo");
    let path = folder.join("sliding-cube.svg");
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    stiction_host::picture::save(&svg, &path)?;
    Ok(format!("{about}\npicture: {}", path.display()))
}
