// Solves problems whose contacts have torsion, rolling friction or friction that depends on the direction, steps worlds
// that have it, and compares every number of the answers with those of the Rust interface, bit by bit.
// kernel/capi/examples/moments.rs writes them.
//
//   moments FILE        prints the number of problems and worlds, and exits with 1 if one differs

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stiction.h"

#define BODIES 16
#define CONTACTS 16
#define ROWS 16
#define TOUCHES 32

// Views that a problem passes. Those of all others are null.
enum { TORSION = 1, ROLLING = 2, TREADS = 4, JOINED = 8, WARM = 16 };

static unsigned long wrong, worlds;

static void get(FILE *file, void *to, size_t bytes) {
    if (fread(to, 1, bytes, file) != bytes) {
        puts("the file ends early");
        exit(1);
    }
}

static uint32_t word(FILE *file) {
    uint32_t value;
    get(file, &value, sizeof value);
    return value;
}

static void compare(const char *what, unsigned long problem, const void *one, const void *other, size_t bytes) {
    if (memcmp(one, other, bytes) != 0) {
        printf("problem %lu: %s differ\n", problem, what);
        wrong++;
    }
}

static void *memory(size_t bytes) {
    void *memory = aligned_alloc(STICTION_ALIGNMENT, (bytes + STICTION_ALIGNMENT - 1) / STICTION_ALIGNMENT * STICTION_ALIGNMENT);
    memset(memory, 0xa5, bytes);
    return memory;
}

#define REAL float
#define TYPE(name) Stiction##name##F32
#define CALL(name) stiction_f32_##name
#define NAME(name) name##_f32
#include "worlds.inc"
#include "moments.inc"
#undef REAL
#undef TYPE
#undef CALL
#undef NAME

#define REAL double
#define TYPE(name) Stiction##name##F64
#define CALL(name) stiction_f64_##name
#define NAME(name) name##_f64
#include "worlds.inc"
#include "moments.inc"

int main(int count, char **arguments) {
    FILE *file = count > 1 ? fopen(arguments[1], "rb") : NULL;
    if (!file || word(file) != sizeof(float)) {
        puts("no file of problems");
        return 1;
    }
    unsigned long problems = all_f32(file);
    if (word(file) != sizeof(double)) {
        return 1;
    }
    problems += all_f64(file);
    fclose(file);
    printf("%lu problems and %lu worlds, %s\n", problems - worlds, worlds, wrong ? "DIFFERENT" : "every bit the same");
    return wrong || problems == worlds || worlds == 0;
}
