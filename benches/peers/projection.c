/*
 * What a good programmer writes by hand: block projected Gauss-Seidel with the projection rule, in plain C.
 *
 * Per contact the 3x3 block K = J M^-1 J^T is inverted once; a visit computes the contact's velocity u, takes
 * x - K^-1 u, raises a negative normal part to zero with no friction, shortens friction to mu x_n, and applies the
 * change to both bodies. Rows of J and of M^-1 J^T are stored, nothing is checked, nothing is reported.
 *
 *     projection FILE SWEEPS ROUNDS OUT
 *
 * FILE: doubles, little-endian: bodies, contacts; per body 1/m, I^-1 (9), v, w; per contact a, b, n, t1, t2, r_a,
 * r_b, mu, and the impulse to begin with (N s; n, t1, t2). Prints the fastest round in nanoseconds, preparation and
 * sweeps apart; OUT receives the velocities, then the impulses (N s; n, t1, t2).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef REAL
#define REAL float
#endif
typedef REAL real;

typedef struct {
    real inverse_mass;
    real inverse_inertia[9];
} mass;

typedef struct {
    real v[3];
    real w[3];
} velocity;

typedef struct {
    int a, b;
    real direction[3][3];
    real arm_a[3][3], arm_b[3][3];
    real turn_a[3][3], turn_b[3][3];
    real push_a, push_b;
    real inverse[9];
    real mu;
    real impulse[3];
} contact;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static real dot(const real *a, const real *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const real *a, const real *b, real *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void invert(const real *k, real *out)
{
    real c0 = k[4] * k[8] - k[5] * k[7], c1 = k[5] * k[6] - k[3] * k[8], c2 = k[3] * k[7] - k[4] * k[6];
    real scale = 1 / (k[0] * c0 + k[1] * c1 + k[2] * c2);
    out[0] = c0 * scale;
    out[1] = (k[2] * k[7] - k[1] * k[8]) * scale;
    out[2] = (k[1] * k[5] - k[2] * k[4]) * scale;
    out[3] = c1 * scale;
    out[4] = (k[0] * k[8] - k[2] * k[6]) * scale;
    out[5] = (k[2] * k[3] - k[0] * k[5]) * scale;
    out[6] = c2 * scale;
    out[7] = (k[1] * k[6] - k[0] * k[7]) * scale;
    out[8] = (k[0] * k[4] - k[1] * k[3]) * scale;
}

static void arms(const real direction[3][3], const real *r, const mass *m, real arm[3][3], real turn[3][3])
{
    for (int d = 0; d < 3; d++) {
        cross(r, direction[d], arm[d]);
        for (int i = 0; i < 3; i++)
            turn[d][i] = dot(m->inverse_inertia + 3 * i, arm[d]);
    }
}

static void prepare(contact *c, const double *row, const mass *bodies)
{
    real r_a[3], r_b[3], k[9];
    c->a = (int)row[0];
    c->b = (int)row[1];
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < 3; i++)
            c->direction[d][i] = (real)row[2 + 3 * d + i];
    for (int i = 0; i < 3; i++) {
        r_a[i] = (real)row[11 + i];
        r_b[i] = (real)row[14 + i];
        c->impulse[i] = (real)row[18 + i];
    }
    c->mu = (real)row[17];
    const mass *a = bodies + c->a, *b = bodies + c->b;
    arms(c->direction, r_a, a, c->arm_a, c->turn_a);
    arms(c->direction, r_b, b, c->arm_b, c->turn_b);
    c->push_a = a->inverse_mass;
    c->push_b = b->inverse_mass;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            k[3 * i + j] = (i == j ? a->inverse_mass + b->inverse_mass : 0) + dot(c->arm_a[i], c->turn_a[j]) +
                           dot(c->arm_b[i], c->turn_b[j]);
    invert(k, c->inverse);
}

static void push(const contact *c, const real *delta, velocity *a, velocity *b)
{
    for (int i = 0; i < 3; i++) {
        real along = c->direction[0][i] * delta[0] + c->direction[1][i] * delta[1] + c->direction[2][i] * delta[2];
        a->v[i] -= c->push_a * along;
        b->v[i] += c->push_b * along;
        a->w[i] -= c->turn_a[0][i] * delta[0] + c->turn_a[1][i] * delta[1] + c->turn_a[2][i] * delta[2];
        b->w[i] += c->turn_b[0][i] * delta[0] + c->turn_b[1][i] * delta[1] + c->turn_b[2][i] * delta[2];
    }
}

static void visit(contact *c, velocity *bodies)
{
    velocity *a = bodies + c->a, *b = bodies + c->b;
    real u[3], x[3], delta[3];
    for (int d = 0; d < 3; d++)
        u[d] = dot(c->direction[d], b->v) - dot(c->direction[d], a->v) + dot(c->arm_b[d], b->w) -
               dot(c->arm_a[d], a->w);
    for (int d = 0; d < 3; d++)
        x[d] = c->impulse[d] - dot(c->inverse + 3 * d, u);
    if (x[0] <= 0) {
        x[0] = x[1] = x[2] = 0;
    } else {
        real radius = c->mu * x[0], square = x[1] * x[1] + x[2] * x[2];
        if (square > radius * radius) {
            real shorten = radius / (sizeof(real) == 4 ? (real)sqrtf((float)square) : (real)sqrt((double)square));
            x[1] *= shorten;
            x[2] *= shorten;
        }
    }
    for (int d = 0; d < 3; d++) {
        delta[d] = x[d] - c->impulse[d];
        c->impulse[d] = x[d];
    }
    push(c, delta, a, b);
}

static double *read_all(const char *name, long *count)
{
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        return NULL;
    *count = ftell(file) / 8;
    rewind(file);
    double *data = malloc((size_t)*count * 8);
    if (data && fread(data, 8, (size_t)*count, file) != (size_t)*count)
        data = NULL;
    fclose(file);
    return data;
}

int main(int argc, char **argv)
{
    long count = 0;
    double *data = argc == 5 ? read_all(argv[1], &count) : NULL;
    if (!data || count < 2 || count != 2 + 16 * (long)data[0] + 21 * (long)data[1]) {
        fprintf(stderr, "projection: FILE SWEEPS ROUNDS OUT, FILE as written by the benches\n");
        return 2;
    }
    long nb = (long)data[0], nc = (long)data[1], sweeps = atol(argv[2]), rounds = atol(argv[3]);
    const double *rows = data + 2 + 16 * nb;
    mass *bodies = malloc(sizeof(mass) * (size_t)nb);
    velocity *start = malloc(sizeof(velocity) * (size_t)nb), *now_at = malloc(sizeof(velocity) * (size_t)nb);
    contact *contacts = malloc(sizeof(contact) * (size_t)nc);
    if (!bodies || !start || !now_at || !contacts)
        return 2;
    for (long i = 0; i < nb; i++) {
        const double *row = data + 2 + 16 * i;
        bodies[i].inverse_mass = (real)row[0];
        for (int k = 0; k < 9; k++)
            bodies[i].inverse_inertia[k] = (real)row[1 + k];
        for (int k = 0; k < 3; k++) {
            start[i].v[k] = (real)row[10 + k];
            start[i].w[k] = (real)row[13 + k];
        }
    }
    double preparing = 1e300, sweeping = 1e300;
    for (long round = 0; round < rounds; round++) {
        memcpy(now_at, start, sizeof(velocity) * (size_t)nb);
        double begin = now();
        for (long i = 0; i < nc; i++)
            prepare(contacts + i, rows + 21 * i, bodies);
        for (long i = 0; i < nc; i++)
            push(contacts + i, contacts[i].impulse, now_at + contacts[i].a, now_at + contacts[i].b);
        double middle = now();
        for (long sweep = 0; sweep < sweeps; sweep++)
            for (long i = 0; i < nc; i++)
                visit(contacts + (sweep % 2 ? nc - 1 - i : i), now_at);
        double end = now();
        preparing = middle - begin < preparing ? middle - begin : preparing;
        sweeping = end - middle < sweeping ? end - middle : sweeping;
    }
    printf("%.0f %.0f %zu\n", preparing, sweeping, sizeof(contact));
    FILE *out = fopen(argv[4], "wb");
    if (!out)
        return 2;
    for (long i = 0; i < nb; i++)
        for (int k = 0; k < 6; k++) {
            double value = k < 3 ? (double)now_at[i].v[k] : (double)now_at[i].w[k - 3];
            fwrite(&value, 8, 1, out);
        }
    for (long i = 0; i < nc; i++)
        for (int k = 0; k < 3; k++) {
            double value = (double)contacts[i].impulse[k];
            fwrite(&value, 8, 1, out);
        }
    return fclose(out) ? 2 : 0;
}
