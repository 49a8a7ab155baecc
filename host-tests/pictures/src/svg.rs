//! The few SVG elements that the pictures are made of.

use std::fmt::Write;

/// Text in a dark colour, lines in grey, series in colours that are distinct for colour-blind readers and in print.
pub const INK: &str = "#1d2733";
/// Axes.
pub const GREY: &str = "#8a949e";
/// Grid.
pub const FAINT: &str = "#e4e8ec";
/// Series.
pub const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b4c9a", "#5b6770"];

/// A picture being drawn. Lengths in pixels, y down.
pub struct Svg {
    width: f64,
    title: String,
    body: String,
}

/// Where text is relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// To the right of it.
    Start,
    /// Centred on it.
    Middle,
    /// To the left of it.
    End,
}

impl Svg {
    /// An empty picture on white. Its title is for screen readers; it is not drawn.
    pub fn new(width: f64, title: &str) -> Self {
        Svg { width, title: plain(title), body: "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n".into() }
    }

    /// A line through points.
    pub fn line(&mut self, points: &[(f64, f64)], colour: &str, width: f64) {
        if points.len() > 1 {
            let list = list(points);
            let _ = writeln!(
                self.body,
                "<polyline points=\"{list}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
                 stroke-linejoin=\"round\" stroke-linecap=\"round\"/>"
            );
        }
    }

    /// A filled shape with an outline.
    pub fn shape(&mut self, points: &[(f64, f64)], fill: &str, opacity: f64, outline: &str) {
        let list = list(points);
        let _ = writeln!(
            self.body,
            "<polygon points=\"{list}\" fill=\"{fill}\" fill-opacity=\"{opacity}\" stroke=\"{outline}\" stroke-width=\"1.2\"/>"
        );
    }

    /// A disc.
    pub fn disc(&mut self, (x, y): (f64, f64), radius: f64, fill: &str, opacity: f64) {
        let _ = writeln!(
            self.body,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius:.2}\" fill=\"{fill}\" fill-opacity=\"{opacity}\" stroke=\"{fill}\"/>"
        );
    }

    /// Text.
    pub fn text(&mut self, (x, y): (f64, f64), size: f64, anchor: Anchor, colour: &str, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let words = plain(words);
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{words}</text>"
        );
    }

    /// Begins a part that is cut off at a rectangle.
    pub fn clip(&mut self, id: &str, (x, y, w, h): (f64, f64, f64, f64)) {
        let _ = writeln!(
            self.body,
            "<clipPath id=\"{id}\"><rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/></clipPath><g clip-path=\"url(#{id})\">"
        );
    }

    /// Ends it.
    pub fn end_clip(&mut self) {
        self.body.push_str("</g>\n");
    }

    /// The file, cut off at a height.
    pub fn finish(self, height: f64) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" \
             font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n<title>{}</title>\n{}</svg>\n",
            self.title,
            self.body,
            w = self.width,
            h = height
        )
    }
}

/// Text with SVG's special characters escaped.
fn plain(words: &str) -> String {
    let words: String = words.chars().filter(|c| !c.is_control()).collect();
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn list(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
}
