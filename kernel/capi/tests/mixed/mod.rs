//! Random problems whose contacts have three to six rows, and the kernel's answers: for `tests/moments.rs`, and for
//! `examples/moments.rs`, which writes them for the programs in C and C++.

use nalgebra::{Matrix3, Vector3};
use stiction::nalgebra;
use stiction::{
    Bodies, Body, Contact, Contacts, Delassus, DelassusSolver, DirectMemory, Hooks, IslandMode, MethodChoice,
    PositionCorrection, Real, Settings, SixRows, Solver, Surface, Tread, WarmStart,
};

/// Length of a step, s.
pub const DT: f64 = 1.0 / 60.0;

/// Which views a caller passes. Where one is not passed, its numbers are those of a plain contact.
pub const TORSION: u32 = 1;
/// See [`TORSION`].
pub const ROLLING: u32 = 2;
/// See [`TORSION`].
pub const TREADS: u32 = 4;
/// See [`TORSION`].
pub const JOINED: u32 = 8;
/// See [`TORSION`].
pub const WARM: u32 = 16;

/// Random numbers, the same everywhere.
pub struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 8) % n
    }

    /// Between -size and size.
    fn number<T: Real>(&mut self, size: f64) -> T {
        T::lit(size * ((self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0))
    }

    fn positive<T: Real>(&mut self, size: f64) -> T {
        self.number::<T>(size).abs()
    }

    fn vector<T: Real>(&mut self, size: f64) -> [T; 3] {
        [(); 3].map(|()| self.number(size))
    }
}

/// A body as a caller stores it. C has the same struct.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OwnBody<T> {
    pub inverse_mass: T,
    pub inverse_inertia: [T; 9],
    pub linear: [T; 3],
    pub angular: [T; 3],
}

/// A contact as a caller stores it. C has the same struct.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OwnContact<T> {
    pub a: u32,
    pub b: u32,
    pub is_joined: u32,
    pub unused: u32,
    pub normal: [T; 3],
    pub r_a: [T; 3],
    pub r_b: [T; 3],
    pub mu: T,
    pub restitution: T,
    pub depth: T,
    pub warm_normal: T,
    pub warm_tangent: [T; 3],
    pub torsion: T,
    pub rolling: T,
    pub mu_across: T,
    pub direction: [T; 3],
    pub warm_moment: [T; 3],
}

/// A contact's part in the answer. C has the same struct.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OwnOutcome<T> {
    pub state: u32,
    pub reached: u32,
    pub normal: T,
    pub tangent: [T; 3],
    pub bounce: T,
    pub moment: [T; 3],
}

/// A problem with bodies.
pub struct Problem<T> {
    pub given: u32,
    pub bodies: Vec<OwnBody<T>>,
    pub contacts: Vec<OwnContact<T>>,
    pub method: MethodChoice,
    pub islands: IslandMode,
    pub correction: PositionCorrection,
    /// Whether there is memory for direct methods.
    pub direct: bool,
}

/// The kernel's answer.
pub struct Answer<T> {
    pub velocities: Vec<[T; 6]>,
    pub contacts: Vec<OwnOutcome<T>>,
    /// Of sliding, spinning and rolling.
    pub friction_work: [T; 3],
}

/// Bodies on the ground and on each other: at most 16 bodies, and 16 contacts of up to two places.
pub fn problem<T: Real>(dice: &mut Dice) -> Problem<T> {
    let given = dice.below(32) as u32;
    let count = 2 + dice.below(6) as usize;
    let bodies = (0..count).map(|index| body(dice, index == 0)).collect();
    let contacts = (0..1 + dice.below(16)).map(|_| contact(dice, count as u64, given)).collect();
    Problem {
        given,
        bodies,
        contacts,
        method: [MethodChoice::Auto, MethodChoice::Sweeps, MethodChoice::Accelerated, MethodChoice::Direct]
            [dice.below(4) as usize],
        islands: [IslandMode::Together, IslandMode::Separate][dice.below(2) as usize],
        correction: [PositionCorrection::None, PositionCorrection::SplitImpulse][dice.below(2) as usize],
        direct: dice.below(2) == 0,
    }
}

fn body<T: Real>(dice: &mut Dice, is_fixed: bool) -> OwnBody<T> {
    let zero = T::ZERO;
    if is_fixed {
        return OwnBody { inverse_mass: zero, inverse_inertia: [zero; 9], linear: [zero; 3], angular: [zero; 3] };
    }
    let mut inverse_inertia = [zero; 9];
    for axis in [0, 4, 8] {
        inverse_inertia[axis] = T::ONE + dice.positive(5.0);
    }
    let inverse_mass = T::lit(0.25) + dice.positive(1.0);
    OwnBody { inverse_mass, inverse_inertia, linear: dice.vector(2.0), angular: dice.vector(3.0) }
}

fn contact<T: Real>(dice: &mut Dice, bodies: u64, given: u32) -> OwnContact<T> {
    let b = 1 + dice.below(bodies - 1) as u32;
    let a = dice.below(u64::from(b)) as u32;
    let normal = Vector3::from(dice.vector::<f64>(1.0)) + Vector3::new(0.0, 0.0, 2.0);
    let normal: [f64; 3] = normal.normalize().into();
    let mut of = |flag: u32, value: T| if given & flag != 0 && dice.below(3) != 0 { value } else { T::ZERO };
    let (torsion, rolling) = (of(TORSION, T::lit(0.05)), of(ROLLING, T::lit(0.02)));
    let has_tread = given & TREADS != 0 && dice.below(3) != 0;
    let warm = |numbers: [T; 3]| if given & WARM != 0 { numbers } else { [T::ZERO; 3] };
    OwnContact {
        a,
        b,
        is_joined: if given & JOINED != 0 { dice.below(2) as u32 * 7 } else { 0 },
        unused: 0,
        normal: normal.map(T::lit),
        r_a: dice.vector(0.5),
        r_b: dice.vector(0.5),
        mu: dice.positive(0.8),
        restitution: dice.positive(0.5),
        depth: dice.number(0.01),
        warm_normal: warm([dice.positive(0.3); 3])[0],
        warm_tangent: warm(dice.vector(0.1)),
        torsion: if torsion > T::ZERO { torsion * (T::ONE + dice.positive(1.0)) } else { torsion },
        rolling: if rolling > T::ZERO { rolling * (T::ONE + dice.positive(1.0)) } else { rolling },
        mu_across: if given & TREADS != 0 { dice.positive(0.8) } else { T::ZERO },
        direction: if has_tread { dice.vector(3.0) } else { [T::ZERO; 3] },
        warm_moment: warm(dice.vector(0.02)),
    }
}

impl<T: Real> Problem<T> {
    /// Settings with this problem's choices.
    pub fn settings(&self) -> Settings<T> {
        Settings { method: self.method, position_correction: self.correction, ..Settings::default() }
    }

    /// The kernel's answer.
    pub fn answer(&self) -> Answer<T> {
        let mut bodies = Bodies::<T, 16>::new();
        for body in &self.bodies {
            let pushed = bodies.push(Body {
                inverse_mass: body.inverse_mass,
                inverse_inertia_world: Matrix3::from_column_slice(&body.inverse_inertia),
                linear_velocity: body.linear.into(),
                angular_velocity: body.angular.into(),
            });
            pushed.expect("a valid body");
        }
        let mut contacts = Contacts::<T, 64, SixRows>::empty();
        for own in &self.contacts {
            contacts.push_on(contact_of(own), surface_of(own)).expect("a valid contact");
        }
        let mut solver = Box::new(Solver::<T, 16, 64, SixRows>::empty());
        let mut memory = Box::new(DirectMemory::<T, 64, 2080>::new());
        let hooks = if self.direct { Hooks::with_direct(memory.view()) } else { Hooks::default() };
        let (settings, dt) = (self.settings(), T::lit(DT));
        let solved = match self.islands {
            IslandMode::Together => solver.solve_with(&mut bodies, &contacts, &settings, dt, hooks),
            IslandMode::Separate => solver.solve_islands(&mut bodies, &contacts, &settings, dt, hooks),
        };
        solved.expect("a valid problem");
        let velocities = bodies.linear_velocities().iter().zip(bodies.angular_velocities());
        let work = solver.friction_work().expect("moments");
        Answer {
            velocities: velocities.map(|(v, w)| [v.x, v.y, v.z, w.x, w.y, w.z]).collect(),
            contacts: (0..self.contacts.len()).map(|index| outcome(&solver, index)).collect(),
            friction_work: [work.sliding, work.spinning, work.rolling],
        }
    }
}

fn contact_of<T: Real>(own: &OwnContact<T>) -> Contact<T> {
    let [normal, r_a, r_b] = [own.normal, own.r_a, own.r_b].map(Vector3::from);
    Contact {
        restitution: own.restitution,
        depth: own.depth,
        warm: WarmStart { normal_impulse: own.warm_normal, tangent_impulse: own.warm_tangent.into() },
        ..Contact::new(own.a as usize, own.b as usize, normal, r_a, r_b, own.mu)
    }
}

fn surface_of<T: Real>(own: &OwnContact<T>) -> Surface<T> {
    let tread = Tread { direction: own.direction.into(), mu_across: own.mu_across };
    Surface {
        torsion: own.torsion,
        rolling: own.rolling,
        tread: (own.direction != [T::ZERO; 3]).then_some(tread),
        is_joined: own.is_joined != 0,
        warm_moment: own.warm_moment.into(),
    }
}

fn outcome<T: Real>(solver: &Solver<T, 16, 64, SixRows>, index: usize) -> OwnOutcome<T> {
    let outcome = solver.contact(index).expect("a contact");
    let [slides, spins, rolls] = solver.reached(index).expect("a contact").map(u32::from);
    OwnOutcome {
        state: outcome.state as u32,
        reached: slides + 2 * spins + 4 * rolls,
        normal: outcome.normal_impulse,
        tangent: outcome.tangent_impulse.into(),
        bounce: outcome.bounce_impulse,
        moment: solver.moment(index).expect("a contact").into(),
    }
}

/// A problem in Delassus form, of up to 16 block rows.
pub struct DelassusProblem<T> {
    pub is_dense: bool,
    /// Of block rows.
    pub rows: usize,
    /// Blocks, all of them, or the dense matrix.
    pub w: Vec<T>,
    pub q: Vec<[T; 3]>,
    pub mu: Vec<T>,
    pub torsion: Vec<T>,
    pub rolling: Vec<T>,
    pub is_joined: Vec<u32>,
    /// Initial impulses, or none.
    pub start: Vec<[T; 3]>,
}

/// Contacts of one or two block rows, all coupled.
pub fn delassus<T: Real>(dice: &mut Dice) -> DelassusProblem<T> {
    let (mut torsion, mut rolling, mut is_joined) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..1 + dice.below(8) {
        let radii = [0.0, 0.05].map(|size| size * (1.0 + dice.positive::<f64>(1.0)));
        let [of_torsion, of_rolling] = [radii[dice.below(2) as usize], radii[dice.below(2) as usize]];
        let has_moments = of_torsion > 0.0 || of_rolling > 0.0;
        torsion.push(T::lit(of_torsion));
        rolling.push(T::lit(of_rolling));
        is_joined.push(if has_moments { dice.below(2) as u32 } else { 0 });
        if has_moments {
            torsion.push(T::ZERO);
            rolling.push(T::ZERO);
            is_joined.push(0);
        }
    }
    let rows = torsion.len();
    let n = 3 * rows;
    // W = A A^T + 1, for A with as many columns as rows.
    let a: Vec<f64> = (0..n * n).map(|_| dice.number::<f64>(0.3)).collect();
    let entry = |i: usize, j: usize| {
        let product: f64 = (0..n).map(|k| a[i * n + k] * a[j * n + k]).sum();
        T::lit(product + f64::from(u8::from(i == j)))
    };
    let is_dense = dice.below(2) == 0;
    let w = (0..n * n).map(|k| {
        if is_dense {
            return entry(k / n, k % n);
        }
        let (block, within) = (k / 9, k % 9);
        entry(3 * (block / rows) + within % 3, 3 * (block % rows) + within / 3)
    });
    let w = w.collect();
    let starts = if dice.below(2) == 0 { rows } else { 0 };
    DelassusProblem {
        is_dense,
        rows,
        w,
        q: (0..rows).map(|_| dice.vector(1.0)).collect(),
        mu: (0..rows).map(|_| dice.positive(0.8)).collect(),
        torsion,
        rolling,
        is_joined,
        start: (0..starts).map(|_| dice.vector(0.3)).collect(),
    }
}

impl<T: Real> DelassusProblem<T> {
    /// First block of each row, and the column of each block.
    pub fn structure(&self) -> (Vec<u32>, Vec<u32>) {
        let rows = self.rows as u32;
        ((0..=rows).map(|row| row * rows).collect(), (0..rows * rows).map(|block| block % rows).collect())
    }

    /// The kernel's impulses and states.
    pub fn answer(&self) -> Vec<([T; 3], u32)> {
        let q: Vec<Vector3<T>> = self.q.iter().copied().map(Vector3::from).collect();
        let start: Vec<Vector3<T>> = self.start.iter().copied().map(Vector3::from).collect();
        let radii = self.torsion.iter().zip(&self.rolling).zip(&self.is_joined);
        let surfaces: Vec<Surface<T>> = radii
            .map(|((torsion, rolling), joined)| Surface {
                torsion: *torsion,
                rolling: *rolling,
                is_joined: *joined != 0,
                ..Surface::default()
            })
            .collect();
        let blocks: Vec<Matrix3<T>> = self.w.chunks(9).map(Matrix3::from_column_slice).collect();
        let (row_starts, columns) = self.structure();
        let problem = if self.is_dense {
            Delassus::dense_with_moments(&self.w, &q, &self.mu, &surfaces)
        } else {
            Delassus::with_moments(&blocks, &row_starts, &columns, &q, &self.mu, &surfaces)
        };
        let mut solver = Box::new(DelassusSolver::<T, 16, SixRows>::empty());
        let problem = problem.expect("a valid problem");
        solver.solve_with(&problem, &Settings::default(), &start, Hooks::default()).expect("a valid problem");
        let row = |row| (solver.impulse(row).expect("a row").into(), solver.state(row).expect("a row") as u32);
        (0..self.rows).map(row).collect()
    }
}
