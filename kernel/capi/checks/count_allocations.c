// To be loaded before a program (LD_PRELOAD): counts what it allocates.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

static unsigned long count;

unsigned long counted_allocations(void) { return count; }

void *malloc(size_t bytes) {
    static void *(*real)(size_t);
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "malloc");
    }
    count++;
    return real(bytes);
}

void *realloc(void *memory, size_t bytes) {
    static void *(*real)(void *, size_t);
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "realloc");
    }
    count++;
    return real(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    static void *(*real)(size_t, size_t);
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "aligned_alloc");
    }
    count++;
    return real(alignment, bytes);
}
