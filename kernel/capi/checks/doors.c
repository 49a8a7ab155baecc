// Every way to be refused, by name, and that a refusal changes nothing.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stiction.h"

static int failures;

#define EXPECT(condition) \
    do {                                                         \
        if (!(condition)) {                                      \
            printf("line %d: %s\n", __LINE__, #condition);       \
            failures++;                                          \
        }                                                        \
    } while (0)

struct Body {
    float inverse_mass, inverse_inertia[9], velocity[3], spin[3];
};

struct Contact {
    uint32_t a, b;
    float normal[3], arm_a[3], arm_b[3], mu;
};

STICTION_ALIGNED static unsigned char memory[STICTION_F32_SOLVER_8_16_BYTES];
STICTION_ALIGNED static unsigned char world[STICTION_F32_PIPELINE_8_16_BYTES];
static struct Body bodies[9];
static struct Contact contacts[17];
static StictionSolverF32 *solver;
static StictionBodiesF32 all;
static StictionContactsF32 touching;
static StictionSettingsF32 settings;
static StictionRefusalF32 refusal;

// A ball that falls on the ground.
static void set_up(void) {
    memset(bodies, 0, sizeof bodies);
    memset(contacts, 0, sizeof contacts);
    bodies[1].inverse_mass = 1;
    bodies[1].inverse_inertia[0] = bodies[1].inverse_inertia[4] = bodies[1].inverse_inertia[8] = 2.5f;
    bodies[1].velocity[2] = -1;
    struct Contact contact = {0, 1, {0, 0, 1}, {0, 0, 0}, {0, 0, -1}, 0.5f};
    contacts[0] = contact;
    const size_t body = sizeof bodies[0], each = sizeof contacts[0];
    StictionBodiesF32 seen = {2, {&bodies->inverse_mass, body}, {bodies->inverse_inertia, body}, {bodies->velocity, body},
                              {bodies->spin, body}, {NULL, 0}};
    StictionContactsF32 touch = {.count = 1,
                                 .body_a = {&contacts->a, each},
                                 .body_b = {&contacts->b, each},
                                 .normal = {contacts->normal, each},
                                 .arm_a = {contacts->arm_a, each},
                                 .arm_b = {contacts->arm_b, each},
                                 .mu = {&contacts->mu, each}};
    all = seen;
    touching = touch;
    settings = stiction_f32_settings();
}

// Solves and checks: both must say the same, and a refusal must leave velocities alone.
static StictionError solved(void) {
    struct Body before[9];
    memcpy(before, bodies, sizeof bodies);
    StictionError checked = stiction_f32_check(solver, &all, &touching, &settings, NULL);
    EXPECT(memcmp(before, bodies, sizeof bodies) == 0);
    StictionError error = stiction_f32_solve(solver, &all, &touching, &settings, NULL, NULL, NULL, &refusal);
    EXPECT(checked == error);
    EXPECT(error == STICTION_ERROR_OK || memcmp(before, bodies, sizeof bodies) == 0);
    EXPECT(error == STICTION_ERROR_OK || refusal.error == error);
    return error;
}

#define REFUSED(change, wanted, words)                                  \
    do {                                                                \
        char text[128];                                                 \
        set_up();                                                       \
        change;                                                         \
        EXPECT(solved() == (wanted));                                   \
        stiction_f32_refusal_text(&refusal, text, sizeof text);         \
        if (strcmp(text, words) != 0) {                                 \
            printf("line %d: \"%s\"\n", __LINE__, text);                \
            failures++;                                                 \
        }                                                               \
    } while (0)

static void solves_are_refused(void) {
    set_up();
    EXPECT(solved() == STICTION_ERROR_OK);
    EXPECT(fabsf(bodies[1].velocity[2]) < 1e-6f);
    REFUSED(all.linear.data = NULL, STICTION_ERROR_NULL_POINTER, "bodies.linear: must not be null");
    REFUSED(all.angular.data = (float *)(void *)((char *)bodies->spin + 1), STICTION_ERROR_MISALIGNED, "bodies.angular: is not aligned");
    REFUSED(touching.normal.stride = 8, STICTION_ERROR_BAD_STRIDE,
            "contacts.normal: the stride is shorter than an element, or not a multiple of its alignment");
    REFUSED(all.linear.stride = 0, STICTION_ERROR_BAD_STRIDE,
            "bodies.linear: the stride is shorter than an element, or not a multiple of its alignment");
    REFUSED((touching.count = 3, touching.mu.stride = SIZE_MAX / 2 - 3 + 4), STICTION_ERROR_TOO_LARGE,
            "contacts.mu: is larger than memory can be");
    REFUSED(touching.count = 17, STICTION_ERROR_FULL, "contacts.count: is more than the capacity");
    EXPECT(refusal.value == 17 && refusal.limit == 16);
    REFUSED(all.count = 9, STICTION_ERROR_FULL, "bodies.count: is more than the capacity");
    EXPECT(refusal.limit == 8);
    REFUSED(settings.local_rule = 4, STICTION_ERROR_BAD_CHOICE, "settings.local_rule: is none of the choices");
    REFUSED(settings.extent = UINT32_MAX, STICTION_ERROR_BAD_CHOICE, "settings.extent: is none of the choices");
    REFUSED(settings.relaxation = 2, STICTION_ERROR_ABOVE_LIMIT, "settings.relaxation: is above the largest accepted value");
    REFUSED(settings.dt = NAN, STICTION_ERROR_NOT_FINITE, "settings.dt: must be a finite number");
    REFUSED(bodies[1].velocity[1] = INFINITY, STICTION_ERROR_NOT_FINITE, "bodies[1].linear: must be a finite number");
    REFUSED(bodies[1].inverse_mass = -1, STICTION_ERROR_BELOW_LIMIT, "bodies[1].inverse_mass: is below the smallest accepted value");
    REFUSED(bodies[1].inverse_inertia[1] = 1, STICTION_ERROR_NOT_SYMMETRIC,
            "bodies[1].inverse_inertia: must be symmetric within 1e-6 of its largest entry");
    REFUSED(bodies[1].inverse_inertia[0] = -1, STICTION_ERROR_NOT_POSITIVE_SEMIDEFINITE,
            "bodies[1].inverse_inertia: must have no negative eigenvalue");
    REFUSED(bodies[1].inverse_mass = 0, STICTION_ERROR_TURNS_BUT_CANNOT_MOVE,
            "bodies[1].inverse_inertia: must be 0 where the inverse mass is 0");
    REFUSED(contacts[0].normal[2] = 1.1f, STICTION_ERROR_NOT_UNIT, "contacts[0].normal: must have length 1 within 1e-3");
    REFUSED(contacts[0].b = 0, STICTION_ERROR_SAME_BODY, "contacts[0].body_b: is the same body as the other");
    REFUSED(contacts[0].b = 2, STICTION_ERROR_NO_SUCH_BODY, "contacts[0].body_b: names a body that does not exist");
    REFUSED(contacts[0].a = UINT32_MAX, STICTION_ERROR_NO_SUCH_BODY, "contacts[0].body_a: names a body that does not exist");
    REFUSED((all.count = 3, contacts[0].b = 2), STICTION_ERROR_NOTHING_MOVES, "contacts[0]: neither body can move");
    REFUSED(contacts[0].arm_b[0] = NAN, STICTION_ERROR_NOT_FINITE, "contacts[0].arm_b: must be a finite number");
    REFUSED(contacts[0].mu = -1, STICTION_ERROR_BELOW_LIMIT, "contacts[0].mu: is below the smallest accepted value");
    REFUSED((touching.point = touching.arm_b, touching.arm_b.data = NULL), STICTION_ERROR_NULL_POINTER,
            "bodies.position: must not be null");
}

static void objects_are_refused(void) {
    StictionSolverF32 *made = NULL;
    StictionSolverF64 *other = NULL;
    const StictionSolverKindF32 *kind = stiction_f32_solver_kind_8_16();
    EXPECT(stiction_f32_solver_init_kind(NULL, memory, sizeof memory, &made) == STICTION_ERROR_NULL_POINTER);
    EXPECT(stiction_f32_solver_init_kind(kind, NULL, sizeof memory, &made) == STICTION_ERROR_NULL_POINTER);
    EXPECT(stiction_f32_solver_init_kind(kind, memory + 16, sizeof memory, &made) == STICTION_ERROR_MISALIGNED);
    EXPECT(stiction_f32_solver_init_kind(kind, memory, sizeof memory - 1, &made) == STICTION_ERROR_MEMORY_TOO_SMALL);
    EXPECT(stiction_f32_solver_init_kind(kind, memory, sizeof memory, NULL) == STICTION_ERROR_NULL_POINTER);
    EXPECT(stiction_f32_solver_init(memory, sizeof memory, 5000, 1, &made) == STICTION_ERROR_NO_CAPACITY);
    EXPECT(stiction_f32_solver_size(5000, 1) == 0 && made == NULL);
    EXPECT(stiction_f32_solver_size(3, 16) == sizeof memory);
    EXPECT(stiction_f32_solver_wrench((StictionSolverF32 *)(void *)world, 0, NULL, NULL) == STICTION_ERROR_NOT_INITIALISED);
    memcpy(&other, &solver, sizeof other);
    EXPECT(stiction_f64_solver_wrench(other, 0, NULL, NULL) == STICTION_ERROR_NOT_INITIALISED);
    EXPECT(stiction_f32_solver_wrench(NULL, 0, NULL, NULL) == STICTION_ERROR_NULL_POINTER);
}

struct Asked {
    StictionPipelineF32 *pipeline;
    bool found, from_within;
    uint32_t points;
};

static bool find(void *user, StictionTouchingF32 *here) {
    struct Asked *asked = user;
    StictionManifoldF32 manifold = {.body_a = 0, .body_b = 1, .normal = {0, 0, 1}, .point_count = asked->points};
    if (asked->from_within) {
        EXPECT(stiction_f32_clear_bodies(asked->pipeline) == STICTION_ERROR_BUSY);
        EXPECT(stiction_f32_body_count(asked->pipeline) == 0);
    }
    stiction_f32_touch(here, &manifold, NULL);
    return asked->found;
}

static void steps_are_refused(void) {
    StictionPipelineF32 *pipeline;
    const StictionPipelineKindF32 *kind = stiction_f32_pipeline_kind_8_16();
    EXPECT(stiction_f32_pipeline_init_kind(kind, world, sizeof world, &pipeline) == STICTION_ERROR_OK);
    StictionRigidBodyF32 body = stiction_f32_fixed_body(), after;
    EXPECT(stiction_f32_add_body(pipeline, &body, NULL, NULL) == STICTION_ERROR_OK);
    body.inverse_mass = 1;
    body.position[2] = 1;
    EXPECT(stiction_f32_add_body(pipeline, &body, NULL, NULL) == STICTION_ERROR_OK);
    struct Asked asked = {pipeline, true, true, 0};
    EXPECT(stiction_f32_step_with(pipeline, find, &asked, 0.01f, NULL, NULL, &refusal) == STICTION_ERROR_OK);
    struct Asked gives_up = {pipeline, false, false, 0}, too_many = {pipeline, true, false, 5};
    stiction_f32_body(pipeline, 1, &body);
    EXPECT(stiction_f32_step_with(pipeline, find, &gives_up, 0.01f, NULL, NULL, &refusal) == STICTION_ERROR_CALLBACK_FAILED);
    EXPECT(stiction_f32_step_with(pipeline, find, &too_many, 0.01f, NULL, NULL, &refusal) == STICTION_ERROR_BAD_CHOICE);
    EXPECT(strcmp(refusal.field, "manifold.point_count") == 0);
    EXPECT(stiction_f32_step_with(pipeline, NULL, NULL, 0.01f, NULL, NULL, &refusal) == STICTION_ERROR_NULL_POINTER);
    EXPECT(stiction_f32_step(pipeline, NULL, 1, sizeof(StictionManifoldF32), 0.01f, NULL, NULL, &refusal) == STICTION_ERROR_NULL_POINTER);
    EXPECT(stiction_f32_step(pipeline, NULL, 0, 0, -1, NULL, NULL, &refusal) == STICTION_ERROR_BELOW_LIMIT);
    EXPECT(stiction_f32_body(pipeline, 1, &after) == STICTION_ERROR_OK && memcmp(&body, &after, sizeof body) == 0);
    EXPECT(stiction_f32_body(pipeline, 2, &after) == STICTION_ERROR_NO_SUCH_BODY);
    EXPECT(stiction_f32_contact(pipeline, 0, NULL) != STICTION_ERROR_OK);
    // Places to write to are looked at before the step is taken.
    char crooked[256];
    StictionStepReportF32 *report = (StictionStepReportF32 *)(void *)(crooked + 1);
    EXPECT(stiction_f32_step(pipeline, NULL, 0, 0, 0.01f, NULL, report, &refusal) == STICTION_ERROR_MISALIGNED);
    EXPECT(strcmp(refusal.field, "report") == 0);
    EXPECT(stiction_f32_step(pipeline, NULL, 0, 0, 0.01f, NULL, NULL, (StictionRefusalF32 *)(void *)(crooked + 2)) ==
           STICTION_ERROR_MISALIGNED);
    EXPECT(stiction_f32_body(pipeline, 1, &after) == STICTION_ERROR_OK && memcmp(&body, &after, sizeof body) == 0);
    uint8_t bytes[64];
    size_t count = 0;
    EXPECT(stiction_f32_cache_save(pipeline, bytes, 15, &count, NULL) == STICTION_ERROR_MEMORY_TOO_SMALL);
    EXPECT(stiction_f32_cache_save(pipeline, bytes, sizeof bytes, &count, NULL) == STICTION_ERROR_OK && count == 16);
    bytes[4]++;
    EXPECT(stiction_f32_cache_restore(pipeline, bytes, count, NULL) == STICTION_ERROR_BAD_BYTES);
    bytes[4]--;
    EXPECT(stiction_f32_cache_restore(pipeline, bytes, count - 1, NULL) == STICTION_ERROR_BAD_BYTES);
    EXPECT(stiction_f32_cache_restore(pipeline, bytes, count, NULL) == STICTION_ERROR_OK);
    for (int i = 0; i < 6; i++) {
        EXPECT(stiction_f32_add_body(pipeline, &body, NULL, NULL) == STICTION_ERROR_OK);
    }
    EXPECT(stiction_f32_add_body(pipeline, &body, NULL, &refusal) == STICTION_ERROR_FULL && refusal.limit == 8);
}

int main(void) {
    EXPECT(stiction_abi() == STICTION_ABI);
    EXPECT(strlen(stiction_version()) >= 5);
    EXPECT(strcmp(stiction_error_text(12345), "no error of this library") == 0);
    EXPECT(stiction_f32_solver_init_kind(stiction_f32_solver_kind_8_16(), memory, sizeof memory, &solver) == STICTION_ERROR_OK);
    solves_are_refused();
    objects_are_refused();
    steps_are_refused();
    printf("%d expectations failed\n", failures);
    return failures != 0;
}
