// The stack of examples/c on an STM32F405: 60 steps, and a digest of every body's bits, which must equal that of the
// desktop.
//
// No heap, no C library: the archive contains its own memcpy and memset.

#include "semihosting.h"
#include "stack_scene.h"

STICTION_ALIGNED static unsigned char memory[STACK_MEMORY];

static int rejected(StictionError error) {
    semihosting_write("rejected: ");
    semihosting_write(stiction_error_text(error));
    semihosting_write("\n");
    return 1;
}

static void write_digest(uint64_t digest) {
    char line[] = "digest 0000000000000000\n";
    for (char *digit = line + sizeof line - 3; digest != 0; digest >>= 4) {
        *digit-- = "0123456789abcdef"[digest & 0xf];
    }
    semihosting_write(line);
}

int main(void) {
    StictionPipelineF32 *pipeline;
    StackState states[STACK_BODIES];
    // With a named kind the linker omits all other capacities.
    StictionError error =
        stiction_f32_pipeline_init_kind(stiction_f32_pipeline_kind_8_16(), memory, sizeof memory, &pipeline);
    if (!error) error = stack_build(pipeline, NULL);
    for (int n = 0; n < STACK_STEPS && !error; n++) {
        error = stiction_f32_step(pipeline, stack_find, NULL, STACK_DT, NULL, NULL, NULL);
    }
    if (!error) error = stack_states(pipeline, states);
    if (error) return rejected(error);
    write_digest(stack_digest(states));
    return 0;
}
