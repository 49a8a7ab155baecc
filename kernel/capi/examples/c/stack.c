// A stack of boxes by the pipeline: the library keeps and moves the bodies, this program finds where they touch.
//
//   cc -std=c11 -ffp-contract=off -I include examples/c/stack.c libstiction_c.a -Wl,--gc-sections -o stack
//
// Shown here: contacts by callback, a deadline, a recording, rollback by copying memory, and moving a world elsewhere by its
// bodies and its saved cache. All ways must come to the same bits; the exit code says whether they did. The firmware example steps
// the same scene and prints the same digest.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack_scene.h"

enum { HALF_WAY = STACK_STEPS / 2, CACHE_ROOM = 4096 };

// Memory of two pipelines and of a saved one. A copy must be aligned as the original is.
STICTION_ALIGNED static unsigned char memory[STACK_MEMORY];
STICTION_ALIGNED static unsigned char other_memory[STACK_MEMORY];
STICTION_ALIGNED static unsigned char saved[STACK_MEMORY];

// What the callbacks of a step know.
typedef struct {
    unsigned asked;   // times that the deadline was asked in this step
    unsigned allowed; // and when it begins to say that time is up
    size_t recorded;  // bytes
} Watch;

// A controller would look at its timer. Counting instead makes this program do the same every time.
static bool is_late(void *user) {
    Watch *watch = user;
    return ++watch->asked > watch->allowed;
}

// A flight recorder would keep the bytes: from them every solve can be run again on a desk.
static void record(void *user, const uint8_t *bytes, size_t count) {
    Watch *watch = user;
    (void)bytes;
    watch->recorded += count;
}

// Ends the program with an error's own words.
static void must(StictionError error, const StictionInputErrorF32 *input_error) {
    char text[128] = "";
    if (!error) return;
    if (input_error) stiction_f32_error_text(input_error, text, sizeof text);
    printf("rejected: %s\n", input_error ? text : stiction_error_text(error));
    exit(1);
}

static StictionPipelineF32 *new_pipeline(unsigned char *place) {
    StictionPipelineF32 *pipeline;
    must(stiction_f32_pipeline_init_kind(stiction_f32_pipeline_kind_8_16(), place, STACK_MEMORY, &pipeline), NULL);
    return pipeline;
}

static StictionStepReportF32 step(StictionPipelineF32 *pipeline, Watch *watch) {
    const StictionHooksF32 hooks = { .user = watch, .should_stop = is_late, .record = record };
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

// A world elsewhere: bodies one by one, and the cache as bytes, which could have come by wire from another machine.
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

// Out of time at once, and with nothing remembered to start from: the step is done all the same, adds no energy, and says so.
static bool late_step_is_usable(StictionPipelineF32 *pipeline) {
    Watch hasty = { .allowed = 0 };
    must(stiction_f32_cache_clear(pipeline), NULL);
    StictionStepReportF32 report = step(pipeline, &hasty);
    float before = report.kinetic_before + report.potential_before;
    float after = report.kinetic_after + report.potential_after;
    printf("late step: status %" PRIu32 ", %" PRIu32 " sweeps, energy %.3f J to %.3f J\n", report.status, report.sweeps,
           before, after);
    return report.status == STICTION_STATUS_DEADLINE && after <= before;
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

    // Rollback: the memory of then is the world of then.
    memcpy(memory, saved, sizeof memory);
    steps(pipeline, HALF_WAY, STACK_STEPS);
    bool fine = same("rolled back and replayed", pipeline, end);

    memcpy(memory, saved, sizeof memory);
    StictionPipelineF32 *other = moved(pipeline);
    steps(other, HALF_WAY, STACK_STEPS);
    fine &= same("moved and continued", other, end);

    fine &= late_step_is_usable(pipeline);
    printf("digest %016" PRIx64 "\n", stack_digest(end));
    return fine ? 0 : 1;
}
