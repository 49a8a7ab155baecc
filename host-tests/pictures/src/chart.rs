//! Axes, and series on them.

use crate::svg::{Anchor, FAINT, GREY, INK, Svg};

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Linear.
    Linear,
    /// Logarithmic.
    Logarithmic,
}

/// A chart's position and axes.
pub struct Chart {
    /// x, y, width, height in pixels, of the plotting area.
    pub area: (f64, f64, f64, f64),
    /// Smallest and largest x.
    pub x: (f64, f64),
    /// Smallest and largest y.
    pub y: (f64, f64),
    /// Scale of y.
    pub scale: Scale,
    /// Scale of x: where logarithmic, its values are exponents.
    pub x_scale: Scale,
}

/// A step of 1, 2 or 5 times a power of ten that divides a length into about `parts`.
fn round_step(length: f64, parts: f64) -> f64 {
    let rough = length / parts;
    let power = 10f64.powf(rough.log10().floor());
    let factor = rough / power;
    power
        * if factor < 1.5 {
            1.0
        } else if factor < 3.5 {
            2.0
        } else if factor < 7.5 {
            5.0
        } else {
            10.0
        }
}

fn label(value: f64, step: f64) -> String {
    let value = if value.abs() < 1e-9 * step { 0.0 } else { value };
    let digits = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
    if value.abs() >= 1e5 || (step < 1e-6) { format!("{value:.0e}") } else { format!("{value:.digits$}") }
}

impl Chart {
    /// A chart over values; ranges that are empty are widened.
    pub fn over(area: (f64, f64, f64, f64), xs: &[f64], ys: &[f64], scale: Scale) -> Self {
        let range = |values: &[f64]| {
            let low = values.iter().copied().filter(|v| v.is_finite()).fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().filter(|v| v.is_finite()).fold(f64::NEG_INFINITY, f64::max);
            if low < high {
                (low, high)
            } else if low.is_finite() {
                (low - 0.5, high + 0.5)
            } else {
                (0.0, 1.0)
            }
        };
        let mut y = range(ys);
        if scale == Scale::Linear {
            let margin = 0.05 * (y.1 - y.0);
            y = (if y.0 < 0.0 { y.0 - margin } else { y.0.min(0.0) }, y.1 + margin);
        } else {
            y = (10f64.powf(y.0.max(1e-18).log10().floor()), 10f64.powf(y.1.max(1e-17).log10().ceil()));
        }
        Chart { area, x: range(xs), y, scale, x_scale: Scale::Linear }
    }

    /// A value's position in the picture.
    pub fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let (left, top, width, height) = self.area;
        let along = (x - self.x.0) / (self.x.1 - self.x.0);
        let up = match self.scale {
            Scale::Linear => (y - self.y.0) / (self.y.1 - self.y.0),
            Scale::Logarithmic => (y.max(self.y.0).log10() - self.y.0.log10()) / (self.y.1.log10() - self.y.0.log10()),
        };
        (left + along * width, top + height - up * height)
    }

    /// Title, grid, ticks and the names of both axes.
    pub fn axes(&self, svg: &mut Svg, title: &str, x_name: &str) {
        let (left, top, width, height) = self.area;
        self.title(svg, title);
        let powers = self.x_scale == Scale::Logarithmic;
        let step = if powers { 1.0 } else { round_step(self.x.1 - self.x.0, 6.0) };
        let mut x = (self.x.0 / step).ceil() * step;
        while x <= self.x.1 + 1e-9 * step {
            let (px, _) = self.place(x, self.y.0);
            svg.line(&[(px, top), (px, top + height)], FAINT, 1.0);
            svg.text(
                (px, top + height + 16.0),
                11.0,
                Anchor::Middle,
                GREY,
                &if powers { label(10f64.powf(x), 1.0) } else { label(x, step) },
            );
            x += step;
        }
        self.y_axis(svg);
        svg.text((left + width, top + height + 31.0), 11.0, Anchor::End, GREY, x_name);
    }

    /// Title, ticks of y, and both axes as lines: the axes of bars.
    pub fn frame(&self, svg: &mut Svg, title: &str) {
        self.title(svg, title);
        self.y_axis(svg);
    }

    fn title(&self, svg: &mut Svg, title: &str) {
        let (left, top, ..) = self.area;
        svg.text((left, top - 12.0), 15.0, Anchor::Start, INK, title);
    }

    fn y_axis(&self, svg: &mut Svg) {
        let (left, top, width, height) = self.area;
        self.y_ticks(svg);
        svg.line(&[(left, top), (left, top + height), (left + width, top + height)], GREY, 1.0);
    }

    fn y_ticks(&self, svg: &mut Svg) {
        let (left, _, width, _) = self.area;
        let mut tick = |y: f64, words: &str| {
            let (_, py) = self.place(self.x.0, y);
            svg.line(&[(left, py), (left + width, py)], FAINT, 1.0);
            svg.text((left - 6.0, py + 4.0), 11.0, Anchor::End, GREY, words);
        };
        match self.scale {
            Scale::Linear => {
                let step = round_step(self.y.1 - self.y.0, 5.0);
                let mut y = (self.y.0 / step).ceil() * step;
                while y <= self.y.1 + 1e-9 * step {
                    tick(y, &label(y, step));
                    y += step;
                }
            }
            Scale::Logarithmic => {
                let (low, high) = (self.y.0.log10().round() as i32, self.y.1.log10().round() as i32);
                let every = ((high - low) / 6).max(1);
                for power in (low..=high).filter(|power| (power - low) % every == 0) {
                    tick(10f64.powi(power), &format!("1e{power}"));
                }
            }
        }
    }

    /// A series of points joined.
    pub fn series(&self, svg: &mut Svg, xs: &[f64], ys: &[f64], colour: &str) {
        let points: Vec<(f64, f64)> =
            xs.iter().zip(ys).filter(|(_, y)| y.is_finite()).map(|(x, y)| self.place(*x, *y)).collect();
        svg.line(&points, colour, 2.0);
    }

    /// Names of series beside their colours, down from the upper right.
    pub fn legend(&self, svg: &mut Svg, names: &[(&str, &str)]) {
        let (left, top, width, _) = self.area;
        for (i, (name, colour)) in names.iter().enumerate() {
            let y = top + 10.0 + 16.0 * i as f64;
            svg.line(&[(left + width + 10.0, y), (left + width + 26.0, y)], colour, 3.0);
            svg.text((left + width + 31.0, y + 4.0), 11.0, Anchor::Start, INK, name);
        }
    }
}
