// Four stacked boxes that slide over the ground, the top one rotating: one scene for a desktop and for a
// microcontroller.
//
// Both must give the same bits. The library guarantees that for itself. The geometry here is compiled by two C
// compilers, which must round every operation to a float and must not fuse any: `-ffp-contract=off`, and no
// `-ffast-math`.

#ifndef STACK_SCENE_H
#define STACK_SCENE_H

#include <float.h>

#include "stiction.h"

#if FLT_EVAL_METHOD != 0
#error "floats are kept in wider registers here: on x86 use -msse2 -mfpmath=sse"
#endif

enum {
    STACK_BODIES = 5, // the ground, then the boxes from below
    STACK_CORNERS = 4,
    STACK_STEPS = 60,
    STACK_MEMORY = STICTION_F32_PIPELINE_8_16_BYTES
};

static const float STACK_DT = 1.0f / 60.0f;

// Half side lengths, m. The ground is a plane: only its surface at height 0 is used.
static const float STACK_HALF[STACK_BODIES][3] = {
    { 0.0f, 0.0f, 0.0f },   { 0.50f, 0.50f, 0.20f }, { 0.40f, 0.40f, 0.15f },
    { 0.30f, 0.30f, 0.15f }, { 0.20f, 0.20f, 0.10f },
};

typedef struct {
    float position[3], orientation[4], linear[3], angular[3];
} StackState;

// A box with the density of water, at rest, given the height of its lower face.
static inline StictionRigidBodyF32 stack_box(const float half[3], float lower_side) {
    float mass = 8.0f * half[0] * half[1] * half[2] * 1000.0f;
    float xx = half[0] * half[0], yy = half[1] * half[1], zz = half[2] * half[2], third = mass / 3.0f;
    float inertia[9] = { third * (yy + zz), 0.0f, 0.0f, 0.0f, third * (xx + zz), 0.0f, 0.0f, 0.0f, third * (xx + yy) };
    StictionRigidBodyF32 box = stiction_f32_body_from_mass(mass, inertia);
    box.position[2] = lower_side + half[2];
    box.mu = 0.6f;
    return box;
}

static inline StictionError stack_build(StictionPipelineF32 *pipeline, StictionInputErrorF32 *input_error) {
    StictionRigidBodyF32 body = stiction_f32_fixed_body();
    float height = 0.0f;
    body.mu = 0.1f;
    StictionError error = stiction_f32_add_body(pipeline, &body, NULL, input_error);
    for (int i = 1; i < STACK_BODIES && !error; i++) {
        body = stack_box(STACK_HALF[i], height);
        // Slightly off-centre, so that no two corners carry the same load.
        body.position[0] = 0.01f * (float)i;
        body.linear_velocity[0] = 2.0f;
        if (i == STACK_BODIES - 1) body.angular_velocity[2] = 1.0f;
        error = stiction_f32_add_body(pipeline, &body, NULL, input_error);
        height += 2.0f * STACK_HALF[i][2];
    }
    return error;
}

// Rotates a vector from body axes to world axes.
static inline void stack_rotate(const float q[4], const float v[3], float out[3]) {
    float x = q[0], y = q[1], z = q[2], w = q[3];
    out[0] = (1.0f - 2.0f * (y * y + z * z)) * v[0] + 2.0f * (x * y - w * z) * v[1] + 2.0f * (x * z + w * y) * v[2];
    out[1] = 2.0f * (x * y + w * z) * v[0] + (1.0f - 2.0f * (x * x + z * z)) * v[1] + 2.0f * (y * z - w * x) * v[2];
    out[2] = 2.0f * (x * z - w * y) * v[0] + 2.0f * (y * z + w * x) * v[1] + (1.0f - 2.0f * (x * x + y * y)) * v[2];
}

// The four lower corners of a box against the upper face of the wider body below it. A corner's number is its id: it
// stays the same from step to step, so its cached impulse is found again.
static inline void stack_manifold(uint32_t below, const StictionRigidBodyF32 bodies[2], StictionManifoldF32 *manifold) {
    static const float up[3] = { 0.0f, 0.0f, 1.0f };
    const float *half = STACK_HALF[below + 1];
    float *normal = manifold->normal;
    *manifold = (StictionManifoldF32){ 0 };
    manifold->a = below;
    manifold->b = below + 1;
    manifold->point_count = STACK_CORNERS;
    stack_rotate(bodies[0].orientation, up, normal);
    for (uint32_t corner = 0; corner < STACK_CORNERS; corner++) {
        StictionManifoldPointF32 *point = &manifold->points[corner];
        float local[3] = { corner & 1 ? half[0] : -half[0], corner & 2 ? half[1] : -half[1], -half[2] };
        float arm[3], gap = -STACK_HALF[below][2];
        stack_rotate(bodies[1].orientation, local, arm);
        for (int k = 0; k < 3; k++) {
            point->on_b[k] = bodies[1].position[k] + arm[k];
            gap += normal[k] * (point->on_b[k] - bodies[0].position[k]);
        }
        for (int k = 0; k < 3; k++) point->on_a[k] = point->on_b[k] - gap * normal[k];
        point->depth = -gap;
        point->kind = STICTION_POINT_KIND_FEATURE;
        point->feature = corner;
    }
}

// Finds all contacts; called by the step. An error here rejects the step, which returns the reason.
static inline bool stack_find(void *user, StictionContactCollectorF32 *collector) {
    (void)user;
    for (uint32_t below = 0; below + 1 < STACK_BODIES; below++) {
        StictionRigidBodyF32 bodies[2];
        StictionManifoldF32 manifold;
        if (stiction_f32_collector_body(collector, below, &bodies[0])) return false;
        if (stiction_f32_collector_body(collector, below + 1, &bodies[1])) return false;
        stack_manifold(below, bodies, &manifold);
        if (stiction_f32_collect(collector, &manifold, NULL)) return false;
    }
    return true;
}

static inline StictionError stack_states(const StictionPipelineF32 *pipeline, StackState states[STACK_BODIES]) {
    const StictionStatesF32 views = {
        .count = STACK_BODIES,
        .position = { states[0].position, sizeof states[0] },
        .orientation = { states[0].orientation, sizeof states[0] },
        .linear_velocity = { states[0].linear, sizeof states[0] },
        .angular_velocity = { states[0].angular, sizeof states[0] },
    };
    return stiction_f32_states(pipeline, &views);
}

// FNV-1a over the bits of all numbers, least significant byte first on every machine.
static inline uint64_t stack_digest(const StackState states[STACK_BODIES]) {
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    const float *number = (const float *)states; // the struct contains only floats
    for (size_t i = 0; i < STACK_BODIES * sizeof states[0] / sizeof(float); i++) {
        const union { float number; uint32_t bits; } as = { .number = number[i] };
        for (int shift = 0; shift < 32; shift += 8) {
            digest = (digest ^ ((as.bits >> shift) & 0xff)) * UINT64_C(0x100000001b3);
        }
    }
    return digest;
}

#endif
