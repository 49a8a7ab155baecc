//! Examples that users start from: built and run as their first lines say.

use std::path::Path;
use std::process::Command;

use stiction_tasks::{Check, Outcome, setup};

use crate::workshop::{CPP, Recipe, Workshop};
use crate::{archive, run};

const C: &[&str] = &["-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// C and C++ on this machine.
pub fn host(workshop: &Workshop) -> Result<(), String> {
    for (name, compiler, flags, source) in [
        (PLAIN_EXAMPLES[0], "cc", C, "examples/c/solve.c"),
        (EXAMPLE_WITH_MOMENTS, "cc", C, "examples/c/roll.c"),
        (EXAMPLE_WITH_JOINTS, "cc", C, "examples/c/arm.c"),
        (PLAIN_EXAMPLES[1], "cc", C, "examples/c/stack.c"),
        ("example-stack-cpp", "c++", CPP, "examples/cpp/stack.cpp"),
        ("example-slide-cpp", "c++", CPP, "examples/cpp/slide.cpp"),
    ] {
        let recipe = Recipe { compiler, flags, sources: &[source], libraries: &["-lm"] };
        run(&mut Command::new(workshop.build(name, &recipe)?))?;
        println!("    {source}: built and run");
    }
    check_links(workshop)
}

/// Examples whose solver or pipeline has no moments, the one whose solver has, and the one whose pipeline has joints.
const PLAIN_EXAMPLES: [&str; 2] = ["example-solve", "example-stack"];
const EXAMPLE_WITH_MOMENTS: &str = "example-roll";
const EXAMPLE_WITH_JOINTS: &str = "example-arm";

/// A program that names a kind of solver or pipeline without moments or joints links none of their code.
fn check_links(workshop: &Workshop) -> Result<(), String> {
    // Functions of the kernel's modules `moment_law`, `moment_visit` and so on, and those for contacts with moments.
    let moments: &[&str] = &["moment_", "with_moments"];
    // Functions of its modules `joint_row`, `joint_side` and so on, and those for joints.
    let joints: &[&str] = &["joint_", "_joint", "joints"];
    let theirs = |program: &str, parts: &[&str]| {
        archive::symbols(&workshop.out.join(program), |name| parts.iter().any(|part| name.contains(part)))
    };
    let [one, other] = PLAIN_EXAMPLES;
    for (what, parts, control, without) in [
        ("moments", moments, EXAMPLE_WITH_MOMENTS, &[one, other][..]),
        ("joints", joints, EXAMPLE_WITH_JOINTS, &[one, other, EXAMPLE_WITH_MOMENTS]),
    ] {
        for plain in without {
            if let Some(name) = theirs(plain, parts)?.first() {
                return Err(format!("{plain}: links {name}"));
            }
        }
        let control = theirs(control, parts)?;
        if control.is_empty() {
            return Err(format!("no code for {what} is recognised: it has other names"));
        }
        println!("    without {what} none of their code is linked, with them {} functions", control.len());
    }
    Ok(())
}

/// The solver under Bullet.
pub fn bullet(workshop: &Workshop) -> Check {
    const HEADERS: &str = "/usr/include/bullet";
    if let Err(reason) = setup::file(Path::new(HEADERS), "libbullet-dev") {
        return Ok(Outcome::Skipped(reason));
    }
    let flags = ["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-isystem", HEADERS];
    let libraries = ["-lBulletDynamics", "-lBulletCollision", "-lLinearMath"];
    let sources = ["examples/bullet/main.cpp"];
    let program = workshop.build(
        "example-bullet",
        &Recipe { compiler: "c++", flags: &flags, sources: &sources, libraries: &libraries },
    )?;
    let said = run(&mut Command::new(program))?;
    said.lines().for_each(|line| println!("    bullet: {line}"));
    Ok(Outcome::Passed)
}

/// The stack of `examples/c/stack.c` as firmware; the two must end with the same bits.
pub fn firmware(workshop: &Workshop, archive: &Path) -> Result<(), String> {
    let folder = workshop.capi.join("examples/firmware");
    let elf = workshop.out.join("firmware.elf");
    let mut command = Command::new("arm-none-eabi-gcc");
    command.args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-mcpu=cortex-m4", "-mthumb"]);
    command.args([
        "-mfloat-abi=hard",
        "-mfpu=fpv4-sp-d16",
        "-ffp-contract=off",
        "-ffreestanding",
        "-ffunction-sections",
    ]);
    command.args(["-fdata-sections", "-nostdlib", "-Wl,--gc-sections", "-Wl,-z,noexecstack", "-T"]);
    command.arg(folder.join("stm32f405.ld")).arg("-I").arg(workshop.capi.join("include"));
    command.arg("-I").arg(workshop.capi.join("examples/c"));
    command.args([folder.join("start.c"), folder.join("main.c")]).arg(archive).arg("-o").arg(&elf);
    run(&mut command)?;
    let mut layout = Command::new("arm-none-eabi-gcc");
    layout.args(["-std=c11", "-fsyntax-only", "-I"]).arg(workshop.capi.join("include"));
    run(layout.arg(workshop.capi.join("checks/layout.c")))?;
    let mut emulator = Command::new("timeout");
    emulator.args(["120", "qemu-system-arm", "-M", "netduinoplus2", "-nographic", "-semihosting-config"]);
    emulator.args(["enable=on,target=native", "-kernel"]).arg(&elf);
    let on_board = digest(&run(&mut emulator)?)?;
    let recipe = Recipe { compiler: "cc", flags: C, sources: &["examples/c/stack.c"], libraries: &["-lm"] };
    let here = digest(&run(&mut Command::new(workshop.build("example-stack", &recipe)?))?)?;
    if on_board != here {
        return Err(format!("the board ends with {on_board}, this machine with {here}"));
    }
    println!("    firmware in C: digest {on_board} on the emulated board and here");
    Ok(())
}

fn digest(said: &str) -> Result<String, String> {
    let line = said.lines().find_map(|line| line.trim().strip_prefix("digest "));
    line.map(String::from).ok_or(format!("no digest was printed: {said}"))
}
