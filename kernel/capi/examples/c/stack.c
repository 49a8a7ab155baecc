// A stack of boxes with the pipeline: the library stores and moves the bodies, this program does the collision
// detection.
//
//   cc -std=c11 -ffp-contract=off -I include examples/c/stack.c libstiction_c.a -Wl,--gc-sections -o stack
//
// It shows contacts by callback, a deadline, a recording, rollback by copying memory, and how to move a world to
// another process by its bodies and its saved cache. All must give the same bits; the exit code says whether they did.
// The firmware example steps the same scene and prints the same digest.

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack_scene.h"

enum { HALF_WAY = STACK_STEPS / 2, CACHE_ROOM = 4096 };

// Memory of two pipelines and of a saved one. A copy must have the same alignment as the original.
STICTION_ALIGNED static unsigned char memory[STACK_MEMORY];
STICTION_ALIGNED static unsigned char other_memory[STACK_MEMORY];
STICTION_ALIGNED static unsigned char saved[STACK_MEMORY];

// Data of the callbacks of a step.
typedef struct {
    unsigned asked;   // calls of `should_stop` in this step
    unsigned allowed; // calls after which it returns true
    size_t recorded;  // bytes
} Watch;

// A controller would check its timer. Counting instead makes this program deterministic.
static bool should_stop(void *user) {
    Watch *watch = user;
    return ++watch->asked > watch->allowed;
}

// A flight recorder would store the bytes: with them every solve can be replayed on a host.
static void record(void *user, const uint8_t *bytes, size_t count) {
    Watch *watch = user;
    (void)bytes;
    watch->recorded += count;
}

// Exits with the error message if a call failed.
static void must(StictionError error, const StictionInputErrorF32 *input_error) {
    char text[128] = "";
    if (!error) return;
    if (input_error) stiction_f32_error_text(input_error, text, sizeof text);
    printf("rejected: %s\n", input_error ? text : stiction_error_text(error));
    exit(1);
}

static StictionPipelineF32 *new_pipeline(unsigned char *bytes) {
    StictionPipelineF32 *pipeline;
    must(stiction_f32_pipeline_init_kind(stiction_f32_pipeline_kind_8_16(), bytes, STACK_MEMORY, &pipeline), NULL);
    return pipeline;
}

static StictionStepReportF32 step(StictionPipelineF32 *pipeline, Watch *watch) {
    const StictionHooksF32 hooks = { .user = watch, .should_stop = should_stop, .record = record };
    StictionInputErrorF32 input_error = { 0 };
    StictionStepReportF32 report;
    watch->asked = 0;
    must(stiction_f32_step(pipeline, stack_find, NULL, STACK_DT, &hooks, &report, &input_error), &input_error);
    return report;
}

static void steps(StictionPipelineF32 *pipeline, int from, int to) {
    Watch watch = { .allowed = 1000 };
    for (int n = from; n < to; n++) {
        StictionStepReportF32 report = step(pipeline, &watch);
        if (n % 10 != 9) continue;
        printf("step %d: %" PRIu32 " contacts, %" PRIu32 " warm, %" PRIu32 " sweeps, residual %.1e, friction took %.3f J\n",
               n + 1, report.contacts, report.warm_started, report.sweeps, report.residual, -report.friction_work);
    }
    printf("%d steps recorded in %zu bytes\n", to - from, watch.recorded);
}

static bool same(const char *what, StictionPipelineF32 *pipeline, const StackState expected[STACK_BODIES]) {
    StackState states[STACK_BODIES];
    must(stack_states(pipeline, states), NULL);
    bool equal = memcmp(states, expected, sizeof states) == 0;
    printf("%s: %s\n", what, equal ? "the same bits" : "OTHER BITS");
    return equal;
}

// A copy of the world in another object: bodies one by one, and the cache as bytes, which could also be sent to another
// machine.
static StictionPipelineF32 *moved(const StictionPipelineF32 *pipeline) {
    static uint8_t bytes[CACHE_ROOM];
    size_t count;
    StictionInputErrorF32 input_error = { 0 };
    StictionPipelineF32 *other = new_pipeline(other_memory);
    for (size_t i = 0; i < stiction_f32_body_count(pipeline); i++) {
        StictionRigidBodyF32 body;
        must(stiction_f32_body(pipeline, i, &body), NULL);
        must(stiction_f32_add_body(other, &body, NULL, &input_error), &input_error);
    }
    must(stiction_f32_cache_save(pipeline, bytes, sizeof bytes, &count, &input_error), &input_error);
    must(stiction_f32_cache_restore(other, bytes, count, &input_error), &input_error);
    printf("cache saved in %zu bytes\n", count);
    return other;
}

// Stopped immediately, and without warm start: the step is still made, adds no energy, and reports the deadline.
static bool stopped_step_is_usable(StictionPipelineF32 *pipeline) {
    Watch hasty = { .allowed = 0 };
    must(stiction_f32_cache_clear(pipeline), NULL);
    StictionStepReportF32 report = step(pipeline, &hasty);
    float before = report.kinetic_before + report.potential_before;
    float after = report.kinetic_after + report.potential_after;
    printf("stopped step: status %" PRIu32 ", %" PRIu32 " sweeps, energy %.3f J to %.3f J\n", report.status, report.sweeps,
           before, after);
    // The sums are of thousands of joules in single precision.
    return report.status == STICTION_STATUS_DEADLINE && after - before <= 4.0f * FLT_EPSILON * before;
}

int main(void) {
    StackState end[STACK_BODIES];
    StictionInputErrorF32 input_error = { 0 };
    StictionPipelineF32 *pipeline = new_pipeline(memory);
    must(stack_build(pipeline, &input_error), &input_error);

    steps(pipeline, 0, HALF_WAY);
    memcpy(saved, memory, sizeof memory);
    steps(pipeline, HALF_WAY, STACK_STEPS);
    must(stack_states(pipeline, end), NULL);

    // Rollback: restoring the memory restores the world.
    memcpy(memory, saved, sizeof memory);
    steps(pipeline, HALF_WAY, STACK_STEPS);
    bool fine = same("rolled back and replayed", pipeline, end);

    memcpy(memory, saved, sizeof memory);
    StictionPipelineF32 *other = moved(pipeline);
    steps(other, HALF_WAY, STACK_STEPS);
    fine &= same("moved and continued", other, end);

    fine &= stopped_step_is_usable(pipeline);
    printf("digest %016" PRIx64 "\n", stack_digest(end));
    return fine ? 0 : 1;
}
