//! Every number in the README, the book's chapters and some other pages has a source. This list has the words of a
//! document and the source of their numbers; a number that is not in the list is an error. Tables that other tests
//! write are not checked here.

use stiction_repo_checks::{read, root, tests_in};

/// Where a number comes from.
enum Source {
    /// A file that contains these words.
    File(&'static str, &'static str),
    /// A test of this folder that compares it, by file and name.
    Test(&'static str, &'static str),
    /// Measured once, by the named command; no test compares it again.
    Once(&'static str),
    /// A fact that no test can compare: a date, a name, an edition, the wall time of one run.
    Fact,
}

use Source::{Fact, File, Once, Test};

const COUNTED: Source = Test("documents", "readme_counts_match_the_sources");
const FROM_C: Source = Test("documents", "what_a_call_from_c_costs_is_the_committed_count");
const CONSTANTS: Source = Test("documents", "documents_repeat_constants_as_they_are");
const STEPS: Source = File("kernel/src/problem/step_settings.rs", "SUBSTEPS: u32 = 8");
const FRAMES: Source = Once("`--bench frames`");
const PROFILED: Source = Once("callgrind of `stack of 16` with 4 substeps, summed by function");
const RATIOS: Source = Test("speed", "the_readme_repeats_the_committed_ratios");
const RESERVE: Source = File("embedded-example/src/bin/budget.rs", "CLOSING_A_CONTACT: u32 = 1200");
const CUT: Source = File("embedded-example/src/bin/budget.rs", "[bouncing, both], 200, 2 * CLOSING_A_CONTACT");

const STUDY: &str = "host-tests/demo/tests/error_reduction.rs";
const SUNK_CUBE: Source = Test("error_reduction", "a_sunk_cube_rises_without_energy_unless_a_bias_lifts_it");
const LOW_STACK: Source =
    Test("error_reduction", "a_low_stack_drifts_less_than_a_millimetre_unless_a_bias_makes_it_walk");
const HIGH_STACK: Source = Test("error_reduction", "a_high_stack_shows_what_sweeps_leave_and_what_softness_does");
const DERIVED: Source = Test("derivations", "frames_are_orthonormal_to_a_few_rounding_errors");
const DERIVED_BOX: Source = Test("derivations", "box_friction_slides_further_and_to_the_side");

const BALLS: Source =
    File("benches/peers/mujoco_rolling.py", "RADIUS, MU, ROLLING, TORSION, G = 0.1, 0.3, 0.005, 0.003, 9.81");
const COUPLED: Source = Test("coupling", "coupling_of_the_scenes");
const PUBLISHED: Source = Test("coupling", "coupling_of_the_published_problems");

/// A document, words of it with numbers, and the source of these numbers.
const SAID: [(&str, &str, Source); 177] = [
    (
        "docs/book/src/coupling.md",
        "At 100 m/s the cube is thrown",
        File("host-tests/cli/src/rig/scenes.rs", "slide(100.0, 45.0)"),
    ),
    ("docs/book/src/coupling.md", "above 1 %, the medians of projection are between 12 % and 543 %", PUBLISHED),
    ("docs/book/src/coupling.md", "its medians are between 2 % and 59 %", PUBLISHED),
    ("docs/book/src/coupling.md", "(they name 5 %)", Fact),
    ("docs/book/src/coupling.md", "the ratio is\n**53 %**", COUPLED),
    ("docs/book/src/coupling.md", "condition number is 5.5", COUPLED),
    ("docs/book/src/coupling.md", "61 % of the contacts have a ratio above 5 %, and 45 % one above 30 %", COUPLED),
    ("docs/book/src/coupling.md", "81 % of the contacts that carry an impulse have a ratio above 5 %", PUBLISHED),
    ("docs/book/src/coupling.md", "Errors of more than 100 %", PUBLISHED),
    ("docs/book/src/friction-moments.md", "radius 0.1 m, sliding friction 0.3", BALLS),
    ("docs/book/src/friction-moments.md", "rolling friction of 5 mm; it starts at 1 m/s", BALLS),
    ("docs/book/src/friction-moments.md", "torsion of 3 mm; it starts at 20 rad/s", BALLS),
    (
        "docs/book/src/joints.md",
        "the energy that lifts the chain from hanging to horizontal. Steps of 1/60 s",
        File("benches/benches/joints.rs", "RATES: [usize; 2] = [60, 240]"),
    ),
    (
        "docs/book/src/friction-moments.md",
        "condition numbers to 1e6 in `f64` and 1e4 in\n`f32`, radii from 1e-6 to 1",
        File("host-tests/tests/local_moments.rs", "rng.log_range(1e-6, 1.0)"),
    ),
    ("docs/book/src/choosing.md", "Leave it: 0.2 in a bare solve", CONSTANTS),
    ("docs/book/src/choosing.md", "and 1/17 in a substep", CONSTANTS),
    ("docs/book/src/derivations.md", "Over 100,000 random normals", DERIVED),
    ("docs/book/src/derivations.md", "an error of up to 45°", Fact),
    ("docs/book/src/derivations.md", "A point mass of 1 kg at 6 m/s with friction 0.5", DERIVED_BOX),
    ("docs/book/src/derivations.md", "which the exact rule gives to\n0.1 mm", DERIVED_BOX),
    ("docs/book/src/error-reduction.md", "It was made for 0.05 to 0.8", File(STUDY, "(0.8, \"0.8\")")),
    (
        "docs/book/src/error-reduction.md",
        "a side of 1 m and a mass of 1 kg, friction 0.5, no restitution, steps\nof 1/60 s",
        File("host-tests/scenes/src/boxes.rs", "FRAME: f64 = 1.0 / 60.0"),
    ),
    ("docs/book/src/error-reduction.md", "It is 2 cm deep", File(STUDY, "SUNK: f64 = 0.02")),
    ("docs/book/src/error-reduction.md", "within 0.1 mm of the surface", File(STUDY, "SETTLED: f64 = 1e-4")),
    ("docs/book/src/error-reduction.md", "overlap by 1 mm each", File(STUDY, "OVERLAP: f64 = 0.001")),
    ("docs/book/src/error-reduction.md", "1000 frames follow", File(STUDY, "0..1000")),
    ("docs/book/src/error-reduction.md", "above 0.2 the stack", LOW_STACK),
    ("docs/book/src/error-reduction.md", "default limit of 50 sweeps", CONSTANTS),
    ("docs/book/src/error-reduction.md", "up to 1,000 sweeps the same stack with a bias\nof 0.8", LOW_STACK),
    ("docs/book/src/error-reduction.md", "starts 1 cm deep", File(STUDY, "SLIDING_DEPTH: f64 = 0.01")),
    (
        "docs/book/src/error-reduction.md",
        "slides at 6 m/s",
        File("host-tests/scenes/src/boxes.rs", "SLIDE_SPEED: f64 = 6.0"),
    ),
    (
        "docs/book/src/error-reduction.md",
        "whatever the parameter: 5 mm here",
        Test("error_reduction", "a_sliding_cube_stops_short_only_where_a_bias_lifts_it"),
    ),
    ("docs/book/src/error-reduction.md", "In the bare solve 50 sweeps leave", CONSTANTS),
    ("docs/book/src/error-reduction.md", "With up to 1,000 sweeps and 0.2 the later drift", HIGH_STACK),
    ("docs/book/src/error-reduction.md", "Bare solve: 0.2, and split impulse", CONSTANTS),
    ("docs/book/src/error-reduction.md", "With a bias, 0.2 is the largest", LOW_STACK),
    ("docs/book/src/error-reduction.md", "which found 0.2 good", Fact),
    ("docs/book/src/error-reduction.md", "With these 0.2 is cautious", Fact),
    ("docs/book/src/error-reduction.md", "Step: 1/17 in each substep", CONSTANTS),
    ("docs/book/src/error-reduction.md", "less time than with 0.2 a step", SUNK_CUBE),
    ("docs/book/src/differences.md", "error reduction 0.2 |", Fact),
    ("docs/book/src/differences.md", "0.2 in a bare solve, 1/17 in each substep", CONSTANTS),
    ("docs/book/src/differences.md", "less than 1e-6, or 1e-4", Fact),
    ("docs/book/src/differences.md", "1e-9 in `f64` and 1e-5 in `f32`", CONSTANTS),
    ("docs/book/src/differences.md", "10 sweeps without friction in one document, 50 with", Fact),
    ("docs/book/src/differences.md", "50 in a bare solve; in a step 1 for", CONSTANTS),
    ("docs/book/src/differences.md", "regularisation: 1e-8", Fact),
    ("docs/book/src/differences.md", "more than 60 rows", Fact),
    (
        "docs/book/src/differences.md",
        "mass ratios of 1000:1 take too many sweeps",
        File("host-tests/cli/tests/figures.rs", "fn sweeps_that_a_mass_ratio_takes"),
    ),
    ("docs/book/src/differences.md", "has restitution 0.5", Fact),
    ("docs/book/src/differences.md", "100 random normals, 1,000 frames with 1 cm", Fact),
    ("README.md", "cards fall from four storeys of 2 cm or six of 6 cm on", FRAMES),
    ("docs/speed.md", "Missed is 0.6 of that time", FRAMES),
    ("docs/speed.md", "cards from four storeys of 2 cm or six of 6 cm on", FRAMES),
    ("docs/speed.md", "within 3 % of converged", FRAMES),
    ("docs/speed.md", "3.7 % too early", File("benches/results/x86_64-linux/frame-falls.csv", "1.57,1.63,-3.66")),
    ("README.md", "jumps off the ground at 2.2 m/s", File("README.md", "projection     +2.2e0 m/s")),
    ("README.md", "solved to 16 ε·cond(K)", File("host-tests/tests/local.rs", "study.worst <= 16.0")),
    ("docs/guarantees.md", "solved to 32 ε·cond(K)", File("host-tests/tests/local_moments.rs", "worst <= 32.0")),
    (
        "docs/guarantees.md",
        "| 100,000 islands; momentum",
        File("host-tests/tests/properties_moments.rs", "cases(2_000, 100_000)"),
    ),
    ("docs/guarantees.md", "solved to 16 ε·cond(K)", File("host-tests/tests/local.rs", "study.worst <= 16.0")),
    (
        "README.md",
        "100,000 islands a precision",
        File("host-tests/tests/properties_passivity.rs", "cases(2_000, 100_000)"),
    ),
    (
        "docs/guarantees.md",
        "100,000 islands a precision",
        File("host-tests/tests/properties_passivity.rs", "cases(2_000, 100_000)"),
    ),
    ("docs/guarantees.md", "10,000 cases each", File("host-tests/tests/properties.rs", "cases(500, 10_000)")),
    (
        "docs/guarantees.md",
        "converged sweeps on 10,000 islands",
        File("host-tests/tests/solve_method_choice.rs", "cases(500, 10_000)"),
    ),
    ("docs/guarantees.md", "10,000 frames", File("host-tests/tests/step_stacks.rs", "cases(500, 10_000)")),
    ("docs/guarantees.md", "drift below 1 mm", File("host-tests/tests/step_stacks.rs", "frames()).drift < 1e-3")),
    ("docs/guarantees.md", "with up to 1,000 sweeps", File("host-tests/tests/step_stacks.rs", "= (1000, 4,")),
    ("docs/guarantees.md", "ledger closes to 1e-12", File("host-tests/tests/step.rs", "double.1 <= 1e-12")),
    ("docs/guarantees.md", "within 3 % of [committed counts]", File("benches/counts/src/main.rs", "SLACK: f64 = 0.03")),
    (
        "docs/guarantees.md",
        "instructions of 16 paths",
        File("benches/counts/src/paths.rs", "PATHS: [(&str, fn()); 16]"),
    ),
    ("README.md", "one of 37 scenes", COUNTED),
    ("docs/guarantees.md", "74 films of scenes", FROM_C),
    ("docs/guarantees.md", "2,900 instructions a solve of 8 contacts (2.5 %)", FROM_C),
    ("docs/guarantees.md", "36 scenes in a headless Chromium", COUNTED),
    ("docs/guarantees.md", "93 % of mutants noticed", COUNTED),
    ("README.md", "eight substeps with a soft", File("kernel/src/problem/step_settings.rs", "SUBSTEPS: u32 = 8")),
    ("README.md", "stacks of 32 boxes and 1000:1 stand", FRAMES),
    ("README.md", "(2.7 times its time where 66 % do, 1.2 on a cold wall, 0.9 on a warm one", RATIOS),
    ("README.md", "in November 2026", Fact),
    ("README.md", "Rust 1.89 or newer", File("Cargo.toml", "rust-version = \"1.89\"")),
    ("README.md", "Apache-2.0", Fact),
    ("docs/book/src/choosing.md", "1/60 s suits animation, 1 ms suits controllers", Fact),
    ("docs/book/src/choosing.md", "1 cm by default in a bare solve", CONSTANTS),
    ("docs/book/src/choosing.md", "that may close, 1 cm by default", CONSTANTS),
    ("docs/book/src/choosing.md", "8 by default, for 1/60 s; 1 or 2 for a step of 1 ms", STEPS),
    ("docs/book/src/choosing.md", "maximum of each substep, 1 by default", STEPS),
    (
        "docs/book/src/choosing.md",
        "from 16 on contacts are solved",
        File("kernel/src/solve/small_steps/frame.rs", "SOLVED: u32 = 16"),
    ),
    ("docs/book/src/choosing.md", "1,200 instructions per contact", RESERVE),
    (
        "docs/book/src/numbers.md",
        "how long after 100 µs",
        File("embedded-example/src/bin/budget.rs", "[plain, deep], 100, CLOSING"),
    ),
    ("docs/book/src/numbers.md", "keeps 1,200 instructions per contact", RESERVE),
    ("docs/book/src/numbers.md", "200 µs and twice the reserve", CUT),
    (
        "docs/book/src/numbers.md",
        "that takes 512 bytes",
        File("host-tests/board/src/budgets.rs", "stack_of_512\" && (512..640)"),
    ),
    ("docs/book/src/references.md", "in November 2026", Fact),
    ("docs/book/src/references.md", "Rapier 0.36", File("benches/Cargo.toml", "rapier3d = { version = \"0.36\"")),
    ("docs/book/src/references.md", "Siconos 4.4.0", Fact),
    (
        "docs/book/src/references.md",
        "MuJoCo 4.0.0",
        File("benches/results/x86_64-linux/mujoco.csv", "MuJoCo 4.0.0 default"),
    ),
    ("docs/book/src/start-browser.md", "After 120 steps", File("host-tests/cli/tests/page.rs", "STEPS: u64 = 120")),
    (
        "docs/book/src/symbols.md",
        "64-bit hash of all bits of a run's results",
        File("host-tests/scenes/src/digest.rs", "pub struct Digest(pub u64)"),
    ),
    (
        "docs/book/src/two-phases.md",
        "with `μ = 0.5`, keeps 27 % of its energy",
        File("host-tests/tests/step_sliding.rs", "impacts[0] - 0.2707"),
    ),
    ("docs/book/src/troubleshooting.md", "0.3 and 0.7 give 0.46", Test("numbers", "means_are_geometric")),
    (
        "docs/book/src/troubleshooting.md",
        "40 µm at 8 substeps a frame",
        File("kernel/src/problem/step_settings.rs", "SUBSTEPS: u32 = 8"),
    ),
    (
        "docs/book/src/troubleshooting.md",
        "slower than 0.5 m/s",
        File("kernel/src/problem/settings.rs", "restitution_threshold: T::HALF"),
    ),
    ("docs/boards.md", "168 MHz", File("embedded-example/src/board/f405.rs", "sysclk(168.MHz())")),
    ("docs/boards.md", "150 MHz", File("embedded-example/src/board/rp2350.rs", "at 150 MHz")),
    ("docs/boards.md", "All 2,000 steps", File("host-tests/scenes/src/leg.rs", "TICKS: u32 = 2000")),
    ("docs/boards.md", "budget of 16 KiB", File("host-tests/board/src/budgets.rs", "\"solve_code_s\", 16 << 10")),
    ("docs/speed.md", "instructions of 16 paths", File("benches/counts/src/paths.rs", "PATHS: [(&str, fn()); 16]")),
    ("docs/speed.md", "takes 305 bytes", File("benches/results/x86_64-linux/sweeps.csv", ",305,")),
    ("docs/speed.md", "65,536 problems of five", File("benches/benches/batches.rs", "PROBLEMS: usize = 65_536")),
    ("docs/speed.md", "for batches of 2,048", File("benches/benches/batches.rs", "COUNTED: usize = 2048")),
    ("docs/speed.md", "and 76 of the caller's columns", Test("numbers", "a_contact_takes_76_bytes")),
    ("docs/speed.md", "Rapier 0.36", File("benches/Cargo.toml", "rapier3d = { version = \"0.36\"")),
    ("docs/speed.md", "5 mm of slop", Fact),
    ("docs/speed.md", "0.54 of the time of Rapier's", Test("speed", "sixteen_boxes_take_the_documented_time")),
    ("docs/speed.md", "In 100 s they drift by less than 0.1 mm", Test("speed", "long_runs_drift_as_documented")),
    ("docs/speed.md", "115,000 instructions the residual takes 20,000", PROFILED),
    ("docs/speed.md", "takes 750,000 instructions: the passes of substeps 190,000", PROFILED),
    ("docs/speed.md", "small islands 120,000, tries whether islands rest 130,000", PROFILED),
    (
        "docs/speed.md",
        "rows 110,000, finding and keeping manifolds 70,000, residuals 60,000, moving bodies 50,000",
        PROFILED,
    ),
    ("docs/speed.md", "manifolds 28,000, the correction 11,000", PROFILED),
    ("docs/speed.md", "16,000 (callgrind", PROFILED),
    ("docs/speed.md", "residuals of 1e-4 and 1e-6", File("benches/benches/compare.rs", "[1e-4, 1e-6]")),
    ("docs/speed.md", "residual of 1e-4", File("benches/benches/compare.rs", "published::solve(name, 1e-4, 20)")),
    ("docs/speed.md", "within 3 %", File("benches/counts/src/main.rs", "SLACK: f64 = 0.03")),
    ("docs/speed.md", "Siconos 4.4.0", Fact),
    ("docs/convergence.md", "a residual of 1e-2 / 1e-3", File("host-tests/cli/tests/convergence.rs", "[1e-2, 1e-3]")),
    (
        "docs/convergence.md",
        "began 1 mm deep, 1,000 frames of 1/60 s",
        File("host-tests/demo/tests/error_reduction.rs", "OVERLAP: f64 = 0.001"),
    ),
    ("docs/convergence.md", "at most 50 sweeps", File("kernel/src/problem/settings.rs", "sweeps: 50")),
    ("docs/convergence.md", "At most 50 sweeps", File("kernel/src/problem/settings.rs", "sweeps: 50")),
    (
        "docs/convergence.md",
        "overlap by less than 1e-9 m",
        File("host-tests/cli/tests/convergence.rs", "depth <= 1e-9"),
    ),
    ("docs/convergence.md", "drift by less than 1e-8 m", File("host-tests/cli/tests/convergence.rs", "drift <= 1e-8")),
    (
        "docs/convergence.md",
        "100:1 sinks in by 0.2 mm",
        File("host-tests/cli/tests/convergence.rs", "does not sink in by 0.2 mm"),
    ),
    ("docs/convergence.md", "1000:1 by some mm", File("host-tests/cli/tests/convergence.rs", "(1e-3..1e-1)")),
    (
        "docs/convergence.md",
        "drift by less than 1e-7 m",
        File("host-tests/cli/tests/convergence.rs", "MethodChoice::Auto) <= 1e-7"),
    ),
    (
        "docs/convergence.md",
        "by less than 2 mm",
        File("host-tests/cli/tests/convergence.rs", "MethodChoice::Auto) <= 2e-3"),
    ),
    (
        "docs/convergence.md",
        "less than 2 cm in half a minute with either",
        File("host-tests/cli/tests/convergence.rs", "sag < 0.02 && lean < 0.02"),
    ),
    (
        "docs/convergence.md",
        "sinks by 0.2 mm",
        File("host-tests/cli/tests/convergence.rs", "does not sink in by 0.2 mm"),
    ),
    (
        "docs/convergence.md",
        "less than 1e-5 m with accelerated",
        File("host-tests/cli/tests/convergence.rs", "depth < 1e-5"),
    ),
    (
        "docs/convergence.md",
        "Up to 500 contacts",
        File("host-tests/testkit/src/random_structures.rs", "MOST_CONTACTS: usize = 500"),
    ),
    (
        "docs/convergence.md",
        "default settings but 2,000 factorisations",
        File("benches/benches/structures.rs", "FACTORISATIONS: u32 = 2000"),
    ),
    (
        "docs/convergence.md",
        "masses up to 1 : 10,000",
        File("host-tests/testkit/src/random_structures.rs", "{ 100.0 } else { 5.0 }"),
    ),
    (
        "docs/convergence.md",
        "limits the work of an island (1,000)",
        File("kernel/src/problem/settings.rs", "factorisations: 1000"),
    ),
    (
        "docs/convergence.md",
        "0.74 on four kicked boxes of equal mass, at most 0.25 on the other 23",
        Once("`--bench methods`"),
    ),
    ("docs/convergence.md", "within 200,000 in 11 of the 24", Once("`--bench methods`")),
    ("docs/convergence.md", "behind by up to 2.3 times", Once("residuals after every sweep")),
    (
        "docs/engines.md",
        "8 bodies and 16 contacts, 16 and 64, 64 and 256, 256 and 1,024,",
        File("kernel/capi/src/rungs.rs", "1024"),
    ),
    ("docs/engines.md", "1,024 and 4,096, 4,096 and 16,384", File("kernel/capi/src/rungs.rs", "16384")),
    ("docs/engines.md", "Islands of 24 contacts", File("kernel/src/sweep/lanes.rs", "LEAST_ROWS: usize = 24")),
    (
        "docs/book/src/choosing.md",
        "islands of 24 contacts",
        File("kernel/src/sweep/lanes.rs", "LEAST_ROWS: usize = 24"),
    ),
    (
        "docs/book/src/friction-moments.md",
        "off by less than 1e-9 in `f64` and 1e-4 in `f32`",
        File("host-tests/cli/tests/surfaces.rs", "1e-9 } else { 1e-4 }"),
    ),
    ("docs/engines.md", "74 films (all 34 scenes", File("kernel/capi/cost.txt", "films 74")),
    ("docs/engines.md", "up to 150 frames", File("host-tests/cli/src/bin/films.rs", "FRAMES: u64 = 150")),
    ("docs/engines.md", "237 functions", Test("numbers", "symbols_are_counted")),
    ("docs/engines.md", "kind 8, 16 holds eight", File("kernel/capi/src/rungs.rs", "RUNG_8_16 = (8, 16)")),
    (
        "docs/engines.md",
        "(8, 16: 11 kB instead of 7 kB",
        File("kernel/capi/src/sizes.rs", "F32_SOLVER_8_16_WITH_MOMENTS_BYTES: usize = 11_424"),
    ),
    (
        "docs/engines.md",
        "(8, 16: 34 kB instead of 25 kB",
        File("kernel/capi/src/sizes.rs", "F32_PIPELINE_8_16_WITH_JOINTS_BYTES: usize = 34_464"),
    ),
    ("docs/engines.md", "is 288 kB instead of 185 kB", Once("`size` of the examples `roll` and `solve`")),
    ("docs/engines.md", "1,200 random problems", File("kernel/capi/examples/moments.rs", "PROBLEMS: usize = 300")),
    ("docs/engines.md", "1,000,000 calls and 200,000", File("host-tests/c-checks/src/checks.rs", "\"1000000\"")),
    ("docs/engines.md", "45 % accepted, 55 % rejected", Once("`cargo verify \"C interface: same\"` prints it")),
    ("docs/engines.md", "none in 1,000 solves, 100 steps", File("kernel/capi/checks/repeat.c", "i < 100")),
    ("docs/engines.md", "119,300 instructions from C, 116,400 from Rust", FROM_C),
    ("docs/engines.md", "cold start, 50 sweeps", File("kernel/src/problem/settings.rs", "sweeps: 50")),
    ("docs/engines.md", "+2.5 %, at most 2.6 % allowed", FROM_C),
    ("docs/engines.md", "of the 205 kB", Once("`arm-none-eabi-size` of the firmware example")),
    ("docs/engines.md", "for 32 bits by", Fact),
    (
        "docs/convergence.md",
        "friction 0.5; at rest, on a slope of 0.3 rad, or kicked by 0.5 m/s and 0.5 rad/s",
        File("host-tests/cli/tests/convergence.rs", "rng.direction() * 0.5"),
    ),
    (
        "docs/convergence.md",
        "tolerance 1e-9, at most 1,000 sweeps",
        File("host-tests/cli/tests/convergence.rs", "sweeps: 1000"),
    ),
    (
        "docs/convergence.md",
        "a residual more than 1 % above that of plain sweeps and above 1e-9",
        File("host-tests/cli/tests/convergence.rs", "1.01 * plain.max(1e-9)"),
    ),
    (
        "docs/convergence.md",
        "Ten seconds at 60 frames a second",
        File("host-tests/cli/tests/convergence.rs", "stands(name, 10.0,"),
    ),
    (
        "docs/convergence.md",
        "10, 100 and 1000 kg on 1 kg",
        File("host-tests/cli/tests/convergence.rs", "heavy-on-light-1000"),
    ),
    (
        "docs/convergence.md",
        "50 sweeps in each of eight substeps",
        File("kernel/src/problem/settings.rs", "sweeps: 50"),
    ),
    ("docs/convergence.md", "at 50 sweeps a substep", File("kernel/src/problem/settings.rs", "sweeps: 50")),
    ("docs/convergence.md", "100 kg on 1 kg", File("host-tests/cli/tests/convergence.rs", "heavy-on-light-100")),
    ("docs/convergence.md", "time to a residual of 1e-6", File("benches/benches/methods.rs", "1e-6")),
    ("docs/convergence.md", "four boxes, 1000:1", File("host-tests/scenes/src/heavy.rs", "T::lit(1e-3)")),
];

#[test]
fn every_number_in_the_documents_matches_its_source() {
    for (document, words, source) in &SAID {
        assert!(read(document).contains(words), "{document} does not say: {words}");
        match source {
            File(file, fragment) => assert!(read(file).contains(fragment), "{file} does not have: {fragment}"),
            Test(file, name) => {
                let tests = tests_in(file);
                assert!(tests.contains(&format!("fn {name}(")), "{file}.rs has no test {name}");
            }
            Once(how) => assert!(!how.is_empty(), "how was {words} measured?"),
            Fact => {}
        }
    }
}

/// The text of a document without code, links, and parts that a test writes.
fn words_of(text: &str) -> String {
    let mut plain = String::new();
    let (mut in_code, mut generated) = (false, false);
    for line in text.lines() {
        in_code ^= line.trim_start().starts_with("```");
        generated = (generated || line.starts_with("<!-- ")) && !line.starts_with("<!-- end of");
        if in_code || generated || line.starts_with("<!--") {
            continue;
        }
        let without_code: String = line.split('`').step_by(2).collect();
        // A link's target is between `](` and `)`.
        for (index, piece) in without_code.split("](").enumerate() {
            plain += if index == 0 { piece } else { piece.split_once(')').map_or("", |(_, rest)| rest) };
        }
        plain.push('\n');
    }
    plain
}

/// Words that are numbers: two digits or more, or one before a unit.
fn numbers(text: &str) -> Vec<String> {
    const UNITS: [&str; 9] = ["%", "mm", "cm", "m", "s", "ms", "ns", "µs", "times"];
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%').to_string();
    let words: Vec<String> = text.split_whitespace().map(bare).collect();
    let is_number = |word: &str| {
        let rest = word.replace("e-", "").replace([',', '.', ':', '/'], "");
        !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit())
    };
    let digits = |word: &str| word.chars().filter(char::is_ascii_digit).count();
    words
        .iter()
        .zip(words.iter().skip(1).map(String::as_str).chain([""]))
        .filter(|(word, next)| is_number(word) && (digits(word) > 1 || UNITS.contains(next)))
        .map(|(word, _)| word.clone())
        .collect()
}

#[test]
fn no_number_is_without_a_source() {
    let chapters = std::fs::read_dir(root().join("docs/book/src")).expect("the book").flatten();
    let chapters =
        chapters.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| name.ends_with(".md"));
    let mut documents: Vec<String> = chapters.map(|name| format!("docs/book/src/{name}")).collect();
    documents.push("README.md".into());
    documents.extend(["boards", "guarantees", "speed", "convergence", "engines"].map(|name| format!("docs/{name}.md")));
    for document in documents {
        let mut text = read(&document);
        for (_, words, _) in SAID.iter().filter(|(said_in, ..)| *said_in == document) {
            text = text.replace(words, " ");
        }
        let mut left = numbers(&words_of(&text));
        if document.ends_with("references.md") {
            // Volumes and years of citations.
            left.retain(|word| word.contains('.'));
        }
        assert!(left.is_empty(), "{document} has numbers without a source: {left:?}");
    }
}

#[test]
fn a_number_without_a_source_is_seen() {
    let text = "It takes 12 ms, `34`, [5](6.md), 7 % of 8 things, x86-64 and 1e-9.\n```\n99\n```\n<!-- a -->\n77\n<!-- end of a -->\n";
    assert_eq!(numbers(&words_of(text)), ["12", "7", "1e-9"]);
}

#[test]
fn means_are_geometric() {
    let material = |mu| stiction::Material { mu, ..stiction::Material::SMOOTH };
    let both = material(0.3_f64).combined(&material(0.7)).mu;
    assert_eq!(format!("{both:.2}"), "0.46");
}

#[test]
fn a_contact_takes_76_bytes() {
    use stiction::Contacts;
    assert_eq!((size_of::<Contacts<f32, 2048>>() - size_of::<Contacts<f32, 1024>>()) / 1024, 76);
}

#[test]
fn symbols_are_counted() {
    let symbols = read("kernel/capi/symbols.txt").lines().count();
    assert!(read("docs/engines.md").contains(&format!("{symbols} functions")), "{symbols} functions");
}
