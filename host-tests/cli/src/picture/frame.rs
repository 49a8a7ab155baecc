//! A picture of one frame: the scene from the side, impulses contact by contact, and how each part converged.

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

/// Draws a frame. `histories` has one entry for each of its parts.
pub fn frame(title: &str, scene: &Scene, frame: &Frame, histories: &[Vec<Stopped>]) -> String {
    let mut svg = Svg::new(1160.0, title);
    let head = format!("{title}, frame {}", frame.number);
    svg.text((30.0, 36.0), 22.0, Anchor::Start, INK, &head);
    let report = &frame.report;
    let caption = format!(
        "{:.4} s, {} contacts in the end, {} sweeps, residual {:.1e}; lines are mean contact forces, seen from the side",
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

/// Normal impulses as bars, friction as a darker part of them, coloured by state; a line between parts of the frame.
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
    let mut end = 0;
    for (part, solve) in frame.solves.iter().enumerate() {
        end += solve.contacts.len();
        let (x, y) = chart.place(end as f64, 0.0);
        if end < contacts.len() {
            svg.line(&[(x, y), (x, y - 200.0)], GREY, 0.7);
        }
        if !solve.contacts.is_empty() && frame.solves.len() > 1 {
            svg.text((x - 2.0, y + 16.0), 10.0, Anchor::End, GREY, &format!("part {}", part + 1));
        }
    }
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

/// Histories that have a name beside the chart.
const NAMED: usize = 8;

fn convergence(svg: &mut Svg, top: f64, histories: &[Vec<Stopped>]) {
    let islands = histories.iter().enumerate().flat_map(|(part, history)| {
        let islands = history.chunk_by(|one, other| one.island == other.island);
        islands.map(move |island| (format!("part {}, island {}", part + 1, island[0].island), island))
    });
    let lines: Vec<(String, Vec<f64>, Vec<f64>)> = islands
        .map(|(name, island)| {
            let (xs, ys) = island.iter().map(|at| (f64::from(at.stop), at.residual.max(1e-17))).unzip();
            (name, xs, ys)
        })
        .collect();
    let xs: Vec<f64> = lines.iter().flat_map(|(_, xs, _)| xs.clone()).collect();
    let ys: Vec<f64> = lines.iter().flat_map(|(.., ys)| ys.clone()).collect();
    let chart = Chart::over((660.0, top, 340.0, 200.0), &xs, &ys, Scale::Logarithmic);
    chart.axes(svg, "Relative residual when stopped at this check", "check");
    // The first colours are those of states.
    let colours = COLOURS.iter().rev().cycle();
    for ((_, xs, ys), colour) in lines.iter().zip(colours.clone()) {
        chart.series(svg, xs, ys, colour);
        xs.iter().zip(ys).for_each(|(x, y)| svg.disc(chart.place(*x, *y), 2.5, colour, 1.0));
    }
    let names: Vec<(&str, &str)> =
        lines.iter().map(|(name, ..)| name.as_str()).zip(colours.copied()).take(NAMED).collect();
    chart.legend(svg, &names);
}
