// A ball rolls out, and another one stops spinning: rolling friction and torsion in a solver with moments.
//
//   cc -std=c11 -I include examples/c/roll.c libstiction_c.a -Wl,--gc-sections -lm -o roll
//
// See solve.c for views of an engine's own structs. Contacts have two columns more, `torsion` and `rolling`, and a
// moment that is kept from frame to frame, beside the impulses.

#include <math.h>
#include <stdio.h>

#include "stiction.h"

typedef struct {
    float x, y, z;
} Vec3;

struct Body {
    Vec3 position, velocity, spin;
    float inverse_mass, inverse_inertia[9];
};

struct Contact {
    uint32_t a, b;
    Vec3 normal, arm_a, arm_b;
    float mu, torsion, rolling;
    // The warm start of the next frame.
    float push;
    Vec3 rub, moment;
    uint32_t reached;
};

enum { GROUND, ROLLER, TOP, BODIES };
enum { CONTACTS = 2 };

static const float DT = 1.0f / 240.0f;
static const float GRAVITY = 9.81f;
static const float RADIUS = 0.1f;
static const float SPEED = 1.0f;
static const float SPIN = 20.0f;
static const float ROLLING = 0.005f;
static const float TORSION = 0.003f;
// Inertia of a solid ball of 1 kg.
#define INERTIA (0.4f * RADIUS * RADIUS)

// A contact with torsion or rolling takes two places: 16 places are eight of these.
STICTION_ALIGNED static unsigned char memory[STICTION_F32_SOLVER_8_16_WITH_MOMENTS_BYTES];

static struct Body bodies[BODIES];
static struct Contact contacts[CONTACTS];

static void set_up(void) {
    for (int i = ROLLER; i < BODIES; i++) {
        struct Contact *contact = &contacts[i - ROLLER];
        bodies[i].inverse_mass = 1.0f;
        bodies[i].inverse_inertia[0] = bodies[i].inverse_inertia[4] = bodies[i].inverse_inertia[8] = 1.0f / INERTIA;
        contact->a = GROUND;
        contact->b = (uint32_t)i;
        contact->normal.z = 1.0f;
        contact->arm_b.z = -RADIUS;
        contact->mu = 0.3f;
    }
    bodies[ROLLER].velocity.x = SPEED;
    bodies[ROLLER].spin.y = SPEED / RADIUS;
    contacts[0].rolling = ROLLING;
    bodies[TOP].spin.z = SPIN;
    contacts[1].torsion = TORSION;
}

static const StictionBodiesF32 body_views = {
    .count = BODIES,
    .inverse_mass = { &bodies[0].inverse_mass, sizeof bodies[0] },
    .inverse_inertia_world = { bodies[0].inverse_inertia, sizeof bodies[0] },
    .linear_velocity = { &bodies[0].velocity.x, sizeof bodies[0] },
    .angular_velocity = { &bodies[0].spin.x, sizeof bodies[0] },
};

static const StictionContactsF32 contact_views = {
    .count = CONTACTS,
    .a = { &contacts[0].a, sizeof contacts[0] },
    .b = { &contacts[0].b, sizeof contacts[0] },
    .normal = { &contacts[0].normal.x, sizeof contacts[0] },
    .r_a = { &contacts[0].arm_a.x, sizeof contacts[0] },
    .r_b = { &contacts[0].arm_b.x, sizeof contacts[0] },
    .mu = { &contacts[0].mu, sizeof contacts[0] },
    .torsion = { &contacts[0].torsion, sizeof contacts[0] },
    .rolling = { &contacts[0].rolling, sizeof contacts[0] },
    .warm_normal_impulse = { &contacts[0].push, sizeof contacts[0] },
    .warm_tangent_impulse = { &contacts[0].rub.x, sizeof contacts[0] },
    .warm_moment = { &contacts[0].moment.x, sizeof contacts[0] },
};

static const StictionAnswerF32 answer = {
    .normal_impulse = { &contacts[0].push, sizeof contacts[0] },
    .tangent_impulse = { &contacts[0].rub.x, sizeof contacts[0] },
    .moment = { &contacts[0].moment.x, sizeof contacts[0] },
    .reached = { &contacts[0].reached, sizeof contacts[0] },
};

static StictionError frame(StictionSolverF32 *solver, const StictionSettingsF32 *settings) {
    StictionInputErrorF32 input_error;
    float before = bodies[ROLLER].velocity.x;
    bodies[ROLLER].velocity.z -= GRAVITY * DT;
    bodies[TOP].velocity.z -= GRAVITY * DT;
    StictionError error =
        stiction_f32_solve(solver, &body_views, &contact_views, settings, DT, &answer, NULL, NULL, &input_error);
    if (error) {
        char text[128];
        stiction_f32_error_text(&input_error, text, sizeof text);
        printf("rejected: %s\n", text);
        return error;
    }
    // The mean of old and new velocity: exact for a constant deceleration.
    bodies[ROLLER].position.x += 0.5f * (before + bodies[ROLLER].velocity.x) * DT;
    return STICTION_ERROR_OK;
}

static int off_by_more_than_1_percent(const char *what, double measured, double expected) {
    double error = fabs(measured / expected - 1.0);
    printf("%s: %.4f, by the formula %.4f, off by %.3f %%\n", what, measured, expected, 100.0 * error);
    return !(error < 0.01);
}

int main(void) {
    StictionSolverF32 *solver;
    StictionFrictionWorkF32 work;
    StictionSettingsF32 settings = stiction_f32_settings();
    StictionError error =
        stiction_f32_solver_init_kind(stiction_f32_solver_kind_8_16_with_moments(), memory, sizeof memory, &solver);
    if (error) {
        printf("no solver: memory %s\n", stiction_error_text(error));
        return 1;
    }
    set_up();
    double rolled = 0.0, spun = 0.0, slid = 0.0;
    int rolls = 0, spins = 0;
    for (int n = 0; n < 960; n++) {
        if (frame(solver, &settings) || stiction_f32_solver_friction_work(solver, &work)) return 1;
        rolled -= work.rolling;
        spun -= work.spinning;
        slid -= work.sliding;
        rolls += (contacts[0].reached & STICTION_REACHED_ROLLING) != 0;
        spins += (contacts[1].reached & STICTION_REACHED_SPINNING) != 0;
    }
    // Without slip the inertia of a solid ball adds two fifths to its mass.
    double deceleration = GRAVITY * ROLLING / (1.4 * RADIUS), braking = GRAVITY * TORSION / INERTIA;
    int wrong = off_by_more_than_1_percent("distance, m", bodies[ROLLER].position.x, SPEED * SPEED / (2.0 * deceleration));
    wrong |= off_by_more_than_1_percent("rolled for, s", rolls * DT, SPEED / deceleration);
    wrong |= off_by_more_than_1_percent("spun for, s", spins * DT, SPIN / braking);
    wrong |= off_by_more_than_1_percent("energy taken by rolling friction, J", rolled, 0.7 * SPEED * SPEED);
    wrong |= off_by_more_than_1_percent("energy taken by torsion, J", spun, 0.5 * INERTIA * SPIN * SPIN);
    printf("energy taken by sliding, J: %.1e\n", fabs(slid));
    printf("speeds left: %.1e m/s, %.1e rad/s\n", fabs(bodies[ROLLER].velocity.x), fabs(bodies[TOP].spin.z));
    wrong |= !(fabs(slid) < 1e-5) || !(fabs(bodies[ROLLER].velocity.x) < 1e-6) || !(fabs(bodies[TOP].spin.z) < 1e-5);

    // A negative radius is rejected with the name of its field, and nothing is changed.
    contacts[1].torsion = -TORSION;
    wrong |= frame(solver, &settings) != STICTION_ERROR_BELOW_LIMIT;
    return wrong;
}
