//! One contact in the plane of its normal and its sliding direction: the cone, the impulses with zero normal velocity,
//! Coulomb's solution among them, and the impulse of the common shortcut.

use nalgebra::{Matrix3, Vector3};
use stiction::local::{Block, Cone, exact};

use stiction_pictures::chart::{Chart, Scale};
use stiction_pictures::svg::{Anchor, COLOURS, GREY, INK, Svg};

/// The contact that is drawn: pushing it sideways also lifts it.
const COUPLING: f64 = 0.5;
const MU: f64 = 0.5;
/// It approaches at 1 m/s and slides at 2 m/s.
const FREE: Vector3<f64> = Vector3::new(-1.0, 2.0, 0.0);

/// Results of the two rules: impulses in N s, and the resulting normal velocities, m/s.
#[derive(Debug, Clone, Copy)]
pub struct Answers {
    /// Coulomb's law.
    pub exact: (Vector3<f64>, f64),
    /// Friction solved without its cone, then scaled back.
    pub projection: (Vector3<f64>, f64),
}

fn contact() -> (Matrix3<f64>, Answers, Vector3<f64>) {
    let k = Matrix3::new(1.0, COUPLING, 0.0, COUPLING, 1.0, 0.0, 0.0, 0.0, 1.0);
    let (block, unit) = Block::new(&k);
    let cone = Cone { mu: MU, preload: 0.0 };
    let solved = exact(&block, &cone, &FREE).impulse / unit;
    let unlimited = k.try_inverse().map_or_else(Vector3::zeros, |inverse| -(inverse * FREE));
    let cut = cone.clamp(&unlimited);
    let normal = |x: &Vector3<f64>| (FREE + k * x).x;
    (k, Answers { exact: (solved, normal(&solved)), projection: (cut, normal(&cut)) }, unlimited)
}

/// The picture, and the answers in it.
pub fn cone() -> (String, Answers) {
    let (k, answers, unlimited) = contact();
    let title = "One contact: which impulse is Coulomb's";
    let mut svg = Svg::new(820.0, title);
    svg.text((60.0, 26.0), 16.0, Anchor::Start, INK, title);
    let caption = "It approaches at 1 m/s and slides at 2 m/s; friction 0.5; pushing it sideways also lifts it";
    svg.text((60.0, 44.0), 12.0, Anchor::Start, GREY, caption);
    let mut chart = Chart::over((60.0, 96.0, 560.0, 320.0), &[-3.6, 1.6], &[0.0, 3.0], Scale::Linear);
    chart.y = (0.0, 3.2);
    chart.axes(&mut svg, "normal impulse, N s", "friction impulse, N s");
    let at = |tangent: f64, normal: f64| chart.place(tangent, normal);
    let rim = 1.6 / MU;
    svg.shape(&[at(0.0, 0.0), at(-1.6, rim), at(1.6, rim)], COLOURS[5], 0.25, COLOURS[5]);
    svg.text(at(0.0, 2.95), 12.0, Anchor::Middle, INK, "the cone");
    // Where u_n = 0: x_n = -(free_n + K_nt x_t)/K_nn.
    let closed = |tangent: f64| at(tangent, -(FREE.x + k.m12 * tangent) / k.m11);
    svg.line(&[closed(-3.6), closed(1.6)], GREY, 1.5);
    let (right, low) = closed(1.6);
    for (i, words) in ["u_n = 0:", "neither sinks nor jumps"].iter().enumerate() {
        svg.text((right + 8.0, low + 4.0 + 15.0 * i as f64), 12.0, Anchor::Start, GREY, words);
    }
    let mut dot = |x: &Vector3<f64>, colour: &str, words: &[&str], anchor: Anchor, (right, down): (f64, f64)| {
        let (px, py) = at(x.y, x.x);
        svg.disc((px, py), 5.0, colour, 1.0);
        for (i, words) in words.iter().enumerate() {
            svg.text((px + right, py + down + 15.0 * i as f64), 12.0, anchor, colour, words);
        }
    };
    let frictionless = Vector3::new(-FREE.x / k.m11, 0.0, 0.0);
    let jump = format!("it jumps, u_n = {:.1} m/s", answers.projection.1);
    dot(&unlimited, INK, &["σ = 0: would come to rest,", "had friction no limit"], Anchor::Start, (-20.0, 76.0));
    dot(&frictionless, INK, &["σ → ∞:", "no friction"], Anchor::Start, (6.0, -22.0));
    dot(&answers.exact.0, COLOURS[0], &["exact: on the rim, and u_n = 0"], Anchor::End, (-10.0, 14.0));
    dot(&answers.projection.0, COLOURS[1], &["projection:", &jump], Anchor::Start, (12.0, 4.0));
    (svg.finish(460.0), answers)
}
