// Text output and an exit code for the host, through the debugger or QEMU (Arm semihosting).

#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

#include <stdint.h>

enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };

static inline uint32_t semihosting_call(uint32_t operation, const void *argument) {
    register uint32_t r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = argument;
    __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static inline void semihosting_write(const char *text) {
    semihosting_call(SYS_WRITE0, text);
}

static inline _Noreturn void semihosting_exit(int code) {
    const uint32_t arguments[2] = { APPLICATION_EXIT, (uint32_t)code };
    semihosting_call(SYS_EXIT_EXTENDED, arguments);
    for (;;) {
    }
}

#endif
