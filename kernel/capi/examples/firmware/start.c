// Startup code for an STM32F405: vector table, floating-point unit, memory, exit.

#include <stdint.h>

#include "semihosting.h"

extern uint32_t stack_top[], data_begin[], data_end[], data_load[], bss_begin[], bss_end[];

int main(void);
void reset(void);
static void fault(void);

// Stack pointer and the 15 exceptions of the core. No interrupt is enabled, so there are no more.
__attribute__((section(".vectors"), used)) static const uintptr_t vectors[16] = {
    (uintptr_t)stack_top, (uintptr_t)reset, (uintptr_t)fault, (uintptr_t)fault, (uintptr_t)fault, (uintptr_t)fault,
    (uintptr_t)fault,     0,                0,                0,                0,                (uintptr_t)fault,
    (uintptr_t)fault,     0,                (uintptr_t)fault, (uintptr_t)fault,
};

// Full access to coprocessors 10 and 11. Until then every float instruction causes a fault, including those that save
// registers at the beginning of a function, so no function in this file may compute with floats.
static void enable_floats(void) {
    volatile uint32_t *const cpacr = (volatile uint32_t *)0xE000ED88u;
    *cpacr |= 0xFu << 20;
    __asm volatile("dsb\n\tisb" ::: "memory");
}

// Volatile: otherwise compilers replace these loops by calls of memcpy and memset, for which a C library may not be
// ready yet.
static void set_up_memory(void) {
    const uint32_t *from = data_load;
    for (volatile uint32_t *to = data_begin; to < data_end; to++) *to = *from++;
    for (volatile uint32_t *to = bss_begin; to < bss_end; to++) *to = 0;
}

void reset(void) {
    enable_floats();
    set_up_memory();
    semihosting_exit(main());
}

// After any fault, the exit code must not be that of a passed test.
static void fault(void) {
    semihosting_write("fault\n");
    semihosting_exit(70);
}
