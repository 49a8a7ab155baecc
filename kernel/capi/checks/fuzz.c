// Calls the C interface with all kinds of invalid input except dangling pointers: wrong counts, strides and alignments,
// NaN and infinity, huge indices, choices that do not exist, handles of another kind, damaged bytes, callbacks that
// fail or call back in.
//
//   fuzz CALLS [SEED]     prints a summary and exits with 1 if something was wrong
//
// Arrays of the maximum size end at a page that cannot be accessed, so a read beyond the end is detected. After an
// error all of the caller's memory must be unchanged; after a success velocities must be finite and no energy added.

#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "stiction.h"

#define BODIES 8
#define CONTACTS 16
// Of the large problems, and of the memory for lanes.
#define MOST_BODIES 16
#define MOST_CONTACTS 64
// Pieces of the caller's memory that a call may use, each a page that ends where forbidden memory begins.
#define PIECES 40
#define PAGE 4096

static uint64_t seed = 0x9e3779b97f4a7c15u;
static uint8_t *pages[PIECES];
static int used;
static unsigned long solved, rejected, wrong;
static unsigned long errors[256];
static const StictionError all_errors[] = {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 46, 47, 48, 49, 50, 0};

static uint64_t dice(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static uint64_t below(uint64_t n) { return dice() % n; }

// Half of the calls have valid input, so that the code after validation is reached.
static bool clean;

static bool seldom(void) { return !clean && below(24) == 0; }

// Memory that ends exactly where the forbidden page begins.
static void *piece(size_t bytes) {
    if (used == PIECES || bytes > PAGE) {
        puts("too few pages");
        exit(2);
    }
    return pages[used++] + PAGE - bytes;
}

static void make_pages(void) {
    for (int i = 0; i < PIECES; i++) {
        uint8_t *both = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (both == MAP_FAILED || mprotect(both + PAGE, PAGE, PROT_NONE)) {
            puts("no memory");
            exit(2);
        }
        pages[i] = both;
    }
}

static uint8_t kept[PIECES][PAGE];

// Copies the caller's memory for comparison.
static void keep(void) {
    for (int i = 0; i < used; i++) {
        memcpy(kept[i], pages[i], PAGE);
    }
}

static bool unchanged(void) {
    for (int i = 0; i < used; i++) {
        if (memcmp(kept[i], pages[i], PAGE) != 0) {
            return false;
        }
    }
    return true;
}

static void complain(const char *what) {
    printf("WRONG: %s\n", what);
    wrong++;
}

static size_t some_count(size_t capacity) {
    if (!seldom()) {
        return below(capacity + 1);
    }
    const size_t odd[] = {capacity + 1, capacity + 7, 1000, 65536, SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 12, (size_t)1 << 40};
    return odd[below(sizeof odd / sizeof odd[0])];
}

// Strides that are invalid in themselves, or that exceed the address space. A valid stride to wrong memory is the
// caller's responsibility.
static size_t some_stride(size_t element, bool written) {
    if (!seldom()) {
        return element;
    }
    const size_t odd[] = {1, element - 1, element + 1, 2, SIZE_MAX, SIZE_MAX - 3, (size_t)1 << 63, 0};
    return odd[below(sizeof odd / sizeof odd[0] - (written ? 0 : 1))];
}

static void *some_pointer(void *right) {
    switch (clean ? 99 : below(160)) {
    case 0: return NULL;
    case 1: return (uint8_t *)right + 1;
    case 2: return (uint8_t *)right + 2;
    default: return right;
    }
}

static uint32_t some_choice(uint32_t count) { return seldom() ? (uint32_t)dice() : (uint32_t)below(count); }

static uint32_t some_index(size_t count) {
    if (seldom()) {
        const uint32_t odd[] = {UINT32_MAX, 65535, 65536, 0x80000000u, (uint32_t)count};
        return odd[below(5)];
    }
    return (uint32_t)below(count + 1);
}

static bool some_should_stop(void *user) {
    (void)user;
    return below(40) == 0;
}

static void some_record(void *user, const uint8_t *bytes, size_t count) {
    uint8_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum ^= bytes[i];
    }
    *(volatile uint8_t *)user = sum;
}

static uint8_t sink;

// Counts the result of a call, and checks that a rejected call left memory unchanged. Returns whether it succeeded.
static bool judged(StictionError error, const char *call) {
    if (error >= 256) {
        complain("an error out of range");
        return false;
    }
    errors[error]++;
    if (strlen(stiction_error_text(error)) < 3) {
        complain("an error without a message");
    }
    if (error == STICTION_ERROR_OK) {
        solved++;
        return true;
    }
    rejected++;
    if (!unchanged()) {
        printf("%s, error %u: ", call, error);
        complain("an error changed the caller's memory");
    }
    return false;
}

#define REAL float
#define TINY 1e-4f
#define TYPE(name) Stiction##name##F32
#define CALL(name) stiction_f32_##name
#define NAME(name) name##_f32
#include "fuzz.inc"
#undef REAL
#undef TINY
#undef TYPE
#undef CALL
#undef NAME

#define REAL double
#define TINY 1e-11
#define TYPE(name) Stiction##name##F64
#define CALL(name) stiction_f64_##name
#define NAME(name) name##_f64
#include "fuzz.inc"

int main(int count, char **arguments) {
    unsigned long calls = count > 1 ? strtoul(arguments[1], NULL, 10) : 100000;
    seed ^= count > 2 ? strtoul(arguments[2], NULL, 10) * 0x9e3779b97f4a7c15u : 0;
    // The dice stay at zero.
    seed = seed ? seed : 1;
    make_pages();
    make_f32();
    make_f64();
    for (unsigned long i = 0; i < calls; i++) {
        if (below(2)) {
            call_f32();
        } else {
            call_f64();
        }
    }
    printf("%lu calls: %lu done, %lu rejected, %lu wrong\nerrors seen:", calls, solved, rejected, wrong);
    for (unsigned error = 1; error < 256; error++) {
        if (errors[error]) {
            printf(" %u (%lu)", error, errors[error]);
        }
    }
    puts("");
    // All except those that no call here can return: BUSY occurs in callbacks, WRONG_LENGTH and OTHER come after other
    // checks.
    for (const StictionError *one = all_errors; calls >= 1000000 && *one; one++) {
        if (!errors[*one]) {
            printf("error %u was never seen: ", *one);
            complain("an error that was not tested");
        }
    }
    if (calls >= 10000 && !(used_lanes_f32() && used_lanes_f64())) {
        complain("no solve used the lanes");
    }
    if (calls >= 10000 && !(jointed_steps_f32 > calls / 1000 && jointed_steps_f64 > calls / 1000)) {
        complain("too few steps had joints");
    }
    return wrong != 0;
}
