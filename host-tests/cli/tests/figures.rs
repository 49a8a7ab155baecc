//! The figures of the book, drawn from the kernel's current results. A figure that is out of date fails;
//! `STICTION_DRAW=1 cargo test -p stiction-cli figures` updates it.

use nalgebra::Vector3;
use stiction::{LocalRule, MethodChoice, Settings};
use stiction_cli::picture::cone;
use stiction_cli::problem::LocalEntry;
use stiction_cli::rig::frame::Detail;
use stiction_cli::rig::scenes::find;
use stiction_cli::rig::simulation::{Precision, simulate};
use stiction_cli::rig::world::BodyState;
use stiction_pictures::strip::{Outline, Pose};
use stiction_pictures::strobe::Strobe;
use stiction_pictures::{Axis, Scale, lines};
use stiction_repo_checks::whole;
use stiction_scenes::boxes::stack as boxes;
use stiction_testkit::known_answers::{sliding_cube, stack};

const RULES: [(LocalRule, &str); 4] = [
    (LocalRule::Exact, "exact"),
    (LocalRule::HoldAndResolve, "hold and resolve"),
    (LocalRule::Projection, "projection"),
    (LocalRule::Box, "box"),
];

fn keep(name: &str, svg: &str) {
    whole(&format!("docs/book/src/pictures/{name}.svg"), svg);
}

/// In the book, and in the kernel's own documentation.
#[test]
fn one_contact_and_its_cone() {
    let (svg, answers) = cone();
    let (exact, projection) = (answers.exact, answers.projection);
    // The figure's point: both are on the rim, and only one of them gives zero normal velocity.
    assert!(exact.1.abs() < 1e-12 && projection.1 > 0.9, "{answers:?}");
    assert!((exact.0.y.abs() - 0.5 * exact.0.x).abs() < 1e-12, "{answers:?}");
    keep("cone", &svg);
    whole("kernel/figures/cone.svg", &svg);
}

/// Lowest residual that is drawn: the limit of double precision.
const FLOOR: f64 = 1e-15;

#[test]
fn residual_by_sweep_of_the_local_rules() {
    let sweeps: Vec<u32> = (1..=30).collect();
    let cube = sliding_cube(6.0, 0.5, 0.5);
    let residual = |local, sweeps| -> f64 {
        let settings =
            Settings::<f64> { local, sweeps, tolerance: 0.0, method: MethodChoice::Sweeps, ..Settings::default() };
        cube.solve(&settings).unwrap().report.residual.natural.max(FLOOR)
    };
    let series: Vec<_> = RULES
        .iter()
        .map(|(rule, name)| (*name, sweeps.iter().map(|count| residual(*rule, *count)).collect::<Vec<_>>()))
        .collect();
    // The figure's point: only the exact rule converges to Coulomb's law.
    assert!(
        series[0].1[29] < 1e-9 && series[1].1[29] > 1e-3 && series[2].1[29] > 0.1 && series[3].1[29] > 1e-3,
        "{series:?}"
    );
    let axis = Axis {
        x: "sweeps",
        y: "distance from Coulomb's law (natural map, relative)",
        scale: Scale::Logarithmic,
        x_scale: Scale::Linear,
    };
    let caption =
        "A cube of 1 kg slides at 6 m/s, half a radian off its edge, friction 0.5, four contacts, double precision";
    let xs: Vec<f64> = sweeps.iter().map(|count| f64::from(*count)).collect();
    keep("residual-by-sweep", &lines("What more sweeps bring, by local rule", caption, &axis, &xs, &series));
}

#[test]
fn energy_of_an_oblique_slide() {
    let energies = |local: LocalEntry| {
        let mut scene = find("slide-45-fast").unwrap();
        scene.settings.local = Some(local);
        let mut run = simulate(&scene, Precision::Double).unwrap();
        let mut course = vec![run.energy()];
        for _ in 0..90 {
            run.step(Detail::Figures).unwrap();
            course.push(run.energy());
        }
        course
    };
    let series = [("exact", energies(LocalEntry::Exact)), ("projection", energies(LocalEntry::Projection))];
    assert!(series[0].1.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9));
    let axis =
        Axis { x: "time, s", y: "kinetic and potential energy, J", scale: Scale::Linear, x_scale: Scale::Linear };
    let xs: Vec<f64> = (0..=90).map(|frame| f64::from(frame) / 60.0).collect();
    let caption = "The same cube from frame to frame: solved exactly it slides to rest; with friction scaled back it jumps and tips";
    keep("oblique-slide", &lines("Energy of a sliding cube", caption, &axis, &xs, &series));
}

#[test]
fn sweeps_that_a_mass_ratio_takes() {
    let ratios = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];
    let needed = |ratio: f64, method| {
        let settings = Settings::<f64> { method, sweeps: 500_000, tolerance: 1e-6, ..Settings::default() };
        let report = stack(2, ratio, 0.5).solve(&settings).unwrap().report;
        f64::from(report.sweeps.max(1))
    };
    let course = |method| ratios.iter().map(|ratio| needed(*ratio, method)).collect::<Vec<_>>();
    let series = [
        ("plain sweeps", course(MethodChoice::Sweeps)),
        ("accelerated", course(MethodChoice::Accelerated)),
        ("auto, with direct memory", course(MethodChoice::Auto)),
    ];
    assert!(series[0].1[9] > 50.0 * series[0].1[0] && series[2].1[9] <= 40.0, "{series:?}");
    let axis = Axis {
        x: "upper mass over lower mass",
        y: "sweeps to a residual of 1e-6",
        scale: Scale::Logarithmic,
        x_scale: Scale::Logarithmic,
    };
    let caption = "A heavy box on one of 1 kg, from nothing; auto takes thirty sweeps, then a direct method";
    keep("mass-ratio", &lines("What a mass ratio costs", caption, &axis, &ratios, &series));
}

#[test]
fn sweeps_a_frame_warm_and_cold() {
    let course = |cold: bool| {
        let mut scene = boxes::<f64, 9, 32>(8);
        scene.pipeline.settings.substeps = 1;
        scene.pipeline.settings.solver.sweeps = 2000;
        scene.pipeline.settings.solver.tolerance = 1e-6;
        // By sweeps alone: with the kept factor a warm frame takes none.
        scene.pipeline.settings.solver.method = stiction::MethodChoice::Sweeps;
        let frames = (0..60).map(|_| {
            if cold {
                scene.pipeline.clear_cache();
            }
            f64::from(scene.step().unwrap().sweeps)
        });
        frames.collect::<Vec<_>>()
    };
    let series = [("warm", course(false)), ("cold", course(true))];
    assert!(series[0].1[59] < 0.1 * series[1].1[59], "{series:?}");
    let axis =
        Axis { x: "frame", y: "sweeps to a residual of 1e-6", scale: Scale::Logarithmic, x_scale: Scale::Linear };
    let xs: Vec<f64> = (1..=60).map(f64::from).collect();
    let caption = "Eight boxes on each other, one substep a frame, double precision; cold forgets its impulses before every frame";
    keep("warm-and-cold", &lines("What remembering is worth", caption, &axis, &xs, &series));
}

/// The second body of a scene from its start on: times, and its states in double precision.
fn course(name: &str) -> (Vec<f64>, Vec<BodyState>) {
    let scene = find(name).unwrap();
    let mut run = simulate(&scene, Precision::Double).unwrap();
    let mut states = vec![run.bodies()[1]];
    for _ in 0..scene.frames().unwrap() {
        run.step(Detail::Figures).unwrap();
        states.push(run.bodies()[1]);
    }
    ((0..states.len()).map(|frame| frame as f64 * scene.dt).collect(), states)
}

/// Every so many of the poses.
fn poses(states: &[BodyState], every: usize) -> Vec<Pose> {
    let pose = |body: &BodyState| Pose { position: body.position, orientation: body.orientation };
    states.iter().step_by(every).map(pose).collect()
}

fn ball() -> Outline {
    Outline::Hull { points: vec![Vector3::zeros()], radius: 0.25 }
}

/// A closed form that ends at rest.
fn braked(times: &[f64], from: f64, deceleration: f64) -> Vec<f64> {
    times.iter().map(|t| (from - deceleration * t).max(0.0)).collect()
}

fn largest_difference(series: &[(&str, Vec<f64>)]) -> f64 {
    series[0].1.iter().zip(&series[1].1).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn a_ball_rolls_out() {
    let (times, states) = course("ball-rolls-out");
    let speeds = states.iter().map(|body| body.linear.x).collect();
    let closed = braked(&times, 2.0, 5.0 * 0.02 * 9.81 / (7.0 * 0.25));
    let strobe = Strobe {
        outline: ball(),
        poses: poses(&states, 24),
        view: [Vector3::x(), Vector3::z()],
        marks: vec![[Vector3::zeros(), Vector3::z() * 0.25]],
        chart: "Speed, m/s",
        times,
        series: vec![("scene", speeds), ("5 ρ g / 7 R", closed)],
    };
    assert!(largest_difference(&strobe.series) < 1e-9, "{:e}", largest_difference(&strobe.series));
    let caption = "Radius 0.25 m, rolling friction of 2 cm; seen from the side, every 0.4 s. Both lines are one.";
    keep("ball-rolls-out", &strobe.svg("A ball rolls until rolling friction stops it", caption));
}

#[test]
fn a_ball_spins_down() {
    let (times, states) = course("ball-spins-down");
    let spins = states.iter().map(|body| body.angular.z).collect();
    let closed = braked(&times, 20.0, 0.02 * 9.81 / (0.4 * 0.25 * 0.25));
    // It stays where it is; the picture moves it to the right.
    let mut poses = poses(&states, 20);
    poses.iter_mut().enumerate().for_each(|(i, pose)| pose.position.x += 0.6 * i as f64);
    let strobe = Strobe {
        outline: ball(),
        poses,
        view: [Vector3::x(), Vector3::y()],
        marks: vec![[Vector3::zeros(), Vector3::x() * 0.25]],
        chart: "Angular velocity about the normal, rad/s",
        times,
        series: vec![("scene", spins), ("ρ m g / I", closed)],
    };
    assert!(largest_difference(&strobe.series) < 1e-9, "{:e}", largest_difference(&strobe.series));
    let caption = "Radius 0.25 m, torsion of 2 cm; seen from above, every third of a second. Both lines are one.";
    keep("ball-spins-down", &strobe.svg("A ball spins until torsion stops it", caption));
}

#[test]
fn a_sled_follows_its_runners() {
    let (times, states) = course("sled-on-runners");
    let (s, c) = f64::sin_cos(f64::to_radians(30.0));
    let along: Vec<f64> = states.iter().map(|body| c * body.linear.x + s * body.linear.y).collect();
    let across: Vec<f64> = states.iter().map(|body| s * body.linear.x - c * body.linear.y).collect();
    assert!(across[30] < 0.01 * along[30] && along[30] > 3.0, "{} and {} m/s", across[30], along[30]);
    let runner = |y: f64| [-0.5, 0.5].map(|x| Vector3::new(x, y, 0.0));
    let strobe = Strobe {
        outline: Outline::cuboid([0.5, 0.25, 0.1]),
        poses: poses(&states, 30),
        view: [Vector3::x(), Vector3::y()],
        marks: vec![runner(-0.15), runner(0.15)],
        chart: "Speed along and across the runners, m/s",
        times,
        series: vec![("along", along), ("across", across)],
    };
    let caption = "It starts at 4 m/s to the right, 30° off its runners; friction 0.1 along them, 0.7 across; from above, every 0.5 s";
    keep("sled-on-runners", &strobe.svg("A sled follows its runners", caption));
}
