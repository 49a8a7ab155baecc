// Every kind of rejected input, and that an error changes nothing.

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
    float normal[3], r_a[3], r_b[3], mu;
    float torsion, rolling, mu_across, direction[3], moment[3];
};

STICTION_ALIGNED static unsigned char memory[STICTION_F32_SOLVER_8_16_BYTES];
STICTION_ALIGNED static unsigned char world[STICTION_F32_PIPELINE_8_16_BYTES];
static struct Body bodies[9];
static struct Contact contacts[17];
static StictionSolverF32 *solver;
static StictionBodiesF32 all;
static StictionContactsF32 contact_views;
static StictionSettingsF32 settings;
static float dt;
static StictionInputErrorF32 input_error;

// A ball that falls on the ground.
static void set_up(void) {
    memset(bodies, 0, sizeof bodies);
    memset(contacts, 0, sizeof contacts);
    bodies[1].inverse_mass = 1;
    bodies[1].inverse_inertia[0] = bodies[1].inverse_inertia[4] = bodies[1].inverse_inertia[8] = 2.5f;
    bodies[1].velocity[2] = -1;
    struct Contact contact = {.a = 0, .b = 1, .normal = {0, 0, 1}, .r_b = {0, 0, -1}, .mu = 0.5f};
    contacts[0] = contact;
    const size_t body = sizeof bodies[0], each = sizeof contacts[0];
    StictionBodiesF32 seen = {2, {&bodies->inverse_mass, body}, {bodies->inverse_inertia, body}, {bodies->velocity, body},
                              {bodies->spin, body}, {NULL, 0}};
    StictionContactsF32 touch = {.count = 1,
                                 .a = {&contacts->a, each},
                                 .b = {&contacts->b, each},
                                 .normal = {contacts->normal, each},
                                 .r_a = {contacts->r_a, each},
                                 .r_b = {contacts->r_b, each},
                                 .mu = {&contacts->mu, each}};
    all = seen;
    contact_views = touch;
    settings = stiction_f32_settings();
    dt = 1.0f / 60.0f;
}

// Calls solve and validate: both must return the same, and an error must leave velocities unchanged.
static StictionError solved(void) {
    struct Body before[9];
    memcpy(before, bodies, sizeof bodies);
    StictionError checked = stiction_f32_validate(solver, &all, &contact_views, &settings, dt, NULL);
    EXPECT(memcmp(before, bodies, sizeof bodies) == 0);
    StictionError error = stiction_f32_solve(solver, &all, &contact_views, &settings, dt, NULL, NULL, NULL, &input_error);
    EXPECT(checked == error);
    EXPECT(error == STICTION_ERROR_OK || memcmp(before, bodies, sizeof bodies) == 0);
    EXPECT(error == STICTION_ERROR_OK || input_error.error == error);
    return error;
}

#define REJECTED(change, wanted, words)                                  \
    do {                                                                \
        char text[128];                                                 \
        set_up();                                                       \
        change;                                                         \
        EXPECT(solved() == (wanted));                                   \
        stiction_f32_error_text(&input_error, text, sizeof text);         \
        if (strcmp(text, words) != 0) {                                 \
            printf("line %d: \"%s\"\n", __LINE__, text);                \
            failures++;                                                 \
        }                                                               \
    } while (0)

static void solves_are_rejected(void) {
    set_up();
    EXPECT(solved() == STICTION_ERROR_OK);
    StictionContactDiagnosticsF32 diagnostics;
    EXPECT(stiction_f32_solver_diagnostics(solver, 0, &diagnostics) == STICTION_ERROR_OK);
    EXPECT(diagnostics.condition >= 1 && diagnostics.coupling >= 0 && !diagnostics.block_replaced);
    EXPECT(diagnostics.sliding_steps == 0 && diagnostics.sliding_direction[0] == 0);
    EXPECT(stiction_f32_solver_diagnostics(solver, 99, &diagnostics) == STICTION_ERROR_NO_SUCH_CONTACT);
    EXPECT(stiction_f32_solver_diagnostics(solver, 0, NULL) == STICTION_ERROR_NULL_POINTER);
    EXPECT(fabsf(bodies[1].velocity[2]) < 1e-6f);
    REJECTED(all.linear_velocity.data = NULL, STICTION_ERROR_NULL_POINTER, "bodies.linear_velocity: must not be null");
    REJECTED(all.angular_velocity.data = (float *)(void *)((char *)bodies->spin + 1), STICTION_ERROR_MISALIGNED, "bodies.angular_velocity: is not aligned");
    REJECTED(contact_views.normal.stride = 8, STICTION_ERROR_BAD_STRIDE,
            "contacts.normal: the stride is shorter than an element, or not a multiple of its alignment");
    REJECTED(all.linear_velocity.stride = 0, STICTION_ERROR_BAD_STRIDE,
            "bodies.linear_velocity: the stride is shorter than an element, or not a multiple of its alignment");
    REJECTED((contact_views.count = 3, contact_views.mu.stride = SIZE_MAX / 2 - 3 + 4), STICTION_ERROR_TOO_LARGE,
            "contacts.mu: is larger than memory can be");
    REJECTED(contact_views.count = 17, STICTION_ERROR_FULL, "contacts.count: is more than the capacity");
    EXPECT(input_error.value == 17 && input_error.limit == 16);
    REJECTED(all.count = 9, STICTION_ERROR_FULL, "bodies.count: is more than the capacity");
    EXPECT(input_error.limit == 8);
    REJECTED(settings.local = 4, STICTION_ERROR_BAD_CHOICE, "settings.local: is none of the choices");
    REJECTED(settings.islands = UINT32_MAX, STICTION_ERROR_BAD_CHOICE, "settings.islands: is none of the choices");
    REJECTED(settings.relaxation = 2, STICTION_ERROR_ABOVE_LIMIT, "settings.relaxation: is above the largest accepted value");
    REJECTED(dt = NAN, STICTION_ERROR_NOT_FINITE, "dt: must be a finite number");
    REJECTED(bodies[1].velocity[1] = INFINITY, STICTION_ERROR_NOT_FINITE, "bodies[1].linear_velocity: must be a finite number");
    REJECTED(bodies[1].inverse_mass = -1, STICTION_ERROR_BELOW_LIMIT, "bodies[1].inverse_mass: is below the smallest accepted value");
    REJECTED(bodies[1].inverse_inertia[1] = 1, STICTION_ERROR_NOT_SYMMETRIC,
            "bodies[1].inverse_inertia_world: must be symmetric within 1e-6 of its largest entry");
    REJECTED(bodies[1].inverse_inertia[0] = -1, STICTION_ERROR_NOT_POSITIVE_SEMIDEFINITE,
            "bodies[1].inverse_inertia_world: must have no negative eigenvalue");
    REJECTED(bodies[1].inverse_mass = 0, STICTION_ERROR_INERTIA_WITHOUT_MASS,
            "bodies[1].inverse_inertia_world: must be 0 where the inverse mass is 0");
    REJECTED(contacts[0].normal[2] = 1.1f, STICTION_ERROR_NOT_UNIT, "contacts[0].normal: must have length 1 within 1e-3");
    REJECTED(contacts[0].b = 0, STICTION_ERROR_SAME_BODY, "contacts[0].b: is the same body as the other");
    REJECTED(contacts[0].b = 2, STICTION_ERROR_NO_SUCH_BODY, "contacts[0].b: names a body that does not exist");
    REJECTED(contacts[0].a = UINT32_MAX, STICTION_ERROR_NO_SUCH_BODY, "contacts[0].a: names a body that does not exist");
    REJECTED((all.count = 3, contacts[0].b = 2), STICTION_ERROR_NOTHING_MOVES, "contacts[0]: neither body can move");
    REJECTED(contacts[0].r_b[0] = NAN, STICTION_ERROR_NOT_FINITE, "contacts[0].r_b: must be a finite number");
    REJECTED(contacts[0].mu = -1, STICTION_ERROR_BELOW_LIMIT, "contacts[0].mu: is below the smallest accepted value");
    REJECTED((contact_views.point = contact_views.r_b, contact_views.r_b.data = NULL), STICTION_ERROR_NULL_POINTER,
            "bodies.position: must not be null");
}

// The same with friction beyond sliding.
static void add_surfaces(void) {
    const size_t each = sizeof contacts[0];
    contacts[0].torsion = 0.01f;
    contacts[0].mu_across = 0.25f;
    contacts[0].direction[0] = 2;
    contact_views.torsion = (StictionViewF32){&contacts->torsion, each};
    contact_views.rolling = (StictionViewF32){&contacts->rolling, each};
    contact_views.mu_across = (StictionViewF32){&contacts->mu_across, each};
    contact_views.friction_direction = (StictionViewF32){contacts->direction, each};
    contact_views.warm_moment = (StictionViewF32){contacts->moment, each};
}

static void surfaces_are_rejected(void) {
    static const uint32_t joined = 1;
    static const float radius = 0.01f;
    StictionSolverF32 *plain = solver;
    StictionFrictionWorkF32 work = {1, 2, 3};
    float moment[3] = {1, 2, 3};
    uint32_t reached = 9;
    // A solver without moments.
    REJECTED(contact_views.torsion.data = &radius, STICTION_ERROR_WITHOUT_MOMENTS, "contacts.torsion: needs a solver or pipeline with moments");
    REJECTED(contact_views.rolling.data = &radius, STICTION_ERROR_WITHOUT_MOMENTS, "contacts.rolling: needs a solver or pipeline with moments");
    REJECTED(contact_views.mu_across.data = &radius, STICTION_ERROR_WITHOUT_MOMENTS, "contacts.mu_across: needs a solver or pipeline with moments");
    REJECTED(contact_views.friction_direction.data = moment, STICTION_ERROR_WITHOUT_MOMENTS,
            "contacts.friction_direction: needs a solver or pipeline with moments");
    REJECTED(contact_views.is_joined.data = &joined, STICTION_ERROR_WITHOUT_MOMENTS, "contacts.is_joined: needs a solver or pipeline with moments");
    REJECTED(contact_views.warm_moment.data = moment, STICTION_ERROR_WITHOUT_MOMENTS, "contacts.warm_moment: needs a solver or pipeline with moments");
    set_up();
    StictionAnswerF32 answer = {.moment = {moment, sizeof moment}};
    EXPECT(stiction_f32_solve(solver, &all, &contact_views, &settings, dt, &answer, NULL, NULL, &input_error) == STICTION_ERROR_WITHOUT_MOMENTS);
    EXPECT(strcmp(input_error.field, "answer.moment") == 0 && bodies[1].velocity[2] == -1 && moment[0] == 1);
    StictionAnswerF32 bounds = {.reached = {&reached, sizeof reached}};
    EXPECT(stiction_f32_solve(solver, &all, &contact_views, &settings, dt, &bounds, NULL, NULL, &input_error) == STICTION_ERROR_WITHOUT_MOMENTS);
    EXPECT(strcmp(input_error.field, "answer.reached") == 0 && reached == 9);
    EXPECT(stiction_f32_solver_friction_work(solver, &work) == STICTION_ERROR_WITHOUT_MOMENTS && work.sliding == 1);

    STICTION_ALIGNED static unsigned char space[STICTION_F32_SOLVER_8_16_WITH_MOMENTS_BYTES];
    const StictionSolverKindF32 *kind = stiction_f32_solver_kind_8_16_with_moments();
    EXPECT(stiction_f32_solver_size_with_moments(8, 16) == sizeof space && stiction_f32_solver_kind_size(kind) == sizeof space);
    EXPECT(stiction_f32_solver_size_with_moments(5000, 1) == 0);
    EXPECT(stiction_f32_solver_init_with_moments(space, sizeof space - 1, 8, 16, &solver) == STICTION_ERROR_MEMORY_TOO_SMALL);
    EXPECT(stiction_f32_solver_init_kind(kind, space, sizeof space, &solver) == STICTION_ERROR_OK);
    EXPECT(stiction_f32_solver_friction_work(solver, NULL) == STICTION_ERROR_NULL_POINTER);
    EXPECT(stiction_f32_solver_friction_work(solver, &work) == STICTION_ERROR_OK && work.sliding == 0 && work.spinning == 0);
    set_up();
    add_surfaces();
    EXPECT(solved() == STICTION_ERROR_OK);
    REJECTED((add_surfaces(), contacts[0].torsion = -1), STICTION_ERROR_BELOW_LIMIT, "contacts[0].torsion: is below the smallest accepted value");
    REJECTED((add_surfaces(), contacts[0].torsion = NAN), STICTION_ERROR_NOT_FINITE, "contacts[0].torsion: must be a finite number");
    REJECTED((add_surfaces(), contacts[0].rolling = -0.1f), STICTION_ERROR_BELOW_LIMIT, "contacts[0].rolling: is below the smallest accepted value");
    REJECTED((add_surfaces(), contacts[0].rolling = INFINITY), STICTION_ERROR_NOT_FINITE, "contacts[0].rolling: must be a finite number");
    REJECTED((add_surfaces(), contacts[0].mu_across = -1), STICTION_ERROR_BELOW_LIMIT, "contacts[0].mu_across: is below the smallest accepted value");
    REJECTED((add_surfaces(), contacts[0].direction[1] = NAN), STICTION_ERROR_NOT_FINITE, "contacts[0].friction_direction: must be a finite number");
    REJECTED((add_surfaces(), contacts[0].direction[0] = 0, contacts[0].direction[2] = -3), STICTION_ERROR_ALONG_THE_NORMAL,
            "contacts[0].friction_direction: must not be zero or along the normal");
    REJECTED((add_surfaces(), contacts[0].moment[2] = NAN), STICTION_ERROR_NOT_FINITE, "contacts[0].warm_moment: must be a finite number");
    REJECTED((add_surfaces(), contact_views.mu_across.data = NULL), STICTION_ERROR_NULL_POINTER, "contacts.mu_across: must not be null");
    REJECTED((add_surfaces(), contact_views.friction_direction.data = NULL), STICTION_ERROR_NULL_POINTER,
            "contacts.friction_direction: must not be null");
    REJECTED((add_surfaces(), contact_views.warm_moment.stride = 8), STICTION_ERROR_BAD_STRIDE,
            "contacts.warm_moment: the stride is shorter than an element, or not a multiple of its alignment");
    REJECTED((add_surfaces(), contact_views.is_joined.data = (const uint32_t *)(const void *)((const char *)&joined + 1)),
            STICTION_ERROR_MISALIGNED, "contacts.is_joined: is not aligned");
    // All zeros are no direction: the coefficient across it is not read.
    set_up();
    add_surfaces();
    contacts[0].direction[0] = 0;
    contacts[0].mu_across = NAN;
    EXPECT(solved() == STICTION_ERROR_OK);
    // A contact with moments takes two places: the ninth is one too many.
    set_up();
    add_surfaces();
    contact_views.count = 9;
    for (int i = 1; i < 9; i++) {
        contacts[i] = contacts[0];
    }
    EXPECT(solved() == STICTION_ERROR_FULL && input_error.index == 8 && input_error.limit == 16);
    solver = plain;
}

static void delassus_surfaces_are_rejected(void) {
    STICTION_ALIGNED static unsigned char plain_space[STICTION_F64_DELASSUS_SOLVER_16_BYTES];
    STICTION_ALIGNED static unsigned char space[STICTION_F64_DELASSUS_SOLVER_16_WITH_MOMENTS_BYTES];
    StictionDelassusSolverF64 *plain, *with_moments;
    EXPECT(stiction_f64_delassus_solver_init(plain_space, sizeof plain_space, 16, &plain) == STICTION_ERROR_OK);
    EXPECT(stiction_f64_delassus_solver_size_with_moments(16) == sizeof space);
    EXPECT(stiction_f64_delassus_solver_init_kind(stiction_f64_delassus_solver_kind_16_with_moments(), space, sizeof space, &with_moments) ==
           STICTION_ERROR_OK);
    // A top that spins while it is pressed to the ground: the diagonal has ones.
    double w[36] = {0}, q[6] = {-1, 0, 0, 2, 0, 0}, mu[2] = {0.5, 0}, torsion[2] = {0.1, 0}, x[6] = {9};
    for (int i = 0; i < 6; i++) {
        w[7 * i] = 1;
    }
    StictionDelassusProblemF64 problem = {.contacts = 2, .w = w, .q = {q, 24}, .mu = {mu, 8}, .torsion = {torsion, 8}};
    StictionDelassusAnswerF64 found = {.impulse = {x, 24}};
    StictionSettingsF64 usual = stiction_f64_settings();
    StictionInputErrorF64 why;
    EXPECT(stiction_f64_delassus_solve(plain, &problem, &usual, &found, NULL, NULL, &why) == STICTION_ERROR_WITHOUT_MOMENTS);
    EXPECT(strcmp(why.field, "problem.torsion") == 0 && x[0] == 9);
    EXPECT(stiction_f64_delassus_solve(with_moments, &problem, &usual, &found, NULL, NULL, &why) == STICTION_ERROR_OK);
    EXPECT(fabs(x[0] - 1) < 1e-9 && fabs(x[3] + 0.1) < 1e-9);
    // Without torsion the two rows are two contacts: the second one does not approach.
    problem.torsion.data = NULL;
    EXPECT(stiction_f64_delassus_solve(with_moments, &problem, &usual, &found, NULL, NULL, &why) == STICTION_ERROR_OK && x[3] == 0);
    problem.torsion.data = torsion;
    torsion[0] = -1;
    EXPECT(stiction_f64_delassus_solve(with_moments, &problem, &usual, &found, NULL, NULL, &why) == STICTION_ERROR_BELOW_LIMIT);
    EXPECT(strcmp(why.field, "torsion") == 0 && why.index == 0);
    torsion[0] = 0.1;
    torsion[1] = 0.1;
    EXPECT(stiction_f64_delassus_solve(with_moments, &problem, &usual, &found, NULL, NULL, &why) == STICTION_ERROR_BAD_STRUCTURE);
    EXPECT(why.index == 1);
    torsion[0] = 0;
    EXPECT(stiction_f64_delassus_solve(with_moments, &problem, &usual, &found, NULL, NULL, &why) == STICTION_ERROR_BAD_STRUCTURE);
    torsion[1] = 0;
    problem.rolling = (StictionViewF64){torsion, 8};
    torsion[0] = NAN;
    problem.torsion.data = NULL;
    EXPECT(stiction_f64_delassus_solve(with_moments, &problem, &usual, &found, NULL, NULL, &why) == STICTION_ERROR_NOT_FINITE);
    EXPECT(strcmp(why.field, "rolling") == 0 && why.index == 0 && x[3] == 0);
}

static void objects_are_rejected(void) {
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

static bool find(void *user, StictionContactCollectorF32 *here) {
    struct Asked *asked = user;
    StictionManifoldF32 manifold = {.a = 0, .b = 1, .normal = {0, 0, 1}, .point_count = asked->points};
    if (asked->from_within) {
        EXPECT(stiction_f32_clear_bodies(asked->pipeline) == STICTION_ERROR_BUSY);
        EXPECT(stiction_f32_body_count(asked->pipeline) == 0);
    }
    stiction_f32_collect(here, &manifold, NULL);
    return asked->found;
}

static void steps_are_rejected(void) {
    StictionPipelineF32 *pipeline;
    const StictionPipelineKindF32 *kind = stiction_f32_pipeline_kind_8_16();
    EXPECT(stiction_f32_pipeline_init_kind(kind, world, sizeof world, &pipeline) == STICTION_ERROR_OK);
    StictionRigidBodyF32 body = stiction_f32_fixed_body(), after;
    EXPECT(stiction_f32_add_body(pipeline, &body, NULL, NULL) == STICTION_ERROR_OK);
    body.inverse_mass = 1;
    body.position[2] = 1;
    EXPECT(stiction_f32_add_body(pipeline, &body, NULL, NULL) == STICTION_ERROR_OK);
    struct Asked asked = {pipeline, true, true, 0};
    EXPECT(stiction_f32_step(pipeline, find, &asked, 0.01f, NULL, NULL, &input_error) == STICTION_ERROR_OK);
    StictionContactDiagnosticsF32 diagnostics;
    EXPECT(stiction_f32_contact_diagnostics(pipeline, 99, &diagnostics) == STICTION_ERROR_NO_SUCH_CONTACT);
    EXPECT(stiction_f32_contact_diagnostics(pipeline, 0, NULL) == STICTION_ERROR_NULL_POINTER);
    struct Asked gives_up = {pipeline, false, false, 0}, too_many = {pipeline, true, false, 5};
    stiction_f32_body(pipeline, 1, &body);
    EXPECT(stiction_f32_step(pipeline, find, &gives_up, 0.01f, NULL, NULL, &input_error) == STICTION_ERROR_CALLBACK_FAILED);
    EXPECT(stiction_f32_step(pipeline, find, &too_many, 0.01f, NULL, NULL, &input_error) == STICTION_ERROR_BAD_CHOICE);
    EXPECT(strcmp(input_error.field, "manifold.point_count") == 0);
    EXPECT(stiction_f32_step(pipeline, NULL, NULL, 0.01f, NULL, NULL, &input_error) == STICTION_ERROR_NULL_POINTER);
    EXPECT(stiction_f32_step_manifolds(pipeline, NULL, 1, sizeof(StictionManifoldF32), 0.01f, NULL, NULL, &input_error) == STICTION_ERROR_NULL_POINTER);
    EXPECT(stiction_f32_step_manifolds(pipeline, NULL, 0, 0, -1, NULL, NULL, &input_error) == STICTION_ERROR_BELOW_LIMIT);
    EXPECT(stiction_f32_body(pipeline, 1, &after) == STICTION_ERROR_OK && memcmp(&body, &after, sizeof body) == 0);
    EXPECT(stiction_f32_body(pipeline, 2, &after) == STICTION_ERROR_NO_SUCH_BODY);
    EXPECT(stiction_f32_contact(pipeline, 0, NULL) != STICTION_ERROR_OK);
    // Output pointers are checked before the step is made.
    char crooked[256];
    StictionStepReportF32 *report = (StictionStepReportF32 *)(void *)(crooked + 1);
    EXPECT(stiction_f32_step_manifolds(pipeline, NULL, 0, 0, 0.01f, NULL, report, &input_error) == STICTION_ERROR_MISALIGNED);
    EXPECT(strcmp(input_error.field, "report") == 0);
    EXPECT(stiction_f32_step_manifolds(pipeline, NULL, 0, 0, 0.01f, NULL, NULL, (StictionInputErrorF32 *)(void *)(crooked + 2)) ==
           STICTION_ERROR_MISALIGNED);
    EXPECT(stiction_f32_body(pipeline, 1, &after) == STICTION_ERROR_OK && memcmp(&body, &after, sizeof body) == 0);
    uint8_t bytes[64];
    size_t count = 0;
    EXPECT(stiction_f32_cache_save(pipeline, bytes, 23, &count, NULL) == STICTION_ERROR_MEMORY_TOO_SMALL);
    EXPECT(stiction_f32_cache_save(pipeline, bytes, sizeof bytes, &count, NULL) == STICTION_ERROR_OK && count == 24);
    // The versions: of a pipeline with moments, two with joints, and one that is not known.
    const StictionError versions[] = {STICTION_ERROR_WITHOUT_MOMENTS, STICTION_ERROR_WITHOUT_JOINTS, STICTION_ERROR_WITHOUT_JOINTS,
                                      STICTION_ERROR_BAD_BYTES};
    for (int i = 0; i < 4; i++) {
        bytes[4]++;
        EXPECT(stiction_f32_cache_restore(pipeline, bytes, count, NULL) == versions[i]);
    }
    bytes[4] -= 4;
    EXPECT(stiction_f32_cache_restore(pipeline, bytes, count - 1, NULL) == STICTION_ERROR_BAD_BYTES);
    EXPECT(stiction_f32_cache_restore(pipeline, bytes, count, NULL) == STICTION_ERROR_OK);
    for (int i = 0; i < 6; i++) {
        EXPECT(stiction_f32_add_body(pipeline, &body, NULL, NULL) == STICTION_ERROR_OK);
    }
    EXPECT(stiction_f32_add_body(pipeline, &body, NULL, &input_error) == STICTION_ERROR_FULL && input_error.limit == 8);
}

// A manifold on a surface, or on none.
static bool find_on(void *user, StictionContactCollectorF32 *here) {
    StictionManifoldF32 manifold = {.a = 0, .b = 1, .normal = {0, 0, 1}, .point_count = 1};
    return stiction_f32_collect_on(here, &manifold, user, NULL) == STICTION_ERROR_OK;
}

// Whether the last error has this description.
static bool says(const char *text) {
    char line[160];
    stiction_f32_error_text(&input_error, line, sizeof line);
    return strcmp(line, text) == 0;
}

static void surfaces_of_steps_are_rejected(void) {
    STICTION_ALIGNED static unsigned char space[STICTION_F32_PIPELINE_8_16_WITH_MOMENTS_BYTES];
    const StictionPipelineKindF32 *kind = stiction_f32_pipeline_kind_8_16_with_moments();
    StictionPipelineF32 *plain, *pipeline;
    EXPECT(stiction_f32_pipeline_size_with_moments(8, 16) == sizeof space && stiction_f32_pipeline_kind_size(kind) == sizeof space);
    EXPECT(stiction_f32_pipeline_size_with_moments(5000, 1) == 0);
    EXPECT(stiction_f32_pipeline_init_with_moments(space, sizeof space - 1, 8, 16, &pipeline) == STICTION_ERROR_MEMORY_TOO_SMALL);
    EXPECT(stiction_f32_pipeline_init_kind(kind, space, sizeof space, &pipeline) == STICTION_ERROR_OK);
    EXPECT(stiction_f32_pipeline_init_kind(stiction_f32_pipeline_kind_8_16(), world, sizeof world, &plain) == STICTION_ERROR_OK);
    StictionRigidBodyF32 body = stiction_f32_fixed_body();
    for (int i = 0; i < 2; i++) {
        EXPECT(stiction_f32_add_body(plain, &body, NULL, NULL) == STICTION_ERROR_OK);
        EXPECT(stiction_f32_add_body(pipeline, &body, NULL, NULL) == STICTION_ERROR_OK);
        body.inverse_mass = 1;
        body.mu = 0.5f;
    }
    StictionSurfaceF32 surface = {0}, kept;
    EXPECT(stiction_f32_set_surface(plain, 1, &surface, &input_error) == STICTION_ERROR_WITHOUT_MOMENTS);
    EXPECT(says("surface: needs a solver or pipeline with moments"));
    EXPECT(stiction_f32_surface(plain, 1, &kept) == STICTION_ERROR_WITHOUT_MOMENTS);
    EXPECT(stiction_f32_step(plain, find_on, &surface, 0.01f, NULL, NULL, &input_error) == STICTION_ERROR_WITHOUT_MOMENTS);
    EXPECT(says("surface: needs a solver or pipeline with moments"));

    EXPECT(stiction_f32_set_surface(pipeline, 2, &surface, &input_error) == STICTION_ERROR_NO_SUCH_BODY);
    EXPECT(stiction_f32_step(pipeline, find_on, &surface, 0.01f, NULL, NULL, &input_error) == STICTION_ERROR_OK);
    EXPECT(stiction_f32_step(pipeline, find_on, NULL, 0.01f, NULL, NULL, &input_error) == STICTION_ERROR_NULL_POINTER);
    EXPECT(says("surface: must not be null"));
    surface.rolling = -1;
    EXPECT(stiction_f32_set_surface(pipeline, 1, &surface, &input_error) == STICTION_ERROR_BELOW_LIMIT);
    EXPECT(says("bodies[1].rolling: is below the smallest accepted value"));
    EXPECT(stiction_f32_step(pipeline, find_on, &surface, 0.01f, NULL, NULL, &input_error) == STICTION_ERROR_BELOW_LIMIT);
    EXPECT(says("contacts[0].rolling: is below the smallest accepted value"));
    surface.rolling = 0;
    surface.friction_direction[2] = 1;
    EXPECT(stiction_f32_step(pipeline, find_on, &surface, 0.01f, NULL, NULL, &input_error) == STICTION_ERROR_ALONG_THE_NORMAL);
    EXPECT(stiction_f32_set_surface(pipeline, 1, &surface, &input_error) == STICTION_ERROR_OK);
    EXPECT(stiction_f32_surface(pipeline, 1, &kept) == STICTION_ERROR_OK && kept.friction_direction[2] == 1 && kept.rolling == 0);
}

#include "joint_errors.inc"

static void bodies_are_made_from_mass(void) {
    const float inertia[9] = {0.5f, 0.25f, 0, 0.25f, 0.5f, 0, 0, 0, 0.125f};
    const double wide[9] = {4, 0, 0, 0, 2, 0, 0, 0, 1};
    StictionRigidBodyF32 body = stiction_f32_body_from_mass(4, inertia), fixed = stiction_f32_fixed_body();
    EXPECT(body.inverse_mass == 0.25f);
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            float one = 0;
            for (int k = 0; k < 3; k++) {
                one += inertia[3 * row + k] * body.inverse_inertia_body[3 * k + column];
            }
            EXPECT(fabsf(one - (row == column ? 1.0f : 0.0f)) < 1e-6f);
        }
    }
    body.inverse_mass = 0;
    memset(body.inverse_inertia_body, 0, sizeof body.inverse_inertia_body);
    EXPECT(memcmp(&body, &fixed, sizeof body) == 0);
    StictionRigidBodyF64 other = stiction_f64_body_from_mass(2, wide);
    EXPECT(other.inverse_mass == 0.5 && other.inverse_inertia_body[0] == 0.25 && other.inverse_inertia_body[4] == 0.5 &&
           other.inverse_inertia_body[8] == 1);
    // Neither of these can be added: no inertia, an inertia without inverse, no mass.
    StictionPipelineF32 *pipeline;
    const float flat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0};
    EXPECT(stiction_f32_pipeline_init_kind(stiction_f32_pipeline_kind_8_16(), world, sizeof world, &pipeline) == STICTION_ERROR_OK);
    const StictionRigidBodyF32 wrong[3] = {stiction_f32_body_from_mass(1, NULL), stiction_f32_body_from_mass(1, flat),
                                           stiction_f32_body_from_mass(0, inertia)};
    const char *fields[3] = {"inverse_inertia_body", "inverse_inertia_body", "inverse_mass"};
    for (int i = 0; i < 3; i++) {
        EXPECT(stiction_f32_add_body(pipeline, &wrong[i], NULL, &input_error) == STICTION_ERROR_NOT_FINITE);
        EXPECT(strcmp(input_error.field, fields[i]) == 0);
    }
}

int main(void) {
    EXPECT(stiction_abi() == STICTION_ABI);
    EXPECT(strlen(stiction_version()) >= 5);
    EXPECT(strcmp(stiction_error_text(12345), "no error of this library") == 0);
    EXPECT(stiction_f32_solver_init_kind(stiction_f32_solver_kind_8_16(), memory, sizeof memory, &solver) == STICTION_ERROR_OK);
    solves_are_rejected();
    surfaces_are_rejected();
    delassus_surfaces_are_rejected();
    objects_are_rejected();
    steps_are_rejected();
    surfaces_of_steps_are_rejected();
    joints_are_rejected();
    bodies_are_made_from_mass();
    printf("%d expectations failed\n", failures);
    return failures != 0;
}
