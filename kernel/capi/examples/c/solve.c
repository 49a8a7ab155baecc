// A box slides over the ground and stops: a minimal use of the solver by an engine that stores its own bodies and
// contacts.
//
//   cc -std=c11 -I include examples/c/solve.c libstiction_c.a -Wl,--gc-sections -lm -o solve
//
// The engine's structs stay unchanged. A view gives the solver the address of a field in the first element and the
// number of bytes to the same field of the next element.

#include <math.h>
#include <stdio.h>

#include "stiction.h"

typedef struct {
    float x, y, z;
} Vec3;

// An engine's own body, with fields that the solver does not read.
struct Body {
    const char *name;
    Vec3 position;
    Vec3 velocity;
    Vec3 spin;
    float inverse_mass;
    float inverse_inertia[9];
};

// An engine's own contact. Its impulses are kept from frame to frame: they are the warm start of the next solve.
struct Contact {
    uint32_t a, b;
    Vec3 point;
    Vec3 normal;
    float mu;
    float push;
    Vec3 rub;
};

enum { GROUND, BOX, BODIES };
enum { CORNERS = 4 };

static const float DT = 1.0f / 60.0f;
static const float GRAVITY = 9.81f;
static const float MU = 0.5f;
static const float SPEED = 4.0f;
static const float MASS = 2.0f;
static const Vec3 HALF = { 0.25f, 0.1f, 0.25f };

// Memory of the solver, without a heap. `init` rejects an array that is too small for the kind.
STICTION_ALIGNED static unsigned char memory[STICTION_F32_SOLVER_8_16_BYTES];

static struct Body bodies[BODIES];
static struct Contact contacts[CORNERS];

static float inverse_of_box(float side_1, float side_2) {
    return 3.0f / (MASS * (side_1 * side_1 + side_2 * side_2));
}

static void set_up(void) {
    // A body that cannot move has inverse mass and inverse inertia 0, as in a zero-initialised static array.
    bodies[GROUND].name = "ground";
    bodies[BOX].name = "box";
    bodies[BOX].position.y = HALF.y;
    bodies[BOX].velocity.x = SPEED;
    bodies[BOX].inverse_mass = 1.0f / MASS;
    bodies[BOX].inverse_inertia[0] = inverse_of_box(HALF.y, HALF.z);
    bodies[BOX].inverse_inertia[4] = inverse_of_box(HALF.x, HALF.z);
    bodies[BOX].inverse_inertia[8] = inverse_of_box(HALF.x, HALF.y);
}

// Collision detection: the four lower corners of the box. Impulses of the last frame are kept.
static void find_contacts(void) {
    for (int corner = 0; corner < CORNERS; corner++) {
        struct Contact *contact = &contacts[corner];
        Vec3 center = bodies[BOX].position;
        contact->a = GROUND;
        contact->b = BOX;
        contact->normal = (Vec3){ 0.0f, 1.0f, 0.0f };
        contact->point.x = center.x + (corner & 1 ? HALF.x : -HALF.x);
        contact->point.y = center.y - HALF.y;
        contact->point.z = center.z + (corner & 2 ? HALF.z : -HALF.z);
        contact->mu = MU;
    }
}

static const StictionBodiesF32 body_views = {
    .count = BODIES,
    .inverse_mass = { &bodies[0].inverse_mass, sizeof bodies[0] },
    .inverse_inertia_world = { bodies[0].inverse_inertia, sizeof bodies[0] },
    .linear_velocity = { &bodies[0].velocity.x, sizeof bodies[0] },
    .angular_velocity = { &bodies[0].spin.x, sizeof bodies[0] },
    .position = { &bodies[0].position.x, sizeof bodies[0] },
};

// Views that are left out are null: no arms, since there are points; no restitution; no depth.
static const StictionContactsF32 contact_views = {
    .count = CORNERS,
    .a = { &contacts[0].a, sizeof contacts[0] },
    .b = { &contacts[0].b, sizeof contacts[0] },
    .normal = { &contacts[0].normal.x, sizeof contacts[0] },
    .point = { &contacts[0].point.x, sizeof contacts[0] },
    .mu = { &contacts[0].mu, sizeof contacts[0] },
    .warm_normal_impulse = { &contacts[0].push, sizeof contacts[0] },
    .warm_tangent_impulse = { &contacts[0].rub.x, sizeof contacts[0] },
};

// The new impulses overwrite the warm start.
static const StictionAnswerF32 answer = {
    .normal_impulse = { &contacts[0].push, sizeof contacts[0] },
    .tangent_impulse = { &contacts[0].rub.x, sizeof contacts[0] },
};

// One frame. Returns 0, or prints the rejected input.
static StictionError frame(StictionSolverF32 *solver, const StictionSettingsF32 *settings, StictionReportF32 *report) {
    StictionInputErrorF32 input_error;
    struct Body *box = &bodies[BOX];
    Vec3 before = box->velocity;
    find_contacts();
    box->velocity.y -= GRAVITY * DT;
    StictionError error =
        stiction_f32_solve(solver, &body_views, &contact_views, settings, DT, &answer, NULL, report, &input_error);
    if (error) {
        char text[128];
        stiction_f32_error_text(&input_error, text, sizeof text);
        printf("rejected: %s\n", text);
        return error;
    }
    // The mean of old and new velocity: exact for a constant friction force.
    box->position.x += 0.5f * (before.x + box->velocity.x) * DT;
    box->position.y += 0.5f * (before.y + box->velocity.y) * DT;
    box->position.z += 0.5f * (before.z + box->velocity.z) * DT;
    return STICTION_ERROR_OK;
}

static int off_by_more_than_1_percent(const char *what, double measured, double expected) {
    double error = fabs(measured / expected - 1.0);
    printf("%s: %.4f, by the formula %.4f, off by %.3f %%\n", what, measured, expected, 100.0 * error);
    return !(error < 0.01);
}

int main(void) {
    StictionSolverF32 *solver;
    StictionReportF32 report = { 0 };
    StictionSettingsF32 settings = stiction_f32_settings();
    // A named kind links no other capacity; `stiction_f32_solver_init` picks one at run time and links them all.
    StictionError error =
        stiction_f32_solver_init_kind(stiction_f32_solver_kind_8_16(), memory, sizeof memory, &solver);
    if (error) {
        printf("no solver: memory %s\n", stiction_error_text(error));
        return 1;
    }
    set_up();
    double friction_work = 0.0;
    unsigned sweeps = 0;
    for (int n = 0; n < 90; n++) {
        if (frame(solver, &settings, &report)) return 1;
        friction_work += report.friction_work;
        sweeps += report.sweeps;
        if (n % 15 == 14) {
            printf("%.2f s: %s at %.4f m, %.4f m/s, %u sweeps\n", (n + 1) * DT, bodies[BOX].name, bodies[BOX].position.x,
                   bodies[BOX].velocity.x, report.sweeps);
        }
    }
    int wrong = off_by_more_than_1_percent("distance, m", bodies[BOX].position.x, SPEED * SPEED / (2.0 * MU * GRAVITY));
    wrong |= off_by_more_than_1_percent("energy taken by friction, J", -friction_work, 0.5 * MASS * SPEED * SPEED);
    printf("sweeps in all: %u\n", sweeps);

    // NaN is rejected with the name of its field, and nothing is changed.
    bodies[BOX].velocity.x = NAN;
    wrong |= frame(solver, &settings, &report) != STICTION_ERROR_NOT_FINITE;
    return wrong;
}
