//! One island from prepared rows to its report: bounce, warm start, contact phase by the method that fits, guard, repair.
//!
//! Which method solves the contact phase depends on the island alone: no friction and few rows, the exact active set; no
//! friction and more, sweeps over the normals; friction, block sweeps. For whole problems the island is everything.

use crate::active_set;
use crate::body::Bodies;
use crate::contact::Contacts;
use crate::direct::Room;
use crate::guard::{Closing, Phase, PhaseWork, copy_velocities, kinetic_energy};
use crate::inertia::Energy;
use crate::links::{BodySpace, copy_velocity, go_back};
use crate::normals::{self, NormalsEnd};
use crate::phase;
use crate::real::{Real, any, larger, positive_part};
use crate::report::{Method, Report, Status};
use crate::residual::{measure, speed_norm};
use crate::rows::ContactSpace;
use crate::settings::{BounceMode, Settings, Stabilisation};
use crate::small::{Entries, is_nothing};
use crate::workspace::Solver;

/// Times the correction speed of all contacts together, along an axis, that no sound repair pushes a body: a chain of bodies adds
/// them up, a lever turns them into more.
const MOST_REPAIR: f64 = 64.0;

/// Sweeps of a repair: it takes away a part of the penetration a step in any case, and the next step sees what is left.
const REPAIR_SWEEPS: u32 = 40;

/// What a phase left behind.
struct PhaseOutcome<T> {
    energy: Energy<T>,
    work: PhaseWork<T>,
    guarded: bool,
}

struct Bounced<T> {
    sweeps: u32,
    end: BounceEnd,
    /// Worst separation speed not reached.
    missing: T,
    outcome: PhaseOutcome<T>,
}

/// How a bounce ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BounceEnd {
    /// Where it was asked to, or there was none.
    Reached,
    /// Short of it when the cap came or the guard acted.
    Short,
    /// Nowhere; taken back.
    Dropped,
    /// The deadline came first.
    Interrupted,
}

/// The caller's input, and which island of it is being solved.
struct Task<'a, T, const NB: usize, const NC: usize> {
    island: usize,
    bodies: &'a Bodies<T, NB>,
    contacts: &'a Contacts<T, NC>,
    settings: &'a Settings<T>,
    /// Whether the deadline came while another island was solved.
    late: bool,
}

impl<T: Real, const NB: usize, const NC: usize> Solver<T, NB, NC> {
    /// Solves one island and gives its bodies their new velocities. The active set is left out if the deadline has come
    /// already.
    pub(crate) fn solve_island(
        &mut self,
        island: usize,
        bodies: &mut Bodies<T, NB>,
        contacts: &Contacts<T, NC>,
        settings: &Settings<T>,
        (deadline, late): (&mut dyn FnMut() -> bool, bool),
        room: Option<&mut dyn Room<T>>,
    ) -> Report<T> {
        let task = Task { island, bodies, contacts, settings, late };
        self.rows.select(self.islands.rows(island));
        self.set_start(island, false);
        let before = kinetic_energy(bodies, self.islands.bodies(island), &self.velocity);
        let bounce = self.bounce(&task, before, deadline);
        self.set_bias(&task);
        let q_norm = self.speed_norm();
        let in_time = !late && bounce.end != BounceEnd::Interrupted;
        let exact = in_time && self.rows.is_frictionless() && self.solve_exactly(deadline);
        self.contact_phase(&task, (q_norm, exact), deadline, room);
        let contact = self.close_contact_phase(&task, bounce.outcome.energy, q_norm);
        let repair = self.split_impulse(&task, deadline);
        self.store(island, bodies);
        let worst = &mut self.phase.residual.worst_contact;
        *worst = worst.map(|row| self.islands.contact_of(row));
        let end = &self.phase;
        let status = match (end.status, bounce.end) {
            (Status::Converged, BounceEnd::Interrupted) => Status::Deadline,
            (Status::Converged, _) if repair == NormalsEnd::Interrupted => Status::Deadline,
            (Status::Converged, BounceEnd::Short | BounceEnd::Dropped) => Status::SweepLimit,
            (status, _) => status,
        };
        Report {
            status,
            method: end.method,
            sweeps: end.sweeps,
            direct: end.direct,
            bounce_sweeps: bounce.sweeps,
            bounce_missing: bounce.missing,
            bounce_dropped: bounce.end == BounceEnd::Dropped,
            residual: end.residual,
            energy_before: before.value,
            energy_after: contact.energy.value,
            bounce_work: bounce.outcome.work.total,
            contact_work: contact.work.total,
            friction_work: contact.work.friction,
            bias_work: contact.work.bias,
            passivity_guard: bounce.outcome.guarded || contact.guarded,
        }
    }

    /// Hands back what was solved. Other islands move none of these bodies.
    fn store(&self, island: usize, bodies: &mut Bodies<T, NB>) {
        for index in self.islands.bodies(island).iter().map(|index| usize::from(*index)) {
            if let Some(v) = self.velocity.get(index) {
                bodies.store_velocity(index, &v.linear(), &v.angular());
            }
        }
    }

    /// Where the island's bodies start from, and the immovable ones that its contacts touch, which other islands share.
    #[inline(never)]
    fn set_start(&mut self, island: usize, at_rest: bool) {
        let Solver { islands, rows, links, velocity, start, .. } = self;
        let from: Option<&[_]> = if at_rest { None } else { Some(velocity) };
        let mut set = |body: usize| copy_velocity(from, start, body);
        islands.bodies(island).iter().for_each(|body| set(usize::from(*body)));
        for i in rows.window() {
            let (a, b) = links[i].bodies();
            let (a_moves, b_moves) = links[i].moves();
            if !a_moves {
                set(a);
            }
            if !b_moves {
                set(b);
            }
        }
    }

    /// The bounce, in parts that are not on the stack together.
    fn bounce(
        &mut self,
        task: &Task<'_, T, NB, NC>,
        before: Energy<T>,
        deadline: &mut dyn FnMut() -> bool,
    ) -> Bounced<T> {
        let nothing = PhaseOutcome { energy: before, work: PhaseWork::NONE, guarded: false };
        let Some(asked) = self.ask_for_bounce(task) else {
            return Bounced { sweeps: 0, end: BounceEnd::Reached, missing: T::ZERO, outcome: nothing };
        };
        let exact = !task.late && task.settings.bounce != BounceMode::Sequential && self.solve_exactly(deadline);
        let (sweeps, ended) = self.solve_bounce(task, (asked, exact), deadline);
        if ended == NormalsEnd::Stuck {
            go_back(&self.links, self.rows.window(), &self.start, &mut self.velocity);
            return Bounced { sweeps, end: BounceEnd::Dropped, missing: asked, outcome: nothing };
        }
        let (missing, outcome) = self.close_bounce(task, before);
        // One pass in order was asked for as it is; it has no target to fall short of.
        let reached = task.settings.bounce == BounceMode::Sequential
            || missing <= (task.settings.tolerance + T::lit(64.0) * T::EPSILON) * asked;
        let end = match ended {
            NormalsEnd::Interrupted => BounceEnd::Interrupted,
            _ if reached => BounceEnd::Reached,
            _ => BounceEnd::Short,
        };
        Bounced { sweeps, end, missing, outcome }
    }

    /// Sets the bounce's targets; gives the largest separation speed that is missing, if anything bounces.
    #[cfg_attr(target_os = "none", inline(never))]
    fn ask_for_bounce(&mut self, task: &Task<'_, T, NB, NC>) -> Option<T> {
        let islands = &self.islands;
        let contact_of = |row| islands.contact_of(row);
        // Mostly nothing bounces, whatever its velocity.
        if !self.rows.window().any(|row| task.contacts.impact(contact_of(row)).0 > T::ZERO) {
            return None;
        }
        let space = BodySpace::new(&self.links, &mut self.velocity);
        let bounces = normals::set_bounce_targets(task.contacts, contact_of, task.settings, &mut self.rows, &space);
        bounces.then(|| normals::missing(&self.rows, &space))
    }

    /// Lets the rows separate, unless that was solved exactly; gives the number of sweeps, and how they ended.
    #[cfg_attr(target_os = "none", inline(never))]
    fn solve_bounce(
        &mut self,
        task: &Task<'_, T, NB, NC>,
        (asked, exact): (T, bool),
        deadline: &mut dyn FnMut() -> bool,
    ) -> (u32, NormalsEnd) {
        let mut space = BodySpace::new(&self.links, &mut self.velocity);
        if task.settings.bounce == BounceMode::Sequential {
            normals::pass(&self.rows, &mut space, &mut self.normal_impulse);
            return (0, NormalsEnd::Sound);
        }
        // Exact if the rows are few, none depends on the others with another target, and rounding allows.
        if exact && normals::missing(&self.rows, &space) <= T::EPSILON.root() * asked {
            return (0, NormalsEnd::Sound);
        }
        go_back(&self.links, self.rows.window(), &self.start, space.velocity);
        normals::solve(&self.rows, &mut space, &mut self.normal_impulse, task.settings.normal_sweeps, deadline)
    }

    /// Makes the bounce passive and its impulses the preloads of what follows; gives the speed that it misses.
    #[cfg_attr(target_os = "none", inline(never))]
    fn close_bounce(&mut self, task: &Task<'_, T, NB, NC>, before: Energy<T>) -> (T, PhaseOutcome<T>) {
        self.rows.set_normal_impulses(&self.normal_impulse);
        let closing = self.close_phase(task, before, false);
        self.rows.turn_impulses_into_preloads();
        copy_velocities(self.islands.bodies(task.island), &self.velocity, &mut self.start);
        let outcome = PhaseOutcome { energy: closing.energy, work: closing.work, guarded: closing.scale < T::ONE };
        (normals::missing(&self.rows, &BodySpace::new(&self.links, &mut self.velocity)), outcome)
    }

    /// Solves the normal rows exactly, if they are few enough and there is time.
    fn solve_exactly(&mut self, deadline: &mut dyn FnMut() -> bool) -> bool {
        let mut space = BodySpace::new(&self.links, &mut self.velocity);
        active_set::solve(&self.rows, &mut space, &mut self.normal_impulse, deadline)
    }

    /// Asks the contact phase for nothing but rest, for gaps that close no further, or for the bias that repairs penetration.
    fn set_bias(&mut self, task: &Task<'_, T, NB, NC>) {
        for i in self.rows.window() {
            self.rows.target[i] = task.settings.contact_speed(self.depth(task, i));
        }
    }

    #[cfg_attr(target_os = "none", inline(never))]
    fn depth(&self, task: &Task<'_, T, NB, NC>, row: usize) -> T {
        task.contacts.depth(self.islands.contact_of(row))
    }

    /// The speed norm of the present velocities.
    #[cfg_attr(target_os = "none", inline(never))]
    fn speed_norm(&mut self) -> T {
        speed_norm(&mut self.rows, &BodySpace::new(&self.links, &mut self.velocity))
    }

    /// Solves the contact phase, whose speed norm was `q_norm` where it began, unless it was solved exactly, and leaves behind
    /// how it ended. What comes before and after is the caller's: it is not on the stack together.
    #[cfg_attr(target_os = "none", inline(never))]
    fn contact_phase(
        &mut self,
        task: &Task<'_, T, NB, NC>,
        (q_norm, exact): (T, bool),
        deadline: &mut dyn FnMut() -> bool,
        room: Option<&mut dyn Room<T>>,
    ) {
        let settings = task.settings;
        if exact {
            self.rows.set_normal_impulses(&self.normal_impulse);
        } else {
            self.warm_start(task, q_norm);
        }
        let mut space = BodySpace::new(&self.links, &mut self.velocity);
        let good_enough = larger(settings.tolerance, T::lit(1e3) * T::EPSILON);
        let mut solved = false;
        if exact {
            self.phase.reset(Method::ActiveSet);
            measure(&self.rows, &space, q_norm, any(), &mut self.phase.residual);
            solved = self.phase.residual.is_below(good_enough);
            if self.phase.residual.is_below(settings.tolerance) {
                self.phase.status = Status::Converged;
            }
        }
        if !solved {
            let frictionless = self.rows.is_frictionless();
            (space.normals_only, space.start) = (frictionless, Some(&self.start));
            let measure = |rows: &_, space: &_, most, residual: &mut _| measure(rows, space, q_norm, most, residual);
            phase::run(&mut self.rows, &mut space, settings, deadline, room, measure, &mut self.phase);
            debug_assert!(self.rows.are_admissible(), "an impulse outside its cone after a phase");
            if frictionless && self.phase.method == Method::BlockPgs {
                self.phase.method = Method::ScalarPgs;
            }
        }
    }

    /// Keeps a phase passive: velocities, and the rows' impulses with them, end where it adds no energy.
    fn close_phase(&mut self, task: &Task<'_, T, NB, NC>, before: Energy<T>, targeted: bool) -> Closing<T> {
        let Solver { islands, rows, links, start, velocity, driven, .. } = self;
        let bodies = islands.bodies(task.island);
        let biased = task.settings.stabilisation == Stabilisation::Bias;
        let phase = Phase { rows, targeted, biased, bodies, links, start, driven: *driven };
        let closing = phase.close(task.bodies, before, velocity);
        rows.scale_impulses(closing.scale);
        closing
    }

    /// Keeps the contact phase passive, and its report true if that took something away.
    #[cfg_attr(target_os = "none", inline(never))]
    fn close_contact_phase(&mut self, task: &Task<'_, T, NB, NC>, before: Energy<T>, q_norm: T) -> PhaseOutcome<T> {
        let closing = self.close_phase(task, before, true);
        let guarded = closing.scale < T::ONE;
        if closing.rebuilt {
            let (rows, end) = (&self.rows, &mut self.phase);
            let space = BodySpace::new(&self.links, &mut self.velocity);
            measure(rows, &space, q_norm, any(), &mut end.residual);
            if end.status == Status::Converged && !end.residual.is_below(task.settings.tolerance) {
                end.status = Status::SweepLimit;
            }
        }
        PhaseOutcome { energy: closing.energy, work: closing.work, guarded }
    }

    /// Starts from the impulses that the contacts bring along, moved into today's cones, softened if they add energy.
    ///
    /// An impulse that would drown the speeds at hand in its own rounding is not worth starting from.
    #[cfg_attr(target_os = "none", inline(never))]
    fn warm_start(&mut self, task: &Task<'_, T, NB, NC>, q_norm: T) {
        let largest = q_norm * T::lit(0.1) / T::EPSILON;
        let mut warm = false;
        for i in self.rows.window() {
            let warm_start = task.contacts.warm(self.islands.contact_of(i));
            if warm_start.is_cold() {
                continue;
            }
            let mut x = self.links[i].frame().components(&warm_start.tangent);
            x.x = warm_start.normal;
            let x = self.rows.cone[i].clamp(&x.by(self.rows.unit[i]));
            let useful = x.iter().all(|part| part.abs() <= largest);
            if useful && !is_nothing(&x) {
                warm = true;
                self.rows.impulse[i] = x;
                BodySpace::new(&self.links, &mut self.velocity).push(i, &x);
            }
        }
        if warm {
            let Solver { islands, rows, links, start, velocity, driven, .. } = self;
            let (bodies, driven) = (islands.bodies(task.island), *driven);
            let phase = Phase { rows, targeted: true, biased: true, bodies, links, start, driven };
            let scale = phase.soften(velocity);
            rows.scale_impulses(scale);
        }
    }

    /// Asks for what the step's own motion leaves to be repaired; tells whether that is anything.
    fn set_repair(&mut self, task: &Task<'_, T, NB, NC>) -> bool {
        // Mostly nothing is deep enough, whatever its velocity.
        if !self.rows.window().any(|i| self.depth(task, i) > task.settings.slop) {
            return false;
        }
        let mut any = false;
        for i in self.rows.window() {
            let depth = self.depth(task, i);
            let u = BodySpace::new(&self.links, &mut self.velocity).normal_velocity(i);
            let target = if depth < T::ZERO {
                -positive_part(u - task.settings.least_speed(depth))
            } else {
                task.settings.correction_speed(depth) - positive_part(u)
            };
            self.rows.target[i] = target;
            any |= target > T::ZERO;
        }
        any
    }

    /// Velocities that move bodies apart for one step and are then forgotten.
    #[cfg_attr(target_os = "none", inline(never))]
    fn split_impulse(&mut self, task: &Task<'_, T, NB, NC>, deadline: &mut dyn FnMut() -> bool) -> NormalsEnd {
        self.set_start(task.island, true);
        if task.settings.stabilisation != Stabilisation::SplitImpulse || !self.set_repair(task) {
            return NormalsEnd::Sound;
        }
        let mut space = BodySpace::new(&self.links, &mut self.start);
        let cap = task.settings.normal_sweeps;
        let cap = if cap < REPAIR_SWEEPS { cap } else { REPAIR_SWEEPS };
        let (_, end) = normals::solve(&self.rows, &mut space, &mut self.normal_impulse, cap, deadline);
        if end != NormalsEnd::Sound || !self.repair_is_plausible(task) {
            // Pushed from two sides there is nowhere to go; and half a repair could push one body into the next.
            self.set_start(task.island, true);
        }
        end
    }

    /// Whether no body is pushed out many times faster than all contacts together may ask for. No guard looks at a repair's
    /// energy; this is what stands between places and a scratch that lost a bit.
    #[cfg_attr(target_os = "none", inline(never))]
    fn repair_is_plausible(&self, task: &Task<'_, T, NB, NC>) -> bool {
        let rows = self.rows.window().len();
        let rows = T::small(if rows < 1000 { rows as i16 } else { 1000 });
        let most = T::lit(MOST_REPAIR) * rows * task.settings.max_correction_speed;
        let plausible = |body: &u16| {
            let Some(v) = self.start.get(usize::from(*body)) else { return true };
            let (linear, angular) = (v.linear(), v.angular());
            // Part by part: squares may overflow.
            linear.iter().all(|part| part.abs() <= most) && angular.iter().all(|part| part.finite())
        };
        self.islands.bodies(task.island).iter().all(plausible)
    }
}

#[cfg(test)]
mod faults;
