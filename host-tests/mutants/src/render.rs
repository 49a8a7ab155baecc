//! A file with all its mutants, each behind a test of the switch.
//!
//! No operand is written twice, so nesting costs nothing, and none is evaluated twice or in another order.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::list::Mutant;
use crate::sites::{Shape, Site};

/// Which mutant or site a piece of text was written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The one mutant of this number.
    Mutant(usize),
    /// The site whose first mutant has this number.
    Site(usize),
}

/// A rewritten file.
#[derive(Debug, Default)]
pub struct Rewritten {
    /// Its text.
    pub text: String,
    /// Which parts of it were written for which mutants; inner ones first.
    pub marks: Vec<(Range<usize>, Mark)>,
}

impl Rewritten {
    /// The innermost mark around a byte.
    pub fn mark_at(&self, byte: usize) -> Option<Mark> {
        let around = self.marks.iter().filter(|(range, _)| range.contains(&byte));
        around.min_by_key(|(range, _)| range.len()).map(|(_, mark)| *mark)
    }

    fn marked(&mut self, mark: Mark, write: impl FnOnce(&mut Self)) {
        let start = self.text.len();
        write(self);
        self.marks.push((start..self.text.len(), mark));
    }

    fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

/// Renders files.
pub struct Renderer<'a> {
    /// The original text.
    pub source: &'a str,
    /// Outer before inner, in order.
    pub sites: &'a [Site],
    /// Of the whole list.
    pub mutants: &'a [Mutant],
    /// Left out: they do not compile.
    pub dropped: &'a BTreeSet<usize>,
}

impl Renderer<'_> {
    /// The whole file.
    pub fn file(&self) -> Rewritten {
        let mut out = Rewritten::default();
        self.range(0..self.source.len(), self.sites, &mut out);
        out
    }

    /// A range of the source. `sites` are those that may lie in it.
    fn range(&self, range: Range<usize>, sites: &[Site], out: &mut Rewritten) {
        let mut at = range.start;
        for (i, site) in sites.iter().enumerate() {
            if site.span.start < at || site.span.end > range.end {
                continue;
            }
            out.write(&self.source[at..site.span.start]);
            let rest = &sites[i + 1..];
            if site.mutants.iter().all(|n| self.dropped.contains(n)) {
                // Sites within begin where this one does, or later.
                at = site.span.start;
                continue;
            }
            out.marked(Mark::Site(site.mutants[0]), |out| self.site(site, rest, out));
            at = site.span.end;
        }
        out.write(&self.source[at..range.end]);
    }

    fn site(&self, site: &Site, rest: &[Site], out: &mut Rewritten) {
        match &site.shape {
            Shape::Arithmetic { left, right, operator } => {
                self.between(["(match (", ", ", ") { (l__, r__) => "], [left, right], rest, out);
                self.choice(site, out, |op| format!("l__ {op} r__"), &self.source[operator.clone()]);
                out.write(" })");
            }
            Shape::Comparison { left, right, operator } => {
                self.between(["(match (&(", "), &(", ")) { (l__, r__) => "], [left, right], rest, out);
                self.choice(site, out, |op| format!("*l__ {op} *r__"), &self.source[operator.clone()]);
                out.write(" })");
            }
            Shape::Logic { left, right, and } => {
                let question = format!("; if l__ {} {} {{ ", if *and { "!=" } else { "==" }, self.on(site.mutants[0]));
                self.between(["({ let l__: bool = ", &question, " } else { l__ } })"], [left, right], rest, out);
            }
            Shape::Assignment { left, right, operator } => {
                self.between(["({ let r__ = ", "; let l__ = &mut (", "); "], [right, left], rest, out);
                self.choice(site, out, |op| format!("*l__ {op} r__"), &self.source[operator.clone()]);
                out.write(" })");
            }
            Shape::Unary { operand, operator } => {
                out.write("(match ");
                self.range(operand.clone(), rest, out);
                let (on, operator) = (self.on(site.mutants[0]), &self.source[operator.clone()]);
                out.write(&format!(" {{ v__ => if {on} {{ v__ }} else {{ {operator}v__ }} }})"));
            }
            Shape::Body => self.returns(site, out),
            Shape::Arm => out.write(&format!(" if !{}", self.on(site.mutants[0]))),
            Shape::Guard { arm } => self.guard(site, *arm, rest, out),
            Shape::Structure { fields, base } => {
                out.write("(match (");
                self.range(site.span.clone(), rest, out);
                out.write(") { mut s__ => { ");
                self.fields(site, fields, &self.source[base.clone()], out);
                out.write("s__ } })");
            }
            // Dropped from the start.
            Shape::Binding => {}
        }
    }

    fn fields(&self, site: &Site, fields: &[String], base: &str, out: &mut Rewritten) {
        for (field, number) in fields.iter().zip(&site.mutants).filter(|(_, n)| !self.dropped.contains(n)) {
            let on = self.on(*number);
            let line = format!("if {on} {{ s__.{field} = crate::mutant::like(&s__, {base}).{field}; }} ");
            out.marked(Mark::Mutant(*number), |out| out.write(&line));
        }
    }

    /// Two ranges, with text before, between and after.
    fn between(&self, text: [&str; 3], ranges: [&Range<usize>; 2], rest: &[Site], out: &mut Rewritten) {
        out.write(text[0]);
        self.range(ranges[0].clone(), rest, out);
        out.write(text[1]);
        self.range(ranges[1].clone(), rest, out);
        out.write(text[2]);
    }

    /// One of several operators, chosen at run time.
    fn choice(&self, site: &Site, out: &mut Rewritten, with: impl Fn(&str) -> String, original: &str) {
        out.write(&format!("match crate::mutant::at({}) {{ ", site.mutants[0]));
        for (choice, number) in site.mutants.iter().enumerate() {
            if !self.dropped.contains(number) {
                let value = with(&self.mutants[*number].replacement);
                out.marked(Mark::Mutant(*number), |out| out.write(&format!("{choice} => {value}, ")));
            }
        }
        out.write(&format!("_ => {} }}", with(original)));
    }

    fn returns(&self, site: &Site, out: &mut Rewritten) {
        for number in &site.mutants {
            if !self.dropped.contains(number) {
                let value = &self.mutants[*number].replacement;
                let line = format!(" if {} {{ return {value}; }}", self.on(*number));
                out.marked(Mark::Mutant(*number), |out| out.write(&line));
            }
        }
    }

    fn guard(&self, site: &Site, arm: bool, rest: &[Site], out: &mut Rewritten) {
        if arm {
            out.write(&format!("!{} && (", self.on(site.mutants[0])));
            self.range(site.span.clone(), rest, out);
            out.write(")");
            return;
        }
        out.write("(match ");
        out.write(&format!("crate::mutant::at({}) {{ ", site.mutants[0]));
        for (choice, number) in site.mutants.iter().enumerate() {
            out.write(&format!("{choice} => {}, ", self.mutants[*number].replacement));
        }
        out.write("_ => ");
        self.range(site.span.clone(), rest, out);
        out.write(" })");
    }

    fn on(&self, number: usize) -> String {
        format!("crate::mutant::on({number})")
    }
}
