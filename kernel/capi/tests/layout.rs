//! Sizes and offsets of everything that crosses the boundary, asserted here and, by the file that this test compares, in C.

use std::fmt::Write;
use std::mem::{offset_of, size_of};
use std::path::Path;

use stiction_c::{choices, delassus, error, hooks, input, kept, output, place, report, touch, view, world};

/// Writes the assertions of one struct.
macro_rules! layout {
    ($out:ident, $name:expr, $type:ty, $($field:ident),+) => {
        writeln!($out, "_Static_assert(sizeof({0}) == {1}, \"{0}\");", $name, size_of::<$type>()).unwrap();
        $(writeln!(
            $out,
            "_Static_assert(offsetof({0}, {1}) == {2}, \"{0}.{1}\");",
            $name,
            stringify!($field),
            offset_of!($type, $field)
        )
        .unwrap();)+
    };
}

macro_rules! layouts_of {
    ($out:ident, $T:ty, $suffix:literal) => {
        layout!(
            $out,
            concat!("StictionSettings", $suffix),
            choices::Settings<$T>,
            approach,
            local_rule,
            bounce,
            order,
            stabilisation,
            extent,
            sweeps,
            factorisations,
            least_sweeps,
            normal_sweeps,
            relaxation,
            accelerated_relaxation,
            tolerance,
            restitution_threshold,
            error_reduction,
            slop,
            max_correction_speed
        );
        layout!(
            $out,
            concat!("StictionStepSettings", $suffix),
            choices::StepSettings<$T>,
            solver,
            gravity,
            contact_margin,
            substeps
        );
        layout!(
            $out,
            concat!("StictionRigidBody", $suffix),
            world::RigidBody<$T>,
            inverse_mass,
            inverse_inertia,
            position,
            orientation,
            linear,
            angular,
            force,
            torque,
            mu,
            restitution
        );
        layout!(
            $out,
            concat!("StictionRefusal", $suffix),
            error::Refusal<$T>,
            error,
            place,
            index,
            field,
            value,
            limit
        );
        layout!($out, concat!("StictionView", $suffix), view::View<$T>, data, stride);
        layout!($out, concat!("StictionViewMut", $suffix), view::ViewMut<$T>, data, stride);
        layout!(
            $out,
            concat!("StictionBodies", $suffix),
            input::Bodies<$T>,
            count,
            inverse_mass,
            inverse_inertia,
            linear,
            angular,
            position
        );
        layout!(
            $out,
            concat!("StictionContacts", $suffix),
            input::Contacts<$T>,
            count,
            body_a,
            body_b,
            normal,
            arm_a,
            arm_b,
            point,
            mu,
            restitution,
            depth,
            pre_impact_normal_velocity,
            warm_normal,
            warm_tangent
        );
        layout!(
            $out,
            concat!("StictionAnswer", $suffix),
            output::Answer<$T>,
            normal_impulse,
            tangent_impulse,
            bounce_impulse,
            state,
            correction_linear,
            correction_angular
        );
        layout!($out, concat!("StictionHooks", $suffix), hooks::Hooks<$T>, user, deadline, record, room);
        layout!(
            $out,
            concat!("StictionReport", $suffix),
            report::Report<$T>,
            status,
            method,
            sweeps,
            bounce_sweeps,
            newton_steps,
            interior_steps,
            islands,
            worst_contact,
            cramped,
            bounce_dropped,
            passivity_guard,
            residual,
            residual_scale,
            approach,
            cone,
            bounce_missing,
            energy_before,
            energy_after,
            bounce_work,
            contact_work,
            friction_work,
            bias_work
        );
        layout!(
            $out,
            concat!("StictionStates", $suffix),
            kept::States<$T>,
            count,
            position,
            orientation,
            linear,
            angular
        );
        layout!(
            $out,
            concat!("StictionManifoldPoint", $suffix),
            touch::ManifoldPoint<$T>,
            on_a,
            on_b,
            depth,
            kind,
            feature
        );
        layout!(
            $out,
            concat!("StictionManifold", $suffix),
            touch::Manifold<$T>,
            body_a,
            body_b,
            normal,
            point_count,
            has_material,
            mu,
            restitution,
            points
        );
        layout!(
            $out,
            concat!("StictionStepReport", $suffix),
            report::StepReport<$T>,
            status,
            contacts,
            contacts_left_out,
            warm,
            not_remembered,
            islands,
            sweeps,
            newton_steps,
            interior_steps,
            cramped,
            passivity_guard,
            residual,
            approach,
            depth,
            kinetic_before,
            kinetic_after,
            potential_before,
            potential_after,
            load_work,
            integration_work,
            bounce_work,
            normal_work,
            friction_work,
            stabilisation_work
        );
        layout!(
            $out,
            concat!("StictionContactRecord", $suffix),
            kept::ContactRecord<$T>,
            body_a,
            body_b,
            normal,
            arm_a,
            arm_b,
            depth,
            mu,
            normal_impulse,
            bounce_impulse,
            tangent_impulse,
            state
        );
        layout!(
            $out,
            concat!("StictionDelassusProblem", $suffix),
            delassus::DelassusProblem<$T>,
            contacts,
            w,
            blocks,
            row_starts,
            columns,
            q,
            mu,
            start
        );
        layout!($out, concat!("StictionDelassusAnswer", $suffix), delassus::DelassusAnswer<$T>, impulse, state);
        layout!(
            $out,
            concat!("StictionDelassusReport", $suffix),
            report::DelassusReport<$T>,
            status,
            method,
            sweeps,
            newton_steps,
            interior_steps,
            worst_contact,
            cramped,
            passivity_guard,
            residual,
            approach,
            natural_rel_q,
            unit_rel_q,
            work
        );
    };
}

fn assertions() -> String {
    let mut out =
        String::from("// Sizes and offsets. Made by kernel/capi/tests/layout.rs, which compares them with Rust's.\n\n");
    out += "#include \"stiction.h\"\n\n";
    layout!(out, "StictionCapacity", place::Capacity, bodies, contacts);
    layout!(out, "StictionViewU32", view::View<u32>, data, stride);
    layout!(out, "StictionViewMutU32", view::ViewMut<u32>, data, stride);
    layouts_of!(out, f32, "F32");
    layouts_of!(out, f64, "F64");
    out
}

#[test]
fn the_layout_is_the_one_that_c_asserts() {
    let name = if cfg!(target_pointer_width = "64") { "checks/layout.c" } else { "checks/layout32.c" };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let fresh = assertions();
    if std::env::var_os("STICTION_DRAW").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), fresh, "STICTION_DRAW=1 writes it anew: that is another ABI");
}

#[test]
fn every_field_of_the_header_is_asserted() {
    let header = include_str!("../include/stiction.h");
    let assertions = assertions();
    let (mut inside, mut fields) = (None, 0);
    for line in header.lines() {
        if let Some(name) = line.strip_prefix("typedef struct ").and_then(|rest| rest.strip_suffix(" {")) {
            inside = Some(name);
        } else if line.starts_with('}') {
            inside = None;
        } else if let Some(name) = inside.filter(|_| line.ends_with(';')) {
            let field = line.trim_end_matches(';').rsplit(' ').next().unwrap();
            let field = field.trim_start_matches('*').split('[').next().unwrap();
            assert!(assertions.contains(&format!("offsetof({name}, {field})")), "{name}.{field} is not asserted");
            fields += 1;
        }
    }
    assert!(fields > 200, "only {fields} fields were seen");
}
