//! The `.rfc3d` format: one contact problem with sliding and rolling friction in Delassus form, as text.
//!
//! ```text
//! RFC3D-TEXT 1
//! # comment lines start with '#', blank lines are ignored
//! contacts NC
//! mu   NC numbers        sliding coefficient of each contact
//! mu_r NC numbers        rolling coefficient of each contact, m
//! q
//! NC lines of 5 numbers  free velocity of each contact along n, t1, t2 and about t1, t2
//! blocks NB
//! NB lines: I J and 25 numbers: block (I, J) of W, row by row
//! end
//! ```
//!
//! Blocks are in order of I, then J, and the diagonal block is always there. They are not exactly symmetric, and are used
//! as they are.

use nalgebra::{Matrix3, Matrix5, Vector3, Vector5};
use stiction::{Delassus, InputError, InputField, Real, SixRows, Surface};

/// A problem as stored, in double precision.
#[derive(Debug, Clone, PartialEq)]
pub struct Rfc3d {
    /// Sliding coefficients.
    pub mu: Vec<f64>,
    /// Rolling coefficients, m.
    pub mu_r: Vec<f64>,
    /// Free velocities along `n, t1, t2` and about `t1, t2`.
    pub q: Vec<Vector5<f64>>,
    /// Blocks of `W`, row by row.
    pub blocks: Vec<Matrix5<f64>>,
    /// Where each block row starts.
    pub row_starts: Vec<usize>,
    /// Block column of each block.
    pub columns: Vec<usize>,
}

/// The residuals that the scorer of these problems computes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RollingResiduals {
    /// Natural map at step 1 in the problem's own units, over the largest of ‖q‖, ‖x‖ and ‖u‖: the figure of Siconos.
    pub siconos: f64,
    /// The same over ‖q‖.
    pub natural_rel_q: f64,
    /// The same map with moments and angular velocities in units of impulses and velocities, at 1 over the mean of the
    /// diagonal, over ‖q‖ in that unit.
    pub unit_rel_q: f64,
}

/// The lines of a file that are not blank and not comments.
struct Lines<'a> {
    lines: std::str::Lines<'a>,
}

/// A line: the words after its name.
type Words<'a> = std::str::SplitWhitespace<'a>;

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<Words<'a>> {
        let is_content = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        self.lines.find(is_content).map(str::split_whitespace)
    }

    /// The words of a line that begins with a name.
    fn named(&mut self, name: &str) -> Result<Words<'a>, String> {
        let mut words = self.next().ok_or_else(|| format!("{name}: missing, the file ends before it"))?;
        let word = words.next().unwrap_or_default();
        if word == name { Ok(words) } else { Err(format!("{name}: missing, {} is in its place", shown(word))) }
    }

    /// A line with a name and a count.
    fn count(&mut self, name: &str) -> Result<usize, String> {
        let mut words = self.named(name)?;
        let count = index(name, words.next())?;
        no_more(name, words)?;
        Ok(count)
    }

    /// A line with a name and numbers, one for each contact.
    fn column(&mut self, name: &str, count: usize) -> Result<Vec<f64>, String> {
        let words = self.named(name)?;
        let numbers: Vec<f64> =
            words.enumerate().map(|(i, word)| number(|| format!("{name}[{i}]"), word)).collect::<Result<_, _>>()?;
        if numbers.len() == count {
            Ok(numbers)
        } else {
            Err(format!("{name}: {} numbers for {count} contacts", numbers.len()))
        }
    }
}

/// A word of the input in a message: in quotation marks, on one line, not long.
fn shown(word: &str) -> String {
    const LONGEST: usize = 40;
    let start: String = word.chars().take(LONGEST).collect();
    let dots = if start.len() < word.len() { "…" } else { "" };
    format!("{:?}", start + dots)
}

fn number(field: impl Fn() -> String, word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(format!("{}: {}, must be a finite number", field(), shown(word))),
        Err(_) => Err(format!("{}: {} is not a number", field(), shown(word))),
    }
}

/// Exactly `N` numbers.
fn numbers<const N: usize>(field: impl Fn() -> String, words: Words<'_>) -> Result<[f64; N], String> {
    let read: Vec<f64> = words.map(|word| number(&field, word)).collect::<Result<_, _>>()?;
    let count = read.len();
    read.try_into().map_err(|_| format!("{}: {count} numbers, must be {N}", field()))
}

fn index(field: &str, word: Option<&str>) -> Result<usize, String> {
    let word = word.ok_or_else(|| format!("{field}: a number is missing"))?;
    // 32 bits: the kernel's row starts have no more.
    let number = word.parse::<u32>().map_err(|_| format!("{field}: {} is not a count or an index", shown(word)))?;
    Ok(number as usize)
}

fn no_more(field: &str, mut words: Words<'_>) -> Result<(), String> {
    words.next().map_or(Ok(()), |word| Err(format!("{field}: {} is too much", shown(word))))
}

impl Rfc3d {
    /// Reads a problem; the error is one line that names the field.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| format!("text: not UTF-8: {error}"))?;
        let mut lines = Lines { lines: text.lines() };
        if !lines.next().is_some_and(|words| words.eq(["RFC3D-TEXT", "1"])) {
            return Err("header: the file does not begin with RFC3D-TEXT 1".into());
        }
        let contacts = lines.count("contacts")?;
        let mu = lines.column("mu", contacts)?;
        let mu_r = lines.column("mu_r", contacts)?;
        no_more("q", lines.named("q")?)?;
        // The count alone reserves no memory: it may be anything. Here the columns above are as long.
        let mut q = Vec::with_capacity(mu.len());
        for i in 0..contacts {
            let words = lines.next().ok_or_else(|| format!("q[{i}]: missing, there are {contacts} contacts"))?;
            q.push(Vector5::from(numbers(|| format!("q[{i}]"), words)?));
        }
        let mut problem = Rfc3d { mu, mu_r, q, blocks: Vec::new(), row_starts: vec![0], columns: Vec::new() };
        let count = lines.count("blocks")?;
        let mut last = None;
        for k in 0..count {
            let words = lines.next().ok_or_else(|| format!("blocks[{k}]: missing, there are {count}"))?;
            last = Some(problem.push_block(k, last, words)?);
        }
        problem.row_starts.resize(contacts + 1, count);
        problem.check_diagonal()?;
        no_more("end", lines.named("end")?)?;
        match lines.next() {
            None => Ok(problem),
            Some(_) => Err("end: there is more text after it".into()),
        }
    }

    /// Adds the block of a line, which must stand after the last one; returns its row and column.
    fn push_block(
        &mut self,
        k: usize,
        last: Option<(usize, usize)>,
        mut words: Words<'_>,
    ) -> Result<(usize, usize), String> {
        let field = format!("blocks[{k}]");
        let (row, column) = (index(&field, words.next())?, index(&field, words.next())?);
        for word in [row, column] {
            if word >= self.len() {
                return Err(format!("{field}: contact {word} does not exist, there are {}", self.len()));
            }
        }
        if last.is_some_and(|last| (row, column) <= last) {
            return Err(format!("{field}: ({row}, {column}) is out of order"));
        }
        let entries: [f64; 25] = numbers(|| format!("{field} ({row}, {column})"), words)?;
        self.row_starts.resize(row + 1, k);
        self.columns.push(column);
        self.blocks.push(Matrix5::from_row_slice(&entries));
        Ok((row, column))
    }

    fn check_diagonal(&self) -> Result<(), String> {
        let missing = (0..self.len()).find(|i| !self.row(*i).any(|(column, _)| column == *i));
        missing.map_or(Ok(()), |i| Err(format!("blocks: the diagonal block ({i}, {i}) is missing")))
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// Columns and blocks of a block row.
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, &Matrix5<f64>)> {
        let range = self.row_starts[i]..self.row_starts[i + 1];
        self.columns[range.clone()].iter().copied().zip(&self.blocks[range])
    }

    /// The kernel's block rows, rounded to a precision.
    pub fn block_rows<T: Real>(&self) -> BlockRows<T> {
        BlockRows::new(self)
    }

    /// Residuals of impulses along `n, t1, t2` and moments about `t1, t2`, in double precision on the problem as stored.
    pub fn published_residuals(&self, x: &[Vector5<f64>]) -> RollingResiduals {
        let (mut own, mut unit, mut q_unit) = (0.0, 0.0, 0.0);
        let (mut q_own, mut x_square, mut u_square) = (0.0, 0.0, 0.0);
        for (i, q) in self.q.iter().enumerate() {
            let u: Vector5<f64> = q + self.row(i).map(|(column, block)| block * x[column]).sum::<Vector5<f64>>();
            let diagonal = self.row(i).find(|(column, _)| *column == i).map_or_else(Vector5::zeros, |k| k.1.diagonal());
            let (mu, mu_r) = (self.mu[i], self.mu_r[i]);
            own += natural_map(&x[i], &u, mu, mu_r, 1.0).norm_squared();
            let length = ((diagonal[1] + diagonal[2]) / (diagonal[3] + diagonal[4])).sqrt();
            // A contact that no moment turns has no length. Its velocities about the tangents stay as they are.
            let length = if length.is_finite() && length > 0.0 { length } else { 1.0 };
            let units = Vector5::new(1.0, 1.0, 1.0, length, length);
            let size = diagonal.component_mul(&units).dot(&units) / 5.0;
            let (impulse, velocity) = (x[i].component_div(&units), u.component_mul(&units));
            unit += (natural_map(&impulse, &velocity, mu, mu_r / length, 1.0 / size) * size).norm_squared();
            q_unit += q.component_mul(&units).norm_squared();
            q_own += q.norm_squared();
            x_square += x[i].norm_squared();
            u_square += u.norm_squared();
        }
        let relative = |square: f64, to: f64| if square > 0.0 { (square / to).sqrt() } else { square };
        RollingResiduals {
            siconos: relative(own, q_own.max(x_square).max(u_square)),
            natural_rel_q: relative(own, q_own),
            unit_rel_q: relative(unit, q_unit),
        }
    }
}

/// Nearest point of `{ x : x_n ≥ 0, ‖x_t‖ ≤ μ x_n, ‖x_r‖ ≤ μ_r x_n }`.
///
/// The squared distance is convex and piecewise quadratic in `x_n`: its minimum is that of the piece in which the bounds
/// that it exceeds are those that the point exceeds.
pub fn project(z: &Vector5<f64>, mu: f64, mu_r: f64) -> Vector5<f64> {
    let (slide, roll) = (z[1].hypot(z[2]), z[3].hypot(z[4]));
    // The bound that is exceeded up to the larger normal impulse comes first.
    let mut parts = [(slide, mu), (roll, mu_r)];
    if slide * mu_r < roll * mu {
        parts.swap(0, 1);
    }
    let (mut sum, mut weight) = (z[0], 1.0);
    for (length, coefficient) in parts {
        if length > coefficient * (sum / weight) {
            sum += coefficient * length;
            weight += coefficient * coefficient;
        }
    }
    let normal = sum / weight;
    if normal <= 0.0 {
        return Vector5::zeros();
    }
    let shrink = |length: f64, radius: f64| if length > radius { radius / length } else { 1.0 };
    let (slide, roll) = (shrink(slide, mu * normal), shrink(roll, mu_r * normal));
    Vector5::new(normal, z[1] * slide, z[2] * slide, z[3] * roll, z[4] * roll)
}

/// Natural map of one contact at `rho`.
pub fn natural_map(x: &Vector5<f64>, u: &Vector5<f64>, mu: f64, mu_r: f64, rho: f64) -> Vector5<f64> {
    let mut shifted = *u;
    shifted[0] += mu * u[1].hypot(u[2]) + mu_r * u[3].hypot(u[4]);
    x - project(&(x - shifted * rho), mu, mu_r)
}

/// A problem as the kernel takes it, in the solver's precision.
///
/// A contact with rolling friction has two block rows: `n, t1, t2`, and the moments about them. The moment about the
/// normal, torsion, is not part of these problems: its row and column are zero. A contact without rolling friction has
/// one block row: no moment can act on it.
pub struct BlockRows<T> {
    mu: Vec<T>,
    q: Vec<Vector3<T>>,
    surfaces: Vec<Surface<T>>,
    blocks: Vec<Matrix3<T>>,
    row_starts: Vec<u32>,
    columns: Vec<u32>,
    /// The contact of each block row.
    contacts: Vec<usize>,
    /// The first block row of each contact.
    firsts: Vec<usize>,
}

/// The rows of a contact that a block row of the kernel has, as places in it; the second begins with torsion.
const PARTS: [[Option<usize>; 3]; 2] = [[Some(0), Some(1), Some(2)], [None, Some(3), Some(4)]];

impl<T: Real> BlockRows<T> {
    fn new(problem: &Rfc3d) -> Self {
        let mut rows = BlockRows {
            mu: Vec::new(),
            q: Vec::new(),
            surfaces: Vec::new(),
            blocks: Vec::new(),
            row_starts: vec![0],
            columns: Vec::new(),
            contacts: Vec::new(),
            firsts: Vec::new(),
        };
        let surface = |i: usize| Surface { rolling: T::lit(problem.mu_r[i]), ..Surface::default() };
        // In the solver's precision: a coefficient that rounds to 0 there is none.
        let parts = |i: usize| if surface(i).has_moments() { &PARTS[..] } else { &PARTS[..1] };
        let mut count = 0;
        for i in 0..problem.len() {
            rows.firsts.push(count);
            count += parts(i).len();
        }
        let entry = |value: Option<f64>| value.map_or(T::ZERO, T::lit);
        for i in 0..problem.len() {
            for (second, part) in parts(i).iter().enumerate() {
                rows.contacts.push(i);
                rows.q.push(Vector3::from_fn(|r, _| entry(part[r].map(|r| problem.q[i][r]))));
                rows.mu.push(if second == 0 { T::lit(problem.mu[i]) } else { T::ZERO });
                rows.surfaces.push(if second == 0 { surface(i) } else { Surface::default() });
                for (j, block) in problem.row(i) {
                    for (beside, columns) in parts(j).iter().enumerate() {
                        let at = |r: usize, c: usize| entry(part[r].zip(columns[c]).map(|at| block[at]));
                        rows.blocks.push(Matrix3::from_fn(at));
                        rows.columns.push((rows.firsts[j] + beside) as u32);
                    }
                }
                rows.row_starts.push(rows.blocks.len() as u32);
            }
        }
        rows
    }

    /// How many block rows there are.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// The kernel's view.
    pub fn problem(&self) -> Result<Delassus<'_, T, SixRows>, InputError<T>> {
        let Self { blocks, row_starts, columns, q, mu, surfaces, .. } = self;
        Delassus::with_moments(blocks, row_starts, columns, q, mu, surfaces).map_err(|error| self.in_contacts(error))
    }

    /// A kernel's error in the names and indices of the format.
    pub fn in_contacts(&self, error: InputError<T>) -> InputError<T> {
        let InputField::Delassus(array, row) = error.field else { return error };
        let array = if array.starts_with("surfaces") { "mu_r" } else { array };
        InputError { field: InputField::Delassus(array, self.contact(row).unwrap_or(row)), ..error }
    }

    /// The contact of a block row.
    pub fn contact(&self, row: usize) -> Option<usize> {
        self.contacts.get(row).copied()
    }

    /// The first block row of each contact.
    pub fn firsts(&self) -> &[usize] {
        &self.firsts
    }

    /// Impulses along `n, t1, t2` and moments about `t1, t2` of each contact, from those of block rows.
    pub fn joined(&self, of_row: impl Fn(usize) -> Option<Vector3<T>>) -> Vec<Vector5<T>> {
        let zero = Vector3::zeros;
        let contact = |(i, first): (usize, &usize)| {
            let x = of_row(*first).unwrap_or_else(zero);
            let moment = if self.contact(first + 1) == Some(i) { of_row(first + 1) } else { None };
            let moment = moment.unwrap_or_else(zero);
            Vector5::new(x.x, x.y, x.z, moment.y, moment.z)
        };
        self.firsts.iter().enumerate().map(contact).collect()
    }
}

/// The folder of published problems with rolling friction, if there is one: the one that `STICTION_ROLLING` names, or
/// `shared/rolling` in a given folder.
pub fn published_folder(beside: &std::path::Path) -> Option<std::path::PathBuf> {
    let named = std::env::var_os("STICTION_ROLLING").map(std::path::PathBuf::from);
    named.into_iter().chain([beside.join("shared/rolling")]).find(|folder| folder.is_dir())
}
