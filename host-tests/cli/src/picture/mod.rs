//! Pictures of a run: the scene from the side, its energy, the use of friction cones, and the convergence of the
//! hardest step. SVG, or PNG drawn from it.

mod cone;
mod courses;
mod files;
mod frame;
mod outline;
mod push;

pub use cone::{Answers, cone};
pub use courses::courses;
pub use files::{check_creatable, check_writable, save};
pub use frame::frame;

use std::path::Path;

use nalgebra::Vector3;

use crate::rig::frame::Frame;
use crate::rig::history::convergence;
use crate::rig::scene::Scene;
use outline::{outline, pose};
use push::{Push, pushes};
use stiction_pictures::chart::{Chart, Scale};
use stiction_pictures::strip::{self, Moment, Outline};
use stiction_pictures::svg::{Anchor, COLOURS, GREY, INK, Svg};

/// Moments in the strip.
const MOMENTS: usize = 6;

/// The data of a run for its pictures.
pub struct Film {
    title: String,
    outlines: Vec<Outline>,
    /// Centres of mass in body axes.
    centers: Vec<Vector3<f64>>,
    dt: f64,
    frames: u64,
    time: Vec<f64>,
    kinetic: Vec<f64>,
    potential: Vec<f64>,
    /// Energy lost to bounces, to friction, and otherwise: landing, integration error, position correction.
    lost: [Vec<f64>; 3],
    /// Times with the used part of a contact's cone, and with its normal force.
    cone: Vec<(f64, f64)>,
    forces: Vec<(f64, f64)>,
    press: Vec<f64>,
    moments: Vec<Moment>,
    hardest: Option<(f64, Vec<u8>)>,
}

/// Dots, thinned where there are too many.
fn scatter(svg: &mut Svg, chart: &Chart, dots: &[(f64, f64)], colour: &str) {
    let every = (dots.len() / 6000).max(1);
    for (x, y) in dots.iter().step_by(every) {
        svg.disc(chart.place(*x, y.min(chart.y.1)), 1.2, colour, 0.5);
    }
}

impl Film {
    /// An empty picture.
    pub fn new(title: &str, scene: &Scene) -> Self {
        let frames = scene.frames().unwrap_or(0);
        Film {
            title: title.into(),
            outlines: scene.bodies.iter().map(|body| outline(&body.shape)).collect(),
            centers: scene
                .bodies
                .iter()
                .map(|body| body.solid().map_or_else(|_| Default::default(), |s| s.center))
                .collect(),
            dt: scene.dt,
            frames,
            time: Vec::new(),
            kinetic: Vec::new(),
            potential: Vec::new(),
            lost: Default::default(),
            cone: Vec::new(),
            forces: Vec::new(),
            press: Vec::new(),
            moments: Vec::new(),
            hardest: None,
        }
    }

    /// Whether no frame was added.
    pub fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// Adds a frame, its solves in full.
    pub fn add(&mut self, frame: &Frame) {
        self.time.push(frame.time);
        self.kinetic.push(frame.report.ledger.kinetic_after);
        self.potential.push(frame.report.ledger.potential_after);
        let ledger = &frame.report.ledger;
        let works = [
            -ledger.bounce,
            -ledger.friction,
            -ledger.normal - ledger.integration - ledger.position_correction - ledger.load,
        ];
        for (series, work) in self.lost.iter_mut().zip(works) {
            series.push(series.last().copied().unwrap_or(0.0) + work);
        }
        for solve in &frame.solves {
            let used = (0..solve.contacts.len()).filter_map(|contact| solve.friction_used(contact));
            self.cone.extend(used.map(|used| (frame.time, used)));
        }
        let pushes = pushes(frame);
        let normals: Vec<f64> = pushes.iter().map(|push| push.normal / self.dt).collect();
        self.press.push(normals.iter().sum());
        self.forces.extend(normals.iter().map(|normal| (frame.time, *normal)));
        self.keep_hardest(frame);
        self.keep_moment(frame, &pushes);
    }

    fn keep_hardest(&mut self, frame: &Frame) {
        let harder = self.hardest.as_ref().is_none_or(|(residual, _)| frame.report.residual > *residual);
        if harder && let Some(solve) = frame.solves.last() {
            self.hardest = Some((frame.report.residual, solve.blocks.clone()));
        }
    }

    fn keep_moment(&mut self, frame: &Frame, pushes: &[Push]) {
        let due = (self.moments.len() as u64 * self.frames.saturating_sub(1)) / (MOMENTS as u64 - 1) + 1;
        if frame.number != due || self.moments.len() >= MOMENTS {
            return;
        }
        self.moments.push(self.moment_of(frame, pushes));
    }

    fn moment(&self, frame: &Frame) -> Moment {
        self.moment_of(frame, &pushes(frame))
    }

    fn moment_of(&self, frame: &Frame, pushes: &[Push]) -> Moment {
        let forces = pushes.iter().filter_map(|push| self.force(frame, push)).collect();
        let joints = frame.joints.iter().map(|joint| joint.anchors).collect();
        Moment { time: frame.time, bodies: frame.bodies.iter().map(pose).collect(), forces, joints }
    }

    /// A contact's approximate position (bodies have moved by a step since) and its mean force over the frame.
    fn force(&self, frame: &Frame, push: &Push) -> Option<(Vector3<f64>, Vector3<f64>)> {
        let body = frame.bodies.get(push.body)?;
        let center = body.position + body.orientation * self.centers.get(push.body)?;
        Some((center - body.linear * self.dt + push.arm, push.impulse / self.dt))
    }

    /// The picture as SVG.
    pub fn svg(&self) -> String {
        let mut svg = Svg::new(1160.0, &self.title);
        svg.text((30.0, 36.0), 22.0, Anchor::Start, INK, &self.title);
        let last = self.time.last().copied().unwrap_or(0.0);
        let caption = format!("{} frames, {last:.2} s, seen from the side; lines are contact forces", self.time.len());
        svg.text((30.0, 58.0), 12.0, Anchor::Start, GREY, &caption);
        let top = 75.0 + strip::draw(&mut svg, (30.0, 75.0, 1100.0, 260.0), &self.outlines, &self.moments) + 50.0;
        self.energy(&mut svg, top);
        self.forces_chart(&mut svg, top);
        self.cones(&mut svg, top + 280.0);
        self.convergence(&mut svg, top + 280.0);
        svg.finish(top + 535.0)
    }

    fn energy(&self, svg: &mut Svg, top: f64) {
        let total: Vec<f64> = self.kinetic.iter().zip(&self.potential).map(|(k, u)| k + u).collect();
        let [bounce, friction, otherwise] = &self.lost;
        let every: Vec<f64> = [&self.kinetic, &self.potential, &total, bounce, friction, otherwise]
            .into_iter()
            .flatten()
            .copied()
            .collect();
        let chart = Chart::over((70.0, top, 380.0, 200.0), &self.time, &every, Scale::Linear);
        chart.axes(svg, "Energy, J", "s");
        let named = [
            ("total", &total),
            ("kinetic", &self.kinetic),
            ("potential", &self.potential),
            ("lost to friction", friction),
            ("lost in bounces", bounce),
            ("lost otherwise", otherwise),
        ];
        let colours = [INK, COLOURS[0], COLOURS[2], COLOURS[1], COLOURS[3], COLOURS[4]];
        for ((_, series), colour) in named.iter().zip(colours) {
            chart.series(svg, &self.time, series, colour);
        }
        let legend: Vec<(&str, &str)> = named.iter().map(|(name, _)| *name).zip(colours).collect();
        chart.legend(svg, &legend);
    }

    fn forces_chart(&self, svg: &mut Svg, top: f64) {
        let chart = Chart::over((660.0, top, 440.0, 200.0), &self.time, &self.press, Scale::Linear);
        chart.axes(svg, "Normal force, N: every contact, and all together", "s");
        scatter(svg, &chart, &self.forces, COLOURS[1]);
        chart.series(svg, &self.time, &self.press, COLOURS[0]);
    }

    fn cones(&self, svg: &mut Svg, top: f64) {
        let chart = Chart {
            area: (70.0, top, 440.0, 200.0),
            x: self.span(),
            y: (0.0, 1.08),
            scale: Scale::Linear,
            x_scale: Scale::Linear,
        };
        chart.axes(svg, "Friction used, of what the cone allows (1 slides)", "s");
        scatter(svg, &chart, &self.cone, COLOURS[1]);
    }

    fn span(&self) -> (f64, f64) {
        match (self.time.first(), self.time.last()) {
            (Some(first), Some(last)) if last > first => (*first, *last),
            _ => (0.0, 1.0),
        }
    }

    fn convergence(&self, svg: &mut Svg, top: f64) {
        let area = (660.0, top, 440.0, 200.0);
        let hardest = self.hardest.as_ref().and_then(|(_, blocks)| convergence(blocks).ok());
        let (solve, history) = hardest.unwrap_or_default();
        let residual = |at: &usize| solve.reports[*at].numbers[0];
        let worst = (0..solve.reports.len()).max_by(|one, other| residual(one).total_cmp(&residual(other)));
        let of_worst = history.iter().filter(|at| Some(at.island) == worst);
        let (xs, ys): (Vec<f64>, Vec<f64>) = of_worst.map(|at| (f64::from(at.sweeps), at.residual)).unzip();
        let chart = Chart::over(area, &xs, &ys, Scale::Logarithmic);
        chart.axes(svg, "The hardest step: relative residual after so many sweeps", "sweeps");
        chart.series(svg, &xs, &ys, COLOURS[0]);
        for (x, y) in xs.iter().zip(&ys) {
            svg.disc(chart.place(*x, *y), 2.5, COLOURS[0], 1.0);
        }
    }

    /// Writes the picture; the extension says which kind.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        save(&self.svg(), path)
    }
}
