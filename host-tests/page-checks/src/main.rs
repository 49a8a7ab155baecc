//! The playground in a headless browser, all of it. `cargo verify --all` runs this.

mod browser;
mod checks;

use std::process::ExitCode;

use stiction_tasks::{Outcome, ended, root, setup, with};

fn main() -> ExitCode {
    let browser = setup::program("chromium", "chromium");
    ended(with(browser, || checks::check(&root(), "chromium").map(|()| Outcome::Passed)))
}
