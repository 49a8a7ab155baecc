// Solves eight contacts repeatedly: two stacked boxes on the ground, without warm start.
//
//   repeat TIMES        prints a digest of the last velocities, and the number of allocations of all solves if they are counted
//
// The cost of a call is the difference of the instruction counts of two runs; kernel/capi/examples/repeat.rs does the
// same in Rust.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stiction.h"

// Defined only if count_allocations.c is preloaded.
extern unsigned long counted_allocations(void) __attribute__((weak));

struct Body {
    float inverse_mass, inverse_inertia[9], velocity[3], spin[3];
};

struct Contact {
    uint32_t a, b;
    float normal[3], r_a[3], r_b[3], mu, impulse, friction[3];
};

static _Alignas(STICTION_ALIGNMENT) unsigned char memory[64 * 1024];
static struct Body bodies[3];
static struct Contact contacts[8];

static void set_up(void) {
    memset(bodies, 0, sizeof bodies);
    for (int i = 1; i < 3; i++) {
        bodies[i].inverse_mass = 1;
        bodies[i].inverse_inertia[0] = bodies[i].inverse_inertia[4] = bodies[i].inverse_inertia[8] = 6;
        bodies[i].velocity[0] = 0.01f;
        bodies[i].velocity[2] = -9.81f / 60;
    }
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t upper = i / 4 + 1;
        float x = i & 1 ? 0.5f : -0.5f, y = i & 2 ? 0.5f : -0.5f, below = upper == 1 ? 0 : 0.5f;
        struct Contact contact = {upper - 1, upper, {0, 0, 1}, {x, y, below}, {x, y, -0.5f}, 0.5f, 0, {0, 0, 0}};
        contacts[i] = contact;
    }
}

static uint64_t digest(void) {
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < 3; i++) {
        const uint8_t *bytes = (const uint8_t *)bodies[i].velocity;
        for (size_t j = 0; j < 24; j++) {
            digest = (digest ^ bytes[j]) * UINT64_C(0x100000001b3);
        }
    }
    return digest;
}

STICTION_ALIGNED static unsigned char world[STICTION_F64_PIPELINE_8_16_BYTES];
STICTION_ALIGNED static unsigned char matrix[STICTION_F64_DELASSUS_SOLVER_16_BYTES];

// The other calls, to count their allocations: a ball on the ground with the pipeline, its cache, and a problem in
// Delassus form.
static bool others(void) {
    StictionPipelineF64 *pipeline;
    StictionRigidBodyF64 body = stiction_f64_fixed_body();
    StictionManifoldF64 touch = {.a = 0, .b = 1, .normal = {0, 0, 1}, .point_count = 1, .points = {{.on_b = {0, 0, 0}}}};
    StictionError error = stiction_f64_pipeline_init_kind(stiction_f64_pipeline_kind_8_16(), world, sizeof world, &pipeline);
    error |= stiction_f64_add_body(pipeline, &body, NULL, NULL);
    body.inverse_mass = 1;
    body.position[2] = 1;
    error |= stiction_f64_add_body(pipeline, &body, NULL, NULL);
    uint8_t bytes[1024];
    size_t length;
    for (int i = 0; i < 100; i++) {
        error |= stiction_f64_step_manifolds(pipeline, &touch, 1, sizeof touch, 0.01, NULL, NULL, NULL);
        error |= stiction_f64_cache_save(pipeline, bytes, sizeof bytes, &length, NULL);
        error |= stiction_f64_cache_restore(pipeline, bytes, length, NULL);
    }
    StictionDelassusSolverF64 *solver;
    double w[9] = {2, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0.1, 0}, mu = 0.5, x[3];
    StictionDelassusProblemF64 problem = {.contacts = 1, .w = w, .q = {q, sizeof q}, .mu = {&mu, sizeof mu}};
    StictionDelassusAnswerF64 answer = {.impulse = {x, sizeof x}};
    StictionSettingsF64 settings = stiction_f64_settings();
    error |= stiction_f64_delassus_solver_init_kind(stiction_f64_delassus_solver_kind_16(), matrix, sizeof matrix, &solver);
    error |= stiction_f64_delassus_solve(solver, &problem, &settings, &answer, NULL, NULL, NULL);
    return error == STICTION_ERROR_OK && x[0] > 0.49 && x[0] < 0.51;
}

int main(int count, char **arguments) {
    long times = count > 1 ? strtol(arguments[1], NULL, 10) : 1;
    const StictionSolverKindF32 *kind = stiction_f32_solver_kind_8_16();
    StictionSolverF32 *solver;
    if (sizeof memory < stiction_f32_solver_kind_size(kind) ||
        stiction_f32_solver_init_kind(kind, memory, sizeof memory, &solver)) {
        return 2;
    }
    const size_t body = sizeof bodies[0], contact = sizeof contacts[0];
    StictionBodiesF32 all = {3, {&bodies->inverse_mass, body}, {bodies->inverse_inertia, body}, {bodies->velocity, body},
                             {bodies->spin, body}, {NULL, 0}};
    StictionContactsF32 contact_views = {.count = 8,
                                    .a = {&contacts->a, contact},
                                    .b = {&contacts->b, contact},
                                    .normal = {contacts->normal, contact},
                                    .r_a = {contacts->r_a, contact},
                                    .r_b = {contacts->r_b, contact},
                                    .mu = {&contacts->mu, contact},
                                    .warm_normal_impulse = {&contacts->impulse, contact},
                                    .warm_tangent_impulse = {contacts->friction, contact}};
    StictionAnswerF32 answer = {.normal_impulse = {&contacts->impulse, contact}, .tangent_impulse = {contacts->friction, contact}};
    StictionSettingsF32 settings = stiction_f32_settings();
    StictionReportF32 report = {0};
    unsigned long before = counted_allocations ? counted_allocations() : 0;
    for (long i = 0; i < times; i++) {
        set_up();
        if (stiction_f32_solve(solver, &all, &contact_views, &settings, 1.0f / 60.0f, &answer, NULL, &report, NULL)) {
            return 2;
        }
    }
    // Not when instructions are counted.
    if (counted_allocations && !others()) {
        return 2;
    }
    unsigned long after = counted_allocations ? counted_allocations() : 0;
    printf("%016llx\n", (unsigned long long)digest());
    fprintf(stderr, "%u sweeps\n", report.sweeps);
    if (counted_allocations) {
        printf("allocations %lu\n", after - before);
    }
    return 0;
}
