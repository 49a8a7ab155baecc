//! A picture of one frame: the scene from the side, impulses contact by contact, and how each step converged.

use crate::rig::frame::Frame;
use crate::rig::history::Stopped;
use crate::rig::scene::Scene;
use crate::words::recorded_state;
use stiction_pictures::chart::{Chart, Scale};
use stiction_pictures::strip;
use stiction_pictures::svg::{Anchor, COLOURS, GREY, INK, Svg};

use super::Film;

/// States of contacts and their colours.
const STATES: [(&str, &str); 4] =
    [("stick", COLOURS[0]), ("slide", COLOURS[1]), ("frictionless", COLOURS[2]), ("open", GREY)];

/// Draws a frame. `histories` has one entry for each of its steps.
pub fn frame(title: &str, scene: &Scene, frame: &Frame, histories: &[Vec<Stopped>]) -> String {
    let mut svg = Svg::new(1160.0, title);
    let head = format!("{title}, frame {}", frame.number);
    svg.text((30.0, 36.0), 22.0, Anchor::Start, INK, &head);
    let report = &frame.report;
    let caption = format!(
        "{:.4} s, {} contacts, {} sweeps, residual {:.1e}; lines are mean contact forces, seen from the side",
        frame.time, report.contacts, report.sweeps, report.residual
    );
    svg.text((30.0, 58.0), 12.0, Anchor::Start, GREY, &caption);
    let film = Film::new(title, scene);
    let moment = film.moment(frame);
    let top = 75.0 + strip::draw(&mut svg, (30.0, 75.0, 1100.0, 420.0), &film.outlines, &[moment]) + 50.0;
    impulses(&mut svg, top, frame);
    convergence(&mut svg, top, histories);
    svg.finish(top + 255.0)
}

/// Normal impulses as bars, friction as a darker part of them, coloured by state.
fn impulses(svg: &mut Svg, top: f64, frame: &Frame) {
    let contacts: Vec<_> = frame.solves.iter().flat_map(|solve| &solve.contacts).collect();
    let largest = contacts.iter().map(|contact| contact.numbers[3]).fold(0.0, f64::max);
    let count = contacts.len().max(1) as f64;
    let chart = Chart {
        area: (70.0, top, 380.0, 200.0),
        x: (0.0, count),
        y: (0.0, if largest > 0.0 { 1.05 * largest } else { 1.0 }),
        scale: Scale::Linear,
        x_scale: Scale::Linear,
    };
    chart.frame(svg, "Impulse of each contact, N s: normal, and friction in it");
    for (at, contact) in contacts.iter().enumerate() {
        let [_, _, mu, normal, _, t1, t2] = contact.numbers;
        let state = recorded_state(contact.state, mu);
        let colour = STATES.iter().find(|(name, _)| *name == state).map_or(INK, |(_, colour)| colour);
        for (height, opacity) in [(normal, 0.35), (t1.hypot(t2), 0.9)] {
            let (left, right) = (at as f64 + 0.15, at as f64 + 0.85);
            let corners = [(left, 0.0), (right, 0.0), (right, height), (left, height)].map(|(x, y)| chart.place(x, y));
            svg.shape(&corners, colour, opacity, "none");
        }
    }
    chart.legend(svg, &STATES);
}

fn convergence(svg: &mut Svg, top: f64, histories: &[Vec<Stopped>]) {
    // Steps without contacts answer at once.
    let lines: Vec<(Vec<f64>, Vec<f64>)> = histories
        .iter()
        .filter(|history| history.len() > 1)
        .map(|history| history.iter().enumerate().map(|(at, s)| ((at + 1) as f64, s.residual.max(1e-17))).unzip())
        .collect();
    let xs: Vec<f64> = lines.iter().flat_map(|(xs, _)| xs.clone()).collect();
    let ys: Vec<f64> = lines.iter().flat_map(|(_, ys)| ys.clone()).collect();
    let chart = Chart::over((660.0, top, 440.0, 200.0), &xs, &ys, Scale::Logarithmic);
    chart.axes(svg, "Relative residual when stopped at this check, each step", "check");
    for ((xs, ys), colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        chart.series(svg, xs, ys, colour);
        xs.iter().zip(ys).for_each(|(x, y)| svg.disc(chart.place(*x, *y), 2.5, colour, 1.0));
    }
}
