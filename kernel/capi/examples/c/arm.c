// An arm on a hinge: it swings as a pendulum, a motor turns it to its limit, and a servo holds it. A pipeline with joints.
//
//   cc -std=c11 -I include examples/c/arm.c libstiction_c.a -Wl,--gc-sections -lm -o arm
//
// See stack.c for a pipeline with contacts.

#include <math.h>
#include <stdio.h>

#include "stiction.h"

static const float DT = 1.0f / 120.0f;
static const float MASS = 1.0f;
static const float LENGTH = 0.5f;
static const float GRAVITY = 9.81f;
static const float LIMIT = 1.2f;
static const float STIFFNESS = 40.0f;

STICTION_ALIGNED static unsigned char memory[STICTION_F32_PIPELINE_8_16_WITH_JOINTS_BYTES];
static StictionPipelineF32 *pipeline;

static int said(StictionError error, const StictionInputErrorF32 *input_error) {
    char text[128];
    if (error) {
        stiction_f32_error_text(input_error, text, sizeof text);
        printf("rejected: %s\n", text);
    }
    return error != STICTION_ERROR_OK;
}

// The arm hangs from the world, and turns slowly. Its hinge is at the origin, about y.
static int set_up(StictionJointF32 *hinge) {
    const float side = MASS * LENGTH * LENGTH / 12.0f, round = 1e-3f * side, spin = 0.3f;
    const float inertia[9] = { side, 0, 0, 0, side, 0, 0, 0, round };
    const float at[3] = { 0, 0, 0 }, axis[3] = { 0, 1, 0 };
    StictionInputErrorF32 why;
    size_t base, arm;
    StictionRigidBodyF32 wall = stiction_f32_fixed_body(), body = stiction_f32_body_from_mass(MASS, inertia);
    body.position[2] = -0.5f * LENGTH;
    body.angular_velocity[1] = spin;
    body.linear_velocity[0] = -0.5f * LENGTH * spin;
    if (said(stiction_f32_add_body(pipeline, &wall, &base, &why), &why)) return 1;
    if (said(stiction_f32_add_body(pipeline, &body, &arm, &why), &why)) return 1;
    hinge->a = (uint32_t)base;
    hinge->b = (uint32_t)arm;
    hinge->kind = STICTION_JOINT_KIND_HINGE;
    // Writes anchors, axis and the orientation at position 0.
    if (said(stiction_f32_joint_between(pipeline, at, NULL, axis, hinge, &why), &why)) return 1;
    return said(stiction_f32_add_joint(pipeline, hinge, NULL, &why), &why);
}

// Steps once; the hinge's state is NaN after an error.
static StictionJointStateF32 step(void) {
    StictionJointStateF32 state = { .position = NAN };
    StictionInputErrorF32 why;
    if (said(stiction_f32_step_manifolds(pipeline, NULL, 0, 0, DT, NULL, NULL, &why), &why)) return state;
    if (stiction_f32_joint_state(pipeline, 0, &state)) puts("no joint");
    return state;
}

static int off_by_more_than_1_percent(const char *what, double measured, double expected) {
    double error = fabs(measured / expected - 1.0);
    printf("%s: %.4f, by the formula %.4f, off by %.3f %%\n", what, measured, expected, 100.0 * error);
    return !(error < 0.01);
}

// Seconds between the first and the last time that the position becomes positive, for each period.
static double period_of_swings(void) {
    double first = 0.0, last = 0.0;
    int swings = -1;
    // It begins at 0 and becomes positive.
    float before = step().position;
    for (int n = 2; n < 1200; n++) {
        float now = step().position;
        if (before < 0.0f && now >= 0.0f) {
            last = (n - now / (now - before)) * DT;
            first = swings < 0 ? last : first;
            swings++;
        }
        before = now;
    }
    return (last - first) / swings;
}

int main(void) {
    StictionJointF32 hinge = { 0 };
    StictionInputErrorF32 why;
    StictionError error =
        stiction_f32_pipeline_init_kind(stiction_f32_pipeline_kind_8_16_with_joints(), memory, sizeof memory, &pipeline);
    if (error) {
        printf("no pipeline: memory %s\n", stiction_error_text(error));
        return 1;
    }
    if (set_up(&hinge)) return 1;
    const double pi = 3.14159265358979;
    int wrong = off_by_more_than_1_percent("period, s", period_of_swings(), 2.0 * pi * sqrt(2.0 * LENGTH / (3.0 * GRAVITY)));

    // A motor turns it to its limit.
    hinge.has_limits = true;
    hinge.limits[0] = -LIMIT;
    hinge.limits[1] = LIMIT;
    hinge.motor = STICTION_MOTOR_KIND_SPEED;
    hinge.motor_speed = 3.0f;
    hinge.motor_max = 20.0f;
    if (said(stiction_f32_set_joint(pipeline, 0, &hinge, &why), &why)) return 1;
    StictionJointStateF32 state = step();
    for (int n = 0; n < 240; n++) state = step();
    wrong |= off_by_more_than_1_percent("at the limit, rad", state.position, LIMIT) || !state.is_at_limit;

    // A servo holds it at 1 rad: its weight turns it away until the motor's torque is that of the weight.
    hinge.motor = STICTION_MOTOR_KIND_POSITION;
    hinge.motor_position = 1.0f;
    hinge.motor_stiffness = STIFFNESS;
    hinge.motor_damping = 4.0f;
    if (said(stiction_f32_set_joint(pipeline, 0, &hinge, &why), &why)) return 1;
    for (int n = 0; n < 480; n++) state = step();
    double torque = STIFFNESS * (1.0 - state.position), weight = 0.5 * MASS * GRAVITY * LENGTH * sin(state.position);
    wrong |= off_by_more_than_1_percent("torque of the servo, N m", torque, weight) || state.is_at_limit;

    // Limits that are crossed are rejected with the name of the field, and nothing is changed.
    hinge.limits[0] = 2.0f;
    error = stiction_f32_set_joint(pipeline, 0, &hinge, &why);
    wrong |= !said(error, &why) || error != STICTION_ERROR_LIMITS_CROSSED;
    return wrong;
}
