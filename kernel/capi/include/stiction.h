// stiction: rigid-body contact with exact Coulomb friction, for engines and controllers in C and C++.
//
// The input is bodies and contacts; the output is velocities, impulses and a report. The library allocates no memory,
// does not panic or throw, and a solve adds no energy. The same input gives the same bits on every machine.
//
// There are three interfaces, each in single (f32) and double precision (f64):
//
//   solver     bodies and contacts are in your own structs; the solver reads them in place and writes velocities and impulses
//              back: stiction_f32_solver_init, stiction_f32_solve
//   pipeline   the library stores the bodies, caches contacts and moves the world; you do the collision detection:
//              stiction_f32_pipeline_init, stiction_f32_add_body, stiction_f32_step_manifolds
//   Delassus   you provide the matrix J inv(M) J^T, as for articulated robots: stiction_f32_delassus_solver_init,
//              stiction_f32_delassus_solve
//
// You provide all memory: query the size, align to STICTION_ALIGNMENT, initialise, use. There is nothing to free. A
// handle is the address of its memory. An object has no pointers into itself. So a copy of its memory, with the same
// alignment, is a copy of the object whose handle is the copy's address: use this for rollback. A copy is valid within
// its process; to move data to another process use stiction_f32_cache_save. Objects store whether they are in use, so
// even those that are only read must be in writable memory.
//
// Arrays are passed as views: a pointer to the first number of the first element, and the bytes from one element to the
// next. A view of a field of your own struct is { &bodies[0].velocity.x, sizeof bodies[0] }. With stride 0, allowed
// only for reading, all elements are the first one.
//
// Contacts with torsion, rolling friction, or friction that depends on the direction need a solver or pipeline with
// moments: stiction_f32_solver_init_with_moments, stiction_f32_pipeline_init_with_moments, or a kind whose name ends with
// _with_moments. A solver reads views of these numbers; the bodies of a pipeline have surfaces, stiction_f32_set_surface.
// All other calls are the same.
//
// Bodies are connected in a pipeline with joints: stiction_f32_pipeline_init_with_joints, or a kind whose name ends with
// _with_joints; then stiction_f32_joint_between and stiction_f32_add_joint. It also has moments.
//
// Every call returns a StictionError; 0 is success. Pointers are checked for null and alignment, counts and strides for
// validity, and numbers for range. All checks come before anything is written: a call that fails changes nothing, and
// describes the invalid input in a StictionInputError if you pass one. You guarantee that pointers point to valid
// memory, as in any C library.
//
// An object may be used by one thread at a time, and not from within its own callbacks. Different objects are
// independent.
//
// Conventions: SI units. The normal points from body A to body B; relative velocity is B minus A, so a negative normal
// velocity approaches; an impulse acts with its sign on B and against it on A. A body that cannot move has inverse mass
// 0 and inverse inertia 0. Matrices of nine numbers are symmetric, so rows and columns are the same. Quaternions are
// x, y, z, w.
//
// This file is generated from the Rust sources; do not edit it.

#ifndef STICTION_H
#define STICTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
// Alignment of memory for an object:
//   STICTION_ALIGNED static unsigned char memory[STICTION_F32_SOLVER_8_16_BYTES];
#if defined(__cplusplus)
#define STICTION_ALIGNED alignas(32)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define STICTION_ALIGNED _Alignas(32)
#else
#define STICTION_ALIGNED __attribute__((aligned(32)))
#endif

// Sufficient bytes for a solver for 8 bodies and 16 contacts in single precision.
#define STICTION_F32_SOLVER_8_16_BYTES 7456

// Sufficient bytes for a solver for 16 bodies and 64 contacts in single precision.
#define STICTION_F32_SOLVER_16_64_BYTES 26848

// Sufficient bytes for a solver for 64 bodies and 256 contacts in single precision.
#define STICTION_F32_SOLVER_64_256_BYTES 106624

// Sufficient bytes for a pipeline for 8 bodies and 16 contacts in single precision.
#define STICTION_F32_PIPELINE_8_16_BYTES 19744

// Sufficient bytes for a pipeline for 16 bodies and 64 contacts in single precision.
#define STICTION_F32_PIPELINE_16_64_BYTES 68288

// Sufficient bytes for a pipeline for 64 bodies and 256 contacts in single precision.
#define STICTION_F32_PIPELINE_64_256_BYTES 271360

// Sufficient bytes for a solver for 8 bodies and 16 contacts in double precision.
#define STICTION_F64_SOLVER_8_16_BYTES 14528

// Sufficient bytes for a solver for 16 bodies and 64 contacts in double precision.
#define STICTION_F64_SOLVER_16_64_BYTES 52800

// Sufficient bytes for a solver for 64 bodies and 256 contacts in double precision.
#define STICTION_F64_SOLVER_64_256_BYTES 210144

// Sufficient bytes for a pipeline for 8 bodies and 16 contacts in double precision.
#define STICTION_F64_PIPELINE_8_16_BYTES 37312

// Sufficient bytes for a pipeline for 16 bodies and 64 contacts in double precision.
#define STICTION_F64_PIPELINE_16_64_BYTES 129184

// Sufficient bytes for a pipeline for 64 bodies and 256 contacts in double precision.
#define STICTION_F64_PIPELINE_64_256_BYTES 514272

// Sufficient bytes for direct methods on islands of 16 contacts in single precision.
#define STICTION_F32_DIRECT_MEMORY_16_BYTES 13856

// Sufficient bytes for direct methods on islands of 64 contacts in single precision.
#define STICTION_F32_DIRECT_MEMORY_64_BYTES 168928

// Sufficient bytes for a solver in Delassus form for 16 contacts in single precision.
#define STICTION_F32_DELASSUS_SOLVER_16_BYTES 3232

// Sufficient bytes for a solver in Delassus form for 128 contacts in single precision.
#define STICTION_F32_DELASSUS_SOLVER_128_BYTES 25312

// Sufficient bytes for direct methods on islands of 16 contacts in double precision.
#define STICTION_F64_DIRECT_MEMORY_16_BYTES 27104

// Sufficient bytes for direct methods on islands of 64 contacts in double precision.
#define STICTION_F64_DIRECT_MEMORY_64_BYTES 332512

// Sufficient bytes for a solver in Delassus form for 16 contacts in double precision.
#define STICTION_F64_DELASSUS_SOLVER_16_BYTES 6368

// Sufficient bytes for a solver in Delassus form for 128 contacts in double precision.
#define STICTION_F64_DELASSUS_SOLVER_128_BYTES 50400

// Sufficient bytes for a solver with moments for 8 bodies and 16 contacts in single precision.
#define STICTION_F32_SOLVER_8_16_WITH_MOMENTS_BYTES 11424

// Sufficient bytes for a solver with moments for 16 bodies and 64 contacts in single precision.
#define STICTION_F32_SOLVER_16_64_WITH_MOMENTS_BYTES 42720

// Sufficient bytes for a solver with moments for 64 bodies and 256 contacts in single precision.
#define STICTION_F32_SOLVER_64_256_WITH_MOMENTS_BYTES 170112

// Sufficient bytes for a solver in Delassus form with moments for 16 contacts in single precision.
#define STICTION_F32_DELASSUS_SOLVER_16_WITH_MOMENTS_BYTES 7328

// Sufficient bytes for a solver in Delassus form with moments for 128 contacts in single precision.
#define STICTION_F32_DELASSUS_SOLVER_128_WITH_MOMENTS_BYTES 58080

// Sufficient bytes for a solver with moments for 8 bodies and 16 contacts in double precision.
#define STICTION_F64_SOLVER_8_16_WITH_MOMENTS_BYTES 22368

// Sufficient bytes for a solver with moments for 16 bodies and 64 contacts in double precision.
#define STICTION_F64_SOLVER_16_64_WITH_MOMENTS_BYTES 84064

// Sufficient bytes for a solver with moments for 64 bodies and 256 contacts in double precision.
#define STICTION_F64_SOLVER_64_256_WITH_MOMENTS_BYTES 335104

// Sufficient bytes for a solver in Delassus form with moments for 16 contacts in double precision.
#define STICTION_F64_DELASSUS_SOLVER_16_WITH_MOMENTS_BYTES 14560

// Sufficient bytes for a solver in Delassus form with moments for 128 contacts in double precision.
#define STICTION_F64_DELASSUS_SOLVER_128_WITH_MOMENTS_BYTES 115936

// Sufficient bytes for a pipeline with moments for 8 bodies and 16 contacts in single precision.
#define STICTION_F32_PIPELINE_8_16_WITH_MOMENTS_BYTES 25184

// Sufficient bytes for a pipeline with moments for 16 bodies and 64 contacts in single precision.
#define STICTION_F32_PIPELINE_16_64_WITH_MOMENTS_BYTES 89216

// Sufficient bytes for a pipeline with moments for 64 bodies and 256 contacts in single precision.
#define STICTION_F32_PIPELINE_64_256_WITH_MOMENTS_BYTES 355104

// Sufficient bytes for a pipeline with moments for 8 bodies and 16 contacts in double precision.
#define STICTION_F64_PIPELINE_8_16_WITH_MOMENTS_BYTES 48064

// Sufficient bytes for a pipeline with moments for 16 bodies and 64 contacts in double precision.
#define STICTION_F64_PIPELINE_16_64_WITH_MOMENTS_BYTES 170560

// Sufficient bytes for a pipeline with moments for 64 bodies and 256 contacts in double precision.
#define STICTION_F64_PIPELINE_64_256_WITH_MOMENTS_BYTES 679712

// Sufficient bytes for a pipeline with joints for 8 bodies, 8 joints and 16 contacts in single precision.
#define STICTION_F32_PIPELINE_8_16_WITH_JOINTS_BYTES 34464

// Sufficient bytes for a pipeline with joints for 16 bodies, 16 joints and 64 contacts in single precision.
#define STICTION_F32_PIPELINE_16_64_WITH_JOINTS_BYTES 107808

// Sufficient bytes for a pipeline with joints for 64 bodies, 64 joints and 256 contacts in single precision.
#define STICTION_F32_PIPELINE_64_256_WITH_JOINTS_BYTES 429344

// Sufficient bytes for a pipeline with joints for 8 bodies, 8 joints and 16 contacts in double precision.
#define STICTION_F64_PIPELINE_8_16_WITH_JOINTS_BYTES 66432

// Sufficient bytes for a pipeline with joints for 16 bodies, 16 joints and 64 contacts in double precision.
#define STICTION_F64_PIPELINE_16_64_WITH_JOINTS_BYTES 207200

// Sufficient bytes for a pipeline with joints for 64 bodies, 64 joints and 256 contacts in double precision.
#define STICTION_F64_PIPELINE_64_256_WITH_JOINTS_BYTES 826176

// Bytes for the name of a field, including the terminating zero.
#define STICTION_FIELD_BYTES 48

// No contact: the value of `worst_contact` where there is none.
#define STICTION_NO_CONTACT UINT32_MAX

// Required alignment of memory for an object, in bytes.
#define STICTION_ALIGNMENT 32

// Version of this interface: it changes when a struct, a function or a number does.
#define STICTION_ABI 1

// Result of a call. 0 is success. Every other value is an error; then nothing was written except the description of
// the error.
typedef uint32_t StictionError;
enum {
    // Success.
    STICTION_ERROR_OK = 0,
    // A required pointer is null.
    STICTION_ERROR_NULL_POINTER = 1,
    // A pointer is not aligned for its type, or memory for an object is not aligned to STICTION_ALIGNMENT bytes.
    STICTION_ERROR_MISALIGNED = 2,
    // A stride is shorter than an element, or not a multiple of the alignment of its numbers.
    STICTION_ERROR_BAD_STRIDE = 3,
    // A count times a stride exceeds the address space.
    STICTION_ERROR_TOO_LARGE = 4,
    // The memory for an object is smaller than its size.
    STICTION_ERROR_MEMORY_TOO_SMALL = 5,
    // No compiled capacity is large enough.
    STICTION_ERROR_NO_CAPACITY = 6,
    // The handle is of another kind or precision, or was never initialised.
    STICTION_ERROR_NOT_INITIALISED = 7,
    // The object is in use: called from within one of its own callbacks.
    STICTION_ERROR_BUSY = 8,
    // A choice is not a value of its enumeration.
    STICTION_ERROR_BAD_CHOICE = 9,
    // Saved bytes are truncated, damaged, of another version or precision, or too many for this object.
    STICTION_ERROR_BAD_BYTES = 10,
    // The collision-detection callback returned false.
    STICTION_ERROR_CALLBACK_FAILED = 11,
    // Something that only a solver or pipeline with moments can do: friction beyond sliding, an answer about it,
    // or contacts that were saved with it.
    STICTION_ERROR_WITHOUT_MOMENTS = 12,
    // Something that only a pipeline with joints can do: joints, or contacts that were saved with them.
    STICTION_ERROR_WITHOUT_JOINTS = 13,
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
    STICTION_ERROR_INERTIA_WITHOUT_MASS = 39,
    // A contact or a joint of a body with itself.
    STICTION_ERROR_SAME_BODY = 40,
    // The index of a body that does not exist.
    STICTION_ERROR_NO_SUCH_BODY = 41,
    // The index of a contact that does not exist.
    STICTION_ERROR_NO_SUCH_CONTACT = 42,
    // A contact or a joint between two bodies that cannot move.
    STICTION_ERROR_NOTHING_MOVES = 43,
    // More than the capacity, which is in `limit`.
    STICTION_ERROR_FULL = 44,
    // An array whose length does not match the others.
    STICTION_ERROR_WRONG_LENGTH = 45,
    // A block-row start or column that is out of order or out of range.
    STICTION_ERROR_BAD_STRUCTURE = 46,
    // A block row without its own diagonal block.
    STICTION_ERROR_NO_DIAGONAL_BLOCK = 47,
    // A direction that has no part at right angles to the normal.
    STICTION_ERROR_ALONG_THE_NORMAL = 48,
    // The index of a joint that does not exist.
    STICTION_ERROR_NO_SUCH_JOINT = 49,
    // A lower limit, which is in `value`, above the upper one, which is in `limit`.
    STICTION_ERROR_LIMITS_CROSSED = 50,
    // Rejected for a reason that this interface has no code for.
    STICTION_ERROR_OTHER = 255,
};

// Which input was rejected.
typedef uint32_t StictionInputKind;
enum {
    // An argument of the call.
    STICTION_INPUT_KIND_ARGUMENT = 0,
    // A body.
    STICTION_INPUT_KIND_BODY = 1,
    // A contact, or a point of a manifold.
    STICTION_INPUT_KIND_CONTACT = 2,
    // A setting.
    STICTION_INPUT_KIND_SETTING = 3,
    // An array of a Delassus problem.
    STICTION_INPUT_KIND_DELASSUS = 4,
    // A joint.
    STICTION_INPUT_KIND_JOINT = 5,
};

// Which methods may solve a contact phase with friction.
typedef uint32_t StictionMethodChoice;
enum {
    // Plain sweeps; then a direct method, if memory for it is provided and thirty sweeps (twelve with moments) did not suffice.
    STICTION_METHOD_CHOICE_AUTO = 0,
    // Plain sweeps only.
    STICTION_METHOD_CHOICE_SWEEPS = 1,
    // Sweeps, accelerated where they converge slowly.
    STICTION_METHOD_CHOICE_ACCELERATED = 2,
    // A direct method after eight sweeps, if memory for it is provided, and accelerated sweeps.
    STICTION_METHOD_CHOICE_DIRECT = 3,
};

// How one contact is solved while the impulses of the others are fixed. Contacts with torsion or rolling are always
// solved exactly.
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

// How the bounce treats simultaneous impacts.
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
    // In islands of 64 contacts or more, first to last by colours: contacts of one colour share no movable body.
    STICTION_SWEEP_ORDER_COLOURS = 2,
};

// How penetration is corrected.
typedef uint32_t StictionPositionCorrection;
enum {
    // Not at all.
    STICTION_POSITION_CORRECTION_NONE = 0,
    // By a second velocity that separates the bodies and never becomes kinetic energy.
    STICTION_POSITION_CORRECTION_SPLIT_IMPULSE = 1,
    // By a separation speed added to the contact constraint. Adds energy: at most the work of that bias.
    STICTION_POSITION_CORRECTION_BIAS = 2,
};

// Whether a solve treats all contacts together or island by island.
typedef uint32_t StictionIslandMode;
enum {
    // Everything together.
    STICTION_ISLAND_MODE_TOGETHER = 0,
    // Each island of touching bodies separately: each stops when it has converged.
    STICTION_ISLAND_MODE_SEPARATE = 1,
};

// Why a solve ended, from best to worst. In every case the answer is usable and adds no energy.
typedef uint32_t StictionStatus;
enum {
    // The residual is below the tolerance.
    STICTION_STATUS_CONVERGED = 0,
    // The passivity guard scaled impulses down, and the residual is no longer below the tolerance.
    STICTION_STATUS_GUARDED = 1,
    // The bounce made no progress and was discarded: no contact bounced.
    STICTION_STATUS_BOUNCE_DROPPED = 2,
    // The limit on sweeps was reached.
    STICTION_STATUS_SWEEP_LIMIT = 3,
    // `should_stop` returned true.
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
    // The same, accelerated after some of the sweeps.
    STICTION_METHOD_ACCELERATED = 3,
    // Newton's method after sweeps.
    STICTION_METHOD_NEWTON = 4,
    // An interior-point method, with sweeps and Newton's method before and after it.
    STICTION_METHOD_INTERIOR_POINT = 5,
};

// State of a contact at the end of a solve.
typedef uint32_t StictionContactState;
enum {
    // The impulse is zero.
    STICTION_CONTACT_STATE_OPEN = 0,
    // Friction is inside its cone.
    STICTION_CONTACT_STATE_STICK = 1,
    // Friction is on the boundary of its cone.
    STICTION_CONTACT_STATE_SLIDE = 2,
};

// A bound of friction that a contact has reached.
typedef uint32_t StictionReached;
enum {
    // Of sliding.
    STICTION_REACHED_SLIDING = 1,
    // Of torsion.
    STICTION_REACHED_SPINNING = 2,
    // Of rolling friction.
    STICTION_REACHED_ROLLING = 4,
};

// What a joint holds.
typedef uint32_t StictionJointKind;
enum {
    // The anchors coincide; three rotations are free.
    STICTION_JOINT_KIND_BALL = 0,
    // The anchors coincide, and B rotates about the axis only.
    STICTION_JOINT_KIND_HINGE = 1,
    // B moves along the axis only and does not rotate.
    STICTION_JOINT_KIND_SLIDER = 2,
    // B does not move against A.
    STICTION_JOINT_KIND_FIXED = 3,
    // The anchors keep a distance, `length`.
    STICTION_JOINT_KIND_DISTANCE = 4,
    // The anchors are no further apart than `length`.
    STICTION_JOINT_KIND_ROPE = 5,
    // A spring with a damper between the anchors.
    STICTION_JOINT_KIND_SPRING = 6,
};

// The motor of a hinge or a slider.
typedef uint32_t StictionMotorKind;
enum {
    // There is none.
    STICTION_MOTOR_KIND_NONE = 0,
    // Keeps `motor_speed` with at most `motor_max`.
    STICTION_MOTOR_KIND_SPEED = 1,
    // Pulls to `motor_position` like a spring with a damper, with at most `motor_max`.
    STICTION_MOTOR_KIND_POSITION = 2,
};

// How a point is recognised in the next step.
typedef uint32_t StictionPointKind;
enum {
    // By the detector's own id, unique within a pair of bodies.
    STICTION_POINT_KIND_FEATURE = 0,
    // By its position on the body.
    STICTION_POINT_KIND_PROXIMITY = 1,
};

// Collects the manifolds of a substep. Opaque, and valid only while the callback runs.
typedef struct StictionContactCollectorF32 StictionContactCollectorF32;

// Collects the manifolds of a substep. Opaque, and valid only while the callback runs.
typedef struct StictionContactCollectorF64 StictionContactCollectorF64;

// A solver for problems in Delassus form. Opaque: made by `stiction_f32_delassus_solver_init`.
typedef struct StictionDelassusSolverF32 StictionDelassusSolverF32;

// A solver for problems in Delassus form. Opaque: made by `stiction_f64_delassus_solver_init`.
typedef struct StictionDelassusSolverF64 StictionDelassusSolverF64;

// One capacity of solvers in Delassus form. Opaque: there is a function for each compiled one.
typedef struct StictionDelassusSolverKindF32 StictionDelassusSolverKindF32;

// One capacity of solvers in Delassus form. Opaque: there is a function for each compiled one.
typedef struct StictionDelassusSolverKindF64 StictionDelassusSolverKindF64;

// Workspace of direct methods, for islands on which sweeps converge slowly. Opaque: made by
// `stiction_f32_direct_memory_init`.
typedef struct StictionDirectMemoryF32 StictionDirectMemoryF32;

// Workspace of direct methods, for islands on which sweeps converge slowly. Opaque: made by
// `stiction_f64_direct_memory_init`.
typedef struct StictionDirectMemoryF64 StictionDirectMemoryF64;

// One capacity of such memory. Opaque: there is a function for each compiled one.
typedef struct StictionDirectMemoryKindF32 StictionDirectMemoryKindF32;

// One capacity of such memory. Opaque: there is a function for each compiled one.
typedef struct StictionDirectMemoryKindF64 StictionDirectMemoryKindF64;

// Memory for sweeps over several contacts at once. Opaque: made by `stiction_f32_lanes_init`.
typedef struct StictionLanesF32 StictionLanesF32;

// Memory for sweeps over several contacts at once. Opaque: made by `stiction_f64_lanes_init`.
typedef struct StictionLanesF64 StictionLanesF64;

// A world of bodies, moved by steps. Opaque: made by `stiction_f32_pipeline_init`.
typedef struct StictionPipelineF32 StictionPipelineF32;

// A world of bodies, moved by steps. Opaque: made by `stiction_f64_pipeline_init`.
typedef struct StictionPipelineF64 StictionPipelineF64;

// One capacity of pipelines. Opaque: there is a function for each compiled one.
typedef struct StictionPipelineKindF32 StictionPipelineKindF32;

// One capacity of pipelines. Opaque: there is a function for each compiled one.
typedef struct StictionPipelineKindF64 StictionPipelineKindF64;

// A solver for bodies and contacts in the caller's memory. Opaque: made by `stiction_f32_solver_init`.
typedef struct StictionSolverF32 StictionSolverF32;

// A solver for bodies and contacts in the caller's memory. Opaque: made by `stiction_f64_solver_init`.
typedef struct StictionSolverF64 StictionSolverF64;

// One capacity of solvers. Opaque: there is a function for each compiled one.
typedef struct StictionSolverKindF32 StictionSolverKindF32;

// One capacity of solvers. Opaque: there is a function for each compiled one.
typedef struct StictionSolverKindF64 StictionSolverKindF64;

// Settings of a solve, in SI units. Begin with those of `stiction_f32_settings()` and change what you need.
typedef struct StictionSettingsF32 {
    // Which methods may be used: one of StictionMethodChoice.
    uint32_t method;
    // How one contact is solved: one of StictionLocalRule.
    uint32_t local;
    // How simultaneous impacts bounce: one of StictionBounceMode.
    uint32_t bounce;
    // The order of plain sweeps: one of StictionSweepOrder.
    uint32_t order;
    // How penetration is corrected: one of StictionPositionCorrection.
    uint32_t position_correction;
    // Together or by islands: one of StictionIslandMode. Steps always go by islands and do not read it.
    uint32_t islands;
    // Maximum number of sweeps of the contact phase.
    uint32_t sweeps;
    // Maximum number of factorisations of direct methods in an island; 0 disables them.
    uint32_t factorisations;
    // Minimum number of sweeps, done even if the residual is below the tolerance from the start.
    uint32_t min_sweeps;
    // Maximum number of sweeps of the bounce and of the split impulse.
    uint32_t normal_sweeps;
    // Fraction of each local step taken, between 0 and 2; 1 is plain Gauss-Seidel.
    float relaxation;
    // The same for accelerated sweeps.
    float accelerated_relaxation;
    // The contact phase ends when the relative residual is below this; 0 runs all sweeps.
    float tolerance;
    // Approach speed above which a contact bounces, m/s.
    float restitution_threshold;
    // Fraction of the penetration corrected in a step.
    float error_reduction;
    // Penetration that is not corrected, m.
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
    // Number of equal substeps in a step, 1 to 1000.
    uint32_t substeps;
} StictionStepSettingsF32;

// A body with position and orientation, as used by a pipeline. Vectors are in world axes unless stated otherwise.
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

// The rejected input, and the reason.
typedef struct StictionInputErrorF32 {
    // The reason: one of StictionError.
    uint32_t error;
    // Which kind of input: one of StictionInputKind.
    uint32_t input;
    // Its index, from 0.
    size_t index;
    // Name of the field or argument, terminated by a zero; empty if the error concerns the whole object.
    char field[STICTION_FIELD_BYTES];
    // The rejected value, where there is one.
    float value;
    // The limit that it exceeds, where there is one.
    float limit;
} StictionInputErrorF32;

// Numbers of bodies and contacts that fit into an object.
typedef struct StictionCapacity {
    // Bodies, including those that cannot move; 0 for objects without bodies.
    size_t bodies;
    // Contacts.
    size_t contacts;
} StictionCapacity;

// One column of numbers to be read: a pointer, and the bytes from one element to the next. With stride 0 all elements
// are the first one. If the column is left out, `data` is null.
typedef struct StictionViewF32 {
    // The first number of the first element.
    const float *data;
    // Bytes from one element to the next.
    size_t stride;
} StictionViewF32;

// One column of numbers to be written: a pointer, and the bytes from one element to the next. If the column is left
// out, `data` is null.
typedef struct StictionViewMutF32 {
    // The first number of the first element.
    float *data;
    // Bytes from one element to the next.
    size_t stride;
} StictionViewMutF32;

// Bodies of a solve: one view for each quantity. Vectors are in world axes.
typedef struct StictionBodiesF32 {
    // Number of bodies, including those that cannot move.
    size_t count;
    // 1/mass, 1/kg; 0 for a body that cannot move.
    struct StictionViewF32 inverse_mass;
    // Inverse inertia about the centre of mass in world axes, 9 numbers, 1/(kg m^2). Symmetric; all 0 for a body that
    // cannot move or rotate.
    struct StictionViewF32 inverse_inertia_world;
    // Velocity of the centre of mass, 3 numbers, m/s. Read, and written by a solve.
    struct StictionViewMutF32 linear_velocity;
    // Angular velocity, 3 numbers, rad/s. Read, and written by a solve.
    struct StictionViewMutF32 angular_velocity;
    // Centre of mass in world coordinates, 3 numbers, m. Read only if contacts give points instead of arms; may be
    // null otherwise.
    struct StictionViewF32 position;
} StictionBodiesF32;

// One column of numbers to be read: a pointer, and the bytes from one element to the next. With stride 0 all elements
// are the first one. If the column is left out, `data` is null.
typedef struct StictionViewU32 {
    // The first number of the first element.
    const uint32_t *data;
    // Bytes from one element to the next.
    size_t stride;
} StictionViewU32;

// Contacts of a solve: one view for each quantity. Vectors are in world axes.
typedef struct StictionContactsF32 {
    // Number of contacts.
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
    // Normal velocity (B minus A) recorded before impact, m/s; null to compute it from the velocities.
    struct StictionViewF32 pre_impact_normal_velocity;
    // Normal impulse of the warm start, N s; null for 0.
    struct StictionViewF32 warm_normal_impulse;
    // Friction impulse on B of the warm start, as a world vector, 3 numbers, N s; null for 0.
    struct StictionViewF32 warm_tangent_impulse;
    // Largest moment about the normal over the normal impulse, m; null for 0. This view and those below need a solver
    // with moments. A contact with torsion or rolling takes two places of its capacity.
    struct StictionViewF32 torsion;
    // Largest moment against rolling over the normal impulse, m; null for 0.
    struct StictionViewF32 rolling;
    // Friction coefficient across `friction_direction`; `mu` is the one along it. Null where `friction_direction` is.
    struct StictionViewF32 mu_across;
    // A world vector of any length, 3 numbers, of which the part at right angles to the normal is used. Where all
    // three are 0, or the view is null, friction does not depend on the direction, and `mu_across` is not read.
    struct StictionViewF32 friction_direction;
    // Not 0 where sliding and torsion share one bound, as under a disc that slides and spins; null for 0.
    struct StictionViewU32 is_joined;
    // Moment on B of the warm start, as a world vector, 3 numbers, N m s; null for 0.
    struct StictionViewF32 warm_moment;
} StictionContactsF32;

// One column of numbers to be written: a pointer, and the bytes from one element to the next. If the column is left
// out, `data` is null.
typedef struct StictionViewMutU32 {
    // The first number of the first element.
    uint32_t *data;
    // Bytes from one element to the next.
    size_t stride;
} StictionViewMutU32;

// Output of a solve in addition to the bodies' velocities. All may be null. Impulses may be written to the same memory
// from which the warm start was read.
typedef struct StictionAnswerF32 {
    // Normal impulse of the contact phase, one for each contact, N s: the next solve's warm start.
    struct StictionViewMutF32 normal_impulse;
    // Friction impulse on B as a world vector, 3 numbers for each contact, N s: the next solve's warm start.
    struct StictionViewMutF32 tangent_impulse;
    // Normal impulse of the bounce, one for each contact, N s. The total is the sum of the two.
    struct StictionViewMutF32 bounce_impulse;
    // State of the contact, one for each contact: one of StictionContactState.
    struct StictionViewMutU32 state;
    // Position correction, 3 numbers for each body, m/s: add it to the velocity for this step's position update, then
    // drop it.
    struct StictionViewMutF32 correction_linear;
    // The same for rotation, 3 numbers for each body, rad/s.
    struct StictionViewMutF32 correction_angular;
    // Moment on B as a world vector, 3 numbers for each contact, N m s: the next solve's warm start. Torsion is its
    // part along the normal, rolling friction the rest. This view and the next need a solver with moments.
    struct StictionViewMutF32 moment;
    // Which bounds the contact has reached, one for each contact: a sum of StictionReached.
    struct StictionViewMutU32 reached;
} StictionAnswerF32;

// Called before every sweep, every factorisation and every row that the active set adds; in a step before every substep
// of an island, and at rest before a kept factor is made. `true` ends the solve with the current impulses as the answer. It may be called again after that, until the solve returns.
typedef bool (*StictionShouldStop)(void *user);

// Receives the bytes of a recording in pieces: the input of every solve that is not rejected, and a digest of its
// outcome. The concatenated bytes of all calls on an object can be replayed bit for bit on a host.
typedef void (*StictionRecord)(void *user, const uint8_t *bytes, size_t count);

// Optional parts of a call. All may be null. Callbacks must return: they must not throw an exception or call longjmp.
typedef struct StictionHooksF32 {
    // Passed to the callbacks.
    void *user;
    // Called during a solve; returns whether to stop.
    StictionShouldStop should_stop;
    // Receives a recording of the solves.
    StictionRecord record;
    // Memory for direct methods.
    struct StictionDirectMemoryF32 *direct;
    // Memory for sweeps over several contacts at once. Solves in Delassus form do not use it.
    struct StictionLanesF32 *lanes;
} StictionHooksF32;

// Summary of a solve. If it was solved by islands, counts are the maximum over the islands, works and energies are
// sums, and residuals are the worst.
typedef struct StictionReportF32 {
    // Why it ended: one of StictionStatus.
    uint32_t status;
    // How it was solved: one of StictionMethod; by islands, the method of the island with the largest residual.
    uint32_t method;
    // Sweeps of the contact phase.
    uint32_t sweeps;
    // Sweeps of the bounce.
    uint32_t bounce_sweeps;
    // Newton steps, each with a factorisation.
    uint32_t newton_steps;
    // Interior-point steps, each with a factorisation.
    uint32_t interior_steps;
    // Number of islands solved separately; 1 if everything was solved together.
    uint32_t islands;
    // The contact with the largest share of the residual, or STICTION_NO_CONTACT.
    uint32_t worst_contact;
    // Contacts whose block was singular or indefinite up to rounding: a safe one was used instead.
    uint32_t safe_blocks;
    // Whether a direct method was needed but the memory provided for it was too small.
    bool memory_too_small;
    // Whether the bounce made no progress and was discarded: no contact bounced.
    bool bounce_dropped;
    // Whether an impulse was scaled down so as not to add energy.
    bool passivity_guard;
    // Residual, relative to `residual_scale`.
    float residual;
    // The speed that the residual is relative to, m/s.
    float residual_scale;
    // Largest remaining closing speed, m/s.
    float closing_speed;
    // Largest excess of a friction impulse over its cone, N s.
    float cone;
    // Largest difference between the separation speed required by restitution and the one reached, m/s.
    float bounce_missing;
    // Kinetic energy before, J.
    float energy_before;
    // Kinetic energy after, J.
    float energy_after;
    // Energy change by the bounce, J.
    float bounce_work;
    // Energy change by the contact phase, J.
    float contact_work;
    // The part of it due to friction, J.
    float friction_work;
    // The part of it due to a bias, J.
    float bias_work;
} StictionReportF32;

// Diagnostics of a contact.
typedef struct StictionContactDiagnosticsF32 {
    // Normal velocity per friction impulse, relative to normal velocity per normal impulse: |K_nt| / K_nn.
    float coupling;
    // Condition number of the contact's 3x3 block.
    float condition;
    // Unit direction in which B slides over A; zero without friction, and after a single solve.
    float sliding_direction[3];
    // For how many steps in a row it has slid, up to 255; 0 after a single solve.
    uint32_t sliding_steps;
    // Whether its block was singular or indefinite up to rounding: a safe one was used instead.
    bool block_replaced;
} StictionContactDiagnosticsF32;

// Work of friction in a solve or a step by what it resists, J; negative where it takes energy out.
typedef struct StictionFrictionWorkF32 {
    // By tangential impulses.
    float sliding;
    // By moments about the normal.
    float spinning;
    // By moments against rolling.
    float rolling;
} StictionFrictionWorkF32;

// Arrays for the states of all bodies. All may be null.
typedef struct StictionStatesF32 {
    // Number of bodies that the arrays can hold; further bodies are left out.
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
    // Number of valid points, 0 to 4.
    uint32_t point_count;
    // Whether `mu` and `restitution` apply to this pair; if not, the mean of the two bodies' values is used. Such a pair
    // has no friction beyond sliding, unless `stiction_f32_collect_on` gives it.
    bool has_material;
    // Friction coefficient of the pair.
    float mu;
    // Restitution of the pair, 0 to 1.
    float restitution;
    // The contact points.
    struct StictionManifoldPointF32 points[4];
} StictionManifoldF32;

// Summary of a step.
typedef struct StictionStepReportF32 {
    // The worst status of its solves: one of StictionStatus.
    uint32_t status;
    // Contacts.
    uint32_t contacts;
    // Contacts beyond the capacity: the shallowest ones are left out.
    uint32_t contacts_left_out;
    // Contacts that began with an impulse of the step before.
    uint32_t warm_started;
    // Contacts that kept their rows from the step before.
    uint32_t kept;
    // Islands.
    uint32_t islands;
    // Passes over contacts of the island that took most.
    uint32_t sweeps;
    // Newton steps.
    uint32_t newton_steps;
    // Interior-point steps.
    uint32_t interior_steps;
    // Factors that were made because contacts are new or changed.
    uint32_t factors;
    // Corrections of all contacts of an island at once, with its factor.
    uint32_t corrections;
    // Contacts that began to stick, to slide or to open as the factor has it.
    uint32_t contacts_changed;
    // Contacts whose block was singular or indefinite up to rounding: a safe one was used instead.
    uint32_t safe_blocks;
    // Whether a direct method was needed but the memory provided for it was too small.
    bool memory_too_small;
    // Whether an island needed a factor and its memory was too small.
    bool factor_memory_too_small;
    // Whether an impulse was scaled down so as not to add energy.
    bool passivity_guard;
    // Whether an island's bounce made no progress and was discarded: its contacts did not bounce.
    bool bounce_dropped;
    // Worst relative residual of an island.
    float residual;
    // Largest remaining closing speed, m/s.
    float closing_speed;
    // Deepest penetration at the start, m.
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
    // Work of position correction, J.
    float position_correction_work;
} StictionStepReportF32;

// Collision detection, called in every substep. It passes manifolds to `collector` by `stiction_f32_collect`; `false`
// rejects the step.
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
    // Normal impulse over the step without bounces, N s.
    float normal_impulse;
    // Normal impulse of bounces, N s.
    float bounce_impulse;
    // Friction impulse on B over the step, N s.
    float tangent_impulse[3];
    // Its state: one of StictionContactState.
    uint32_t state;
} StictionContactRecordF32;

// Friction beyond sliding of a body or a manifold. All zeros, as by `= {0}`: sliding friction only.
typedef struct StictionSurfaceF32 {
    // Largest moment about the normal over the normal impulse, m. A pair's is the geometric mean of its bodies', and so
    // are its `rolling` and `mu_across`.
    float torsion;
    // Largest moment against rolling over the normal impulse, m.
    float rolling;
    // Friction coefficient across `friction_direction`; `mu` is the one along it.
    float mu_across;
    // A vector of any length: in body axes for a body, in world axes for a manifold. Its part at right angles to the
    // normal is used; of two bodies that have one, that of body A. Where all three are 0, friction does not depend on
    // the direction, and `mu_across` is not read.
    float friction_direction[3];
    // Whether sliding and torsion share one bound, as under a disc that slides and spins. A pair does if either body
    // does.
    bool is_joined;
} StictionSurfaceF32;

// A joint between two bodies. All zeros, as by `= {0}`, and two bodies: a ball joint at the centres of mass. What its
// kind does not have is not read. Along the axis of a hinge numbers are in rad and N m, along that of a slider in m and N.
// `stiction_f32_joint_between` computes anchors, axis and orientation from world coordinates.
typedef struct StictionJointF32 {
    // Index of body A.
    uint32_t a;
    // Index of body B.
    uint32_t b;
    // What it holds: one of StictionJointKind.
    uint32_t kind;
    // The motor of a hinge or a slider: one of StictionMotorKind.
    uint32_t motor;
    // Whether the two bodies may touch: whether their manifolds are taken.
    bool collide;
    // Whether a hinge or a slider has `limits`.
    bool has_limits;
    // Whether a hinge or a slider has a spring with a damper; a joint of kind spring always has it.
    bool has_spring;
    // Where it acts on A, in A's axes from A's centre of mass, m.
    float anchor_a[3];
    // Where it acts on B, in B's axes from B's centre of mass, m.
    float anchor_b[3];
    // Unit vector in A's axes: the axis of a hinge or a slider.
    float axis[3];
    // The orientation of B as seen from A at position 0, of a hinge, a slider or a fixed joint: unit quaternion x, y, z, w.
    float rest[4];
    // Smallest and largest position.
    float limits[2];
    // Speed that a motor keeps.
    float motor_speed;
    // Position to which a motor pulls.
    float motor_position;
    // Its force or torque for each unit of position.
    float motor_stiffness;
    // Its force or torque for each unit of speed.
    float motor_damping;
    // Largest force or torque of a motor.
    float motor_max;
    // Largest force or torque of dry friction of a hinge or a slider.
    float friction;
    // Position without force, rad or m; for a joint of kind spring the distance of the anchors, m.
    float spring_rest;
    // Force or torque of the spring for each unit of position.
    float spring_stiffness;
    // Force or torque of its damper for each unit of speed.
    float spring_damping;
    // Length of a distance or a rope, m.
    float length;
} StictionJointF32;

// A joint after a step.
typedef struct StictionJointStateF32 {
    // Impulse of a substep on B, in A's axes, N s.
    float linear[3];
    // Angular impulse of a substep on B about the anchor, in A's axes, N m s.
    float angular[3];
    // Position along the free axis, rad or m. Whole revolutions count.
    float position;
    // Whether a limit or a rope held where the step ended.
    bool is_at_limit;
} StictionJointStateF32;

// Work of joints in a step by what it comes from, J. The report has motors and springs in `load_work`, dry friction in
// `friction_work`, and the rest in `normal_work`.
typedef struct StictionJointWorkF32 {
    // Of motors.
    float motor;
    // Of springs and dampers.
    float spring;
    // Of dry friction; negative where it takes energy out.
    float friction;
    // Energy stored in springs where the step began.
    float stored_before;
    // Energy stored in springs where it ended.
    float stored_after;
} StictionJointWorkF32;

// A problem `u = W x + q` of contacts with Coulomb's law between `u` and `x`, along normal, first and second tangent.
//
// With `row_starts` and `columns`, `w` is in block compressed row format: block `k` with `row_starts[i] <= k <
// row_starts[i + 1]` is in block row `i` and block column `columns[k]`. Columns ascend within a row, the diagonal
// block is stored, and the nine numbers of a block are packed column by column. With both null, `w` is the dense
// matrix, packed row by row.
//
// A contact with torsion or rolling needs a solver with moments. It has two block rows, one after the other: velocities
// along normal and tangents in m/s, then angular velocities about them in rad/s. Its radii are those of the first row;
// in the second row they are 0, and the friction coefficient is not used.
typedef struct StictionDelassusProblemF32 {
    // Number of contacts; one with torsion or rolling counts as two.
    size_t contacts;
    // The matrix, 1/kg.
    const float *w;
    // Number of blocks in `w` and `columns`; not read for a dense matrix.
    size_t blocks;
    // Index of the first block of each block row, `contacts + 1` numbers.
    const uint32_t *row_starts;
    // Block columns, `blocks` numbers.
    const uint32_t *columns;
    // Free velocity, 3 numbers per contact, m/s.
    struct StictionViewF32 q;
    // Friction coefficient of each contact.
    struct StictionViewF32 mu;
    // Initial impulses, 3 numbers per contact, N s; null for 0. In a second row moments, N m s.
    struct StictionViewF32 start;
    // Largest moment about the normal over the normal impulse, m; null for 0. This view and those below need a solver
    // with moments.
    struct StictionViewF32 torsion;
    // Largest moment against rolling over the normal impulse, m; null for 0.
    struct StictionViewF32 rolling;
    // Not 0 where sliding and torsion share one bound, as under a disc that slides and spins; null for 0.
    struct StictionViewU32 is_joined;
} StictionDelassusProblemF32;

// Output of a solve in Delassus form. Both may be null.
typedef struct StictionDelassusAnswerF32 {
    // Impulse along normal and tangents, 3 numbers per contact, N s. In a second row moments about them, N m s.
    struct StictionViewMutF32 impulse;
    // State of the contact: one of StictionContactState.
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
    // Contacts whose block was singular or indefinite up to rounding: a safe one was used instead.
    uint32_t safe_blocks;
    // Whether a direct method was needed but the memory provided for it was too small.
    bool memory_too_small;
    // Whether the impulses were scaled down so as not to add energy.
    bool passivity_guard;
    // Residual, relative to the largest of `q`, impulses and velocities.
    float residual;
    // Largest remaining closing speed, m/s.
    float closing_speed;
    // Natural map at rho = 1 over |q|, as reported in the literature.
    float natural_rel_q;
    // Natural map in velocity units over |q|.
    float unit_rel_q;
    // Energy change, J, if `q` is a velocity of bodies that move freely.
    float work;
} StictionDelassusReportF32;

// Settings of a solve, in SI units. Begin with those of `stiction_f64_settings()` and change what you need.
typedef struct StictionSettingsF64 {
    // Which methods may be used: one of StictionMethodChoice.
    uint32_t method;
    // How one contact is solved: one of StictionLocalRule.
    uint32_t local;
    // How simultaneous impacts bounce: one of StictionBounceMode.
    uint32_t bounce;
    // The order of plain sweeps: one of StictionSweepOrder.
    uint32_t order;
    // How penetration is corrected: one of StictionPositionCorrection.
    uint32_t position_correction;
    // Together or by islands: one of StictionIslandMode. Steps always go by islands and do not read it.
    uint32_t islands;
    // Maximum number of sweeps of the contact phase.
    uint32_t sweeps;
    // Maximum number of factorisations of direct methods in an island; 0 disables them.
    uint32_t factorisations;
    // Minimum number of sweeps, done even if the residual is below the tolerance from the start.
    uint32_t min_sweeps;
    // Maximum number of sweeps of the bounce and of the split impulse.
    uint32_t normal_sweeps;
    // Fraction of each local step taken, between 0 and 2; 1 is plain Gauss-Seidel.
    double relaxation;
    // The same for accelerated sweeps.
    double accelerated_relaxation;
    // The contact phase ends when the relative residual is below this; 0 runs all sweeps.
    double tolerance;
    // Approach speed above which a contact bounces, m/s.
    double restitution_threshold;
    // Fraction of the penetration corrected in a step.
    double error_reduction;
    // Penetration that is not corrected, m.
    double slop;
    // Largest speed at which penetration is corrected, m/s.
    double max_correction_speed;
} StictionSettingsF64;

// Settings of a step, in SI units. Begin with those of `stiction_f64_step_settings()` and change what you need.
typedef struct StictionStepSettingsF64 {
    // Settings of its solves.
    struct StictionSettingsF64 solver;
    // Gravity, m/s^2.
    double gravity[3];
    // Gap up to which a manifold's point is a contact, m.
    double contact_margin;
    // Size of a cell of the contact cache, m.
    double cache_cell;
    // Number of equal substeps in a step, 1 to 1000.
    uint32_t substeps;
} StictionStepSettingsF64;

// A body with position and orientation, as used by a pipeline. Vectors are in world axes unless stated otherwise.
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

// The rejected input, and the reason.
typedef struct StictionInputErrorF64 {
    // The reason: one of StictionError.
    uint32_t error;
    // Which kind of input: one of StictionInputKind.
    uint32_t input;
    // Its index, from 0.
    size_t index;
    // Name of the field or argument, terminated by a zero; empty if the error concerns the whole object.
    char field[STICTION_FIELD_BYTES];
    // The rejected value, where there is one.
    double value;
    // The limit that it exceeds, where there is one.
    double limit;
} StictionInputErrorF64;

// One column of numbers to be read: a pointer, and the bytes from one element to the next. With stride 0 all elements
// are the first one. If the column is left out, `data` is null.
typedef struct StictionViewF64 {
    // The first number of the first element.
    const double *data;
    // Bytes from one element to the next.
    size_t stride;
} StictionViewF64;

// One column of numbers to be written: a pointer, and the bytes from one element to the next. If the column is left
// out, `data` is null.
typedef struct StictionViewMutF64 {
    // The first number of the first element.
    double *data;
    // Bytes from one element to the next.
    size_t stride;
} StictionViewMutF64;

// Bodies of a solve: one view for each quantity. Vectors are in world axes.
typedef struct StictionBodiesF64 {
    // Number of bodies, including those that cannot move.
    size_t count;
    // 1/mass, 1/kg; 0 for a body that cannot move.
    struct StictionViewF64 inverse_mass;
    // Inverse inertia about the centre of mass in world axes, 9 numbers, 1/(kg m^2). Symmetric; all 0 for a body that
    // cannot move or rotate.
    struct StictionViewF64 inverse_inertia_world;
    // Velocity of the centre of mass, 3 numbers, m/s. Read, and written by a solve.
    struct StictionViewMutF64 linear_velocity;
    // Angular velocity, 3 numbers, rad/s. Read, and written by a solve.
    struct StictionViewMutF64 angular_velocity;
    // Centre of mass in world coordinates, 3 numbers, m. Read only if contacts give points instead of arms; may be
    // null otherwise.
    struct StictionViewF64 position;
} StictionBodiesF64;

// Contacts of a solve: one view for each quantity. Vectors are in world axes.
typedef struct StictionContactsF64 {
    // Number of contacts.
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
    // Normal velocity (B minus A) recorded before impact, m/s; null to compute it from the velocities.
    struct StictionViewF64 pre_impact_normal_velocity;
    // Normal impulse of the warm start, N s; null for 0.
    struct StictionViewF64 warm_normal_impulse;
    // Friction impulse on B of the warm start, as a world vector, 3 numbers, N s; null for 0.
    struct StictionViewF64 warm_tangent_impulse;
    // Largest moment about the normal over the normal impulse, m; null for 0. This view and those below need a solver
    // with moments. A contact with torsion or rolling takes two places of its capacity.
    struct StictionViewF64 torsion;
    // Largest moment against rolling over the normal impulse, m; null for 0.
    struct StictionViewF64 rolling;
    // Friction coefficient across `friction_direction`; `mu` is the one along it. Null where `friction_direction` is.
    struct StictionViewF64 mu_across;
    // A world vector of any length, 3 numbers, of which the part at right angles to the normal is used. Where all
    // three are 0, or the view is null, friction does not depend on the direction, and `mu_across` is not read.
    struct StictionViewF64 friction_direction;
    // Not 0 where sliding and torsion share one bound, as under a disc that slides and spins; null for 0.
    struct StictionViewU32 is_joined;
    // Moment on B of the warm start, as a world vector, 3 numbers, N m s; null for 0.
    struct StictionViewF64 warm_moment;
} StictionContactsF64;

// Output of a solve in addition to the bodies' velocities. All may be null. Impulses may be written to the same memory
// from which the warm start was read.
typedef struct StictionAnswerF64 {
    // Normal impulse of the contact phase, one for each contact, N s: the next solve's warm start.
    struct StictionViewMutF64 normal_impulse;
    // Friction impulse on B as a world vector, 3 numbers for each contact, N s: the next solve's warm start.
    struct StictionViewMutF64 tangent_impulse;
    // Normal impulse of the bounce, one for each contact, N s. The total is the sum of the two.
    struct StictionViewMutF64 bounce_impulse;
    // State of the contact, one for each contact: one of StictionContactState.
    struct StictionViewMutU32 state;
    // Position correction, 3 numbers for each body, m/s: add it to the velocity for this step's position update, then
    // drop it.
    struct StictionViewMutF64 correction_linear;
    // The same for rotation, 3 numbers for each body, rad/s.
    struct StictionViewMutF64 correction_angular;
    // Moment on B as a world vector, 3 numbers for each contact, N m s: the next solve's warm start. Torsion is its
    // part along the normal, rolling friction the rest. This view and the next need a solver with moments.
    struct StictionViewMutF64 moment;
    // Which bounds the contact has reached, one for each contact: a sum of StictionReached.
    struct StictionViewMutU32 reached;
} StictionAnswerF64;

// Optional parts of a call. All may be null. Callbacks must return: they must not throw an exception or call longjmp.
typedef struct StictionHooksF64 {
    // Passed to the callbacks.
    void *user;
    // Called during a solve; returns whether to stop.
    StictionShouldStop should_stop;
    // Receives a recording of the solves.
    StictionRecord record;
    // Memory for direct methods.
    struct StictionDirectMemoryF64 *direct;
    // Memory for sweeps over several contacts at once. Solves in Delassus form do not use it.
    struct StictionLanesF64 *lanes;
} StictionHooksF64;

// Summary of a solve. If it was solved by islands, counts are the maximum over the islands, works and energies are
// sums, and residuals are the worst.
typedef struct StictionReportF64 {
    // Why it ended: one of StictionStatus.
    uint32_t status;
    // How it was solved: one of StictionMethod; by islands, the method of the island with the largest residual.
    uint32_t method;
    // Sweeps of the contact phase.
    uint32_t sweeps;
    // Sweeps of the bounce.
    uint32_t bounce_sweeps;
    // Newton steps, each with a factorisation.
    uint32_t newton_steps;
    // Interior-point steps, each with a factorisation.
    uint32_t interior_steps;
    // Number of islands solved separately; 1 if everything was solved together.
    uint32_t islands;
    // The contact with the largest share of the residual, or STICTION_NO_CONTACT.
    uint32_t worst_contact;
    // Contacts whose block was singular or indefinite up to rounding: a safe one was used instead.
    uint32_t safe_blocks;
    // Whether a direct method was needed but the memory provided for it was too small.
    bool memory_too_small;
    // Whether the bounce made no progress and was discarded: no contact bounced.
    bool bounce_dropped;
    // Whether an impulse was scaled down so as not to add energy.
    bool passivity_guard;
    // Residual, relative to `residual_scale`.
    double residual;
    // The speed that the residual is relative to, m/s.
    double residual_scale;
    // Largest remaining closing speed, m/s.
    double closing_speed;
    // Largest excess of a friction impulse over its cone, N s.
    double cone;
    // Largest difference between the separation speed required by restitution and the one reached, m/s.
    double bounce_missing;
    // Kinetic energy before, J.
    double energy_before;
    // Kinetic energy after, J.
    double energy_after;
    // Energy change by the bounce, J.
    double bounce_work;
    // Energy change by the contact phase, J.
    double contact_work;
    // The part of it due to friction, J.
    double friction_work;
    // The part of it due to a bias, J.
    double bias_work;
} StictionReportF64;

// Diagnostics of a contact.
typedef struct StictionContactDiagnosticsF64 {
    // Normal velocity per friction impulse, relative to normal velocity per normal impulse: |K_nt| / K_nn.
    double coupling;
    // Condition number of the contact's 3x3 block.
    double condition;
    // Unit direction in which B slides over A; zero without friction, and after a single solve.
    double sliding_direction[3];
    // For how many steps in a row it has slid, up to 255; 0 after a single solve.
    uint32_t sliding_steps;
    // Whether its block was singular or indefinite up to rounding: a safe one was used instead.
    bool block_replaced;
} StictionContactDiagnosticsF64;

// Work of friction in a solve or a step by what it resists, J; negative where it takes energy out.
typedef struct StictionFrictionWorkF64 {
    // By tangential impulses.
    double sliding;
    // By moments about the normal.
    double spinning;
    // By moments against rolling.
    double rolling;
} StictionFrictionWorkF64;

// Arrays for the states of all bodies. All may be null.
typedef struct StictionStatesF64 {
    // Number of bodies that the arrays can hold; further bodies are left out.
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
    // Number of valid points, 0 to 4.
    uint32_t point_count;
    // Whether `mu` and `restitution` apply to this pair; if not, the mean of the two bodies' values is used. Such a pair
    // has no friction beyond sliding, unless `stiction_f64_collect_on` gives it.
    bool has_material;
    // Friction coefficient of the pair.
    double mu;
    // Restitution of the pair, 0 to 1.
    double restitution;
    // The contact points.
    struct StictionManifoldPointF64 points[4];
} StictionManifoldF64;

// Summary of a step.
typedef struct StictionStepReportF64 {
    // The worst status of its solves: one of StictionStatus.
    uint32_t status;
    // Contacts.
    uint32_t contacts;
    // Contacts beyond the capacity: the shallowest ones are left out.
    uint32_t contacts_left_out;
    // Contacts that began with an impulse of the step before.
    uint32_t warm_started;
    // Contacts that kept their rows from the step before.
    uint32_t kept;
    // Islands.
    uint32_t islands;
    // Passes over contacts of the island that took most.
    uint32_t sweeps;
    // Newton steps.
    uint32_t newton_steps;
    // Interior-point steps.
    uint32_t interior_steps;
    // Factors that were made because contacts are new or changed.
    uint32_t factors;
    // Corrections of all contacts of an island at once, with its factor.
    uint32_t corrections;
    // Contacts that began to stick, to slide or to open as the factor has it.
    uint32_t contacts_changed;
    // Contacts whose block was singular or indefinite up to rounding: a safe one was used instead.
    uint32_t safe_blocks;
    // Whether a direct method was needed but the memory provided for it was too small.
    bool memory_too_small;
    // Whether an island needed a factor and its memory was too small.
    bool factor_memory_too_small;
    // Whether an impulse was scaled down so as not to add energy.
    bool passivity_guard;
    // Whether an island's bounce made no progress and was discarded: its contacts did not bounce.
    bool bounce_dropped;
    // Worst relative residual of an island.
    double residual;
    // Largest remaining closing speed, m/s.
    double closing_speed;
    // Deepest penetration at the start, m.
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
    // Work of position correction, J.
    double position_correction_work;
} StictionStepReportF64;

// Collision detection, called in every substep. It passes manifolds to `collector` by `stiction_f64_collect`; `false`
// rejects the step.
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
    // Normal impulse over the step without bounces, N s.
    double normal_impulse;
    // Normal impulse of bounces, N s.
    double bounce_impulse;
    // Friction impulse on B over the step, N s.
    double tangent_impulse[3];
    // Its state: one of StictionContactState.
    uint32_t state;
} StictionContactRecordF64;

// Friction beyond sliding of a body or a manifold. All zeros, as by `= {0}`: sliding friction only.
typedef struct StictionSurfaceF64 {
    // Largest moment about the normal over the normal impulse, m. A pair's is the geometric mean of its bodies', and so
    // are its `rolling` and `mu_across`.
    double torsion;
    // Largest moment against rolling over the normal impulse, m.
    double rolling;
    // Friction coefficient across `friction_direction`; `mu` is the one along it.
    double mu_across;
    // A vector of any length: in body axes for a body, in world axes for a manifold. Its part at right angles to the
    // normal is used; of two bodies that have one, that of body A. Where all three are 0, friction does not depend on
    // the direction, and `mu_across` is not read.
    double friction_direction[3];
    // Whether sliding and torsion share one bound, as under a disc that slides and spins. A pair does if either body
    // does.
    bool is_joined;
} StictionSurfaceF64;

// A joint between two bodies. All zeros, as by `= {0}`, and two bodies: a ball joint at the centres of mass. What its
// kind does not have is not read. Along the axis of a hinge numbers are in rad and N m, along that of a slider in m and N.
// `stiction_f64_joint_between` computes anchors, axis and orientation from world coordinates.
typedef struct StictionJointF64 {
    // Index of body A.
    uint32_t a;
    // Index of body B.
    uint32_t b;
    // What it holds: one of StictionJointKind.
    uint32_t kind;
    // The motor of a hinge or a slider: one of StictionMotorKind.
    uint32_t motor;
    // Whether the two bodies may touch: whether their manifolds are taken.
    bool collide;
    // Whether a hinge or a slider has `limits`.
    bool has_limits;
    // Whether a hinge or a slider has a spring with a damper; a joint of kind spring always has it.
    bool has_spring;
    // Where it acts on A, in A's axes from A's centre of mass, m.
    double anchor_a[3];
    // Where it acts on B, in B's axes from B's centre of mass, m.
    double anchor_b[3];
    // Unit vector in A's axes: the axis of a hinge or a slider.
    double axis[3];
    // The orientation of B as seen from A at position 0, of a hinge, a slider or a fixed joint: unit quaternion x, y, z, w.
    double rest[4];
    // Smallest and largest position.
    double limits[2];
    // Speed that a motor keeps.
    double motor_speed;
    // Position to which a motor pulls.
    double motor_position;
    // Its force or torque for each unit of position.
    double motor_stiffness;
    // Its force or torque for each unit of speed.
    double motor_damping;
    // Largest force or torque of a motor.
    double motor_max;
    // Largest force or torque of dry friction of a hinge or a slider.
    double friction;
    // Position without force, rad or m; for a joint of kind spring the distance of the anchors, m.
    double spring_rest;
    // Force or torque of the spring for each unit of position.
    double spring_stiffness;
    // Force or torque of its damper for each unit of speed.
    double spring_damping;
    // Length of a distance or a rope, m.
    double length;
} StictionJointF64;

// A joint after a step.
typedef struct StictionJointStateF64 {
    // Impulse of a substep on B, in A's axes, N s.
    double linear[3];
    // Angular impulse of a substep on B about the anchor, in A's axes, N m s.
    double angular[3];
    // Position along the free axis, rad or m. Whole revolutions count.
    double position;
    // Whether a limit or a rope held where the step ended.
    bool is_at_limit;
} StictionJointStateF64;

// Work of joints in a step by what it comes from, J. The report has motors and springs in `load_work`, dry friction in
// `friction_work`, and the rest in `normal_work`.
typedef struct StictionJointWorkF64 {
    // Of motors.
    double motor;
    // Of springs and dampers.
    double spring;
    // Of dry friction; negative where it takes energy out.
    double friction;
    // Energy stored in springs where the step began.
    double stored_before;
    // Energy stored in springs where it ended.
    double stored_after;
} StictionJointWorkF64;

// A problem `u = W x + q` of contacts with Coulomb's law between `u` and `x`, along normal, first and second tangent.
//
// With `row_starts` and `columns`, `w` is in block compressed row format: block `k` with `row_starts[i] <= k <
// row_starts[i + 1]` is in block row `i` and block column `columns[k]`. Columns ascend within a row, the diagonal
// block is stored, and the nine numbers of a block are packed column by column. With both null, `w` is the dense
// matrix, packed row by row.
//
// A contact with torsion or rolling needs a solver with moments. It has two block rows, one after the other: velocities
// along normal and tangents in m/s, then angular velocities about them in rad/s. Its radii are those of the first row;
// in the second row they are 0, and the friction coefficient is not used.
typedef struct StictionDelassusProblemF64 {
    // Number of contacts; one with torsion or rolling counts as two.
    size_t contacts;
    // The matrix, 1/kg.
    const double *w;
    // Number of blocks in `w` and `columns`; not read for a dense matrix.
    size_t blocks;
    // Index of the first block of each block row, `contacts + 1` numbers.
    const uint32_t *row_starts;
    // Block columns, `blocks` numbers.
    const uint32_t *columns;
    // Free velocity, 3 numbers per contact, m/s.
    struct StictionViewF64 q;
    // Friction coefficient of each contact.
    struct StictionViewF64 mu;
    // Initial impulses, 3 numbers per contact, N s; null for 0. In a second row moments, N m s.
    struct StictionViewF64 start;
    // Largest moment about the normal over the normal impulse, m; null for 0. This view and those below need a solver
    // with moments.
    struct StictionViewF64 torsion;
    // Largest moment against rolling over the normal impulse, m; null for 0.
    struct StictionViewF64 rolling;
    // Not 0 where sliding and torsion share one bound, as under a disc that slides and spins; null for 0.
    struct StictionViewU32 is_joined;
} StictionDelassusProblemF64;

// Output of a solve in Delassus form. Both may be null.
typedef struct StictionDelassusAnswerF64 {
    // Impulse along normal and tangents, 3 numbers per contact, N s. In a second row moments about them, N m s.
    struct StictionViewMutF64 impulse;
    // State of the contact: one of StictionContactState.
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
    // Contacts whose block was singular or indefinite up to rounding: a safe one was used instead.
    uint32_t safe_blocks;
    // Whether a direct method was needed but the memory provided for it was too small.
    bool memory_too_small;
    // Whether the impulses were scaled down so as not to add energy.
    bool passivity_guard;
    // Residual, relative to the largest of `q`, impulses and velocities.
    double residual;
    // Largest remaining closing speed, m/s.
    double closing_speed;
    // Natural map at rho = 1 over |q|, as reported in the literature.
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

// The message for an error of StictionError; for other numbers a message that says so. Never null.
const char *stiction_error_text(uint32_t error);

// Default settings: 50 sweeps, tolerance 1e-5 in single and 1e-9 in double precision, exact rule, no position
// correction, 10 mm slop, bounces above 0.5 m/s, all islands together.
struct StictionSettingsF32 stiction_f32_settings(void);

// Default settings of a step: the settings of a solve with at least two sweeps and split impulse, gravity 9.81 m/s^2
// down along z, one substep, 10 mm margin, 5 mm cells.
struct StictionStepSettingsF32 stiction_f32_step_settings(void);

// The same for bodies whose smallest extent is `length` metres: slop, margin and the cells of the contact cache are
// fractions of it.
struct StictionStepSettingsF32 stiction_f32_step_settings_for_length(float length);

// A default body: it cannot move, is at the origin, and has no friction.
struct StictionRigidBodyF32 stiction_f32_fixed_body(void);

// A body with mass, kg, and inertia about its centre of mass in body axes (9 numbers, kg m^2), at rest at the origin,
// without friction. `inverse_mass` and `inverse_inertia_body` are also what an engine stores in its own bodies for
// `stiction_f32_solve`, if the inertia is in world axes. If `inertia` is null, misaligned or has no inverse, the
// inverse inertia is NaN, which is rejected when the body is used.
struct StictionRigidBodyF32 stiction_f32_body_from_mass(float mass, const float *inertia);

// Writes an error as a line, such as `contacts[3].mu: must be a finite number`, with at most `size` bytes, including
// the terminating zero. Returns the length without that zero, which may be larger than `size`. If `out` is null,
// returns the length only.
size_t stiction_f32_error_text(const struct StictionInputErrorF32 *input_error, char *out, size_t size);

// Bytes of memory for a solver with this capacity; 0 if none is large enough. Links all compiled capacities: where
// that matters, choose one by its kind.
size_t stiction_f32_solver_size(size_t bodies, size_t contacts);

// Creates a solver in `memory`, which must be aligned to STICTION_ALIGNMENT and have the `bytes` that
// `stiction_f32_solver_size` returns. It uses nothing outside that memory: there is no call to free it, and a copy of
// the memory is a copy of the solver.
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

// Creates a solver of a kind, like `stiction_f32_solver_init`.
StictionError stiction_f32_solver_init_kind(const struct StictionSolverKindF32 *kind,
                                            void *memory,
                                            size_t bytes,
                                            struct StictionSolverF32 **solver);

// The capacity of a solver in bodies and contacts.
StictionError stiction_f32_solver_capacity(const struct StictionSolverF32 *solver, struct StictionCapacity *capacity);

// Rejects bodies, contacts and settings that `stiction_f32_solve` would reject, but does not solve. The results of the
// last solve are lost. `input_error` may be null.
StictionError stiction_f32_validate(struct StictionSolverF32 *solver,
                                    const struct StictionBodiesF32 *bodies,
                                    const struct StictionContactsF32 *contacts,
                                    const struct StictionSettingsF32 *settings,
                                    float dt,
                                    struct StictionInputErrorF32 *input_error);

// Solves the contacts and writes the bodies' new velocities. `answer`, `hooks`, `report` and `input_error` may be
// null. After an error only `input_error` is written, and the solver has no last solve.
StictionError stiction_f32_solve(struct StictionSolverF32 *solver,
                                 const struct StictionBodiesF32 *bodies,
                                 const struct StictionContactsF32 *contacts,
                                 const struct StictionSettingsF32 *settings,
                                 float dt,
                                 const struct StictionAnswerF32 *answer,
                                 const struct StictionHooksF32 *hooks,
                                 struct StictionReportF32 *report,
                                 struct StictionInputErrorF32 *input_error);

// Mean force (3 numbers, N) and torque about the centre of mass (3 numbers, N m) of all contacts on a body
// over the last solved step. Either may be null.
StictionError stiction_f32_solver_wrench(const struct StictionSolverF32 *solver,
                                         size_t body,
                                         float *force,
                                         float *torque);

// Reads how strongly the normal and the friction of a contact of the last solve are coupled.
StictionError stiction_f32_solver_diagnostics(const struct StictionSolverF32 *solver,
                                              size_t index,
                                              struct StictionContactDiagnosticsF32 *diagnostics);

// Bytes of memory for a solver with moments; 0 if none is large enough. A contact with torsion or rolling takes two
// places. Links all compiled capacities: where that matters, choose one by its kind.
size_t stiction_f32_solver_size_with_moments(size_t bodies, size_t contacts);

// Creates a solver with moments, like `stiction_f32_solver_init`.
StictionError stiction_f32_solver_init_with_moments(void *memory,
                                                    size_t bytes,
                                                    size_t bodies,
                                                    size_t contacts,
                                                    struct StictionSolverF32 **solver);

// The kind of solver with moments for 8 bodies and 16 contacts, those with torsion or rolling counted twice.
const struct StictionSolverKindF32 *stiction_f32_solver_kind_8_16_with_moments(void);

// The kind of solver with moments for 16 bodies and 64 contacts, those with torsion or rolling counted twice.
const struct StictionSolverKindF32 *stiction_f32_solver_kind_16_64_with_moments(void);

// The kind of solver with moments for 64 bodies and 256 contacts, those with torsion or rolling counted twice.
const struct StictionSolverKindF32 *stiction_f32_solver_kind_64_256_with_moments(void);

// The kind of solver with moments for 256 bodies and 1024 contacts, those with torsion or rolling counted twice.
const struct StictionSolverKindF32 *stiction_f32_solver_kind_256_1024_with_moments(void);

// The kind of solver with moments for 1024 bodies and 4096 contacts, those with torsion or rolling counted twice.
const struct StictionSolverKindF32 *stiction_f32_solver_kind_1024_4096_with_moments(void);

// The kind of solver with moments for 4096 bodies and 16384 contacts, those with torsion or rolling counted twice.
const struct StictionSolverKindF32 *stiction_f32_solver_kind_4096_16384_with_moments(void);

// Reads the work of friction in the last solve by what it resists; all 0 if there is no last solve. Their sum is the
// report's `friction_work`. Needs a solver with moments.
StictionError stiction_f32_solver_friction_work(const struct StictionSolverF32 *solver,
                                                struct StictionFrictionWorkF32 *work);

// The kind of direct memory for 16 contacts.
const struct StictionDirectMemoryKindF32 *stiction_f32_direct_memory_kind_16(void);

// The kind of direct memory for 64 contacts.
const struct StictionDirectMemoryKindF32 *stiction_f32_direct_memory_kind_64(void);

// The kind of direct memory for 512 contacts.
const struct StictionDirectMemoryKindF32 *stiction_f32_direct_memory_kind_512(void);

// The kind of direct memory for 1024 contacts.
const struct StictionDirectMemoryKindF32 *stiction_f32_direct_memory_kind_1024(void);

// The kind of direct memory for 8192 contacts.
const struct StictionDirectMemoryKindF32 *stiction_f32_direct_memory_kind_8192(void);

// Bytes of memory for direct memory of a kind; 0 for null.
size_t stiction_f32_direct_memory_kind_size(const struct StictionDirectMemoryKindF32 *kind);

// Creates direct memory of a kind, like `stiction_f32_direct_memory_init`.
StictionError stiction_f32_direct_memory_init_kind(const struct StictionDirectMemoryKindF32 *kind,
                                                   void *memory,
                                                   size_t bytes,
                                                   struct StictionDirectMemoryF32 **direct);

// Bytes of direct memory for islands of this many contacts; 0 if none is large enough.
size_t stiction_f32_direct_memory_size(size_t contacts);

// Creates direct memory in `memory`, which must be aligned to STICTION_ALIGNMENT.
StictionError stiction_f32_direct_memory_init(void *memory,
                                              size_t bytes,
                                              size_t contacts,
                                              struct StictionDirectMemoryF32 **direct);

// Bytes of memory for lanes, for this many bodies of the whole problem or world, and contacts of the largest island; 0
// if none is large enough, and on processors without lanes, such as microcontrollers. Islands with more contacts, or
// with a body whose index is `bodies` or more, are swept without lanes.
size_t stiction_f32_lanes_size(size_t bodies, size_t contacts);

// Creates memory for lanes in `memory`, which must be aligned to STICTION_ALIGNMENT. It uses AVX2 if this processor has
// it. Solves have the same bits with and without it.
StictionError stiction_f32_lanes_init(void *memory,
                                      size_t bytes,
                                      size_t bodies,
                                      size_t contacts,
                                      struct StictionLanesF32 **lanes);

// Bytes of memory for a pipeline with this capacity; 0 if none is large enough. Links all compiled capacities: where
// that matters, choose one by its kind.
size_t stiction_f32_pipeline_size(size_t bodies, size_t contacts);

// Creates a pipeline without bodies and with default settings in `memory`, which must be aligned to STICTION_ALIGNMENT
// and have the `bytes` that `stiction_f32_pipeline_size` returns. It uses nothing outside that memory: there is no
// call to free it; to save it for rollback, copy the memory.
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

// Creates a pipeline of a kind, like `stiction_f32_pipeline_init`.
StictionError stiction_f32_pipeline_init_kind(const struct StictionPipelineKindF32 *kind,
                                              void *memory,
                                              size_t bytes,
                                              struct StictionPipelineF32 **pipeline);

// The capacity of a pipeline in bodies and contacts.
StictionError stiction_f32_pipeline_capacity(const struct StictionPipelineF32 *pipeline,
                                             struct StictionCapacity *capacity);

// Reads the settings of a pipeline.
StictionError stiction_f32_pipeline_settings(const struct StictionPipelineF32 *pipeline,
                                             struct StictionStepSettingsF32 *settings);

// Replaces the settings of a pipeline. Choices are checked here, numbers by the next step. `input_error` may be null.
StictionError stiction_f32_pipeline_set_settings(struct StictionPipelineF32 *pipeline,
                                                 const struct StictionStepSettingsF32 *settings,
                                                 struct StictionInputErrorF32 *input_error);

// Adds a body and writes its index, if `index` is not null. `input_error` may be null.
StictionError stiction_f32_add_body(struct StictionPipelineF32 *pipeline,
                                    const struct StictionRigidBodyF32 *body,
                                    size_t *index,
                                    struct StictionInputErrorF32 *input_error);

// Reads a body.
StictionError stiction_f32_body(const struct StictionPipelineF32 *pipeline,
                                size_t index,
                                struct StictionRigidBodyF32 *body);

// Replaces a body: position, orientation, velocities, mass and all other fields. `input_error` may be null.
StictionError stiction_f32_set_body(struct StictionPipelineF32 *pipeline,
                                    size_t index,
                                    const struct StictionRigidBodyF32 *body,
                                    struct StictionInputErrorF32 *input_error);

// Sets the external force (3 numbers, N) and torque (3 numbers, N m) of a body, which act in every step until changed.
// `input_error` may be null.
StictionError stiction_f32_set_load(struct StictionPipelineF32 *pipeline,
                                    size_t index,
                                    const float *force,
                                    const float *torque,
                                    struct StictionInputErrorF32 *input_error);

// Number of bodies; 0 if the handle is not a pipeline or is in use.
size_t stiction_f32_body_count(const struct StictionPipelineF32 *pipeline);

// Removes all bodies and forgets their contacts.
StictionError stiction_f32_clear_bodies(struct StictionPipelineF32 *pipeline);

// Writes positions, orientations and velocities of all bodies to your own arrays.
StictionError stiction_f32_states(const struct StictionPipelineF32 *pipeline, const struct StictionStatesF32 *states);

// Advances the world by `dt` seconds with manifolds that you found before: `count` of them, with a spacing of `stride`
// bytes. All substeps use the same manifolds. `hooks`, `report` and `input_error` may be null. A rejected step changes
// neither bodies nor cache.
StictionError stiction_f32_step_manifolds(struct StictionPipelineF32 *pipeline,
                                          const struct StictionManifoldF32 *manifolds,
                                          size_t count,
                                          size_t stride,
                                          float dt,
                                          const struct StictionHooksF32 *hooks,
                                          struct StictionStepReportF32 *report,
                                          struct StictionInputErrorF32 *input_error);

// Advances the world by `dt` seconds. `detect` is called in every substep to find the contacts. It adds them by
// `stiction_f32_collect`, may read bodies by `stiction_f32_collector_body`, and must call nothing else on this
// pipeline. `hooks`, `report` and `input_error` may be null. A rejected step changes neither bodies nor cache.
StictionError stiction_f32_step(struct StictionPipelineF32 *pipeline,
                                StictionDetectF32 detect,
                                void *user,
                                float dt,
                                const struct StictionHooksF32 *hooks,
                                struct StictionStepReportF32 *report,
                                struct StictionInputErrorF32 *input_error);

// Adds a manifold to the current substep. An invalid manifold is not added, and the step is rejected. `input_error`
// may be null.
StictionError stiction_f32_collect(struct StictionContactCollectorF32 *collector,
                                   const struct StictionManifoldF32 *manifold,
                                   struct StictionInputErrorF32 *input_error);

// Reads the state of a body in the current substep.
StictionError stiction_f32_collector_body(const struct StictionContactCollectorF32 *collector,
                                          size_t index,
                                          struct StictionRigidBodyF32 *body);

// Number of contacts of the last substep; 0 if the handle is not a pipeline or is in use, and after a rejected step.
size_t stiction_f32_contact_count(const struct StictionPipelineF32 *pipeline);

// Reads a contact of the last substep.
StictionError stiction_f32_contact(const struct StictionPipelineF32 *pipeline,
                                   size_t index,
                                   struct StictionContactRecordF32 *contact);

// Reads how strongly the normal and the friction of a contact of the last step are coupled, and for how long it has slid.
StictionError stiction_f32_contact_diagnostics(const struct StictionPipelineF32 *pipeline,
                                               size_t index,
                                               struct StictionContactDiagnosticsF32 *diagnostics);

// Mean force (3 numbers, N) and torque about the centre of mass (3 numbers, N m) of all contacts on a body
// over the last substep. Either may be null.
StictionError stiction_f32_pipeline_wrench(const struct StictionPipelineF32 *pipeline,
                                           size_t body,
                                           float *force,
                                           float *torque);

// Bytes that the contact cache takes if saved now; 0 if the handle is not a pipeline or is in use.
size_t stiction_f32_cache_size(const struct StictionPipelineF32 *pipeline);

// Saves the contact cache in a portable format, and writes the number of bytes to `count`. `input_error` may be null.
StictionError stiction_f32_cache_save(const struct StictionPipelineF32 *pipeline,
                                      uint8_t *bytes,
                                      size_t capacity,
                                      size_t *count,
                                      struct StictionInputErrorF32 *input_error);

// Restores a saved contact cache. Bytes that are damaged, of another version or precision, or too many are rejected;
// the cache then stays unchanged. A pipeline with moments also restores what one without them saved, but not the other
// way round. The same is true of joints; impulses and positions of joints are restored by the kind that saved them.
// `input_error` may be null.
StictionError stiction_f32_cache_restore(struct StictionPipelineF32 *pipeline,
                                         const uint8_t *bytes,
                                         size_t count,
                                         struct StictionInputErrorF32 *input_error);

// Clears the contact cache: the next step has no warm start.
StictionError stiction_f32_cache_clear(struct StictionPipelineF32 *pipeline);

// Bytes of memory for a pipeline with moments; 0 if none is large enough. A contact with torsion or rolling takes two
// places. Links all compiled capacities: where that matters, choose one by its kind.
size_t stiction_f32_pipeline_size_with_moments(size_t bodies, size_t contacts);

// Creates a pipeline with moments, like `stiction_f32_pipeline_init`.
StictionError stiction_f32_pipeline_init_with_moments(void *memory,
                                                      size_t bytes,
                                                      size_t bodies,
                                                      size_t contacts,
                                                      struct StictionPipelineF32 **pipeline);

// The kind of pipeline with moments for 8 bodies and 16 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_8_16_with_moments(void);

// The kind of pipeline with moments for 16 bodies and 64 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_16_64_with_moments(void);

// The kind of pipeline with moments for 64 bodies and 256 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_64_256_with_moments(void);

// The kind of pipeline with moments for 256 bodies and 1024 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_256_1024_with_moments(void);

// The kind of pipeline with moments for 1024 bodies and 4096 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_1024_4096_with_moments(void);

// The kind of pipeline with moments for 4096 bodies and 16384 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_4096_16384_with_moments(void);

// Sets a body's friction beyond sliding; that of a new body is none. The manifolds of a pair of bodies get it from both,
// in `stiction_f32_step_manifolds`, too. Needs a pipeline with moments. `input_error` may be null.
StictionError stiction_f32_set_surface(struct StictionPipelineF32 *pipeline,
                                       size_t index,
                                       const struct StictionSurfaceF32 *surface,
                                       struct StictionInputErrorF32 *input_error);

// Reads a body's friction beyond sliding. Needs a pipeline with moments.
StictionError stiction_f32_surface(const struct StictionPipelineF32 *pipeline,
                                   size_t index,
                                   struct StictionSurfaceF32 *surface);

// Adds a manifold like `stiction_f32_collect`, with friction beyond sliding of its own instead of that of its bodies.
// Needs a pipeline with moments. `input_error` may be null.
StictionError stiction_f32_collect_on(struct StictionContactCollectorF32 *collector,
                                      const struct StictionManifoldF32 *manifold,
                                      const struct StictionSurfaceF32 *surface,
                                      struct StictionInputErrorF32 *input_error);

// Reads the moment on B of a contact of the last step, as a world vector (3 numbers, N m s), and which bounds it had
// reached at its end: a sum of StictionReached. Torsion is the moment's part along the normal, rolling friction the
// rest. Either may be null. Needs a pipeline with moments.
StictionError stiction_f32_contact_moment(const struct StictionPipelineF32 *pipeline,
                                          size_t index,
                                          float *moment,
                                          uint32_t *reached);

// Reads the work of friction in the last step by what it resists; all 0 if there is no last step. Their sum is the
// report's `friction_work`. Needs a pipeline with moments.
StictionError stiction_f32_pipeline_friction_work(const struct StictionPipelineF32 *pipeline,
                                                  struct StictionFrictionWorkF32 *work);

// Bytes of memory for a pipeline with joints; 0 if none is large enough. It holds as many joints as bodies. A contact with
// torsion or rolling takes two places. Links all compiled capacities: where that matters, choose one by its kind.
size_t stiction_f32_pipeline_size_with_joints(size_t bodies,
                                              size_t contacts);

// Creates a pipeline with joints, like `stiction_f32_pipeline_init`.
StictionError stiction_f32_pipeline_init_with_joints(void *memory,
                                                     size_t bytes,
                                                     size_t bodies,
                                                     size_t contacts,
                                                     struct StictionPipelineF32 **pipeline);

// The kind of pipeline with joints for 8 bodies, 8 joints and 16 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_8_16_with_joints(void);

// The kind of pipeline with joints for 16 bodies, 16 joints and 64 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_16_64_with_joints(void);

// The kind of pipeline with joints for 64 bodies, 64 joints and 256 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_64_256_with_joints(void);

// The kind of pipeline with joints for 256 bodies, 256 joints and 1024 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_256_1024_with_joints(void);

// The kind of pipeline with joints for 1024 bodies, 1024 joints and 4096 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_1024_4096_with_joints(void);

// The kind of pipeline with joints for 4096 bodies, 4096 joints and 16384 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF32 *stiction_f32_pipeline_kind_4096_16384_with_joints(void);

// Computes where a joint acts from world coordinates: reads its bodies and its kind, and writes its `anchor_a`, `anchor_b`,
// `axis` and `rest`, so that its position is 0 where bodies are now. `on_a` and `on_b` are points, 3 numbers,
// m; if `on_b` is null, both are the same. `axis` is a unit vector, 3 numbers; it may be null for kinds without an axis.
// Numbers are checked when the joint is added. Needs a pipeline with joints. `input_error` may be null.
StictionError stiction_f32_joint_between(const struct StictionPipelineF32 *pipeline,
                                         const float *on_a,
                                         const float *on_b,
                                         const float *axis,
                                         struct StictionJointF32 *joint,
                                         struct StictionInputErrorF32 *input_error);

// Adds a joint, and writes its index to `index`. Its bodies do not collide unless it says so. Needs a pipeline with
// joints. `index` and `input_error` may be null.
StictionError stiction_f32_add_joint(struct StictionPipelineF32 *pipeline,
                                     const struct StictionJointF32 *joint,
                                     size_t *index,
                                     struct StictionInputErrorF32 *input_error);

// Replaces a joint: another speed of its motor, other limits. Needs a pipeline with joints. `input_error` may be null.
StictionError stiction_f32_set_joint(struct StictionPipelineF32 *pipeline,
                                     size_t index,
                                     const struct StictionJointF32 *joint,
                                     struct StictionInputErrorF32 *input_error);

// Reads a joint; what its kind does not have is 0. Needs a pipeline with joints.
StictionError stiction_f32_joint(const struct StictionPipelineF32 *pipeline,
                                 size_t index,
                                 struct StictionJointF32 *joint);

// Number of joints; 0 if the handle is not a pipeline with joints or is in use.
size_t stiction_f32_joint_count(const struct StictionPipelineF32 *pipeline);

// Removes all joints. `stiction_f32_clear_bodies` does, too. Needs a pipeline with joints.
StictionError stiction_f32_clear_joints(struct StictionPipelineF32 *pipeline);

// Reads the impulse and the position of a joint after the last step. Needs a pipeline with joints.
StictionError stiction_f32_joint_state(const struct StictionPipelineF32 *pipeline,
                                       size_t index,
                                       struct StictionJointStateF32 *state);

// Reads the work of joints in the last step; all 0 if there is no last step. Needs a pipeline with joints.
StictionError stiction_f32_joint_work(const struct StictionPipelineF32 *pipeline, struct StictionJointWorkF32 *work);

// The kind of solver in Delassus form for 16 contacts.
const struct StictionDelassusSolverKindF32 *stiction_f32_delassus_solver_kind_16(void);

// The kind of solver in Delassus form for 128 contacts.
const struct StictionDelassusSolverKindF32 *stiction_f32_delassus_solver_kind_128(void);

// The kind of solver in Delassus form for 1024 contacts.
const struct StictionDelassusSolverKindF32 *stiction_f32_delassus_solver_kind_1024(void);

// The kind of solver in Delassus form for 8192 contacts.
const struct StictionDelassusSolverKindF32 *stiction_f32_delassus_solver_kind_8192(void);

// Bytes of memory for a solver in Delassus form of a kind; 0 for null.
size_t stiction_f32_delassus_solver_kind_size(const struct StictionDelassusSolverKindF32 *kind);

// Creates a solver in Delassus form of a kind, like `stiction_f32_delassus_solver_init`.
StictionError stiction_f32_delassus_solver_init_kind(const struct StictionDelassusSolverKindF32 *kind,
                                                     void *memory,
                                                     size_t bytes,
                                                     struct StictionDelassusSolverF32 **solver);

// Bytes of memory for a solver in Delassus form for this many contacts; 0 if none is large enough.
size_t stiction_f32_delassus_solver_size(size_t contacts);

// Creates a solver in Delassus form in `memory`, which must be aligned to STICTION_ALIGNMENT and have the `bytes` that
// `stiction_f32_delassus_solver_size` returns.
StictionError stiction_f32_delassus_solver_init(void *memory,
                                                size_t bytes,
                                                size_t contacts,
                                                struct StictionDelassusSolverF32 **solver);

// The kind of solver in Delassus form with moments for 16 contacts, those with torsion or rolling counted twice.
const struct StictionDelassusSolverKindF32 *stiction_f32_delassus_solver_kind_16_with_moments(void);

// The kind of solver in Delassus form with moments for 128 contacts, those with torsion or rolling counted twice.
const struct StictionDelassusSolverKindF32 *stiction_f32_delassus_solver_kind_128_with_moments(void);

// The kind of solver in Delassus form with moments for 1024 contacts, those with torsion or rolling counted twice.
const struct StictionDelassusSolverKindF32 *stiction_f32_delassus_solver_kind_1024_with_moments(void);

// The kind of solver in Delassus form with moments for 8192 contacts, those with torsion or rolling counted twice.
const struct StictionDelassusSolverKindF32 *stiction_f32_delassus_solver_kind_8192_with_moments(void);

// Bytes of memory for a solver in Delassus form with moments; 0 if none is large enough. A contact with torsion or
// rolling counts as two.
size_t stiction_f32_delassus_solver_size_with_moments(size_t contacts);

// Creates a solver in Delassus form with moments, like `stiction_f32_delassus_solver_init`.
StictionError stiction_f32_delassus_solver_init_with_moments(void *memory,
                                                             size_t bytes,
                                                             size_t contacts,
                                                             struct StictionDelassusSolverF32 **solver);

// Solves a problem in Delassus form. `answer`, `hooks`, `report` and `input_error` may be null. The `record` hook is
// not called for this form. After an error only `input_error` is written.
StictionError stiction_f32_delassus_solve(struct StictionDelassusSolverF32 *solver,
                                          const struct StictionDelassusProblemF32 *problem,
                                          const struct StictionSettingsF32 *settings,
                                          const struct StictionDelassusAnswerF32 *answer,
                                          const struct StictionHooksF32 *hooks,
                                          struct StictionDelassusReportF32 *report,
                                          struct StictionInputErrorF32 *input_error);

// Default settings: 50 sweeps, tolerance 1e-5 in single and 1e-9 in double precision, exact rule, no position
// correction, 10 mm slop, bounces above 0.5 m/s, all islands together.
struct StictionSettingsF64 stiction_f64_settings(void);

// Default settings of a step: the settings of a solve with at least two sweeps and split impulse, gravity 9.81 m/s^2
// down along z, one substep, 10 mm margin, 5 mm cells.
struct StictionStepSettingsF64 stiction_f64_step_settings(void);

// The same for bodies whose smallest extent is `length` metres: slop, margin and the cells of the contact cache are
// fractions of it.
struct StictionStepSettingsF64 stiction_f64_step_settings_for_length(double length);

// A default body: it cannot move, is at the origin, and has no friction.
struct StictionRigidBodyF64 stiction_f64_fixed_body(void);

// A body with mass, kg, and inertia about its centre of mass in body axes (9 numbers, kg m^2), at rest at the origin,
// without friction. `inverse_mass` and `inverse_inertia_body` are also what an engine stores in its own bodies for
// `stiction_f64_solve`, if the inertia is in world axes. If `inertia` is null, misaligned or has no inverse, the
// inverse inertia is NaN, which is rejected when the body is used.
struct StictionRigidBodyF64 stiction_f64_body_from_mass(double mass, const double *inertia);

// Writes an error as a line, such as `contacts[3].mu: must be a finite number`, with at most `size` bytes, including
// the terminating zero. Returns the length without that zero, which may be larger than `size`. If `out` is null,
// returns the length only.
size_t stiction_f64_error_text(const struct StictionInputErrorF64 *input_error, char *out, size_t size);

// Bytes of memory for a solver with this capacity; 0 if none is large enough. Links all compiled capacities: where
// that matters, choose one by its kind.
size_t stiction_f64_solver_size(size_t bodies, size_t contacts);

// Creates a solver in `memory`, which must be aligned to STICTION_ALIGNMENT and have the `bytes` that
// `stiction_f64_solver_size` returns. It uses nothing outside that memory: there is no call to free it, and a copy of
// the memory is a copy of the solver.
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

// Creates a solver of a kind, like `stiction_f64_solver_init`.
StictionError stiction_f64_solver_init_kind(const struct StictionSolverKindF64 *kind,
                                            void *memory,
                                            size_t bytes,
                                            struct StictionSolverF64 **solver);

// The capacity of a solver in bodies and contacts.
StictionError stiction_f64_solver_capacity(const struct StictionSolverF64 *solver, struct StictionCapacity *capacity);

// Rejects bodies, contacts and settings that `stiction_f64_solve` would reject, but does not solve. The results of the
// last solve are lost. `input_error` may be null.
StictionError stiction_f64_validate(struct StictionSolverF64 *solver,
                                    const struct StictionBodiesF64 *bodies,
                                    const struct StictionContactsF64 *contacts,
                                    const struct StictionSettingsF64 *settings,
                                    double dt,
                                    struct StictionInputErrorF64 *input_error);

// Solves the contacts and writes the bodies' new velocities. `answer`, `hooks`, `report` and `input_error` may be
// null. After an error only `input_error` is written, and the solver has no last solve.
StictionError stiction_f64_solve(struct StictionSolverF64 *solver,
                                 const struct StictionBodiesF64 *bodies,
                                 const struct StictionContactsF64 *contacts,
                                 const struct StictionSettingsF64 *settings,
                                 double dt,
                                 const struct StictionAnswerF64 *answer,
                                 const struct StictionHooksF64 *hooks,
                                 struct StictionReportF64 *report,
                                 struct StictionInputErrorF64 *input_error);

// Mean force (3 numbers, N) and torque about the centre of mass (3 numbers, N m) of all contacts on a body
// over the last solved step. Either may be null.
StictionError stiction_f64_solver_wrench(const struct StictionSolverF64 *solver,
                                         size_t body,
                                         double *force,
                                         double *torque);

// Reads how strongly the normal and the friction of a contact of the last solve are coupled.
StictionError stiction_f64_solver_diagnostics(const struct StictionSolverF64 *solver,
                                              size_t index,
                                              struct StictionContactDiagnosticsF64 *diagnostics);

// Bytes of memory for a solver with moments; 0 if none is large enough. A contact with torsion or rolling takes two
// places. Links all compiled capacities: where that matters, choose one by its kind.
size_t stiction_f64_solver_size_with_moments(size_t bodies, size_t contacts);

// Creates a solver with moments, like `stiction_f64_solver_init`.
StictionError stiction_f64_solver_init_with_moments(void *memory,
                                                    size_t bytes,
                                                    size_t bodies,
                                                    size_t contacts,
                                                    struct StictionSolverF64 **solver);

// The kind of solver with moments for 8 bodies and 16 contacts, those with torsion or rolling counted twice.
const struct StictionSolverKindF64 *stiction_f64_solver_kind_8_16_with_moments(void);

// The kind of solver with moments for 16 bodies and 64 contacts, those with torsion or rolling counted twice.
const struct StictionSolverKindF64 *stiction_f64_solver_kind_16_64_with_moments(void);

// The kind of solver with moments for 64 bodies and 256 contacts, those with torsion or rolling counted twice.
const struct StictionSolverKindF64 *stiction_f64_solver_kind_64_256_with_moments(void);

// The kind of solver with moments for 256 bodies and 1024 contacts, those with torsion or rolling counted twice.
const struct StictionSolverKindF64 *stiction_f64_solver_kind_256_1024_with_moments(void);

// The kind of solver with moments for 1024 bodies and 4096 contacts, those with torsion or rolling counted twice.
const struct StictionSolverKindF64 *stiction_f64_solver_kind_1024_4096_with_moments(void);

// The kind of solver with moments for 4096 bodies and 16384 contacts, those with torsion or rolling counted twice.
const struct StictionSolverKindF64 *stiction_f64_solver_kind_4096_16384_with_moments(void);

// Reads the work of friction in the last solve by what it resists; all 0 if there is no last solve. Their sum is the
// report's `friction_work`. Needs a solver with moments.
StictionError stiction_f64_solver_friction_work(const struct StictionSolverF64 *solver,
                                                struct StictionFrictionWorkF64 *work);

// The kind of direct memory for 16 contacts.
const struct StictionDirectMemoryKindF64 *stiction_f64_direct_memory_kind_16(void);

// The kind of direct memory for 64 contacts.
const struct StictionDirectMemoryKindF64 *stiction_f64_direct_memory_kind_64(void);

// The kind of direct memory for 512 contacts.
const struct StictionDirectMemoryKindF64 *stiction_f64_direct_memory_kind_512(void);

// The kind of direct memory for 1024 contacts.
const struct StictionDirectMemoryKindF64 *stiction_f64_direct_memory_kind_1024(void);

// The kind of direct memory for 8192 contacts.
const struct StictionDirectMemoryKindF64 *stiction_f64_direct_memory_kind_8192(void);

// Bytes of memory for direct memory of a kind; 0 for null.
size_t stiction_f64_direct_memory_kind_size(const struct StictionDirectMemoryKindF64 *kind);

// Creates direct memory of a kind, like `stiction_f64_direct_memory_init`.
StictionError stiction_f64_direct_memory_init_kind(const struct StictionDirectMemoryKindF64 *kind,
                                                   void *memory,
                                                   size_t bytes,
                                                   struct StictionDirectMemoryF64 **direct);

// Bytes of direct memory for islands of this many contacts; 0 if none is large enough.
size_t stiction_f64_direct_memory_size(size_t contacts);

// Creates direct memory in `memory`, which must be aligned to STICTION_ALIGNMENT.
StictionError stiction_f64_direct_memory_init(void *memory,
                                              size_t bytes,
                                              size_t contacts,
                                              struct StictionDirectMemoryF64 **direct);

// Bytes of memory for lanes, for this many bodies of the whole problem or world, and contacts of the largest island; 0
// if none is large enough, and on processors without lanes, such as microcontrollers. Islands with more contacts, or
// with a body whose index is `bodies` or more, are swept without lanes.
size_t stiction_f64_lanes_size(size_t bodies, size_t contacts);

// Creates memory for lanes in `memory`, which must be aligned to STICTION_ALIGNMENT. It uses AVX2 if this processor has
// it. Solves have the same bits with and without it.
StictionError stiction_f64_lanes_init(void *memory,
                                      size_t bytes,
                                      size_t bodies,
                                      size_t contacts,
                                      struct StictionLanesF64 **lanes);

// Bytes of memory for a pipeline with this capacity; 0 if none is large enough. Links all compiled capacities: where
// that matters, choose one by its kind.
size_t stiction_f64_pipeline_size(size_t bodies, size_t contacts);

// Creates a pipeline without bodies and with default settings in `memory`, which must be aligned to STICTION_ALIGNMENT
// and have the `bytes` that `stiction_f64_pipeline_size` returns. It uses nothing outside that memory: there is no
// call to free it; to save it for rollback, copy the memory.
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

// Creates a pipeline of a kind, like `stiction_f64_pipeline_init`.
StictionError stiction_f64_pipeline_init_kind(const struct StictionPipelineKindF64 *kind,
                                              void *memory,
                                              size_t bytes,
                                              struct StictionPipelineF64 **pipeline);

// The capacity of a pipeline in bodies and contacts.
StictionError stiction_f64_pipeline_capacity(const struct StictionPipelineF64 *pipeline,
                                             struct StictionCapacity *capacity);

// Reads the settings of a pipeline.
StictionError stiction_f64_pipeline_settings(const struct StictionPipelineF64 *pipeline,
                                             struct StictionStepSettingsF64 *settings);

// Replaces the settings of a pipeline. Choices are checked here, numbers by the next step. `input_error` may be null.
StictionError stiction_f64_pipeline_set_settings(struct StictionPipelineF64 *pipeline,
                                                 const struct StictionStepSettingsF64 *settings,
                                                 struct StictionInputErrorF64 *input_error);

// Adds a body and writes its index, if `index` is not null. `input_error` may be null.
StictionError stiction_f64_add_body(struct StictionPipelineF64 *pipeline,
                                    const struct StictionRigidBodyF64 *body,
                                    size_t *index,
                                    struct StictionInputErrorF64 *input_error);

// Reads a body.
StictionError stiction_f64_body(const struct StictionPipelineF64 *pipeline,
                                size_t index,
                                struct StictionRigidBodyF64 *body);

// Replaces a body: position, orientation, velocities, mass and all other fields. `input_error` may be null.
StictionError stiction_f64_set_body(struct StictionPipelineF64 *pipeline,
                                    size_t index,
                                    const struct StictionRigidBodyF64 *body,
                                    struct StictionInputErrorF64 *input_error);

// Sets the external force (3 numbers, N) and torque (3 numbers, N m) of a body, which act in every step until changed.
// `input_error` may be null.
StictionError stiction_f64_set_load(struct StictionPipelineF64 *pipeline,
                                    size_t index,
                                    const double *force,
                                    const double *torque,
                                    struct StictionInputErrorF64 *input_error);

// Number of bodies; 0 if the handle is not a pipeline or is in use.
size_t stiction_f64_body_count(const struct StictionPipelineF64 *pipeline);

// Removes all bodies and forgets their contacts.
StictionError stiction_f64_clear_bodies(struct StictionPipelineF64 *pipeline);

// Writes positions, orientations and velocities of all bodies to your own arrays.
StictionError stiction_f64_states(const struct StictionPipelineF64 *pipeline, const struct StictionStatesF64 *states);

// Advances the world by `dt` seconds with manifolds that you found before: `count` of them, with a spacing of `stride`
// bytes. All substeps use the same manifolds. `hooks`, `report` and `input_error` may be null. A rejected step changes
// neither bodies nor cache.
StictionError stiction_f64_step_manifolds(struct StictionPipelineF64 *pipeline,
                                          const struct StictionManifoldF64 *manifolds,
                                          size_t count,
                                          size_t stride,
                                          double dt,
                                          const struct StictionHooksF64 *hooks,
                                          struct StictionStepReportF64 *report,
                                          struct StictionInputErrorF64 *input_error);

// Advances the world by `dt` seconds. `detect` is called in every substep to find the contacts. It adds them by
// `stiction_f64_collect`, may read bodies by `stiction_f64_collector_body`, and must call nothing else on this
// pipeline. `hooks`, `report` and `input_error` may be null. A rejected step changes neither bodies nor cache.
StictionError stiction_f64_step(struct StictionPipelineF64 *pipeline,
                                StictionDetectF64 detect,
                                void *user,
                                double dt,
                                const struct StictionHooksF64 *hooks,
                                struct StictionStepReportF64 *report,
                                struct StictionInputErrorF64 *input_error);

// Adds a manifold to the current substep. An invalid manifold is not added, and the step is rejected. `input_error`
// may be null.
StictionError stiction_f64_collect(struct StictionContactCollectorF64 *collector,
                                   const struct StictionManifoldF64 *manifold,
                                   struct StictionInputErrorF64 *input_error);

// Reads the state of a body in the current substep.
StictionError stiction_f64_collector_body(const struct StictionContactCollectorF64 *collector,
                                          size_t index,
                                          struct StictionRigidBodyF64 *body);

// Number of contacts of the last substep; 0 if the handle is not a pipeline or is in use, and after a rejected step.
size_t stiction_f64_contact_count(const struct StictionPipelineF64 *pipeline);

// Reads a contact of the last substep.
StictionError stiction_f64_contact(const struct StictionPipelineF64 *pipeline,
                                   size_t index,
                                   struct StictionContactRecordF64 *contact);

// Reads how strongly the normal and the friction of a contact of the last step are coupled, and for how long it has slid.
StictionError stiction_f64_contact_diagnostics(const struct StictionPipelineF64 *pipeline,
                                               size_t index,
                                               struct StictionContactDiagnosticsF64 *diagnostics);

// Mean force (3 numbers, N) and torque about the centre of mass (3 numbers, N m) of all contacts on a body
// over the last substep. Either may be null.
StictionError stiction_f64_pipeline_wrench(const struct StictionPipelineF64 *pipeline,
                                           size_t body,
                                           double *force,
                                           double *torque);

// Bytes that the contact cache takes if saved now; 0 if the handle is not a pipeline or is in use.
size_t stiction_f64_cache_size(const struct StictionPipelineF64 *pipeline);

// Saves the contact cache in a portable format, and writes the number of bytes to `count`. `input_error` may be null.
StictionError stiction_f64_cache_save(const struct StictionPipelineF64 *pipeline,
                                      uint8_t *bytes,
                                      size_t capacity,
                                      size_t *count,
                                      struct StictionInputErrorF64 *input_error);

// Restores a saved contact cache. Bytes that are damaged, of another version or precision, or too many are rejected;
// the cache then stays unchanged. A pipeline with moments also restores what one without them saved, but not the other
// way round. The same is true of joints; impulses and positions of joints are restored by the kind that saved them.
// `input_error` may be null.
StictionError stiction_f64_cache_restore(struct StictionPipelineF64 *pipeline,
                                         const uint8_t *bytes,
                                         size_t count,
                                         struct StictionInputErrorF64 *input_error);

// Clears the contact cache: the next step has no warm start.
StictionError stiction_f64_cache_clear(struct StictionPipelineF64 *pipeline);

// Bytes of memory for a pipeline with moments; 0 if none is large enough. A contact with torsion or rolling takes two
// places. Links all compiled capacities: where that matters, choose one by its kind.
size_t stiction_f64_pipeline_size_with_moments(size_t bodies, size_t contacts);

// Creates a pipeline with moments, like `stiction_f64_pipeline_init`.
StictionError stiction_f64_pipeline_init_with_moments(void *memory,
                                                      size_t bytes,
                                                      size_t bodies,
                                                      size_t contacts,
                                                      struct StictionPipelineF64 **pipeline);

// The kind of pipeline with moments for 8 bodies and 16 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_8_16_with_moments(void);

// The kind of pipeline with moments for 16 bodies and 64 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_16_64_with_moments(void);

// The kind of pipeline with moments for 64 bodies and 256 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_64_256_with_moments(void);

// The kind of pipeline with moments for 256 bodies and 1024 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_256_1024_with_moments(void);

// The kind of pipeline with moments for 1024 bodies and 4096 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_1024_4096_with_moments(void);

// The kind of pipeline with moments for 4096 bodies and 16384 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_4096_16384_with_moments(void);

// Sets a body's friction beyond sliding; that of a new body is none. The manifolds of a pair of bodies get it from both,
// in `stiction_f64_step_manifolds`, too. Needs a pipeline with moments. `input_error` may be null.
StictionError stiction_f64_set_surface(struct StictionPipelineF64 *pipeline,
                                       size_t index,
                                       const struct StictionSurfaceF64 *surface,
                                       struct StictionInputErrorF64 *input_error);

// Reads a body's friction beyond sliding. Needs a pipeline with moments.
StictionError stiction_f64_surface(const struct StictionPipelineF64 *pipeline,
                                   size_t index,
                                   struct StictionSurfaceF64 *surface);

// Adds a manifold like `stiction_f64_collect`, with friction beyond sliding of its own instead of that of its bodies.
// Needs a pipeline with moments. `input_error` may be null.
StictionError stiction_f64_collect_on(struct StictionContactCollectorF64 *collector,
                                      const struct StictionManifoldF64 *manifold,
                                      const struct StictionSurfaceF64 *surface,
                                      struct StictionInputErrorF64 *input_error);

// Reads the moment on B of a contact of the last step, as a world vector (3 numbers, N m s), and which bounds it had
// reached at its end: a sum of StictionReached. Torsion is the moment's part along the normal, rolling friction the
// rest. Either may be null. Needs a pipeline with moments.
StictionError stiction_f64_contact_moment(const struct StictionPipelineF64 *pipeline,
                                          size_t index,
                                          double *moment,
                                          uint32_t *reached);

// Reads the work of friction in the last step by what it resists; all 0 if there is no last step. Their sum is the
// report's `friction_work`. Needs a pipeline with moments.
StictionError stiction_f64_pipeline_friction_work(const struct StictionPipelineF64 *pipeline,
                                                  struct StictionFrictionWorkF64 *work);

// Bytes of memory for a pipeline with joints; 0 if none is large enough. It holds as many joints as bodies. A contact with
// torsion or rolling takes two places. Links all compiled capacities: where that matters, choose one by its kind.
size_t stiction_f64_pipeline_size_with_joints(size_t bodies,
                                              size_t contacts);

// Creates a pipeline with joints, like `stiction_f64_pipeline_init`.
StictionError stiction_f64_pipeline_init_with_joints(void *memory,
                                                     size_t bytes,
                                                     size_t bodies,
                                                     size_t contacts,
                                                     struct StictionPipelineF64 **pipeline);

// The kind of pipeline with joints for 8 bodies, 8 joints and 16 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_8_16_with_joints(void);

// The kind of pipeline with joints for 16 bodies, 16 joints and 64 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_16_64_with_joints(void);

// The kind of pipeline with joints for 64 bodies, 64 joints and 256 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_64_256_with_joints(void);

// The kind of pipeline with joints for 256 bodies, 256 joints and 1024 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_256_1024_with_joints(void);

// The kind of pipeline with joints for 1024 bodies, 1024 joints and 4096 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_1024_4096_with_joints(void);

// The kind of pipeline with joints for 4096 bodies, 4096 joints and 16384 contacts, those with torsion or rolling counted twice.
const struct StictionPipelineKindF64 *stiction_f64_pipeline_kind_4096_16384_with_joints(void);

// Computes where a joint acts from world coordinates: reads its bodies and its kind, and writes its `anchor_a`, `anchor_b`,
// `axis` and `rest`, so that its position is 0 where bodies are now. `on_a` and `on_b` are points, 3 numbers,
// m; if `on_b` is null, both are the same. `axis` is a unit vector, 3 numbers; it may be null for kinds without an axis.
// Numbers are checked when the joint is added. Needs a pipeline with joints. `input_error` may be null.
StictionError stiction_f64_joint_between(const struct StictionPipelineF64 *pipeline,
                                         const double *on_a,
                                         const double *on_b,
                                         const double *axis,
                                         struct StictionJointF64 *joint,
                                         struct StictionInputErrorF64 *input_error);

// Adds a joint, and writes its index to `index`. Its bodies do not collide unless it says so. Needs a pipeline with
// joints. `index` and `input_error` may be null.
StictionError stiction_f64_add_joint(struct StictionPipelineF64 *pipeline,
                                     const struct StictionJointF64 *joint,
                                     size_t *index,
                                     struct StictionInputErrorF64 *input_error);

// Replaces a joint: another speed of its motor, other limits. Needs a pipeline with joints. `input_error` may be null.
StictionError stiction_f64_set_joint(struct StictionPipelineF64 *pipeline,
                                     size_t index,
                                     const struct StictionJointF64 *joint,
                                     struct StictionInputErrorF64 *input_error);

// Reads a joint; what its kind does not have is 0. Needs a pipeline with joints.
StictionError stiction_f64_joint(const struct StictionPipelineF64 *pipeline,
                                 size_t index,
                                 struct StictionJointF64 *joint);

// Number of joints; 0 if the handle is not a pipeline with joints or is in use.
size_t stiction_f64_joint_count(const struct StictionPipelineF64 *pipeline);

// Removes all joints. `stiction_f64_clear_bodies` does, too. Needs a pipeline with joints.
StictionError stiction_f64_clear_joints(struct StictionPipelineF64 *pipeline);

// Reads the impulse and the position of a joint after the last step. Needs a pipeline with joints.
StictionError stiction_f64_joint_state(const struct StictionPipelineF64 *pipeline,
                                       size_t index,
                                       struct StictionJointStateF64 *state);

// Reads the work of joints in the last step; all 0 if there is no last step. Needs a pipeline with joints.
StictionError stiction_f64_joint_work(const struct StictionPipelineF64 *pipeline, struct StictionJointWorkF64 *work);

// The kind of solver in Delassus form for 16 contacts.
const struct StictionDelassusSolverKindF64 *stiction_f64_delassus_solver_kind_16(void);

// The kind of solver in Delassus form for 128 contacts.
const struct StictionDelassusSolverKindF64 *stiction_f64_delassus_solver_kind_128(void);

// The kind of solver in Delassus form for 1024 contacts.
const struct StictionDelassusSolverKindF64 *stiction_f64_delassus_solver_kind_1024(void);

// The kind of solver in Delassus form for 8192 contacts.
const struct StictionDelassusSolverKindF64 *stiction_f64_delassus_solver_kind_8192(void);

// Bytes of memory for a solver in Delassus form of a kind; 0 for null.
size_t stiction_f64_delassus_solver_kind_size(const struct StictionDelassusSolverKindF64 *kind);

// Creates a solver in Delassus form of a kind, like `stiction_f64_delassus_solver_init`.
StictionError stiction_f64_delassus_solver_init_kind(const struct StictionDelassusSolverKindF64 *kind,
                                                     void *memory,
                                                     size_t bytes,
                                                     struct StictionDelassusSolverF64 **solver);

// Bytes of memory for a solver in Delassus form for this many contacts; 0 if none is large enough.
size_t stiction_f64_delassus_solver_size(size_t contacts);

// Creates a solver in Delassus form in `memory`, which must be aligned to STICTION_ALIGNMENT and have the `bytes` that
// `stiction_f64_delassus_solver_size` returns.
StictionError stiction_f64_delassus_solver_init(void *memory,
                                                size_t bytes,
                                                size_t contacts,
                                                struct StictionDelassusSolverF64 **solver);

// The kind of solver in Delassus form with moments for 16 contacts, those with torsion or rolling counted twice.
const struct StictionDelassusSolverKindF64 *stiction_f64_delassus_solver_kind_16_with_moments(void);

// The kind of solver in Delassus form with moments for 128 contacts, those with torsion or rolling counted twice.
const struct StictionDelassusSolverKindF64 *stiction_f64_delassus_solver_kind_128_with_moments(void);

// The kind of solver in Delassus form with moments for 1024 contacts, those with torsion or rolling counted twice.
const struct StictionDelassusSolverKindF64 *stiction_f64_delassus_solver_kind_1024_with_moments(void);

// The kind of solver in Delassus form with moments for 8192 contacts, those with torsion or rolling counted twice.
const struct StictionDelassusSolverKindF64 *stiction_f64_delassus_solver_kind_8192_with_moments(void);

// Bytes of memory for a solver in Delassus form with moments; 0 if none is large enough. A contact with torsion or
// rolling counts as two.
size_t stiction_f64_delassus_solver_size_with_moments(size_t contacts);

// Creates a solver in Delassus form with moments, like `stiction_f64_delassus_solver_init`.
StictionError stiction_f64_delassus_solver_init_with_moments(void *memory,
                                                             size_t bytes,
                                                             size_t contacts,
                                                             struct StictionDelassusSolverF64 **solver);

// Solves a problem in Delassus form. `answer`, `hooks`, `report` and `input_error` may be null. The `record` hook is
// not called for this form. After an error only `input_error` is written.
StictionError stiction_f64_delassus_solve(struct StictionDelassusSolverF64 *solver,
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
