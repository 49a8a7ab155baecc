// Checks that header and library match, and solves one problem: a mass falls on the ground and stops there.

#include <stdio.h>

#include <stiction.h>

#define COLUMN(array) { array[0], sizeof array[0] }

enum { BYTES = 12 * 1024 };

static float memory[(BYTES + STICTION_ALIGNMENT) / sizeof(float)];
static float velocity[2][3] = { { 0.0f }, { 0.0f, 0.0f, -1.0f } };
static float spin[2][3];

// The first address in `memory` with the alignment that the solver needs, without compiler extensions.
static void *aligned(void) {
    size_t past = (uintptr_t)memory % STICTION_ALIGNMENT;
    return (char *)memory + (past ? STICTION_ALIGNMENT - past : 0);
}

static StictionError solve(void) {
    static const float inverse_mass[2][1] = { { 0.0f }, { 1.0f } }, no_turning[1][9] = { { 0.0f } };
    static const float up[1][3] = { { 0.0f, 0.0f, 1.0f } }, arm[1][3] = { { 0.0f } }, mu[1][1] = { { 0.5f } };
    static const uint32_t ground[1][1] = { { 0 } }, mass[1][1] = { { 1 } };
    const StictionBodiesF32 bodies = {
        .count = 2,
        .inverse_mass = COLUMN(inverse_mass),
        .inverse_inertia_world = { no_turning[0], 0 },
        .linear_velocity = COLUMN(velocity),
        .angular_velocity = COLUMN(spin),
    };
    const StictionContactsF32 contacts = {
        .count = 1,
        .a = COLUMN(ground),
        .b = COLUMN(mass),
        .normal = COLUMN(up),
        .r_a = COLUMN(arm),
        .r_b = COLUMN(arm),
        .mu = COLUMN(mu),
    };
    const StictionSettingsF32 settings = stiction_f32_settings();
    StictionSolverF32 *solver;
    StictionError error =
        stiction_f32_solver_init_kind(stiction_f32_solver_kind_8_16(), aligned(), BYTES, &solver);
    return error ? error : stiction_f32_solve(solver, &bodies, &contacts, &settings, 1.0f / 60.0f, NULL, NULL, NULL, NULL);
}

int main(void) {
    if (stiction_abi() != STICTION_ABI) {
        printf("the library has interface version %u, the header %u\n", (unsigned)stiction_abi(), (unsigned)STICTION_ABI);
        return 1;
    }
    StictionError error = solve();
    float rest = velocity[1][2];
    printf("stiction %s: %s, the mass moves on at %g m/s\n", stiction_version(), stiction_error_text(error), rest);
    return error || rest < -1e-6f || rest > 1e-6f;
}
