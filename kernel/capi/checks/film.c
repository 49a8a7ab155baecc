// Repeats films (see host-tests/cli/src/rig/film.rs) with the C interface, and compares the state of the world after
// every step with that of the Rust interface, bit by bit.
//
//   film FILE...        prints a line for each and exits with 1 if one differs

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stiction.h"

static uint32_t word(FILE *file) {
    uint8_t b[4] = {0};
    if (fread(b, 1, 4, file) != 4) {
        return 0;
    }
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static uint64_t taken_in(uint64_t digest, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        digest = (digest ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    }
    return digest;
}

static void *memory(size_t bytes) {
    return aligned_alloc(STICTION_ALIGNMENT, (bytes + STICTION_ALIGNMENT - 1) / STICTION_ALIGNMENT * STICTION_ALIGNMENT);
}

#define REAL float
#define TYPE(name) Stiction##name##F32
#define CALL(name) stiction_f32_##name
#define NAME(name) name##_f32
#include "film.inc"
#undef REAL
#undef TYPE
#undef CALL
#undef NAME

#define REAL double
#define TYPE(name) Stiction##name##F64
#define CALL(name) stiction_f64_##name
#define NAME(name) name##_f64
#include "film.inc"

int main(int count, char **files) {
    int wrong = 0;
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(files[i], "rb");
        if (!file || word(file) != 0x4d4c4946) {
            printf("%s: no film\n", files[i]);
            return 1;
        }
        wrong |= word(file) == 4 ? play_f32(files[i], file) : play_f64(files[i], file);
        fclose(file);
    }
    return wrong;
}
