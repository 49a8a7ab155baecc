//! The README shows what `cargo demo` prints and draws.

use stiction_repo_checks::{read, whole};

#[test]
fn the_readme_shows_what_the_demo_prints() {
    let (readme, table) = (read("README.md"), stiction_demo::sliding_cube_table());
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("what it prints");
    assert!(shown.lines().count() >= 3);
    for line in shown.lines() {
        assert!(table.lines().any(|printed| printed == line), "{line}\nis not among\n{table}");
    }
}

#[test]
fn the_picture_in_the_readme_is_the_one_that_the_demonstration_draws() {
    let (svg, about) = stiction_demo::sliding_cube_picture();
    println!("{about}");
    whole("docs/pictures/sliding-cube.svg", &svg);
}
