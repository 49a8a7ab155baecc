// Counts the allocations of a program; loaded by LD_PRELOAD.

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

void *calloc(size_t elements, size_t bytes) {
    // dlsym itself may call calloc: a small buffer is reserved for it.
    static char reserve[4096];
    static size_t used;
    static void *(*real)(size_t, size_t);
    static int asking;
    if (!real && !asking) {
        asking = 1;
        *(void **)&real = dlsym(RTLD_NEXT, "calloc");
        asking = 0;
    }
    if (!real) {
        size_t at = used;
        used += (elements * bytes + 15) / 16 * 16;
        return used <= sizeof reserve ? reserve + at : NULL;
    }
    count++;
    return real(elements, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    static int (*real)(void **, size_t, size_t);
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "posix_memalign");
    }
    count++;
    return real(memory, alignment, bytes);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int file, long offset) {
    static void *(*real)(void *, size_t, int, int, int, long);
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "mmap");
    }
    count++;
    return real(at, bytes, protection, flags, file, offset);
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
