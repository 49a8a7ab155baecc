//! Sizes and offsets of all C structs. They are asserted here and, in the file that this test compares, in C. Those for
//! pointers of the other width are computed from the header.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::mem::{offset_of, size_of};
use std::path::Path;

use stiction_c::{
    body_surface, choices, delassus, diagnostics, error, hooks, input, joint, kept, manifold, output, place, report,
    view, world,
};

mod header;

const HEADER: &str = include_str!("../include/stiction.h");

/// Adds the size and the offsets of one struct.
macro_rules! layout {
    ($out:ident, $name:expr, $type:ty, $($field:ident),+) => {
        $out.push((format!("sizeof({})", $name), size_of::<$type>()));
        $($out.push((format!("offsetof({}, {})", $name, stringify!($field)), offset_of!($type, $field)));)+
    };
}

macro_rules! layouts_of {
    ($out:ident, $T:ty, $suffix:literal) => {
        layout!(
            $out,
            concat!("StictionSettings", $suffix),
            choices::Settings<$T>,
            method,
            local,
            bounce,
            order,
            position_correction,
            islands,
            sweeps,
            factorisations,
            min_sweeps,
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
            cache_cell,
            substeps
        );
        layout!(
            $out,
            concat!("StictionRigidBody", $suffix),
            world::RigidBody<$T>,
            inverse_mass,
            inverse_inertia_body,
            position,
            orientation,
            linear_velocity,
            angular_velocity,
            force,
            torque,
            mu,
            restitution
        );
        layout!(
            $out,
            concat!("StictionInputError", $suffix),
            error::InputError<$T>,
            error,
            input,
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
            inverse_inertia_world,
            linear_velocity,
            angular_velocity,
            position
        );
        layout!(
            $out,
            concat!("StictionContacts", $suffix),
            input::Contacts<$T>,
            count,
            a,
            b,
            normal,
            r_a,
            r_b,
            point,
            mu,
            restitution,
            depth,
            pre_impact_normal_velocity,
            warm_normal_impulse,
            warm_tangent_impulse,
            torsion,
            rolling,
            mu_across,
            friction_direction,
            is_joined,
            warm_moment
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
            correction_angular,
            moment,
            reached
        );
        layout!($out, concat!("StictionHooks", $suffix), hooks::Hooks<$T>, user, should_stop, record, direct, lanes);
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
            safe_blocks,
            memory_too_small,
            bounce_dropped,
            passivity_guard,
            residual,
            residual_scale,
            closing_speed,
            cone,
            bounce_missing,
            energy_before,
            energy_after,
            bounce_work,
            contact_work,
            friction_work,
            bias_work
        );
        layout!($out, concat!("StictionFrictionWork", $suffix), report::FrictionWork<$T>, sliding, spinning, rolling);
        layout!(
            $out,
            concat!("StictionStates", $suffix),
            kept::States<$T>,
            count,
            position,
            orientation,
            linear_velocity,
            angular_velocity
        );
        layout!(
            $out,
            concat!("StictionManifoldPoint", $suffix),
            manifold::ManifoldPoint<$T>,
            on_a,
            on_b,
            depth,
            kind,
            feature
        );
        layout!(
            $out,
            concat!("StictionManifold", $suffix),
            manifold::Manifold<$T>,
            a,
            b,
            normal,
            point_count,
            has_material,
            mu,
            restitution,
            points
        );
        layout!(
            $out,
            concat!("StictionSurface", $suffix),
            body_surface::Surface<$T>,
            torsion,
            rolling,
            mu_across,
            friction_direction,
            is_joined
        );
        layout!(
            $out,
            concat!("StictionJoint", $suffix),
            joint::Joint<$T>,
            a,
            b,
            kind,
            motor,
            collide,
            has_limits,
            has_spring,
            anchor_a,
            anchor_b,
            axis,
            rest,
            limits,
            motor_speed,
            motor_position,
            motor_stiffness,
            motor_damping,
            motor_max,
            friction,
            spring_rest,
            spring_stiffness,
            spring_damping,
            length
        );
        layout!(
            $out,
            concat!("StictionJointState", $suffix),
            joint::JointState<$T>,
            linear,
            angular,
            position,
            is_at_limit
        );
        layout!(
            $out,
            concat!("StictionJointWork", $suffix),
            joint::JointWork<$T>,
            motor,
            spring,
            friction,
            stored_before,
            stored_after
        );
        layout!(
            $out,
            concat!("StictionStepReport", $suffix),
            report::StepReport<$T>,
            status,
            contacts,
            contacts_left_out,
            warm_started,
            kept,
            islands,
            sweeps,
            newton_steps,
            interior_steps,
            factors,
            corrections,
            contacts_changed,
            safe_blocks,
            memory_too_small,
            factor_memory_too_small,
            passivity_guard,
            bounce_dropped,
            residual,
            closing_speed,
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
            position_correction_work
        );
        layout!(
            $out,
            concat!("StictionContactRecord", $suffix),
            kept::ContactRecord<$T>,
            a,
            b,
            normal,
            r_a,
            r_b,
            depth,
            mu,
            normal_impulse,
            bounce_impulse,
            tangent_impulse,
            state
        );
        layout!(
            $out,
            concat!("StictionContactDiagnostics", $suffix),
            diagnostics::ContactDiagnostics<$T>,
            coupling,
            condition,
            sliding_direction,
            sliding_steps,
            block_replaced
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
            start,
            torsion,
            rolling,
            is_joined
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
            safe_blocks,
            memory_too_small,
            passivity_guard,
            residual,
            closing_speed,
            natural_rel_q,
            unit_rel_q,
            work
        );
    };
}

/// Sizes and offsets on this machine.
fn layouts() -> Vec<(String, usize)> {
    let mut out = Vec::new();
    layout!(out, "StictionCapacity", place::Capacity, bodies, contacts);
    layout!(out, "StictionViewU32", view::View<u32>, data, stride);
    layout!(out, "StictionViewMutU32", view::ViewMut<u32>, data, stride);
    layouts_of!(out, f32, "F32");
    layouts_of!(out, f64, "F64");
    out
}

const HEAD: &str = "// Sizes and offsets. Made by kernel/capi/tests/layout.rs, which compares them with Rust's.

#include \"stiction.h\"

// With pointers of 64 bits, and of 32.
#define W(on64, on32) (sizeof(void *) == 8 ? (on64) : (on32))

";

#[test]
fn the_layout_is_the_one_that_c_asserts() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("checks/layout.c");
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let widths = [8, 4].map(|pointer| header::layouts(HEADER, pointer));
    let own = usize::from(cfg!(target_pointer_width = "32"));
    let mut fresh = String::from(HEAD);
    for (name, value) in layouts() {
        let [on64, on32] = [&widths[0], &widths[1]].map(|width| width[&name]);
        assert_eq!([on64, on32][own], value, "{name}: the header has another layout than Rust");
        writeln!(fresh, "_Static_assert({name} == W({on64}, {on32}), \"{name}\");").unwrap();
    }
    if std::env::var_os("STICTION_DRAW").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    assert_eq!(kept, fresh, "STICTION_DRAW=1 writes it again: that changes the ABI");
}

#[test]
fn every_field_of_the_header_is_asserted() {
    let asserted: BTreeSet<String> = layouts().into_iter().map(|(name, _)| name).collect();
    let declared = header::layouts(HEADER, 8);
    declared.keys().for_each(|name| assert!(asserted.contains(name), "{name} is not asserted"));
    let fields = declared.keys().filter(|name| name.starts_with("offsetof")).count();
    assert!(fields > 200, "only {fields} fields were seen");
}
