// stiction: rigid-body contact with exact Coulomb friction, for engines and controllers in C and C++.
//
// Bodies and contacts go in; velocities, impulses and a truthful report come out. Nothing is allocated, nothing panics or throws, no
// solve adds energy, and the same input gives the same bits on every machine.
//
// Three ways in, each in single (f32) and double precision (f64):
//
//   solver     you keep bodies and contacts in your own structs, the solver reads them where they lie and writes velocities
//              and impulses back: stiction_f32_solver_init, stiction_f32_solve
//   pipeline   the library keeps the bodies, remembers contacts and moves the world; you find where bodies touch:
//              stiction_f32_pipeline_init, stiction_f32_add_body, stiction_f32_step_manifolds
//   Delassus   you know the matrix J inv(M) J^T yourself, as for articulated robots: stiction_f32_delassus_solve
//
// Memory is yours: ask for the size, align to STICTION_ALIGNMENT, initialise, use, forget. A handle is the address of its memory. An
// object has no pointers into itself, so a copy of its memory, aligned alike, is a copy of the object with its own address as
// handle: that is how to save one for rollback. A copy is good within its process; for other processes there is
// stiction_f32_cache_save. Objects note that they are in use, so even those that are only read must lie in writable memory.
//
// Arrays are views: a pointer to the first number of the first element, and the bytes from one element to the next. A view of a
// field of your own struct is { &bodies[0].velocity.x, sizeof bodies[0] }. Stride 0 gives one element to all where it is read.
//
// Every call gives a StictionError; 0 is success. Pointers are checked for null and alignment, counts and strides for sense, numbers
// for range, all before anything is written: an error changes nothing, and tells which input it is about if you hand it a place to.
// What a pointer points to is your promise, as in any C library.
//
// An object is used by one thread at a time, and not from within its own callbacks. Different objects know nothing of each other.
//
// Conventions: SI units. The normal points from body A to body B; relative velocity is B minus A, so a negative normal velocity
// approaches; an impulse acts with its sign on B and against it on A. A body that cannot move has inverse mass 0 and inverse inertia 0.
// Matrices of nine numbers are symmetric, so rows and columns are the same. Quaternions are x, y, z, w.
//
// This file is made from the Rust sources; do not edit it.

#ifndef STICTION_H
#define STICTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
// To be written before memory for an object: STICTION_ALIGNED static unsigned char memory[STICTION_F32_SOLVER_8_16_BYTES];
#if defined(__cplusplus)
#define STICTION_ALIGNED alignas(32)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define STICTION_ALIGNED _Alignas(32)
#else
#define STICTION_ALIGNED __attribute__((aligned(32)))
#endif

// Bytes that are enough for a solver for 8 bodies and 16 contacts in single precision.
#define STICTION_F32_SOLVER_8_16_BYTES 7424

// Bytes that are enough for a solver for 16 bodies and 64 contacts in single precision.
#define STICTION_F32_SOLVER_16_64_BYTES 26784

// Bytes that are enough for a solver for 64 bodies and 256 contacts in single precision.
#define STICTION_F32_SOLVER_64_256_BYTES 106368

// Bytes that are enough for a pipeline for 8 bodies and 16 contacts in single precision.
#define STICTION_F32_PIPELINE_8_16_BYTES 10112

// Bytes that are enough for a pipeline for 16 bodies and 64 contacts in single precision.
#define STICTION_F32_PIPELINE_16_64_BYTES 34304

// Bytes that are enough for a pipeline for 64 bodies and 256 contacts in single precision.
#define STICTION_F32_PIPELINE_64_256_BYTES 135616

// Bytes that are enough for a solver for 8 bodies and 16 contacts in double precision.
#define STICTION_F64_SOLVER_8_16_BYTES 14496

// Bytes that are enough for a solver for 16 bodies and 64 contacts in double precision.
#define STICTION_F64_SOLVER_16_64_BYTES 52736

// Bytes that are enough for a solver for 64 bodies and 256 contacts in double precision.
#define STICTION_F64_SOLVER_64_256_BYTES 209888

// Bytes that are enough for a pipeline for 8 bodies and 16 contacts in double precision.
#define STICTION_F64_PIPELINE_8_16_BYTES 19008

// Bytes that are enough for a pipeline for 16 bodies and 64 contacts in double precision.
#define STICTION_F64_PIPELINE_16_64_BYTES 64800

// Bytes that are enough for a pipeline for 64 bodies and 256 contacts in double precision.
#define STICTION_F64_PIPELINE_64_256_BYTES 256960

// Bytes that are enough for direct methods on islands of 16 contacts in single precision.
#define STICTION_F32_DIRECT_MEMORY_16_BYTES 14048

// Bytes that are enough for direct methods on islands of 64 contacts in single precision.
#define STICTION_F32_DIRECT_MEMORY_64_BYTES 169696

// Bytes that are enough for a solver in Delassus form for 16 contacts in single precision.
#define STICTION_F32_DELASSUS_16_BYTES 3232

// Bytes that are enough for a solver in Delassus form for 128 contacts in single precision.
#define STICTION_F32_DELASSUS_128_BYTES 25184

// Bytes that are enough for direct methods on islands of 16 contacts in double precision.
#define STICTION_F64_DIRECT_MEMORY_16_BYTES 27488

// Bytes that are enough for direct methods on islands of 64 contacts in double precision.
#define STICTION_F64_DIRECT_MEMORY_64_BYTES 334048

// Bytes that are enough for a solver in Delassus form for 16 contacts in double precision.
#define STICTION_F64_DELASSUS_16_BYTES 6368

// Bytes that are enough for a solver in Delassus form for 128 contacts in double precision.
#define STICTION_F64_DELASSUS_128_BYTES 50272

// Bytes for the name of a field, its end included.
#define STICTION_FIELD_BYTES 48

// No contact: the value of `worst_contact` where there is none.
#define STICTION_NO_CONTACT UINT32_MAX

// What memory for an object must be aligned to, in bytes.
#define STICTION_ALIGNMENT 32

// Version of this interface: it changes when a struct, a function or a number does.
#define STICTION_ABI 1

// What a call came to. 0 is success; everything else is an error, after which nothing was written but the error itself.
typedef uint32_t StictionError;
enum {
    // Done.
    STICTION_ERROR_OK = 0,
    // A pointer that must not be null is.
    STICTION_ERROR_NULL_POINTER = 1,
    // A pointer is not aligned for what it points to, or memory for an object not to STICTION_ALIGNMENT bytes.
    STICTION_ERROR_MISALIGNED = 2,
    // A stride is shorter than an element, or no multiple of its number's alignment.
    STICTION_ERROR_BAD_STRIDE = 3,
    // A count times a stride is beyond what an address can say.
    STICTION_ERROR_TOO_LARGE = 4,
    // The memory for an object is smaller than its size.
    STICTION_ERROR_MEMORY_TOO_SMALL = 5,
    // No capacity is large enough.
    STICTION_ERROR_NO_CAPACITY = 6,
    // The handle is not one of this kind and precision, or was never initialised.
    STICTION_ERROR_NOT_INITIALISED = 7,
    // The object is in use: called from within one of its own callbacks.
    STICTION_ERROR_BUSY = 8,
    // A choice is none of its enumeration.
    STICTION_ERROR_BAD_CHOICE = 9,
    // Saved bytes are cut short, damaged, of another version or precision, or too many for this object.
    STICTION_ERROR_BAD_BYTES = 10,
    // The callback that finds contacts gave up.
    STICTION_ERROR_CALLBACK_FAILED = 11,
    // Infinite or NaN.
    STICTION_ERROR_NOT_FINITE = 32,
    // Below the smallest accepted value, which is in `limit`.
    STICTION_ERROR_BELOW_LIMIT = 33,
    // Above the largest accepted value, which is in `limit`.
    STICTION_ERROR_ABOVE_LIMIT = 34,
    // A count outside its range.
    STICTION_ERROR_OUT_OF_RANGE = 35,
    // A direction or quaternion whose length is not 1 within 1e-3.
    STICTION_ERROR_NOT_UNIT = 36,
    // A matrix that is not symmetric within 1e-6 of its largest entry.
    STICTION_ERROR_NOT_SYMMETRIC = 37,
    // A matrix with a negative eigenvalue.
    STICTION_ERROR_NOT_POSITIVE_SEMIDEFINITE = 38,
    // An inverse inertia on a body of inverse mass 0, which cannot move.
    STICTION_ERROR_TURNS_BUT_CANNOT_MOVE = 39,
    // A contact of a body with itself.
    STICTION_ERROR_SAME_BODY = 40,
    // A body index with no body behind it.
    STICTION_ERROR_NO_SUCH_BODY = 41,
    // A contact index with no contact behind it.
    STICTION_ERROR_NO_SUCH_CONTACT = 42,
    // A contact between two bodies that cannot move.
    STICTION_ERROR_NOTHING_MOVES = 43,
    // More than the capacity, which is in `limit`.
    STICTION_ERROR_FULL = 44,
    // An array whose length does not fit the others.
    STICTION_ERROR_WRONG_LENGTH = 45,
    // A block-row start or column that is out of order or out of range.
    STICTION_ERROR_BAD_STRUCTURE = 46,
    // A block row without its own diagonal block.
    STICTION_ERROR_NO_DIAGONAL_BLOCK = 47,
    // Rejected by a kernel that is newer than this interface.
    STICTION_ERROR_OTHER = 255,
};

// Which input was rejected.
typedef uint32_t StictionInputKind;
enum {
    // An argument of the call.
    STICTION_INPUT_KIND_ARGUMENT = 0,
    // A body.
    STICTION_INPUT_KIND_BODY = 1,
    // A contact, or a manifold's.
    STICTION_INPUT_KIND_CONTACT = 2,
    // A setting.
    STICTION_INPUT_KIND_SETTING = 3,
    // An array of a Delassus problem.
    STICTION_INPUT_KIND_DELASSUS = 4,
};

// Which methods may solve a contact phase with friction.
typedef uint32_t StictionMethodChoice;
enum {
    // Plain sweeps, and a direct method where room for one is lent and thirty sweeps did not suffice.
    STICTION_METHOD_CHOICE_AUTO = 0,
    // Plain sweeps only.
    STICTION_METHOD_CHOICE_SWEEPS = 1,
    // Sweeps, accelerated where they crawl.
    STICTION_METHOD_CHOICE_ACCELERATED = 2,
    // A direct method after eight sweeps where room for one is lent, and accelerated sweeps.
    STICTION_METHOD_CHOICE_DIRECT = 3,
};

// How one contact is solved while the others hold still.
typedef uint32_t StictionLocalRule;
enum {
    // Coulomb's problem itself, exactly.
    STICTION_LOCAL_RULE_EXACT = 0,
    // Projection, then the normal impulse again with the friction held.
    STICTION_LOCAL_RULE_HOLD_AND_RESOLVE = 1,
    // Full solve, tangent scaled back into the cone. Wrong while sliding; for comparison.
    STICTION_LOCAL_RULE_PROJECTION = 2,
    // Row by row, each tangent within a box.
    STICTION_LOCAL_RULE_BOX = 3,
};

// How the bounce treats contacts that hit at once.
typedef uint32_t StictionBounceMode;
enum {
    // All normals as one problem; independent of contact order.
    STICTION_BOUNCE_MODE_TOGETHER = 0,
    // One pass in order; cheap and order-dependent.
    STICTION_BOUNCE_MODE_SEQUENTIAL = 1,
};

// The order in which sweeps visit contacts.
typedef uint32_t StictionSweepOrder;
enum {
    // First to last, then last to first, and so on.
    STICTION_SWEEP_ORDER_ALTERNATING = 0,
    // Always first to last.
    STICTION_SWEEP_ORDER_FORWARD = 1,
};

// How penetration is corrected.
typedef uint32_t StictionPositionCorrection;
enum {
    // Not at all.
    STICTION_POSITION_CORRECTION_NONE = 0,
    // By a second velocity that moves bodies apart and never becomes kinetic energy.
    STICTION_POSITION_CORRECTION_SPLIT_IMPULSE = 1,
    // By a wanted separation speed. Adds energy: at most the work of that bias.
    STICTION_POSITION_CORRECTION_BIAS = 2,
};

// Whether a solve takes everything together or island by island.
typedef uint32_t StictionIslandMode;
enum {
    // Everything together.
    STICTION_ISLAND_MODE_TOGETHER = 0,
    // Each island of bodies that touch on its own: each stops when it is solved.
    STICTION_ISLAND_MODE_SEPARATE = 1,
};

// Why a solve ended, better before worse. All leave a usable answer that adds no energy.
typedef uint32_t StictionStatus;
enum {
    // The residual went below the tolerance.
    STICTION_STATUS_CONVERGED = 0,
    // The passivity guard scaled impulses down, and the answer is not solved to the tolerance any more.
    STICTION_STATUS_GUARDED = 1,
    // The bounce made no progress and was taken back: nothing bounced.
    STICTION_STATUS_BOUNCE_DROPPED = 2,
    // The limit on sweeps came first.
    STICTION_STATUS_SWEEP_LIMIT = 3,
    // `should_stop` answered yes first.
    STICTION_STATUS_DEADLINE = 4,
};

// How the contact phase was solved.
typedef uint32_t StictionMethod;
enum {
    // Exact active set, for a few contacts without friction.
    STICTION_METHOD_ACTIVE_SET = 0,
    // Gauss-Seidel on the normals, for more contacts without friction.
    STICTION_METHOD_SCALAR_PGS = 1,
    // Gauss-Seidel with every contact solved as a block.
    STICTION_METHOD_BLOCK_PGS = 2,
    // The same, accelerated from some sweep on.
    STICTION_METHOD_ACCELERATED = 3,
    // Newton's method after sweeps.
    STICTION_METHOD_NEWTON = 4,
    // An interior-point method, with sweeps and Newton's method before and after it.
    STICTION_METHOD_INTERIOR_POINT = 5,
};

// What a contact does at the end of a solve.
typedef uint32_t StictionContactState;
enum {
    // Carries no impulse.
    STICTION_CONTACT_STATE_OPEN = 0,
    // Friction is inside its cone.
    STICTION_CONTACT_STATE_STICK = 1,
    // Friction is on the rim of its cone.
    STICTION_CONTACT_STATE_SLIDE = 2,
};

// How a point is recognised in the next step.
typedef uint32_t StictionPointKind;
enum {
    // By the detector's own id, unique within a pair of bodies.
    STICTION_POINT_KIND_FEATURE = 0,
    // By its place on the body.
    STICTION_POINT_KIND_PROXIMITY = 1,
};

// Collects the manifolds of a substep. Opaque, and only there while the callback runs.
typedef struct StictionContactCollectorF32 StictionContactCollectorF32;

// Collects the manifolds of a substep. Opaque, and only there while the callback runs.
typedef struct StictionContactCollectorF64 StictionContactCollectorF64;

// A solver for problems in Delassus form. Opaque: made by `stiction_f32_delassus_init`.
typedef struct StictionDelassusF32 StictionDelassusF32;

// A solver for problems in Delassus form. Opaque: made by `stiction_f32_delassus_init`.
typedef struct StictionDelassusF64 StictionDelassusF64;

// One capacity of solvers in Delassus form. Opaque: there are functions for those that are compiled.
typedef struct StictionDelassusKindF32 StictionDelassusKindF32;

// One capacity of solvers in Delassus form. Opaque: there are functions for those that are compiled.
typedef struct StictionDelassusKindF64 StictionDelassusKindF64;

// DirectMemory for direct methods on islands on which sweeps crawl. Opaque: made by `stiction_f32_direct_memory_init`.
typedef struct StictionDirectMemoryF32 StictionDirectMemoryF32;

// DirectMemory for direct methods on islands on which sweeps crawl. Opaque: made by `stiction_f32_direct_memory_init`.
typedef struct StictionDirectMemoryF64 StictionDirectMemoryF64;

// One capacity of such memory. Opaque: there are functions for those that are compiled.
typedef struct StictionDirectMemoryKindF32 StictionDirectMemoryKindF32;

// One capacity of such memory. Opaque: there are functions for those that are compiled.
typedef struct StictionDirectMemoryKindF64 StictionDirectMemoryKindF64;

// A world of bodies that steps move. Opaque: made by `stiction_f32_pipeline_init`.
typedef struct StictionPipelineF32 StictionPipelineF32;

// A world of bodies that steps move. Opaque: made by `stiction_f32_pipeline_init`.
typedef struct StictionPipelineF64 StictionPipelineF64;

// One capacity of pipelines. Opaque: there are functions for those that are compiled.
typedef struct StictionPipelineKindF32 StictionPipelineKindF32;

// One capacity of pipelines. Opaque: there are functions for those that are compiled.
typedef struct StictionPipelineKindF64 StictionPipelineKindF64;

// A solver for bodies and contacts that the caller keeps. Opaque: made by `stiction_f32_solver_init`.
typedef struct StictionSolverF32 StictionSolverF32;

// A solver for bodies and contacts that the caller keeps. Opaque: made by `stiction_f32_solver_init`.
typedef struct StictionSolverF64 StictionSolverF64;

// One capacity of solvers. Opaque: there are functions for those that are compiled.
typedef struct StictionSolverKindF32 StictionSolverKindF32;

// One capacity of solvers. Opaque: there are functions for those that are compiled.
typedef struct StictionSolverKindF64 StictionSolverKindF64;

// Settings of a solve, in SI units. Begin with those of `stiction_f32_settings()` and change what you need.
typedef struct StictionSettingsF32 {
    // Which methods may be used: one of StictionMethodChoice.
    uint32_t method;
    // How one contact is solved: one of StictionLocalRule.
    uint32_t local;
    // How contacts that hit at once bounce: one of StictionBounceMode.
    uint32_t bounce;
    // The order of plain sweeps: one of StictionSweepOrder.
    uint32_t order;
    // How penetration is corrected: one of StictionPositionCorrection.
    uint32_t position_correction;
    // Together or by islands: one of StictionIslandMode. Steps always go by islands and do not read it.
    uint32_t islands;
    // Cap on sweeps of the contact phase.
    uint32_t sweeps;
    // Cap on factorisations of direct methods in an island; 0 makes none.
    uint32_t factorisations;
    // Sweeps that are made even if the start is below the tolerance.
    uint32_t min_sweeps;
    // Cap on sweeps of the bounce and of the split impulse.
    uint32_t normal_sweeps;
    // Fraction of each local step taken, between 0 and 2; 1 is plain Gauss-Seidel.
    float relaxation;
    // The same for accelerated sweeps.
    float accelerated_relaxation;
    // The contact phase ends when the relative residual is below this; 0 runs all sweeps.
    float tolerance;
    // MethodChoice speed above which a contact bounces, m/s.
    float restitution_threshold;
    // Fraction of the penetration corrected in a step.
    float error_reduction;
    // Penetration that is left alone, m.
    float slop;
    // Largest speed at which penetration is corrected, m/s.
    float max_correction_speed;
} StictionSettingsF32;

// Settings of a step, in SI units. Begin with those of `stiction_f32_step_settings()` and change what you need.
typedef struct StictionStepSettingsF32 {
    // Settings of its solves.
    struct StictionSettingsF32 solver;
    // Gravity, m/s^2.
    float gravity[3];
    // Gap up to which a manifold's point is a contact, m.
    float contact_margin;
    // Size of a cell of the contact cache, m.
    float cache_cell;
    // Equal parts that a step is made of, 1 to 1000.
    uint32_t substeps;
} StictionStepSettingsF32;

// A body with a place, as a pipeline takes and gives it. Vectors are in world axes unless said.
typedef struct StictionRigidBodyF32 {
    // 1/mass, 1/kg; 0 for a body that cannot move.
    float inverse_mass;
    // Inverse inertia about the centre of mass in body axes, 1/(kg m^2). Symmetric.
    float inverse_inertia_body[9];
    // Centre of mass, m.
    float position[3];
    // From body axes to world axes: unit quaternion x, y, z, w.
    float orientation[4];
    // Velocity of the centre of mass, m/s.
    float linear_velocity[3];
    // Angular velocity, rad/s.
    float angular_velocity[3];
    // External force, N, acting in every step until changed.
    float force[3];
    // External torque about the centre of mass, N m.
    float torque[3];
    // Friction coefficient of its surface; a pair's is the geometric mean.
    float mu;
    // Restitution of its surface, 0 to 1; a pair's is the geometric mean.
    float restitution;
} StictionRigidBodyF32;

// What was rejected, and why.
typedef struct StictionInputErrorF32 {
    // Why: one of StictionError.
    uint32_t error;
    // Which kind of input: one of StictionInputKind.
    uint32_t input;
    // Which of them, from 0.
    size_t index;
    // Name of the field or argument, ended by a zero; empty for the whole.
    char field[STICTION_FIELD_BYTES];
    // The rejected value, where there is one.
    float value;
    // The limit that it is beyond, where there is one.
    float limit;
} StictionInputErrorF32;

// Bodies and contacts that fit into an object.
typedef struct StictionCapacity {
    // Bodies, those that cannot move included; 0 for objects without bodies.
    size_t bodies;
    // Contacts.
    size_t contacts;
} StictionCapacity;

// One column of numbers that are read: a pointer, and the bytes from one element to the next. Stride 0 gives the same element
// to all. Where the column may be left out, `data` is null.
typedef struct StictionViewF32 {
    // The first number of the first element.
    const float *data;
    // Bytes from one element to the next.
    size_t stride;
} StictionViewF32;

// One column of numbers that are written: a pointer, and the bytes from one element to the next. Where the column may be left
// out, `data` is null.
typedef struct StictionViewMutF32 {
    // The first number of the first element.
    float *data;
    // Bytes from one element to the next.
    size_t stride;
} StictionViewMutF32;

// Bodies of a solve: where each of their numbers lies. Vectors are in world axes.
typedef struct StictionBodiesF32 {
    // How many there are, those that cannot move included.
    size_t count;
    // 1/mass, 1/kg; 0 for a body that cannot move.
    struct StictionViewF32 inverse_mass;
    // Inverse inertia about the centre of mass in world axes, 9 numbers, 1/(kg m^2). Symmetric; all 0 for a body that cannot
    // move or turn.
    struct StictionViewF32 inverse_inertia_world;
    // Velocity of the centre of mass, 3 numbers, m/s. Read, and written by a solve.
    struct StictionViewMutF32 linear_velocity;
    // Angular velocity, 3 numbers, rad/s. Read, and written by a solve.
    struct StictionViewMutF32 angular_velocity;
    // Centre of mass in world coordinates, 3 numbers, m. Read only where contacts give points instead of arms; else may be null.
    struct StictionViewF32 position;
} StictionBodiesF32;

// One column of numbers that are read: a pointer, and the bytes from one element to the next. Stride 0 gives the same element
// to all. Where the column may be left out, `data` is null.
typedef struct StictionViewU32 {
    // The first number of the first element.
    const uint32_t *data;
    // Bytes from one element to the next.
    size_t stride;
} StictionViewU32;

// Contacts of a solve: where each of their numbers lies. Vectors are in world axes.
typedef struct StictionContactsF32 {
    // How many there are.
    size_t count;
    // Index of body A.
    struct StictionViewU32 a;
    // Index of body B.
    struct StictionViewU32 b;
    // Unit normal from A to B, 3 numbers.
    struct StictionViewF32 normal;
    // From A's centre of mass to the contact point, 3 numbers, m; null if `point` is given.
    struct StictionViewF32 r_a;
    // From B's centre of mass to the contact point, 3 numbers, m; null if `point` is given.
    struct StictionViewF32 r_b;
    // The contact point in world coordinates, 3 numbers, m; null if the arms are given.
    struct StictionViewF32 point;
    // Friction coefficient of the pair.
    struct StictionViewF32 mu;
    // Restitution of the pair, 0 to 1; null for 0.
    struct StictionViewF32 restitution;
    // Penetration depth, m, negative for a gap that may close within the step; null for 0.
    struct StictionViewF32 depth;
    // Normal velocity (B minus A) recorded before impact, m/s; null to have it measured.
    struct StictionViewF32 pre_impact_normal_velocity;
    // Normal impulse to start from, N s; null for 0.
    struct StictionViewF32 warm_normal_impulse;
    // Friction impulse on B to start from as a world vector, 3 numbers, N s; null for 0.
    struct StictionViewF32 warm_tangent_impulse;
} StictionContactsF32;

// One column of numbers that are written: a pointer, and the bytes from one element to the next. Where the column may be left
// out, `data` is null.
typedef struct StictionViewMutU32 {
    // The first number of the first element.
    uint32_t *data;
    // Bytes from one element to the next.
    size_t stride;
} StictionViewMutU32;

// Where a solve writes besides the bodies' velocities. All may be null. Impulses may be written where they were read from as
// a warm start.
typedef struct StictionAnswerF32 {
    // Normal impulse of the contact phase, one for each contact, N s: the next solve's warm start.
    struct StictionViewMutF32 normal_impulse;
    // Friction impulse on B as a world vector, 3 numbers for each contact, N s: the next solve's warm start.
    struct StictionViewMutF32 tangent_impulse;
    // Normal impulse of the bounce, one for each contact, N s. The total is the sum of the two.
    struct StictionViewMutF32 bounce_impulse;
    // What the contact does, one for each contact: one of StictionContactState.
    struct StictionViewMutU32 state;
    // Velocity that repairs penetration, 3 numbers for each body, m/s: to be added for one motion of places and forgotten.
    struct StictionViewMutF32 correction_linear;
    // The same for turning, 3 numbers for each body, rad/s.
    struct StictionViewMutF32 correction_angular;
} StictionAnswerF32;

// Asked before every sweep, factorisation and row that the active set takes in; `true` ends the solve with the answer as it
// stands. It may be asked again after that, until the call returns.
typedef bool (*StictionShouldStop)(void *user);

// Receives the bytes of a dump in pieces: the input of every solve that is not rejected, and a digest of its outcome. The bytes of all calls on an
// object, one after the other, can be replayed to the bit on a host.
typedef void (*StictionRecord)(void *user, const uint8_t *bytes, size_t count);

// Everything optional about a call. All may be null. Callbacks must return: no exception and no longjmp may leave them.
typedef struct StictionHooksF32 {
    // Handed to the callbacks.
    void *user;
    // Called to ask whether to stop.
    StictionShouldStop should_stop;
    // Receives what is solved.
    StictionRecord record;
    // DirectMemory for direct methods.
    struct StictionDirectMemoryF32 *direct;
} StictionHooksF32;

// Summary of a solve. By islands, counts are of the island that took most, works and energies are sums, and residuals are
// the worst.
typedef struct StictionReportF32 {
    // Why it ended: one of StictionStatus.
    uint32_t status;
    // How it was solved: one of StictionMethod; by islands, that of the one with the largest residual.
    uint32_t method;
    // Sweeps of the contact phase.
    uint32_t sweeps;
    // Sweeps of the bounce.
    uint32_t bounce_sweeps;
    // Newton steps, each with a factorisation.
    uint32_t newton_steps;
    // Interior-point steps, each with a factorisation.
    uint32_t interior_steps;
    // Islands that were solved one by one; 1 for everything together.
    uint32_t islands;
    // The contact with the largest share of the residual, or STICTION_NO_CONTACT.
    uint32_t worst_contact;
    // Whether direct methods were wanted and the room lent for them was too small.
    bool memory_too_small;
    // Whether the bounce got nowhere, so that nothing bounced.
    bool bounce_dropped;
    // Whether an impulse had to be scaled back so as not to add energy.
    bool passivity_guard;
    // Distance from solved, relative to `residual_scale`.
    float residual;
    // The speed that the residual is relative to, m/s.
    float residual_scale;
    // Worst closing_speed speed left, m/s.
    float closing_speed;
    // Worst excess of a friction impulse over its cone, N s.
    float cone;
    // Separation speed that restitution asks for and the bounce did not reach, at its worst, m/s.
    float bounce_missing;
    // Kinetic energy before, J.
    float energy_before;
    // Kinetic energy after, J.
    float energy_after;
    // Energy change by the bounce, J.
    float bounce_work;
    // Energy change by the contact phase, J.
    float contact_work;
    // The part of it that friction did, J.
    float friction_work;
    // The part of it that a bias put in, J.
    float bias_work;
} StictionReportF32;

// Where states of all bodies are written. All may be null.
typedef struct StictionStatesF32 {
    // How many bodies there is room for; those beyond are left out.
    size_t count;
    // Centre of mass, 3 numbers, m.
    struct StictionViewMutF32 position;
    // Unit quaternion x, y, z, w.
    struct StictionViewMutF32 orientation;
    // Velocity, 3 numbers, m/s.
    struct StictionViewMutF32 linear_velocity;
    // Angular velocity, 3 numbers, rad/s.
    struct StictionViewMutF32 angular_velocity;
} StictionStatesF32;

// One point of a manifold.
typedef struct StictionManifoldPointF32 {
    // The point on A's surface, world coordinates, m.
    float on_a[3];
    // The point on B's surface, world coordinates, m.
    float on_b[3];
    // Penetration depth, m; negative for a gap.
    float depth;
    // How it is recognised: one of StictionPointKind.
    uint32_t kind;
    // Its id, where it has one.
    uint32_t feature;
} StictionManifoldPointF32;

// Up to four points where two bodies touch.
typedef struct StictionManifoldF32 {
    // Index of body A.
    uint32_t a;
    // Index of body B.
    uint32_t b;
    // Unit normal from A to B.
    float normal[3];
    // How many of the points are there, 0 to 4.
    uint32_t point_count;
    // Whether `mu` and `restitution` are the pair's; if not, the mean of the two bodies' counts.
    bool has_material;
    // Friction coefficient of the pair.
    float mu;
    // Restitution of the pair, 0 to 1.
    float restitution;
    // Where they touch.
    struct StictionManifoldPointF32 points[4];
} StictionManifoldF32;

// Summary of a step.
typedef struct StictionStepReportF32 {
    // The worst end of its solves: one of StictionStatus.
    uint32_t status;
    // Contacts of the last substep.
    uint32_t contacts;
    // Contacts that found no place, over all substeps: the shallowest ones.
    uint32_t contacts_left_out;
    // Contacts of the last substep that began with a remembered impulse.
    uint32_t warm_started;
    // Contacts that could not be remembered, over all substeps.
    uint32_t not_cached;
    // Islands of the last substep.
    uint32_t islands;
    // Sweeps of the island that took most, summed over substeps.
    uint32_t sweeps;
    // Newton steps.
    uint32_t newton_steps;
    // Interior-point steps.
    uint32_t interior_steps;
    // Whether direct methods were wanted and the room lent for them was too small.
    bool memory_too_small;
    // Whether an impulse had to be scaled back so as not to add energy.
    bool passivity_guard;
    // Whether an island's bounce made no progress and was taken back: its contacts did not bounce.
    bool bounce_dropped;
    // Worst relative residual of an island.
    float residual;
    // Worst closing_speed speed left, m/s.
    float closing_speed;
    // Deepest penetration that it started from, m.
    float depth;
    // Kinetic energy before, J.
    float kinetic_before;
    // Kinetic energy after, J.
    float kinetic_after;
    // Potential energy before, J, zero at the origin.
    float potential_before;
    // Potential energy after, J.
    float potential_after;
    // Work of external forces and torques, J.
    float load_work;
    // First-order error of the time step under gravity, J.
    float integration_work;
    // Work of the bounce, J.
    float bounce_work;
    // Work of the normal impulses, J.
    float normal_work;
    // Work of friction, J.
    float friction_work;
    // Work of penetration repair, J.
    float position_correction_work;
} StictionStepReportF32;

// Collision detection, called in every substep. It hands manifolds to `collector` by `stiction_f32_collect`; `false` rejects the step.
typedef bool (*StictionDetectF32)(void *user, struct StictionContactCollectorF32 *collector);

// A contact of the last step.
typedef struct StictionContactRecordF32 {
    // Index of body A.
    uint32_t a;
    // Index of body B.
    uint32_t b;
    // Unit normal from A to B.
    float normal[3];
    // From A's centre of mass to the contact point, m.
    float r_a[3];
    // From B's centre of mass to the contact point, m.
    float r_b[3];
    // Penetration depth, m.
    float depth;
    // Friction coefficient of the pair.
    float mu;
    // Normal impulse of the contact phase, N s.
    float normal_impulse;
    // Normal impulse of the bounce, N s.
    float bounce_impulse;
    // Friction impulse on B, N s.
    float tangent_impulse[3];
    // What it does: one of StictionContactState.
    uint32_t state;
} StictionContactRecordF32;

// A problem `u = W x + q` of contacts with Coulomb's law between `u` and `x`, along normal, first and second tangent.
//
// With `row_starts` and `columns`, `w` is in block compressed rows: block `k` with `row_starts[i] <= k < row_starts[i + 1]` stands
// in block row `i` and block column `columns[k]`; columns ascend in a row, the diagonal block is stored, and a block's nine numbers
// are packed column by column. With both null, `w` is the whole matrix, packed row by row.
typedef struct StictionDelassusProblemF32 {
    // How many contacts there are.
    size_t contacts;
    // The matrix, 1/kg.
    const float *w;
    // How many blocks `w` and `columns` have; not read for a whole matrix.
    size_t blocks;
    // Where rows of blocks begin, `contacts + 1` numbers.
    const uint32_t *row_starts;
    // Block columns, `blocks` numbers.
    const uint32_t *columns;
    // Free velocity, 3 numbers a contact, m/s.
    struct StictionViewF32 q;
    // Friction coefficient of each contact.
    struct StictionViewF32 mu;
    // Impulses to start from, 3 numbers a contact, N s; null for 0.
    struct StictionViewF32 start;
} StictionDelassusProblemF32;

// Where impulses are written. Both may be null.
typedef struct StictionDelassusAnswerF32 {
    // Impulse along normal and tangents, 3 numbers a contact, N s.
    struct StictionViewMutF32 impulse;
    // What the contact does: one of StictionContactState.
    struct StictionViewMutU32 state;
} StictionDelassusAnswerF32;

// Summary of a solve in Delassus form.
typedef struct StictionDelassusReportF32 {
    // Why it ended: one of StictionStatus.
    uint32_t status;
    // How it was solved: one of StictionMethod.
    uint32_t method;
    // Sweeps.
    uint32_t sweeps;
    // Newton steps.
    uint32_t newton_steps;
    // Interior-point steps.
    uint32_t interior_steps;
    // The contact with the largest share of the residual, or STICTION_NO_CONTACT.
    uint32_t worst_contact;
    // Whether direct methods were wanted and the room lent for them was too small.
    bool memory_too_small;
    // Whether the impulses had to be scaled back so as not to add energy.
    bool passivity_guard;
    // Distance from solved, relative to the largest of `q`, impulses and velocities.
    float residual;
    // Worst closing_speed speed left, m/s.
    float closing_speed;
    // Natural map at rho = 1 over |q|: the figure that the field publishes.
    float natural_rel_q;
    // Natural map in velocity units over |q|.
    float unit_rel_q;
    // Energy change, J, if `q` is a velocity of bodies that move freely.
    float work;
} StictionDelassusReportF32;

// Settings of a solve, in SI units. Begin with those of `stiction_f32_settings()` and change what you need.
typedef struct StictionSettingsF64 {
    // Which methods may be used: one of StictionMethodChoice.
    uint32_t method;
    // How one contact is solved: one of StictionLocalRule.
    uint32_t local;
    // How contacts that hit at once bounce: one of StictionBounceMode.
    uint32_t bounce;
    // The order of plain sweeps: one of StictionSweepOrder.
    uint32_t order;
    // How penetration is corrected: one of StictionPositionCorrection.
    uint32_t position_correction;
    // Together or by islands: one of StictionIslandMode. Steps always go by islands and do not read it.
    uint32_t islands;
    // Cap on sweeps of the contact phase.
    uint32_t sweeps;
    // Cap on factorisations of direct methods in an island; 0 makes none.
    uint32_t factorisations;
    // Sweeps that are made even if the start is below the tolerance.
    uint32_t min_sweeps;
    // Cap on sweeps of the bounce and of the split impulse.
    uint32_t normal_sweeps;
    // Fraction of each local step taken, between 0 and 2; 1 is plain Gauss-Seidel.
    double relaxation;
    // The same for accelerated sweeps.
    double accelerated_relaxation;
    // The contact phase ends when the relative residual is below this; 0 runs all sweeps.
    double tolerance;
    // MethodChoice speed above which a contact bounces, m/s.
    double restitution_threshold;
    // Fraction of the penetration corrected in a step.
    double error_reduction;
    // Penetration that is left alone, m.
    double slop;
    // Largest speed at which penetration is corrected, m/s.
    double max_correction_speed;
} StictionSettingsF64;

// Settings of a step, in SI units. Begin with those of `stiction_f32_step_settings()` and change what you need.
typedef struct StictionStepSettingsF64 {
    // Settings of its solves.
    struct StictionSettingsF64 solver;
    // Gravity, m/s^2.
    double gravity[3];
    // Gap up to which a manifold's point is a contact, m.
    double contact_margin;
    // Size of a cell of the contact cache, m.
    double cache_cell;
    // Equal parts that a step is made of, 1 to 1000.
    uint32_t substeps;
} StictionStepSettingsF64;

// A body with a place, as a pipeline takes and gives it. Vectors are in world axes unless said.
typedef struct StictionRigidBodyF64 {
    // 1/mass, 1/kg; 0 for a body that cannot move.
    double inverse_mass;
    // Inverse inertia about the centre of mass in body axes, 1/(kg m^2). Symmetric.
    double inverse_inertia_body[9];
    // Centre of mass, m.
    double position[3];
    // From body axes to world axes: unit quaternion x, y, z, w.
    double orientation[4];
    // Velocity of the centre of mass, m/s.
    double linear_velocity[3];
    // Angular velocity, rad/s.
    double angular_velocity[3];
    // External force, N, acting in every step until changed.
    double force[3];
    // External torque about the centre of mass, N m.
    double torque[3];
    // Friction coefficient of its surface; a pair's is the geometric mean.
    double mu;
    // Restitution of its surface, 0 to 1; a pair's is the geometric mean.
    double restitution;
} StictionRigidBodyF64;

// What was rejected, and why.
typedef struct StictionInputErrorF64 {
    // Why: one of StictionError.
    uint32_t error;
    // Which kind of input: one of StictionInputKind.
    uint32_t input;
    // Which of them, from 0.
    size_t index;
    // Name of the field or argument, ended by a zero; empty for the whole.
    char field[STICTION_FIELD_BYTES];
    // The rejected value, where there is one.
    double value;
    // The limit that it is beyond, where there is one.
    double limit;
} StictionInputErrorF64;

// One column of numbers that are read: a pointer, and the bytes from one element to the next. Stride 0 gives the same element
// to all. Where the column may be left out, `data` is null.
typedef struct StictionViewF64 {
    // The first number of the first element.
    const double *data;
    // Bytes from one element to the next.
    size_t stride;
} StictionViewF64;

// One column of numbers that are written: a pointer, and the bytes from one element to the next. Where the column may be left
// out, `data` is null.
typedef struct StictionViewMutF64 {
    // The first number of the first element.
    double *data;
    // Bytes from one element to the next.
    size_t stride;
} StictionViewMutF64;

// Bodies of a solve: where each of their numbers lies. Vectors are in world axes.
typedef struct StictionBodiesF64 {
    // How many there are, those that cannot move included.
    size_t count;
    // 1/mass, 1/kg; 0 for a body that cannot move.
    struct StictionViewF64 inverse_mass;
    // Inverse inertia about the centre of mass in world axes, 9 numbers, 1/(kg m^2). Symmetric; all 0 for a body that cannot
    // move or turn.
    struct StictionViewF64 inverse_inertia_world;
    // Velocity of the centre of mass, 3 numbers, m/s. Read, and written by a solve.
    struct StictionViewMutF64 linear_velocity;
    // Angular velocity, 3 numbers, rad/s. Read, and written by a solve.
    struct StictionViewMutF64 angular_velocity;
    // Centre of mass in world coordinates, 3 numbers, m. Read only where contacts give points instead of arms; else may be null.
    struct StictionViewF64 position;
} StictionBodiesF64;

// Contacts of a solve: where each of their numbers lies. Vectors are in world axes.
typedef struct StictionContactsF64 {
    // How many there are.
    size_t count;
    // Index of body A.
    struct StictionViewU32 a;
    // Index of body B.
    struct StictionViewU32 b;
    // Unit normal from A to B, 3 numbers.
    struct StictionViewF64 normal;
    // From A's centre of mass to the contact point, 3 numbers, m; null if `point` is given.
    struct StictionViewF64 r_a;
    // From B's centre of mass to the contact point, 3 numbers, m; null if `point` is given.
    struct StictionViewF64 r_b;
    // The contact point in world coordinates, 3 numbers, m; null if the arms are given.
    struct StictionViewF64 point;
    // Friction coefficient of the pair.
    struct StictionViewF64 mu;
    // Restitution of the pair, 0 to 1; null for 0.
    struct StictionViewF64 restitution;
    // Penetration depth, m, negative for a gap that may close within the step; null for 0.
    struct StictionViewF64 depth;
    // Normal velocity (B minus A) recorded before impact, m/s; null to have it measured.
    struct StictionViewF64 pre_impact_normal_velocity;
    // Normal impulse to start from, N s; null for 0.
    struct StictionViewF64 warm_normal_impulse;
    // Friction impulse on B to start from as a world vector, 3 numbers, N s; null for 0.
    struct StictionViewF64 warm_tangent_impulse;
} StictionContactsF64;

// Where a solve writes besides the bodies' velocities. All may be null. Impulses may be written where they were read from as
// a warm start.
typedef struct StictionAnswerF64 {
    // Normal impulse of the contact phase, one for each contact, N s: the next solve's warm start.
    struct StictionViewMutF64 normal_impulse;
    // Friction impulse on B as a world vector, 3 numbers for each contact, N s: the next solve's warm start.
    struct StictionViewMutF64 tangent_impulse;
    // Normal impulse of the bounce, one for each contact, N s. The total is the sum of the two.
    struct StictionViewMutF64 bounce_impulse;
    // What the contact does, one for each contact: one of StictionContactState.
    struct StictionViewMutU32 state;
    // Velocity that repairs penetration, 3 numbers for each body, m/s: to be added for one motion of places and forgotten.
    struct StictionViewMutF64 correction_linear;
    // The same for turning, 3 numbers for each body, rad/s.
    struct StictionViewMutF64 correction_angular;
} StictionAnswerF64;

// Everything optional about a call. All may be null. Callbacks must return: no exception and no longjmp may leave them.
typedef struct StictionHooksF64 {
    // Handed to the callbacks.
    void *user;
    // Called to ask whether to stop.
    StictionShouldStop should_stop;
    // Receives what is solved.
    StictionRecord record;
    // DirectMemory for direct methods.
    struct StictionDirectMemoryF64 *direct;
} StictionHooksF64;

// Summary of a solve. By islands, counts are of the island that took most, works and energies are sums, and residuals are
// the worst.
typedef struct StictionReportF64 {
    // Why it ended: one of StictionStatus.
    uint32_t status;
    // How it was solved: one of StictionMethod; by islands, that of the one with the largest residual.
    uint32_t method;
    // Sweeps of the contact phase.
    uint32_t sweeps;
    // Sweeps of the bounce.
    uint32_t bounce_sweeps;
    // Newton steps, each with a factorisation.
    uint32_t newton_steps;
    // Interior-point steps, each with a factorisation.
    uint32_t interior_steps;
    // Islands that were solved one by one; 1 for everything together.
    uint32_t islands;
    // The contact with the largest share of the residual, or STICTION_NO_CONTACT.
    uint32_t worst_contact;
    // Whether direct methods were wanted and the room lent for them was too small.
    bool memory_too_small;
    // Whether the bounce got nowhere, so that nothing bounced.
    bool bounce_dropped;
    // Whether an impulse had to be scaled back so as not to add energy.
    bool passivity_guard;
    // Distance from solved, relative to `residual_scale`.
    double residual;
    // The speed that the residual is relative to, m/s.
    double residual_scale;
    // Worst closing_speed speed left, m/s.
    double closing_speed;
    // Worst excess of a friction impulse over its cone, N s.
    double cone;
    // Separation speed that restitution asks for and the bounce did not reach, at its worst, m/s.
    double bounce_missing;
    // Kinetic energy before, J.
    double energy_before;
    // Kinetic energy after, J.
    double energy_after;
    // Energy change by the bounce, J.
    double bounce_work;
    // Energy change by the contact phase, J.
    double contact_work;
    // The part of it that friction did, J.
    double friction_work;
    // The part of it that a bias put in, J.
    double bias_work;
} StictionReportF64;

// Where states of all bodies are written. All may be null.
typedef struct StictionStatesF64 {
    // How many bodies there is room for; those beyond are left out.
    size_t count;
    // Centre of mass, 3 numbers, m.
    struct StictionViewMutF64 position;
    // Unit quaternion x, y, z, w.
    struct StictionViewMutF64 orientation;
    // Velocity, 3 numbers, m/s.
    struct StictionViewMutF64 linear_velocity;
    // Angular velocity, 3 numbers, rad/s.
    struct StictionViewMutF64 angular_velocity;
} StictionStatesF64;

// One point of a manifold.
typedef struct StictionManifoldPointF64 {
    // The point on A's surface, world coordinates, m.
    double on_a[3];
    // The point on B's surface, world coordinates, m.
    double on_b[3];
    // Penetration depth, m; negative for a gap.
    double depth;
    // How it is recognised: one of StictionPointKind.
    uint32_t kind;
    // Its id, where it has one.
    uint32_t feature;
} StictionManifoldPointF64;

// Up to four points where two bodies touch.
typedef struct StictionManifoldF64 {
    // Index of body A.
    uint32_t a;
    // Index of body B.
    uint32_t b;
    // Unit normal from A to B.
    double normal[3];
    // How many of the points are there, 0 to 4.
    uint32_t point_count;
    // Whether `mu` and `restitution` are the pair's; if not, the mean of the two bodies' counts.
    bool has_material;
    // Friction coefficient of the pair.
    double mu;
    // Restitution of the pair, 0 to 1.
    double restitution;
    // Where they touch.
    struct StictionManifoldPointF64 points[4];
} StictionManifoldF64;

// Summary of a step.
typedef struct StictionStepReportF64 {
    // The worst end of its solves: one of StictionStatus.
    uint32_t status;
    // Contacts of the last substep.
    uint32_t contacts;
    // Contacts that found no place, over all substeps: the shallowest ones.
    uint32_t contacts_left_out;
    // Contacts of the last substep that began with a remembered impulse.
    uint32_t warm_started;
    // Contacts that could not be remembered, over all substeps.
    uint32_t not_cached;
    // Islands of the last substep.
    uint32_t islands;
    // Sweeps of the island that took most, summed over substeps.
    uint32_t sweeps;
    // Newton steps.
    uint32_t newton_steps;
    // Interior-point steps.
    uint32_t interior_steps;
    // Whether direct methods were wanted and the room lent for them was too small.
    bool memory_too_small;
    // Whether an impulse had to be scaled back so as not to add energy.
    bool passivity_guard;
    // Whether an island's bounce made no progress and was taken back: its contacts did not bounce.
    bool bounce_dropped;
    // Worst relative residual of an island.
    double residual;
    // Worst closing_speed speed left, m/s.
    double closing_speed;
    // Deepest penetration that it started from, m.
    double depth;
    // Kinetic energy before, J.
    double kinetic_before;
    // Kinetic energy after, J.
    double kinetic_after;
    // Potential energy before, J, zero at the origin.
    double potential_before;
    // Potential energy after, J.
    double potential_after;
    // Work of external forces and torques, J.
    double load_work;
    // First-order error of the time step under gravity, J.
    double integration_work;
    // Work of the bounce, J.
    double bounce_work;
    // Work of the normal impulses, J.
    double normal_work;
    // Work of friction, J.
    double friction_work;
    // Work of penetration repair, J.
    double position_correction_work;
} StictionStepReportF64;

// Collision detection, called in every substep. It hands manifolds to `collector` by `stiction_f32_collect`; `false` rejects the step.
typedef bool (*StictionDetectF64)(void *user, struct StictionContactCollectorF64 *collector);

// A contact of the last step.
typedef struct StictionContactRecordF64 {
    // Index of body A.
    uint32_t a;
    // Index of body B.
    uint32_t b;
    // Unit normal from A to B.
    double normal[3];
    // From A's centre of mass to the contact point, m.
    double r_a[3];
    // From B's centre of mass to the contact point, m.
    double r_b[3];
    // Penetration depth, m.
    double depth;
    // Friction coefficient of the pair.
    double mu;
    // Normal impulse of the contact phase, N s.
    double normal_impulse;
    // Normal impulse of the bounce, N s.
    double bounce_impulse;
    // Friction impulse on B, N s.
    double tangent_impulse[3];
    // What it does: one of StictionContactState.
    uint32_t state;
} StictionContactRecordF64;

// A problem `u = W x + q` of contacts with Coulomb's law between `u` and `x`, along normal, first and second tangent.
//
// With `row_starts` and `columns`, `w` is in block compressed rows: block `k` with `row_starts[i] <= k < row_starts[i + 1]` stands
// in block row `i` and block column `columns[k]`; columns ascend in a row, the diagonal block is stored, and a block's nine numbers
// are packed column by column. With both null, `w` is the whole matrix, packed row by row.
typedef struct StictionDelassusProblemF64 {
    // How many contacts there are.
    size_t contacts;
    // The matrix, 1/kg.
    const double *w;
    // How many blocks `w` and `columns` have; not read for a whole matrix.
    size_t blocks;
    // Where rows of blocks begin, `contacts + 1` numbers.
    const uint32_t *row_starts;
    // Block columns, `blocks` numbers.
    const uint32_t *columns;
    // Free velocity, 3 numbers a contact, m/s.
    struct StictionViewF64 q;
    // Friction coefficient of each contact.
    struct StictionViewF64 mu;
    // Impulses to start from, 3 numbers a contact, N s; null for 0.
    struct StictionViewF64 start;
} StictionDelassusProblemF64;

// Where impulses are written. Both may be null.
typedef struct StictionDelassusAnswerF64 {
    // Impulse along normal and tangents, 3 numbers a contact, N s.
    struct StictionViewMutF64 impulse;
    // What the contact does: one of StictionContactState.
    struct StictionViewMutU32 state;
} StictionDelassusAnswerF64;

// Summary of a solve in Delassus form.
typedef struct StictionDelassusReportF64 {
    // Why it ended: one of StictionStatus.
    uint32_t status;
    // How it was solved: one of StictionMethod.
    uint32_t method;
    // Sweeps.
    uint32_t sweeps;
    // Newton steps.
    uint32_t newton_steps;
    // Interior-point steps.
    uint32_t interior_steps;
    // The contact with the largest share of the residual, or STICTION_NO_CONTACT.
    uint32_t worst_contact;
    // Whether direct methods were wanted and the room lent for them was too small.
    bool memory_too_small;
    // Whether the impulses had to be scaled back so as not to add energy.
    bool passivity_guard;
    // Distance from solved, relative to the largest of `q`, impulses and velocities.
    double residual;
    // Worst closing_speed speed left, m/s.
    double closing_speed;
    // Natural map at rho = 1 over |q|: the figure that the field publishes.
    double natural_rel_q;
    // Natural map in velocity units over |q|.
    double unit_rel_q;
    // Energy change, J, if `q` is a velocity of bodies that move freely.
    double work;
} StictionDelassusReportF64;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Version of the interface that the library was built with; compare it to STICTION_ABI.
uint32_t stiction_abi(void);

// Version of the library, as in "0.1.0".
const char *stiction_version(void);

// An error of StictionError in words; for other numbers says so. Never null.
const char *stiction_error_text(uint32_t error);

// Settings to begin with: 50 sweeps, tolerance 1e-5 in single and 1e-9 in double precision, exact rule, no position
// correction, 10 mm slop, bounces above 0.5 m/s, all islands together.
struct StictionSettingsF32 stiction_f32_settings(void);

// Settings of steps to begin with: those of solves with at least two sweeps and split impulse, gravity 9.81 m/s^2 down along z, one
// substep, 10 mm margin, 5 mm cells.
struct StictionStepSettingsF32 stiction_f32_step_settings(void);

// The same for bodies whose smallest extent is `length` metres: slop, margin and the cells of the contact cache are fractions of it.
struct StictionStepSettingsF32 stiction_f32_step_settings_for_length(float length);

// A body to begin with: one that cannot move, at the origin, smooth.
struct StictionRigidBodyF32 stiction_f32_fixed_body(void);

// Writes an error as a line, such as `contacts[3].mu: must be a finite number`, with at most `size` bytes, the ending zero
// included, and gives its length without that zero, which may be more than fit. With null for `out` gives the length only.
size_t stiction_f32_error_text(const struct StictionInputErrorF32 *input_error,
                               char *out,
                               size_t size);

// Bytes of memory for a solver that holds so many bodies and contacts; 0 if none is large enough. Links all capacities: name
// one by its kind where that matters.
size_t stiction_f32_solver_size(size_t bodies,
                                size_t contacts);

// Makes a solver in `memory`, which must be aligned to STICTION_ALIGNMENT and have the `bytes` that `stiction_f32_solver_size`
// gives. It holds nothing outside that memory: to get rid of it, forget it; to copy it, copy the memory.
StictionError stiction_f32_solver_init(void *memory,
                                       size_t bytes,
                                       size_t bodies,
                                       size_t contacts,
                                       struct StictionSolverF32 **solver);

// The kind of solver for 8 bodies and 16 contacts.
const struct StictionSolverKindF32 *stiction_f32_solver_kind_8_16(void);

// The kind of solver for 16 bodies and 64 contacts.
const struct StictionSolverKindF32 *stiction_f32_solver_kind_16_64(void);

// The kind of solver for 64 bodies and 256 contacts.
const struct StictionSolverKindF32 *stiction_f32_solver_kind_64_256(void);

// The kind of solver for 256 bodies and 1024 contacts.
const struct StictionSolverKindF32 *stiction_f32_solver_kind_256_1024(void);

// The kind of solver for 1024 bodies and 4096 contacts.
const struct StictionSolverKindF32 *stiction_f32_solver_kind_1024_4096(void);

// The kind of solver for 4096 bodies and 16384 contacts.
const struct StictionSolverKindF32 *stiction_f32_solver_kind_4096_16384(void);

// Bytes of memory for a solver of a kind; 0 for null.
size_t stiction_f32_solver_kind_size(const struct StictionSolverKindF32 *kind);

// Makes a solver of a kind, like `stiction_f32_solver_init`.
StictionError stiction_f32_solver_init_kind(const struct StictionSolverKindF32 *kind,
                                            void *memory,
                                            size_t bytes,
                                            struct StictionSolverF32 **solver);

// How many bodies and contacts fit into a solver.
StictionError stiction_f32_solver_capacity(const struct StictionSolverF32 *solver, struct StictionCapacity *capacity);

// Rejects bodies, contacts and settings that `stiction_f32_solve` would reject, and solves nothing. The solver forgets its last
// solve. `input_error` may be null.
StictionError stiction_f32_validate(struct StictionSolverF32 *solver,
                                    const struct StictionBodiesF32 *bodies,
                                    const struct StictionContactsF32 *contacts,
                                    const struct StictionSettingsF32 *settings,
                                    float dt,
                                    struct StictionInputErrorF32 *input_error);

// Solves the contacts and gives the bodies their new velocities. `answer`, `hooks`, `report` and `input_error` may be null. An error
// writes nothing but `input_error`; the solver then has no last solve.
StictionError stiction_f32_solve(struct StictionSolverF32 *solver,
                                 const struct StictionBodiesF32 *bodies,
                                 const struct StictionContactsF32 *contacts,
                                 const struct StictionSettingsF32 *settings,
                                 float dt,
                                 const struct StictionAnswerF32 *answer,
                                 const struct StictionHooksF32 *hooks,
                                 struct StictionReportF32 *report,
                                 struct StictionInputErrorF32 *input_error);

// Mean force (3 numbers, N) and torque about the centre of mass (3 numbers, N m) of all contacts on a body over the step that was solved last. Either
// may be null.
StictionError stiction_f32_solver_wrench(const struct StictionSolverF32 *solver,
                                         size_t body,
                                         float *force,
                                         float *torque);

// The kind of room for 16 contacts.
const struct StictionDirectMemoryKindF32 *stiction_f32_direct_memory_kind_16(void);

// The kind of room for 64 contacts.
const struct StictionDirectMemoryKindF32 *stiction_f32_direct_memory_kind_64(void);

// The kind of room for 512 contacts.
const struct StictionDirectMemoryKindF32 *stiction_f32_direct_memory_kind_512(void);

// The kind of room for 1024 contacts.
const struct StictionDirectMemoryKindF32 *stiction_f32_direct_memory_kind_1024(void);

// The kind of room for 8192 contacts.
const struct StictionDirectMemoryKindF32 *stiction_f32_direct_memory_kind_8192(void);

// Bytes of memory for room of a kind; 0 for null.
size_t stiction_f32_direct_memory_kind_size(const struct StictionDirectMemoryKindF32 *kind);

// Makes room of a kind, like `stiction_f32_direct_memory_init`.
StictionError stiction_f32_direct_memory_init_kind(const struct StictionDirectMemoryKindF32 *kind,
                                                   void *memory,
                                                   size_t bytes,
                                                   struct StictionDirectMemoryF32 **room);

// Bytes of memory for room for islands of so many contacts; 0 if none is large enough.
size_t stiction_f32_direct_memory_size(size_t contacts);

// Makes room in `memory`, aligned to STICTION_ALIGNMENT.
StictionError stiction_f32_direct_memory_init(void *memory,
                                              size_t bytes,
                                              size_t contacts,
                                              struct StictionDirectMemoryF32 **room);

// Bytes of memory for a pipeline that holds so many bodies and contacts; 0 if none is large enough. Links all capacities: name
// one by its kind where that matters.
size_t stiction_f32_pipeline_size(size_t bodies,
                                  size_t contacts);

// Makes a pipeline without bodies and with default settings in `memory`, which must be aligned to STICTION_ALIGNMENT and have the
// `bytes` that `stiction_f32_pipeline_size` gives. It holds nothing outside that memory: to get rid of it, forget it; to save it
// for rollback, copy the memory.
StictionError stiction_f32_pipeline_init(void *memory,
                                         size_t bytes,
                                         size_t bodies,
                                         size_t contacts,
                                         struct StictionPipelineF32 **pipeline);

// The kind of pipeline for 8 bodies and 16 contacts.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_8_16(void);

// The kind of pipeline for 16 bodies and 64 contacts.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_16_64(void);

// The kind of pipeline for 64 bodies and 256 contacts.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_64_256(void);

// The kind of pipeline for 256 bodies and 1024 contacts.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_256_1024(void);

// The kind of pipeline for 1024 bodies and 4096 contacts.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_1024_4096(void);

// The kind of pipeline for 4096 bodies and 16384 contacts.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_4096_16384(void);

// Bytes of memory for a pipeline of a kind; 0 for null.
size_t stiction_f32_pipeline_kind_size(const struct StictionPipelineKindF32 *kind);

// Makes a pipeline of a kind, like `stiction_f32_pipeline_init`.
StictionError stiction_f32_pipeline_init_kind(const struct StictionPipelineKindF32 *kind,
                                              void *memory,
                                              size_t bytes,
                                              struct StictionPipelineF32 **pipeline);

// How many bodies and contacts fit into a pipeline.
StictionError stiction_f32_pipeline_capacity(const struct StictionPipelineF32 *pipeline,
                                             struct StictionCapacity *capacity);

// Reads the settings of a pipeline.
StictionError stiction_f32_pipeline_settings(const struct StictionPipelineF32 *pipeline,
                                             struct StictionStepSettingsF32 *settings);

// Replaces the settings of a pipeline. Choices are checked here, numbers by the next step. `input_error` may be null.
StictionError stiction_f32_pipeline_set_settings(struct StictionPipelineF32 *pipeline,
                                                 const struct StictionStepSettingsF32 *settings,
                                                 struct StictionInputErrorF32 *input_error);

// Adds a body and gives its index, if `index` is not null. `input_error` may be null.
StictionError stiction_f32_add_body(struct StictionPipelineF32 *pipeline,
                                    const struct StictionRigidBodyF32 *body,
                                    size_t *index,
                                    struct StictionInputErrorF32 *input_error);

// Reads a body.
StictionError stiction_f32_body(const struct StictionPipelineF32 *pipeline,
                                size_t index,
                                struct StictionRigidBodyF32 *body);

// Replaces a body: a new place, new velocities, another mass. `input_error` may be null.
StictionError stiction_f32_set_body(struct StictionPipelineF32 *pipeline,
                                    size_t index,
                                    const struct StictionRigidBodyF32 *body,
                                    struct StictionInputErrorF32 *input_error);

// Gives a body a new external force (3 numbers, N) and torque (3 numbers, N m), acting in every step until changed. `input_error` may be null.
StictionError stiction_f32_set_load(struct StictionPipelineF32 *pipeline,
                                    size_t index,
                                    const float *force,
                                    const float *torque,
                                    struct StictionInputErrorF32 *input_error);

// How many bodies there are; 0 for what is no pipeline, or one in use.
size_t stiction_f32_body_count(const struct StictionPipelineF32 *pipeline);

// Removes all bodies and forgets their contacts.
StictionError stiction_f32_clear_bodies(struct StictionPipelineF32 *pipeline);

// Writes places and velocities of all bodies into your own arrays.
StictionError stiction_f32_states(const struct StictionPipelineF32 *pipeline, const struct StictionStatesF32 *states);

// Moves the world on by `dt` seconds with manifolds that you found before: `count` of them, `stride` bytes apart. With several
// substeps they serve for all. `hooks`, `report` and `input_error` may be null. A rejected step changes neither bodies nor cache.
StictionError stiction_f32_step_manifolds(struct StictionPipelineF32 *pipeline,
                                          const struct StictionManifoldF32 *manifolds,
                                          size_t count,
                                          size_t stride,
                                          float dt,
                                          const struct StictionHooksF32 *hooks,
                                          struct StictionStepReportF32 *report,
                                          struct StictionInputErrorF32 *input_error);

// Moves the world on by `dt` seconds; `detect` is called in every substep where bodies touch. Answers by `stiction_f32_collect`, may
// look at bodies by `stiction_f32_collector_body`, and calls nothing else on this pipeline. `hooks`, `report` and `input_error` may be
// null. A rejected step changes neither bodies nor cache.
StictionError stiction_f32_step(struct StictionPipelineF32 *pipeline,
                                StictionDetectF32 detect,
                                void *user,
                                float dt,
                                const struct StictionHooksF32 *hooks,
                                struct StictionStepReportF32 *report,
                                struct StictionInputErrorF32 *input_error);

// Hands a manifold to the step that asks. An error adds nothing, and rejects the step. `input_error` may be null.
StictionError stiction_f32_collect(struct StictionContactCollectorF32 *collector,
                                   const struct StictionManifoldF32 *manifold,
                                   struct StictionInputErrorF32 *input_error);

// Reads a body as it is in the substep that asks.
StictionError stiction_f32_collector_body(const struct StictionContactCollectorF32 *collector,
                                          size_t index,
                                          struct StictionRigidBodyF32 *body);

// How many contacts the last substep had; 0 for what is no pipeline, one in use, and after a rejected step.
size_t stiction_f32_contact_count(const struct StictionPipelineF32 *pipeline);

// Reads a contact of the last substep.
StictionError stiction_f32_contact(const struct StictionPipelineF32 *pipeline,
                                   size_t index,
                                   struct StictionContactRecordF32 *contact);

// Mean force (3 numbers, N) and torque about the centre of mass (3 numbers, N m) of all contacts on a body over the last substep. Either may be null.
StictionError stiction_f32_pipeline_wrench(const struct StictionPipelineF32 *pipeline,
                                           size_t body,
                                           float *force,
                                           float *torque);

// Bytes that the cache of contacts takes when it is saved now; 0 for what is no pipeline, or one in use.
size_t stiction_f32_cache_size(const struct StictionPipelineF32 *pipeline);

// Saves the cache of contacts as bytes that any machine can read, and gives their number. `input_error` may be null.
StictionError stiction_f32_cache_save(const struct StictionPipelineF32 *pipeline,
                                      uint8_t *bytes,
                                      size_t capacity,
                                      size_t *count,
                                      struct StictionInputErrorF32 *input_error);

// Goes back to a cache that was saved. Bytes that are damaged, of another version or precision, or too many are rejected, and the
// cache is as it was. `input_error` may be null.
StictionError stiction_f32_cache_restore(struct StictionPipelineF32 *pipeline,
                                         const uint8_t *bytes,
                                         size_t count,
                                         struct StictionInputErrorF32 *input_error);

// Forgets all contacts: the next step starts cold.
StictionError stiction_f32_cache_clear(struct StictionPipelineF32 *pipeline);

// The kind of delassus for 16 contacts.
const struct StictionDelassusKindF32 *stiction_f32_delassus_kind_16(void);

// The kind of delassus for 128 contacts.
const struct StictionDelassusKindF32 *stiction_f32_delassus_kind_128(void);

// The kind of delassus for 1024 contacts.
const struct StictionDelassusKindF32 *stiction_f32_delassus_kind_1024(void);

// The kind of delassus for 8192 contacts.
const struct StictionDelassusKindF32 *stiction_f32_delassus_kind_8192(void);

// Bytes of memory for a solver in Delassus form of a kind; 0 for null.
size_t stiction_f32_delassus_kind_size(const struct StictionDelassusKindF32 *kind);

// Makes a solver in Delassus form of a kind, like `stiction_f32_delassus_init`.
StictionError stiction_f32_delassus_init_kind(const struct StictionDelassusKindF32 *kind,
                                              void *memory,
                                              size_t bytes,
                                              struct StictionDelassusF32 **solver);

// Bytes of memory for a solver in Delassus form for so many contacts; 0 if none is large enough.
size_t stiction_f32_delassus_size(size_t contacts);

// Makes a solver in Delassus form in `memory`, which must be aligned to STICTION_ALIGNMENT and have the `bytes` that
// `stiction_f32_delassus_size` gives.
StictionError stiction_f32_delassus_init(void *memory,
                                         size_t bytes,
                                         size_t contacts,
                                         struct StictionDelassusF32 **solver);

// Solves a problem in Delassus form. `answer`, `hooks`, `report` and `input_error` may be null; the hooks' record is not told of this form. An error
// writes nothing but `input_error`.
StictionError stiction_f32_delassus_solve(struct StictionDelassusF32 *solver,
                                          const struct StictionDelassusProblemF32 *problem,
                                          const struct StictionSettingsF32 *settings,
                                          const struct StictionDelassusAnswerF32 *answer,
                                          const struct StictionHooksF32 *hooks,
                                          struct StictionDelassusReportF32 *report,
                                          struct StictionInputErrorF32 *input_error);

// Settings to begin with: 50 sweeps, tolerance 1e-5 in single and 1e-9 in double precision, exact rule, no position
// correction, 10 mm slop, bounces above 0.5 m/s, all islands together.
struct StictionSettingsF64 stiction_f64_settings(void);

// Settings of steps to begin with: those of solves with at least two sweeps and split impulse, gravity 9.81 m/s^2 down along z, one
// substep, 10 mm margin, 5 mm cells.
struct StictionStepSettingsF64 stiction_f64_step_settings(void);

// The same for bodies whose smallest extent is `length` metres: slop, margin and the cells of the contact cache are fractions of it.
struct StictionStepSettingsF64 stiction_f64_step_settings_for_length(double length);

// A body to begin with: one that cannot move, at the origin, smooth.
struct StictionRigidBodyF64 stiction_f64_fixed_body(void);

// Writes an error as a line, such as `contacts[3].mu: must be a finite number`, with at most `size` bytes, the ending zero
// included, and gives its length without that zero, which may be more than fit. With null for `out` gives the length only.
size_t stiction_f64_error_text(const struct StictionInputErrorF64 *input_error,
                               char *out,
                               size_t size);

// Bytes of memory for a solver that holds so many bodies and contacts; 0 if none is large enough. Links all capacities: name
// one by its kind where that matters.
size_t stiction_f64_solver_size(size_t bodies,
                                size_t contacts);

// Makes a solver in `memory`, which must be aligned to STICTION_ALIGNMENT and have the `bytes` that `stiction_f64_solver_size`
// gives. It holds nothing outside that memory: to get rid of it, forget it; to copy it, copy the memory.
StictionError stiction_f64_solver_init(void *memory,
                                       size_t bytes,
                                       size_t bodies,
                                       size_t contacts,
                                       struct StictionSolverF64 **solver);

// The kind of solver for 8 bodies and 16 contacts.
const struct StictionSolverKindF64 *stiction_f64_solver_kind_8_16(void);

// The kind of solver for 16 bodies and 64 contacts.
const struct StictionSolverKindF64 *stiction_f64_solver_kind_16_64(void);

// The kind of solver for 64 bodies and 256 contacts.
const struct StictionSolverKindF64 *stiction_f64_solver_kind_64_256(void);

// The kind of solver for 256 bodies and 1024 contacts.
const struct StictionSolverKindF64 *stiction_f64_solver_kind_256_1024(void);

// The kind of solver for 1024 bodies and 4096 contacts.
const struct StictionSolverKindF64 *stiction_f64_solver_kind_1024_4096(void);

// The kind of solver for 4096 bodies and 16384 contacts.
const struct StictionSolverKindF64 *stiction_f64_solver_kind_4096_16384(void);

// Bytes of memory for a solver of a kind; 0 for null.
size_t stiction_f64_solver_kind_size(const struct StictionSolverKindF64 *kind);

// Makes a solver of a kind, like `stiction_f64_solver_init`.
StictionError stiction_f64_solver_init_kind(const struct StictionSolverKindF64 *kind,
                                            void *memory,
                                            size_t bytes,
                                            struct StictionSolverF64 **solver);

// How many bodies and contacts fit into a solver.
StictionError stiction_f64_solver_capacity(const struct StictionSolverF64 *solver, struct StictionCapacity *capacity);

// Rejects bodies, contacts and settings that `stiction_f64_solve` would reject, and solves nothing. The solver forgets its last
// solve. `input_error` may be null.
StictionError stiction_f64_validate(struct StictionSolverF64 *solver,
                                    const struct StictionBodiesF64 *bodies,
                                    const struct StictionContactsF64 *contacts,
                                    const struct StictionSettingsF64 *settings,
                                    double dt,
                                    struct StictionInputErrorF64 *input_error);

// Solves the contacts and gives the bodies their new velocities. `answer`, `hooks`, `report` and `input_error` may be null. An error
// writes nothing but `input_error`; the solver then has no last solve.
StictionError stiction_f64_solve(struct StictionSolverF64 *solver,
                                 const struct StictionBodiesF64 *bodies,
                                 const struct StictionContactsF64 *contacts,
                                 const struct StictionSettingsF64 *settings,
                                 double dt,
                                 const struct StictionAnswerF64 *answer,
                                 const struct StictionHooksF64 *hooks,
                                 struct StictionReportF64 *report,
                                 struct StictionInputErrorF64 *input_error);

// Mean force (3 numbers, N) and torque about the centre of mass (3 numbers, N m) of all contacts on a body over the step that was solved last. Either
// may be null.
StictionError stiction_f64_solver_wrench(const struct StictionSolverF64 *solver,
                                         size_t body,
                                         double *force,
                                         double *torque);

// The kind of room for 16 contacts.
const struct StictionDirectMemoryKindF64 *stiction_f64_direct_memory_kind_16(void);

// The kind of room for 64 contacts.
const struct StictionDirectMemoryKindF64 *stiction_f64_direct_memory_kind_64(void);

// The kind of room for 512 contacts.
const struct StictionDirectMemoryKindF64 *stiction_f64_direct_memory_kind_512(void);

// The kind of room for 1024 contacts.
const struct StictionDirectMemoryKindF64 *stiction_f64_direct_memory_kind_1024(void);

// The kind of room for 8192 contacts.
const struct StictionDirectMemoryKindF64 *stiction_f64_direct_memory_kind_8192(void);

// Bytes of memory for room of a kind; 0 for null.
size_t stiction_f64_direct_memory_kind_size(const struct StictionDirectMemoryKindF64 *kind);

// Makes room of a kind, like `stiction_f64_direct_memory_init`.
StictionError stiction_f64_direct_memory_init_kind(const struct StictionDirectMemoryKindF64 *kind,
                                                   void *memory,
                                                   size_t bytes,
                                                   struct StictionDirectMemoryF64 **room);

// Bytes of memory for room for islands of so many contacts; 0 if none is large enough.
size_t stiction_f64_direct_memory_size(size_t contacts);

// Makes room in `memory`, aligned to STICTION_ALIGNMENT.
StictionError stiction_f64_direct_memory_init(void *memory,
                                              size_t bytes,
                                              size_t contacts,
                                              struct StictionDirectMemoryF64 **room);

// Bytes of memory for a pipeline that holds so many bodies and contacts; 0 if none is large enough. Links all capacities: name
// one by its kind where that matters.
size_t stiction_f64_pipeline_size(size_t bodies,
                                  size_t contacts);

// Makes a pipeline without bodies and with default settings in `memory`, which must be aligned to STICTION_ALIGNMENT and have the
// `bytes` that `stiction_f64_pipeline_size` gives. It holds nothing outside that memory: to get rid of it, forget it; to save it
// for rollback, copy the memory.
StictionError stiction_f64_pipeline_init(void *memory,
                                         size_t bytes,
                                         size_t bodies,
                                         size_t contacts,
                                         struct StictionPipelineF64 **pipeline);

// The kind of pipeline for 8 bodies and 16 contacts.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_8_16(void);

// The kind of pipeline for 16 bodies and 64 contacts.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_16_64(void);

// The kind of pipeline for 64 bodies and 256 contacts.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_64_256(void);

// The kind of pipeline for 256 bodies and 1024 contacts.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_256_1024(void);

// The kind of pipeline for 1024 bodies and 4096 contacts.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_1024_4096(void);

// The kind of pipeline for 4096 bodies and 16384 contacts.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_4096_16384(void);

// Bytes of memory for a pipeline of a kind; 0 for null.
size_t stiction_f64_pipeline_kind_size(const struct StictionPipelineKindF64 *kind);

// Makes a pipeline of a kind, like `stiction_f64_pipeline_init`.
StictionError stiction_f64_pipeline_init_kind(const struct StictionPipelineKindF64 *kind,
                                              void *memory,
                                              size_t bytes,
                                              struct StictionPipelineF64 **pipeline);

// How many bodies and contacts fit into a pipeline.
StictionError stiction_f64_pipeline_capacity(const struct StictionPipelineF64 *pipeline,
                                             struct StictionCapacity *capacity);

// Reads the settings of a pipeline.
StictionError stiction_f64_pipeline_settings(const struct StictionPipelineF64 *pipeline,
                                             struct StictionStepSettingsF64 *settings);

// Replaces the settings of a pipeline. Choices are checked here, numbers by the next step. `input_error` may be null.
StictionError stiction_f64_pipeline_set_settings(struct StictionPipelineF64 *pipeline,
                                                 const struct StictionStepSettingsF64 *settings,
                                                 struct StictionInputErrorF64 *input_error);

// Adds a body and gives its index, if `index` is not null. `input_error` may be null.
StictionError stiction_f64_add_body(struct StictionPipelineF64 *pipeline,
                                    const struct StictionRigidBodyF64 *body,
                                    size_t *index,
                                    struct StictionInputErrorF64 *input_error);

// Reads a body.
StictionError stiction_f64_body(const struct StictionPipelineF64 *pipeline,
                                size_t index,
                                struct StictionRigidBodyF64 *body);

// Replaces a body: a new place, new velocities, another mass. `input_error` may be null.
StictionError stiction_f64_set_body(struct StictionPipelineF64 *pipeline,
                                    size_t index,
                                    const struct StictionRigidBodyF64 *body,
                                    struct StictionInputErrorF64 *input_error);

// Gives a body a new external force (3 numbers, N) and torque (3 numbers, N m), acting in every step until changed. `input_error` may be null.
StictionError stiction_f64_set_load(struct StictionPipelineF64 *pipeline,
                                    size_t index,
                                    const double *force,
                                    const double *torque,
                                    struct StictionInputErrorF64 *input_error);

// How many bodies there are; 0 for what is no pipeline, or one in use.
size_t stiction_f64_body_count(const struct StictionPipelineF64 *pipeline);

// Removes all bodies and forgets their contacts.
StictionError stiction_f64_clear_bodies(struct StictionPipelineF64 *pipeline);

// Writes places and velocities of all bodies into your own arrays.
StictionError stiction_f64_states(const struct StictionPipelineF64 *pipeline, const struct StictionStatesF64 *states);

// Moves the world on by `dt` seconds with manifolds that you found before: `count` of them, `stride` bytes apart. With several
// substeps they serve for all. `hooks`, `report` and `input_error` may be null. A rejected step changes neither bodies nor cache.
StictionError stiction_f64_step_manifolds(struct StictionPipelineF64 *pipeline,
                                          const struct StictionManifoldF64 *manifolds,
                                          size_t count,
                                          size_t stride,
                                          double dt,
                                          const struct StictionHooksF64 *hooks,
                                          struct StictionStepReportF64 *report,
                                          struct StictionInputErrorF64 *input_error);

// Moves the world on by `dt` seconds; `detect` is called in every substep where bodies touch. Answers by `stiction_f64_collect`, may
// look at bodies by `stiction_f64_collector_body`, and calls nothing else on this pipeline. `hooks`, `report` and `input_error` may be
// null. A rejected step changes neither bodies nor cache.
StictionError stiction_f64_step(struct StictionPipelineF64 *pipeline,
                                StictionDetectF64 detect,
                                void *user,
                                double dt,
                                const struct StictionHooksF64 *hooks,
                                struct StictionStepReportF64 *report,
                                struct StictionInputErrorF64 *input_error);

// Hands a manifold to the step that asks. An error adds nothing, and rejects the step. `input_error` may be null.
StictionError stiction_f64_collect(struct StictionContactCollectorF64 *collector,
                                   const struct StictionManifoldF64 *manifold,
                                   struct StictionInputErrorF64 *input_error);

// Reads a body as it is in the substep that asks.
StictionError stiction_f64_collector_body(const struct StictionContactCollectorF64 *collector,
                                          size_t index,
                                          struct StictionRigidBodyF64 *body);

// How many contacts the last substep had; 0 for what is no pipeline, one in use, and after a rejected step.
size_t stiction_f64_contact_count(const struct StictionPipelineF64 *pipeline);

// Reads a contact of the last substep.
StictionError stiction_f64_contact(const struct StictionPipelineF64 *pipeline,
                                   size_t index,
                                   struct StictionContactRecordF64 *contact);

// Mean force (3 numbers, N) and torque about the centre of mass (3 numbers, N m) of all contacts on a body over the last substep. Either may be null.
StictionError stiction_f64_pipeline_wrench(const struct StictionPipelineF64 *pipeline,
                                           size_t body,
                                           double *force,
                                           double *torque);

// Bytes that the cache of contacts takes when it is saved now; 0 for what is no pipeline, or one in use.
size_t stiction_f64_cache_size(const struct StictionPipelineF64 *pipeline);

// Saves the cache of contacts as bytes that any machine can read, and gives their number. `input_error` may be null.
StictionError stiction_f64_cache_save(const struct StictionPipelineF64 *pipeline,
                                      uint8_t *bytes,
                                      size_t capacity,
                                      size_t *count,
                                      struct StictionInputErrorF64 *input_error);

// Goes back to a cache that was saved. Bytes that are damaged, of another version or precision, or too many are rejected, and the
// cache is as it was. `input_error` may be null.
StictionError stiction_f64_cache_restore(struct StictionPipelineF64 *pipeline,
                                         const uint8_t *bytes,
                                         size_t count,
                                         struct StictionInputErrorF64 *input_error);

// Forgets all contacts: the next step starts cold.
StictionError stiction_f64_cache_clear(struct StictionPipelineF64 *pipeline);

// The kind of delassus for 16 contacts.
const struct StictionDelassusKindF64 *stiction_f64_delassus_kind_16(void);

// The kind of delassus for 128 contacts.
const struct StictionDelassusKindF64 *stiction_f64_delassus_kind_128(void);

// The kind of delassus for 1024 contacts.
const struct StictionDelassusKindF64 *stiction_f64_delassus_kind_1024(void);

// The kind of delassus for 8192 contacts.
const struct StictionDelassusKindF64 *stiction_f64_delassus_kind_8192(void);

// Bytes of memory for a solver in Delassus form of a kind; 0 for null.
size_t stiction_f64_delassus_kind_size(const struct StictionDelassusKindF64 *kind);

// Makes a solver in Delassus form of a kind, like `stiction_f64_delassus_init`.
StictionError stiction_f64_delassus_init_kind(const struct StictionDelassusKindF64 *kind,
                                              void *memory,
                                              size_t bytes,
                                              struct StictionDelassusF64 **solver);

// Bytes of memory for a solver in Delassus form for so many contacts; 0 if none is large enough.
size_t stiction_f64_delassus_size(size_t contacts);

// Makes a solver in Delassus form in `memory`, which must be aligned to STICTION_ALIGNMENT and have the `bytes` that
// `stiction_f64_delassus_size` gives.
StictionError stiction_f64_delassus_init(void *memory,
                                         size_t bytes,
                                         size_t contacts,
                                         struct StictionDelassusF64 **solver);

// Solves a problem in Delassus form. `answer`, `hooks`, `report` and `input_error` may be null; the hooks' record is not told of this form. An error
// writes nothing but `input_error`.
StictionError stiction_f64_delassus_solve(struct StictionDelassusF64 *solver,
                                          const struct StictionDelassusProblemF64 *problem,
                                          const struct StictionSettingsF64 *settings,
                                          const struct StictionDelassusAnswerF64 *answer,
                                          const struct StictionHooksF64 *hooks,
                                          struct StictionDelassusReportF64 *report,
                                          struct StictionInputErrorF64 *input_error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* STICTION_H */
