//! Flowcharts in a small part of mermaid's language, as SVG: for pages that cannot run a script.
//!
//! ```text
//! flowchart TB
//!     a["first line<br/>second line"]
//!     b(["round ends"])
//!     a -->|words| b
//! ```
//!
//! Nodes are declared before edges, one a line, and edges form no circle. A node is below all that lead to it; an edge
//! over several rows passes through a free place of each.

use crate::svg::{Anchor, COLOURS, GREY, INK, Svg};

/// A box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its name in edges.
    pub id: String,
    /// Its lines of text.
    pub lines: Vec<String>,
    /// Whether its ends are round: data of the caller.
    pub round: bool,
}

/// An arrow, by the positions of its nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// Words beside it, or none.
    pub words: String,
}

/// A chart, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flowchart {
    /// In order of appearance.
    pub nodes: Vec<Node>,
    /// In order of appearance.
    pub edges: Vec<Edge>,
}

/// Width of a character, and height of a line and of a row of boxes, in pixels.
const CHARACTER: f64 = 7.2;
const LINE: f64 = 16.0;
const ROW: f64 = 86.0;
/// Space between neighbours, and half the height over which an edge passes them.
const SPACE: f64 = 26.0;
const PASSING: f64 = 26.0;

impl Flowchart {
    /// Reads a chart.
    ///
    /// # Errors
    /// The first line that is not understood.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        if lines.next() != Some("flowchart TB") {
            return Err("it does not begin with: flowchart TB".into());
        }
        let mut chart = Flowchart { nodes: Vec::new(), edges: Vec::new() };
        for line in lines {
            let understood = match line.split_once("-->") {
                Some((from, rest)) => chart.edge(from.trim(), rest.trim()),
                None => chart.node(line),
            };
            understood.ok_or_else(|| format!("not understood: {line}"))?;
        }
        match chart.rows().iter().max() {
            Some(deepest) if *deepest <= chart.nodes.len() => Ok(chart),
            _ => Err("its edges form a circle, or it is empty".into()),
        }
    }

    fn node(&mut self, line: &str) -> Option<()> {
        let (id, rest) = line.split_once(['[', '('])?;
        let round = rest.starts_with('[');
        let text = rest.trim_start_matches('[').strip_prefix('"')?;
        let text = text.strip_suffix(if round { "\"])" } else { "\"]" })?;
        let is_new = self.position(id).is_none();
        self.nodes.push(Node { id: id.into(), lines: text.split("<br/>").map(String::from).collect(), round });
        is_new.then_some(())
    }

    fn edge(&mut self, from: &str, rest: &str) -> Option<()> {
        let (words, to) = match rest.strip_prefix('|') {
            Some(rest) => rest.split_once('|')?,
            None => ("", rest),
        };
        let edge = Edge { from: self.position(from)?, to: self.position(to.trim())?, words: words.into() };
        self.edges.push(edge);
        Some(())
    }

    fn position(&self, id: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.id == id)
    }

    /// The row of each node, from the top: one below the lowest that leads to it. In a circle rows grow without end,
    /// beyond the number of nodes.
    fn rows(&self) -> Vec<usize> {
        let mut rows = vec![0; self.nodes.len()];
        for _ in 0..=self.nodes.len() {
            for edge in &self.edges {
                rows[edge.to] = rows[edge.to].max(rows[edge.from] + 1);
            }
        }
        rows
    }

    /// Draws it.
    pub fn svg(&self, title: &str) -> String {
        let layout = Layout::of(self);
        let mut svg = Svg::new(layout.width, title);
        for (edge, places) in self.edges.iter().zip(&layout.paths) {
            draw_edge(&mut svg, &layout, edge, places);
        }
        for (node, place) in self.nodes.iter().zip(&layout.places) {
            draw_node(&mut svg, node, place);
        }
        let rows = layout.places.iter().map(|place| place.row).max().unwrap_or(0);
        svg.finish(ROW * (rows as f64 + 1.0) + 10.0)
    }
}

/// Where a node is, or where an edge passes through a row.
#[derive(Debug, Clone, Copy)]
struct Place {
    row: usize,
    /// Its centre.
    x: f64,
    width: f64,
    height: f64,
}

impl Place {
    fn y(&self) -> f64 {
        ROW * (self.row as f64 + 0.5)
    }
}

struct Layout {
    width: f64,
    /// Of nodes first, then of passing edges.
    places: Vec<Place>,
    /// The places of each edge, from its beginning to its end.
    paths: Vec<Vec<usize>>,
}

impl Layout {
    fn of(chart: &Flowchart) -> Self {
        let rows = chart.rows();
        let mut places: Vec<Place> = chart.nodes.iter().zip(&rows).map(|(node, row)| node_place(node, *row)).collect();
        let mut paths = Vec::new();
        for edge in &chart.edges {
            let mut path = vec![edge.from];
            for row in rows[edge.from] + 1..rows[edge.to] {
                path.push(places.len());
                places.push(Place { row, x: 0.0, width: 12.0, height: 0.0 });
            }
            path.push(edge.to);
            paths.push(path);
        }
        let mut layout = Layout { width: 0.0, places, paths };
        layout.arrange();
        layout
    }

    /// Orders each row by the mean position of the neighbours, first downwards, then upwards, a few times.
    fn arrange(&mut self) {
        let count = self.places.iter().map(|place| place.row).max().unwrap_or(0) + 1;
        let mut rows: Vec<Vec<usize>> =
            (0..count).map(|row| (0..self.places.len()).filter(|at| self.places[*at].row == row).collect()).collect();
        let length = |row: &[usize], places: &[Place]| row.iter().map(|at| places[*at].width + SPACE).sum::<f64>();
        self.width = rows.iter().map(|row| length(row, &self.places)).fold(0.0, f64::max) + SPACE;
        rows.iter().for_each(|row| self.spread(row));
        for round in 0..8 {
            let order: Vec<usize> = if round % 2 == 0 { (0..count).collect() } else { (0..count).rev().collect() };
            for row in order {
                let mut sorted: Vec<(f64, usize)> = rows[row].iter().map(|at| (self.pull(*at), *at)).collect();
                sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
                rows[row] = sorted.into_iter().map(|(_, at)| at).collect();
                self.spread(&rows[row]);
            }
        }
    }

    /// Mean position of the places that a place is joined to; its own where it is alone.
    fn pull(&self, at: usize) -> f64 {
        let joined = self.paths.iter().flat_map(|path| path.windows(2)).filter_map(|pair| match pair {
            [a, b] if *a == at => Some(self.places[*b].x),
            [a, b] if *b == at => Some(self.places[*a].x),
            _ => None,
        });
        let joined: Vec<f64> = joined.collect();
        if joined.is_empty() { self.places[at].x } else { joined.iter().sum::<f64>() / joined.len() as f64 }
    }

    /// Places a row from the left to the right, centred.
    fn spread(&mut self, row: &[usize]) {
        let length: f64 = row.iter().map(|at| self.places[*at].width + SPACE).sum();
        let mut x = 0.5 * (self.width - length);
        for at in row {
            let place = &mut self.places[*at];
            place.x = x + 0.5 * (place.width + SPACE);
            x += place.width + SPACE;
        }
    }
}

fn node_place(node: &Node, row: usize) -> Place {
    let longest = node.lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    Place { row, x: 0.0, width: CHARACTER * longest as f64 + 20.0, height: LINE * node.lines.len() as f64 + 14.0 }
}

fn draw_node(svg: &mut Svg, node: &Node, place: &Place) {
    let (half_width, half_height) = (0.5 * place.width, 0.5 * place.height);
    let (x, y) = (place.x, place.y());
    let cut = if node.round { 0.45 * place.height } else { 4.0 };
    let (left, right, top, bottom) = (x - half_width, x + half_width, y - half_height, y + half_height);
    let corners = [
        (left + cut, top),
        (right - cut, top),
        (right, top + cut),
        (right, bottom - cut),
        (right - cut, bottom),
        (left + cut, bottom),
        (left, bottom - cut),
        (left, top + cut),
    ];
    svg.shape(&corners, "#ffffff", 1.0, if node.round { COLOURS[1] } else { COLOURS[0] });
    let first = y - 0.5 * LINE * (node.lines.len() as f64 - 1.0) + 4.0;
    for (at, line) in node.lines.iter().enumerate() {
        svg.text((x, first + LINE * at as f64), 12.0, Anchor::Middle, if at == 0 { INK } else { GREY }, line);
    }
}

/// An arrow from the lower side of a node to the upper side of another.
fn draw_edge(svg: &mut Svg, layout: &Layout, edge: &Edge, places: &[usize]) {
    let ends = [places[0], places[places.len() - 1]].map(|at| layout.places[at]);
    let mut points = vec![(ends[0].x, ends[0].y() + 0.5 * ends[0].height)];
    // Straight down between the boxes of a row.
    for passed in places[1..places.len() - 1].iter().map(|at| layout.places[*at]) {
        points.extend([-PASSING, PASSING].map(|way| (passed.x, passed.y() + way)));
    }
    points.push((ends[1].x, ends[1].y() - 0.5 * ends[1].height));
    let last = points.len() - 1;
    svg.line(&points, GREY, 1.4);
    let (tip, before) = (points[last], points[last - 1]);
    let length = (tip.0 - before.0).hypot(tip.1 - before.1);
    let (dx, dy) = ((tip.0 - before.0) / length, (tip.1 - before.1) / length);
    let side = |sign: f64| (tip.0 - 9.0 * dx - sign * 4.0 * dy, tip.1 - 9.0 * dy + sign * 4.0 * dx);
    svg.shape(&[tip, side(1.0), side(-1.0)], GREY, 1.0, GREY);
    if !edge.words.is_empty() {
        let (begin, end) = (points[0], points[1]);
        let (anchor, way) = if end.0 < begin.0 { (Anchor::End, -8.0) } else { (Anchor::Start, 8.0) };
        svg.text((0.5 * (begin.0 + end.0) + way, 0.5 * (begin.1 + end.1) + 4.0), 11.0, anchor, INK, &edge.words);
    }
}
