//! One change of the kernel for every row of `docs/required-tests.md`: the row's last column says it in words, and with
//! it the row's tests must fail. The checks of the repository read this file as well.

/// A change of an expression. Both texts must have the same type, because they become branches of an `if`.
#[derive(Debug)]
pub struct Change {
    /// What would make the tests fail, as the page says it.
    pub says: &'static str,
    /// The file, from the repository.
    pub file: &'static str,
    /// The expression as it is, exactly once in the file; or what is around it as well, with `«` and `»` at its ends. A
    /// `for` loop is a statement.
    pub old: &'static str,
    /// What replaces it.
    pub new: &'static str,
}

impl Change {
    /// The text to search for, and where in it the changed expression is.
    pub fn site(&self) -> (String, std::ops::Range<usize>) {
        let text = self.old.replace(['«', '»'], "");
        let begin = self.old.find('«').unwrap_or(0);
        let end = self.old.find('»').map_or(text.len(), |end| end - '«'.len_utf8());
        (text, begin..end)
    }
}

/// A row of the page.
#[derive(Debug)]
pub struct Row {
    /// The required test.
    pub name: String,
    /// The tests that show it here, `file::test`.
    pub tests: Vec<String>,
    /// What would make them fail: words of changes.
    pub fails: Vec<String>,
}

/// The rows of the page.
///
/// # Errors
/// When a row does not have four cells, a test and a change.
pub fn rows(page: &str) -> Result<Vec<Row>, String> {
    page.lines().filter(|line| line.starts_with("| `")).map(row).collect()
}

fn row(line: &str) -> Result<Row, String> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [name, _, tests, fails] = cells[..] else { return Err(format!("not four cells: {line}")) };
    let tests: Vec<String> = tests.split('`').skip(1).step_by(2).map(str::to_string).collect();
    let fails: Vec<String> = fails.split("; ").filter(|says| !says.is_empty()).map(str::to_string).collect();
    if tests.is_empty() || fails.is_empty() {
        return Err(format!("no test or no change: {line}"));
    }
    Ok(Row { name: name.trim_matches('`').to_string(), tests, fails })
}

/// All changes.
pub const CHANGES: &[Change] = &[
    Change {
        says: "a step that is taken again does not report its warm starts",
        file: "kernel/src/step/pipeline.rs",
        old: "usize::from(found.warm_started)",
        new: "0",
    },
    Change {
        says: "a contact without friction has three rows",
        file: "kernel/src/space/constraint.rs",
        old: "if self.has_friction() { 3 } else { 1 }",
        new: "3",
    },
    Change {
        says: "a contact with friction has one row",
        file: "kernel/src/space/constraint.rs",
        old: "if self.has_friction() { 3 } else { 1 }",
        new: "1",
    },
    Change {
        says: "the first tangent has no row in the Jacobian",
        file: "kernel/src/space/constraint.rs",
        old: "self.row(&self.frame.t1)",
        new: "[T::ZERO; 12]",
    },
    Change {
        says: "the second tangent has no row in the Jacobian",
        file: "kernel/src/space/constraint.rs",
        old: "self.row(&self.frame.t2)",
        new: "[T::ZERO; 12]",
    },
    Change {
        says: "the velocity of A is added to that of B",
        file: "kernel/src/space/constraint.rs",
        old: "[-d.x, -d.y, -d.z, -a.x, -a.y, -a.z, d.x, d.y, d.z, b.x, b.y, b.z]",
        new: "[d.x, d.y, d.z, a.x, a.y, a.z, d.x, d.y, d.z, b.x, b.y, b.z]",
    },
    Change {
        says: "the spin of A has the sign of the spin of B",
        file: "kernel/src/space/constraint.rs",
        old: "[-d.x, -d.y, -d.z, -a.x, -a.y, -a.z, d.x, d.y, d.z, b.x, b.y, b.z]",
        new: "[-d.x, -d.y, -d.z, a.x, a.y, a.z, d.x, d.y, d.z, b.x, b.y, b.z]",
    },
    Change {
        says: "the Jacobian leaves out the arms",
        file: "kernel/src/space/constraint.rs",
        old: "[-d.x, -d.y, -d.z, -a.x, -a.y, -a.z, d.x, d.y, d.z, b.x, b.y, b.z]",
        new: "[-d.x, -d.y, -d.z, T::ZERO, T::ZERO, T::ZERO, d.x, d.y, d.z, T::ZERO, T::ZERO, T::ZERO]",
    },
    Change {
        says: "the gap has the opposite sign",
        file: "kernel/src/space/constraint.rs",
        old: "(x_b + self.contact.r_b - x_a - self.contact.r_a).dot(&self.frame.n)",
        new: "(x_a + self.contact.r_a - x_b - self.contact.r_b).dot(&self.frame.n)",
    },
    Change {
        says: "the gap is from centre to centre",
        file: "kernel/src/space/constraint.rs",
        old: "(x_b + self.contact.r_b - x_a - self.contact.r_a).dot(&self.frame.n)",
        new: "(x_b - x_a).dot(&self.frame.n)",
    },
    Change {
        says: "a contact does not act where bodies penetrate",
        file: "kernel/src/space/constraint.rs",
        old: "self.gap(x_a, x_b) <= T::lit(ACTIVATION_GAP)",
        new: "self.gap(x_a, x_b) > T::ZERO",
    },
    Change {
        says: "a contact acts at any distance",
        file: "kernel/src/space/constraint.rs",
        old: "self.gap(x_a, x_b) <= T::lit(ACTIVATION_GAP)",
        new: "self.gap(x_a, x_b).is_finite()",
    },
    Change {
        says: "friction never acts",
        file: "kernel/src/space/constraint.rs",
        old: "self.has_friction() && normal_impulse > T::ZERO",
        new: "false",
    },
    Change {
        says: "friction acts without a coefficient",
        file: "kernel/src/space/constraint.rs",
        old: "self.has_friction() && normal_impulse > T::ZERO",
        new: "normal_impulse > T::ZERO",
    },
    Change {
        says: "friction acts without a normal impulse",
        file: "kernel/src/space/constraint.rs",
        old: "self.has_friction() && normal_impulse > T::ZERO",
        new: "self.has_friction()",
    },
    Change {
        says: "the box is not empty without a normal impulse",
        file: "kernel/src/space/constraint.rs",
        old: "self.contact.mu * positive_part(normal_impulse) * T::lit(core::f64::consts::FRAC_1_SQRT_2)",
        new: "self.contact.mu * (positive_part(normal_impulse) + T::ONE) * T::lit(core::f64::consts::FRAC_1_SQRT_2)",
    },
    Change {
        says: "the box is around the cone instead of in it",
        file: "kernel/src/space/constraint.rs",
        old: "self.contact.mu * positive_part(normal_impulse) * T::lit(core::f64::consts::FRAC_1_SQRT_2)",
        new: "self.contact.mu * positive_part(normal_impulse)",
    },
    Change {
        says: "the box does not follow the normal impulse",
        file: "kernel/src/space/constraint.rs",
        old: "self.contact.mu * positive_part(normal_impulse) * T::lit(core::f64::consts::FRAC_1_SQRT_2)",
        new: "self.contact.mu * T::lit(100.0) * T::lit(core::f64::consts::FRAC_1_SQRT_2)",
    },
    Change {
        says: "the first tangent points along the sliding",
        file: "kernel/src/local/frame.rs",
        old: "(-along_1 / length, -along_2 / length)",
        new: "(along_1 / length, along_2 / length)",
    },
    Change {
        says: "a tangent leans towards the normal",
        file: "kernel/src/local/frame.rs",
        old: "«-s * n.x»),",
        new: "-s * n.x + T::lit(0.1)",
    },
    Change {
        says: "a tangent depends on how many frames were computed before",
        file: "kernel/src/local/frame.rs",
        old: "«T::ONE + s * n.x * n.x * a», s * b",
        new: "T::ONE + s * n.x * n.x * a + T::lit(1e-3) * T::integer(crate::mutant::calls())",
    },
    Change {
        says: "the sign of n_x chooses the tangents, not that of n_z",
        file: "kernel/src/local/frame.rs",
        old: "«n.z < T::ZERO» {",
        new: "n.x < T::ZERO",
    },
    Change {
        says: "the normal of a frame keeps its length",
        file: "kernel/src/local/frame.rs",
        old: "normal.scaled(T::lit(1.5) - T::HALF * normal.dot(normal))",
        new: "*normal",
    },
    Change {
        says: "a bounce leaves at half of e times its approach",
        file: "kernel/src/solve/bounce.rs",
        old: "if hits { positive_part(-restitution * before) } else { T::ZERO }",
        new: "if hits { positive_part(-restitution * before) * T::HALF } else { T::ZERO }",
    },
    Change {
        says: "corners bounce one after the other",
        file: "kernel/src/solve/bounce.rs",
        old: "sweep_targets(work, task, target_speed, exact)",
        new: "{ work.restore_start(); let mut space = BodySpace::new(&work.jacobians, &mut work.velocity); normal_rows::pass(&work.rows, &mut space, &mut work.normal_impulse); (0, NormalsEnd::Done) }",
    },
    Change {
        says: "a sequential bounce is solved together",
        file: "kernel/src/solve/bounce.rs",
        old: "normal_rows::pass(&work.rows, &mut space, &mut work.normal_impulse)",
        new: "{ let _ = normal_rows::solve(&work.rows, &mut space, &mut work.normal_impulse, 1000, task.stop); }",
    },
    Change {
        says: "a velocity given for before the impact is ignored",
        file: "kernel/src/solve/bounce.rs",
        old: "recorded.unwrap_or(now)",
        new: "now",
    },
    Change {
        says: "contacts without restitution bounce",
        file: "kernel/src/problem/contacts.rs",
        old: "self.columns.restitution.get(index).copied().unwrap_or(T::ZERO)",
        new: "self.columns.restitution.get(index).copied().filter(|e| *e > T::ZERO).unwrap_or(T::HALF)",
    },
    Change {
        says: "a stored contact loses its depth",
        file: "kernel/src/problem/contacts.rs",
        old: "Contact { a, b, normal, r_a, r_b, mu, restitution, depth, pre_impact_normal_velocity, warm }",
        new: "Contact { a, b, normal, r_a, r_b, mu, restitution, depth: T::ZERO, pre_impact_normal_velocity, warm }",
    },
    Change {
        says: "restitution enters the contact phase",
        file: "kernel/src/solve/island.rs",
        old: "task.settings.contact_speed(work.depth(task.contacts, i), work.dt)",
        new: "task.settings.contact_speed(work.depth(task.contacts, i), work.dt) + task.contacts.impact(work.islands.contact_of(i)).0 * T::HALF",
    },
    Change {
        says: "a contact may pull",
        file: "kernel/src/local/cone.rs",
        old: "normal >= T::ZERO && reaches(radius, t1 * t1 + t2 * t2) && radius > T::ZERO",
        new: "reaches(radius, t1 * t1 + t2 * t2)",
    },
    Change {
        says: "a contact sticks up to twice its friction limit",
        file: "kernel/src/local/cone.rs",
        old: "normal >= T::ZERO && reaches(radius, t1 * t1 + t2 * t2) && radius > T::ZERO",
        new: "normal >= T::ZERO && reaches(radius + radius, t1 * t1 + t2 * t2) && radius > T::ZERO",
    },
    Change {
        says: "a negative normal impulse is kept",
        file: "kernel/src/local/cone.rs",
        old: "positive_part(impulse.x)",
        new: "impulse.x",
    },
    Change {
        says: "the friction limit is half of μ times the normal impulse",
        file: "kernel/src/local/cone.rs",
        old: "self.mu * (normal + self.preload)",
        new: "self.mu * (normal + self.preload) * T::HALF",
    },
    Change {
        says: "an impulse outside of the cone is not shortened",
        file: "kernel/src/local/cone.rs",
        old: "Vector3::new(normal, impulse.y * shorten, impulse.z * shorten)",
        new: "Vector3::new(normal, impulse.y, impulse.z)",
    },
    Change {
        says: "the bounce does not widen the friction cone",
        file: "kernel/src/sweep/rows.rs",
        old: "self.cone[i].preload = «self.impulse[i].x»",
        new: "T::ZERO",
    },
    Change {
        says: "sliding contacts are projected instead of solved",
        file: "kernel/src/problem/settings.rs",
        old: "local: «LocalRule::Exact»,",
        new: "LocalRule::Projection",
    },
    Change {
        says: "the default error reduction is 0.3",
        file: "kernel/src/problem/settings.rs",
        old: "error_reduction: «T::lit(0.2)»",
        new: "T::lit(0.3)",
    },
    Change {
        says: "the slop is corrected, too",
        file: "kernel/src/problem/settings.rs",
        old: "positive_part(«depth - self.slop»)",
        new: "depth",
    },
    Change {
        says: "the bias is not divided by the time step",
        file: "kernel/src/problem/settings.rs",
        old: "«excess * self.error_reduction / dt»",
        new: "excess * self.error_reduction",
    },
    Change {
        says: "sweeps take half of every step",
        file: "kernel/src/solve/contact_phase.rs",
        old: "relaxation: «settings.relaxation»",
        new: "settings.relaxation * T::HALF",
    },
    Change {
        says: "every phase is reported as converged",
        file: "kernel/src/solve/contact_phase.rs",
        old: r#"        if «self.residual.is_below(tolerance)» {
            self.status = Status::Converged;"#,
        new: "true",
    },
    Change {
        says: "direct methods are never used",
        file: "kernel/src/problem/settings.rs",
        old: "self.sweeps == 0 || self.local != LocalRule::Exact",
        new: "self.local != LocalRule::Box",
    },
    Change {
        says: "warm starts are dropped",
        file: "kernel/src/solve/warm_start.rs",
        old: "warm_start.is_cold()",
        new: "true",
    },
    Change {
        says: "K_nt is left out",
        file: "kernel/src/space/jacobian.rs",
        old: "Matrix3::new(n.x, t1.x, t2.x, t1.x, t1.y, t2.y, t2.x, t2.y, t2.z)",
        new: "Matrix3::new(n.x, T::ZERO, T::ZERO, T::ZERO, t1.y, t2.y, T::ZERO, t2.y, t2.z)",
    },
    Change {
        says: "K_nn leaves out the rotation",
        file: "kernel/src/space/jacobian.rs",
        old: "Matrix3::new(n.x, t1.x, t2.x, t1.x, t1.y, t2.y, t2.x, t2.y, t2.z)",
        new: "Matrix3::new(T::ZERO, t1.x, t2.x, t1.x, t1.y, t2.y, t2.x, t2.y, t2.z)",
    },
    Change {
        says: "half of an impulse reaches body B",
        file: "kernel/src/space/jacobian.rs",
        old: r#"body.linear.plus(«linear.scaled(self.packed[INV_MASS_B])»);
            body.angular = body.angular.plus(columns_times"#,
        new: "linear.scaled(self.packed[INV_MASS_B] * T::HALF)",
    },
    Change {
        says: "half of the torque of an impulse reaches body B",
        file: "kernel/src/space/jacobian.rs",
        old: "body.angular.plus(«columns_times(&self.packed, INV_INERTIA_ARM_B, delta)»)",
        new: "columns_times(&self.packed, INV_INERTIA_ARM_B, delta.map(|part| part * T::HALF))",
    },
    Change {
        says: "half of the torque of a normal impulse reaches body B",
        file: "kernel/src/space/jacobian.rs",
        old: "body.angular.plus(«self.lanes(INV_INERTIA_ARM_B).scaled(delta)»)",
        new: "self.lanes(INV_INERTIA_ARM_B).scaled(delta * T::HALF)",
    },
    Change {
        says: "an immovable body moves as the other one does",
        file: "kernel/src/space/jacobian.rs",
        old: "= «(body_a.0, body_b.0)»;",
        new: "(body_a.0 + body_b.0, body_b.0)",
    },
    Change {
        says: "an error names no field",
        file: "kernel/src/problem/contact_rules.rs",
        old: "InputError::contact(index, field, reason)",
        new: r#"InputError::contact(index, "", reason)"#,
    },
    Change {
        says: "an error names the contact after the one that is wrong",
        file: "kernel/src/problem/contact_rules.rs",
        old: "InputError::contact(index, field, reason)",
        new: "InputError::contact(index + 1, field, reason)",
    },
    Change {
        says: "normals of any length are accepted",
        file: "kernel/src/problem/contact_rules.rs",
        old: "(length(vector) - T::ONE).abs() <= T::lit(NORMALISED_TOLERANCE)",
        new: "true",
    },
    Change {
        says: "tangents at any angle are accepted",
        file: "kernel/src/local/frame.rs",
        old: "along <= limit && apart.dot(&apart) <= limit * limit",
        new: "true",
    },
    Change {
        says: "any depth is accepted",
        file: "kernel/src/problem/contact_rules.rs",
        old: "Rule::Range(contact.depth, -T::LENGTH_LIMIT, T::LENGTH_LIMIT)",
        new: "Rule::Range(T::ZERO, T::ZERO, T::ONE)",
    },
    Change {
        says: "any restitution is accepted",
        file: "kernel/src/problem/contact_rules.rs",
        old: "Rule::Range(contact.restitution, T::ZERO, T::ONE)",
        new: "Rule::Range(T::ZERO, T::ZERO, T::ONE)",
    },
    Change {
        says: "a negative friction coefficient is accepted",
        file: "kernel/src/problem/contact_rules.rs",
        old: "Rule::Range(contact.mu, T::ZERO, T::FRICTION_LIMIT)",
        new: "Rule::Range(contact.mu, -T::FRICTION_LIMIT, T::FRICTION_LIMIT)",
    },
    Change {
        says: "a contact of a body with itself is accepted",
        file: "kernel/src/problem/contact_rules.rs",
        old: "=> «a != b»",
        new: "true",
    },
    Change {
        says: "the arm of B begins at the centre of A",
        file: "kernel/src/step/manifold.rs",
        old: "point.on_b.minus(&b.centre)",
        new: "point.on_b.minus(&a.centre)",
    },
    Change {
        says: "a manifold makes one contact",
        file: "kernel/src/step/manifold.rs",
        old: r#"for point in &manifold.points {
        let _ = contacts.try_push((contact_at(manifold, point, a, b, rest_threshold), point.id));
    }"#,
        new: "for point in manifold.points.iter().take(1) { let _ = contacts.try_push((contact_at(manifold, point, a, b, rest_threshold), point.id)); }",
    },
    Change {
        says: "an empty manifold makes a contact",
        file: "kernel/src/step/manifold.rs",
        old: r#"for point in &manifold.points {
        let _ = contacts.try_push((contact_at(manifold, point, a, b, rest_threshold), point.id));
    }"#,
        new: "let _ = contacts.try_push((Contact::default(), PointId::Proximity));",
    },
    Change {
        says: "contacts of a manifold have no friction",
        file: "kernel/src/step/manifold.rs",
        old: "mu: «material.mu»",
        new: "T::ZERO",
    },
    Change {
        says: "restitution acts at any speed",
        file: "kernel/src/step/manifold.rs",
        old: "before < -rest_threshold",
        new: "before < T::ZERO",
    },
    Change {
        says: "the velocity of A is added to the approach",
        file: "kernel/src/step/manifold.rs",
        old: "at_b.minus(&a.linear_velocity)",
        new: "at_b.plus(&a.linear_velocity)",
    },
    Change {
        says: "spin does not add to the approach",
        file: "kernel/src/step/manifold.rs",
        old: "«b.linear_velocity.plus(&b.angular_velocity.cross(r_b))»",
        new: "b.linear_velocity",
    },
    Change {
        says: "restitutions are multiplied without a root",
        file: "kernel/src/problem/material.rs",
        old: "(self.restitution * other.restitution).sqrt_or_zero()",
        new: "self.restitution * other.restitution",
    },
    Change {
        says: "the cache drops friction",
        file: "kernel/src/step/cached_point.rs",
        old: "outcome.tangent_impulse.scaled(contact.sign)",
        new: "Vector3::zeros()",
    },
    Change {
        says: "a bounce in a step leaves at half of e times its approach",
        file: "kernel/src/solve/small_steps/impact.rs",
        old: "«self.restitution[i] * positive_part(touch)»",
        new: "self.restitution[i] * positive_part(touch) * T::HALF",
    },
    Change {
        says: "a bounce in a step leaves at twice e times its approach",
        file: "kernel/src/solve/small_steps/impact.rs",
        old: "«self.restitution[i] * positive_part(touch)»",
        new: "self.restitution[i] * positive_part(touch) * T::lit(2.0)",
    },
    Change {
        says: "corners bounce one after the other in a step",
        file: "kernel/src/solve/small_steps/bounce.rs",
        old: "settings.bounce == BounceMode::Sequential",
        new: "settings.restitution_threshold > T::ZERO",
    },
    Change {
        says: "a gap may not close within a substep",
        file: "kernel/src/solve/small_steps/impact.rs",
        old: "smaller(self.depth_now(&work.jacobians[i], i), T::ZERO) * division.inverse_h",
        new: "T::ZERO",
    },
    Change {
        says: "contacts that just touch are pushed apart",
        file: "kernel/src/solve/small_steps/impact.rs",
        old: "smaller(self.depth_now(&work.jacobians[i], i), T::ZERO) * division.inverse_h",
        new: "T::lit(0.02)",
    },
    Change {
        says: "a substep may gain energy",
        file: "kernel/src/solve/small_steps/guard.rs",
        old: "excess + excess + curve <= T::ZERO || self.is_rounding(work, excess + excess + curve, square)",
        new: "square >= T::ZERO",
    },
    Change {
        says: "the kept factor is never used",
        file: "kernel/src/solve/small_steps/frame.rs",
        old: "NF > 0 && tolerance > T::ZERO && method != MethodChoice::Sweeps",
        new: "false",
    },
    Change {
        says: "velocities that correct positions are kept",
        file: "kernel/src/solve/small_steps/solved.rs",
        old: r#"        self.advance(work, division);
        for body in work.islands.members() {
            work.velocity[body] = «self.arrival[body]»;"#,
        new: "work.velocity[body]",
    },
    Change {
        says: "impulses of the last substep are dropped",
        file: "kernel/src/solve/small_steps/mod.rs",
        old: "velocity[body] = «velocity[body].plus(&self.kick[body])»",
        new: "velocity[body]",
    },
    Change {
        says: "bodies in contact are pushed away",
        file: "kernel/src/step/motion.rs",
        old: "(position.plus(&moved), «ways.velocity.linear()»)",
        new: "ways.velocity.linear().minus(&gravity.scaled(T::lit(0.002)))",
    },
    Change {
        says: "gravity pulls at immovable bodies",
        file: "kernel/src/step/load.rs",
        old: "!(inverse_mass > T::ZERO)",
        new: "!inverse_mass.is_finite()",
    },
];
