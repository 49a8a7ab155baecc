// stiction for C++17: the C interface of stiction.h with types, spans and lambdas.
//
// Header only. Nothing here allocates, throws or needs run-time type information; a call costs the same as the C call.
// The structs are those of stiction.h under shorter names. Fields and units are documented there:
//
//   stiction::Settings<float>       is StictionSettingsF32
//   stiction::Solver<float>         is a pointer to a StictionSolverF32 in your memory
//   stiction::MethodChoice::direct  is STICTION_METHOD_CHOICE_DIRECT
//
// A handle does not own its memory: it can be copied and dropped, but the memory must outlive its use.
//
//   alignas(STICTION_ALIGNMENT) static std::byte memory[200000];
//   stiction::Solver<float> solver;
//   if (auto error = solver.init(memory, 16, 64); error != stiction::Error::ok) puts(stiction::text(error));
//
//   stiction::Bodies<float> bodies = {};
//   bodies.count  = mine.size();
//   bodies.linear_velocity = stiction::view_mut(mine, &MyBody::velocity);

#ifndef STICTION_HPP
#define STICTION_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "stiction.h"

namespace stiction {

// ---------------------------------------------------------------------------------------------------------- numbers by name

// Result of a call. `ok` is success; every other value is an error, after which nothing was changed.
enum class [[nodiscard]] Error : std::uint32_t {
    ok = STICTION_ERROR_OK,
    null_pointer = STICTION_ERROR_NULL_POINTER,
    misaligned = STICTION_ERROR_MISALIGNED,
    bad_stride = STICTION_ERROR_BAD_STRIDE,
    too_large = STICTION_ERROR_TOO_LARGE,
    memory_too_small = STICTION_ERROR_MEMORY_TOO_SMALL,
    no_capacity = STICTION_ERROR_NO_CAPACITY,
    not_initialised = STICTION_ERROR_NOT_INITIALISED,
    busy = STICTION_ERROR_BUSY,
    bad_choice = STICTION_ERROR_BAD_CHOICE,
    bad_bytes = STICTION_ERROR_BAD_BYTES,
    callback_failed = STICTION_ERROR_CALLBACK_FAILED,
    without_moments = STICTION_ERROR_WITHOUT_MOMENTS,
    without_joints = STICTION_ERROR_WITHOUT_JOINTS,
    not_finite = STICTION_ERROR_NOT_FINITE,
    below_limit = STICTION_ERROR_BELOW_LIMIT,
    above_limit = STICTION_ERROR_ABOVE_LIMIT,
    out_of_range = STICTION_ERROR_OUT_OF_RANGE,
    not_unit = STICTION_ERROR_NOT_UNIT,
    not_symmetric = STICTION_ERROR_NOT_SYMMETRIC,
    not_positive_semidefinite = STICTION_ERROR_NOT_POSITIVE_SEMIDEFINITE,
    inertia_without_mass = STICTION_ERROR_INERTIA_WITHOUT_MASS,
    same_body = STICTION_ERROR_SAME_BODY,
    no_such_body = STICTION_ERROR_NO_SUCH_BODY,
    no_such_contact = STICTION_ERROR_NO_SUCH_CONTACT,
    nothing_moves = STICTION_ERROR_NOTHING_MOVES,
    full = STICTION_ERROR_FULL,
    wrong_length = STICTION_ERROR_WRONG_LENGTH,
    bad_structure = STICTION_ERROR_BAD_STRUCTURE,
    no_diagonal_block = STICTION_ERROR_NO_DIAGONAL_BLOCK,
    along_the_normal = STICTION_ERROR_ALONG_THE_NORMAL,
    no_such_joint = STICTION_ERROR_NO_SUCH_JOINT,
    limits_crossed = STICTION_ERROR_LIMITS_CROSSED,
    other = STICTION_ERROR_OTHER,
};

// Choices and states are plain numbers in the structs. These names convert to them and compare with them without a
// cast: `settings.method = MethodChoice::direct`, `report.status == Status::converged`.
struct InputKind {
    enum Value : std::uint32_t {
        argument = STICTION_INPUT_KIND_ARGUMENT,
        body = STICTION_INPUT_KIND_BODY,
        contact = STICTION_INPUT_KIND_CONTACT,
        setting = STICTION_INPUT_KIND_SETTING,
        delassus = STICTION_INPUT_KIND_DELASSUS,
        joint = STICTION_INPUT_KIND_JOINT,
    };
};

struct MethodChoice {
    enum Value : std::uint32_t {
        automatic = STICTION_METHOD_CHOICE_AUTO,
        sweeps = STICTION_METHOD_CHOICE_SWEEPS,
        accelerated = STICTION_METHOD_CHOICE_ACCELERATED,
        direct = STICTION_METHOD_CHOICE_DIRECT,
    };
};

struct LocalRule {
    enum Value : std::uint32_t {
        exact = STICTION_LOCAL_RULE_EXACT,
        hold_and_resolve = STICTION_LOCAL_RULE_HOLD_AND_RESOLVE,
        projection = STICTION_LOCAL_RULE_PROJECTION,
        box = STICTION_LOCAL_RULE_BOX,
    };
};

struct BounceMode {
    enum Value : std::uint32_t {
        together = STICTION_BOUNCE_MODE_TOGETHER,
        sequential = STICTION_BOUNCE_MODE_SEQUENTIAL,
    };
};

struct SweepOrder {
    enum Value : std::uint32_t {
        alternating = STICTION_SWEEP_ORDER_ALTERNATING,
        forward = STICTION_SWEEP_ORDER_FORWARD,
        colours = STICTION_SWEEP_ORDER_COLOURS,
    };
};

struct PositionCorrection {
    enum Value : std::uint32_t {
        none = STICTION_POSITION_CORRECTION_NONE,
        split_impulse = STICTION_POSITION_CORRECTION_SPLIT_IMPULSE,
        bias = STICTION_POSITION_CORRECTION_BIAS,
    };
};

struct IslandMode {
    enum Value : std::uint32_t {
        together = STICTION_ISLAND_MODE_TOGETHER,
        separate = STICTION_ISLAND_MODE_SEPARATE,
    };
};

struct Status {
    enum Value : std::uint32_t {
        converged = STICTION_STATUS_CONVERGED,
        guarded = STICTION_STATUS_GUARDED,
        bounce_dropped = STICTION_STATUS_BOUNCE_DROPPED,
        sweep_limit = STICTION_STATUS_SWEEP_LIMIT,
        deadline = STICTION_STATUS_DEADLINE,
    };
};

struct Method {
    enum Value : std::uint32_t {
        active_set = STICTION_METHOD_ACTIVE_SET,
        scalar_pgs = STICTION_METHOD_SCALAR_PGS,
        block_pgs = STICTION_METHOD_BLOCK_PGS,
        accelerated = STICTION_METHOD_ACCELERATED,
        newton = STICTION_METHOD_NEWTON,
        interior_point = STICTION_METHOD_INTERIOR_POINT,
    };
};

struct ContactState {
    enum Value : std::uint32_t {
        open = STICTION_CONTACT_STATE_OPEN,
        stick = STICTION_CONTACT_STATE_STICK,
        slide = STICTION_CONTACT_STATE_SLIDE,
    };
};

// Bounds of friction that a contact has reached: `answer.reached` and `Pipeline::contact_moment` have a sum of these.
struct Reached {
    enum Value : std::uint32_t {
        sliding = STICTION_REACHED_SLIDING,
        spinning = STICTION_REACHED_SPINNING,
        rolling = STICTION_REACHED_ROLLING,
    };
};

struct JointKind {
    enum Value : std::uint32_t {
        ball = STICTION_JOINT_KIND_BALL,
        hinge = STICTION_JOINT_KIND_HINGE,
        slider = STICTION_JOINT_KIND_SLIDER,
        fixed = STICTION_JOINT_KIND_FIXED,
        distance = STICTION_JOINT_KIND_DISTANCE,
        rope = STICTION_JOINT_KIND_ROPE,
        spring = STICTION_JOINT_KIND_SPRING,
    };
};

struct MotorKind {
    enum Value : std::uint32_t {
        none = STICTION_MOTOR_KIND_NONE,
        speed = STICTION_MOTOR_KIND_SPEED,
        position = STICTION_MOTOR_KIND_POSITION,
    };
};

struct PointKind {
    enum Value : std::uint32_t {
        feature = STICTION_POINT_KIND_FEATURE,
        proximity = STICTION_POINT_KIND_PROXIMITY,
    };
};

inline constexpr std::uint32_t no_contact = STICTION_NO_CONTACT;
inline constexpr std::size_t alignment = STICTION_ALIGNMENT;

using Capacity = StictionCapacity;

// --------------------------------------------------------------------------------------------------------- the C interface

// The types and functions of one precision: Api<float> and Api<double>. Functions are addresses known at compile time,
// so a call through them is a direct call, and only those that are called are linked.
template <class T>
struct Api;

#define STICTION_HPP_API(REAL, LOWER, UPPER)                                                \
    template <>                                                                             \
    struct Api<REAL> {                                                                      \
        using Settings = StictionSettings##UPPER;                                           \
        using StepSettings = StictionStepSettings##UPPER;                                   \
        using RigidBody = StictionRigidBody##UPPER;                                         \
        using InputError = StictionInputError##UPPER;                                             \
        using View = StictionView##UPPER;                                                   \
        using ViewMut = StictionViewMut##UPPER;                                             \
        using Bodies = StictionBodies##UPPER;                                               \
        using Contacts = StictionContacts##UPPER;                                           \
        using Answer = StictionAnswer##UPPER;                                               \
        using Hooks = StictionHooks##UPPER;                                                 \
        using Report = StictionReport##UPPER;                                               \
        using FrictionWork = StictionFrictionWork##UPPER;                                   \
        using States = StictionStates##UPPER;                                               \
        using Surface = StictionSurface##UPPER;                                             \
        using Joint = StictionJoint##UPPER;                                                 \
        using JointState = StictionJointState##UPPER;                                       \
        using JointWork = StictionJointWork##UPPER;                                         \
        using ManifoldPoint = StictionManifoldPoint##UPPER;                                 \
        using Manifold = StictionManifold##UPPER;                                           \
        using StepReport = StictionStepReport##UPPER;                                       \
        using ContactRecord = StictionContactRecord##UPPER;                                 \
        using DelassusProblem = StictionDelassusProblem##UPPER;                             \
        using DelassusAnswer = StictionDelassusAnswer##UPPER;                               \
        using DelassusReport = StictionDelassusReport##UPPER;                               \
        using Solver = StictionSolver##UPPER;                                               \
        using SolverKind = StictionSolverKind##UPPER;                                       \
        using Pipeline = StictionPipeline##UPPER;                                           \
        using PipelineKind = StictionPipelineKind##UPPER;                                   \
        using DirectMemoryKind = StictionDirectMemoryKind##UPPER;                                           \
        using DelassusSolverKind = StictionDelassusSolverKind##UPPER;                             \
        using DelassusSolver = StictionDelassusSolver##UPPER;                               \
        using DirectMemory = StictionDirectMemory##UPPER;                                                   \
        using Lanes = StictionLanes##UPPER;                                                                 \
        using ContactCollector = StictionContactCollector##UPPER;                                           \
        using Detect = StictionDetect##UPPER;                                                   \
                                                                                            \
        static constexpr auto settings = &stiction_##LOWER##_settings;                      \
        static constexpr auto step_settings = &stiction_##LOWER##_step_settings;            \
        static constexpr auto step_settings_for_length = &stiction_##LOWER##_step_settings_for_length; \
        static constexpr auto fixed_body = &stiction_##LOWER##_fixed_body;                  \
        static constexpr auto body_from_mass = &stiction_##LOWER##_body_from_mass;          \
        static constexpr auto error_text = &stiction_##LOWER##_error_text;              \
                                                                                            \
        static constexpr auto solver_size = &stiction_##LOWER##_solver_size;                \
        static constexpr auto solver_init = &stiction_##LOWER##_solver_init;                \
        static constexpr auto solver_kind_8_16 = &stiction_##LOWER##_solver_kind_8_16;      \
        static constexpr auto solver_kind_16_64 = &stiction_##LOWER##_solver_kind_16_64;    \
        static constexpr auto solver_kind_64_256 = &stiction_##LOWER##_solver_kind_64_256;  \
        static constexpr auto solver_kind_256_1024 = &stiction_##LOWER##_solver_kind_256_1024;         \
        static constexpr auto solver_kind_1024_4096 = &stiction_##LOWER##_solver_kind_1024_4096;       \
        static constexpr auto solver_kind_4096_16384 = &stiction_##LOWER##_solver_kind_4096_16384;     \
        static constexpr auto solver_kind_size = &stiction_##LOWER##_solver_kind_size;      \
        static constexpr auto solver_init_kind = &stiction_##LOWER##_solver_init_kind;      \
        static constexpr auto solver_capacity = &stiction_##LOWER##_solver_capacity;        \
        static constexpr auto validate = &stiction_##LOWER##_validate;                            \
        static constexpr auto solve = &stiction_##LOWER##_solve;                            \
        static constexpr auto solver_wrench = &stiction_##LOWER##_solver_wrench;            \
        static constexpr auto solver_size_with_moments = &stiction_##LOWER##_solver_size_with_moments;      \
        static constexpr auto solver_init_with_moments = &stiction_##LOWER##_solver_init_with_moments;      \
        static constexpr auto solver_kind_8_16_with_moments = &stiction_##LOWER##_solver_kind_8_16_with_moments; \
        static constexpr auto solver_kind_16_64_with_moments = &stiction_##LOWER##_solver_kind_16_64_with_moments; \
        static constexpr auto solver_kind_64_256_with_moments = &stiction_##LOWER##_solver_kind_64_256_with_moments; \
        static constexpr auto solver_kind_256_1024_with_moments = &stiction_##LOWER##_solver_kind_256_1024_with_moments; \
        static constexpr auto solver_kind_1024_4096_with_moments = &stiction_##LOWER##_solver_kind_1024_4096_with_moments; \
        static constexpr auto solver_kind_4096_16384_with_moments = &stiction_##LOWER##_solver_kind_4096_16384_with_moments; \
        static constexpr auto solver_friction_work = &stiction_##LOWER##_solver_friction_work;              \
                                                                                            \
        static constexpr auto direct_memory_size = &stiction_##LOWER##_direct_memory_size;                    \
        static constexpr auto direct_memory_init = &stiction_##LOWER##_direct_memory_init;                    \
        static constexpr auto lanes_size = &stiction_##LOWER##_lanes_size;                                    \
        static constexpr auto lanes_init = &stiction_##LOWER##_lanes_init;                                    \
        static constexpr auto direct_memory_kind_16 = &stiction_##LOWER##_direct_memory_kind_16;              \
        static constexpr auto direct_memory_kind_64 = &stiction_##LOWER##_direct_memory_kind_64;              \
        static constexpr auto direct_memory_kind_512 = &stiction_##LOWER##_direct_memory_kind_512;            \
        static constexpr auto direct_memory_kind_1024 = &stiction_##LOWER##_direct_memory_kind_1024;          \
        static constexpr auto direct_memory_kind_8192 = &stiction_##LOWER##_direct_memory_kind_8192;          \
        static constexpr auto direct_memory_kind_size = &stiction_##LOWER##_direct_memory_kind_size;          \
        static constexpr auto direct_memory_init_kind = &stiction_##LOWER##_direct_memory_init_kind;          \
                                                                                            \
        static constexpr auto pipeline_size = &stiction_##LOWER##_pipeline_size;            \
        static constexpr auto pipeline_init = &stiction_##LOWER##_pipeline_init;            \
        static constexpr auto pipeline_kind_8_16 = &stiction_##LOWER##_pipeline_kind_8_16;  \
        static constexpr auto pipeline_kind_16_64 = &stiction_##LOWER##_pipeline_kind_16_64;           \
        static constexpr auto pipeline_kind_64_256 = &stiction_##LOWER##_pipeline_kind_64_256;         \
        static constexpr auto pipeline_kind_256_1024 = &stiction_##LOWER##_pipeline_kind_256_1024;     \
        static constexpr auto pipeline_kind_1024_4096 = &stiction_##LOWER##_pipeline_kind_1024_4096;   \
        static constexpr auto pipeline_kind_4096_16384 = &stiction_##LOWER##_pipeline_kind_4096_16384; \
        static constexpr auto pipeline_kind_size = &stiction_##LOWER##_pipeline_kind_size;  \
        static constexpr auto pipeline_init_kind = &stiction_##LOWER##_pipeline_init_kind;  \
        static constexpr auto pipeline_capacity = &stiction_##LOWER##_pipeline_capacity;    \
        static constexpr auto pipeline_settings = &stiction_##LOWER##_pipeline_settings;    \
        static constexpr auto pipeline_set_settings = &stiction_##LOWER##_pipeline_set_settings;       \
        static constexpr auto add_body = &stiction_##LOWER##_add_body;                      \
        static constexpr auto body = &stiction_##LOWER##_body;                              \
        static constexpr auto set_body = &stiction_##LOWER##_set_body;                      \
        static constexpr auto set_load = &stiction_##LOWER##_set_load;                      \
        static constexpr auto body_count = &stiction_##LOWER##_body_count;                  \
        static constexpr auto clear_bodies = &stiction_##LOWER##_clear_bodies;              \
        static constexpr auto states = &stiction_##LOWER##_states;                          \
        static constexpr auto step_manifolds = &stiction_##LOWER##_step_manifolds;                              \
        static constexpr auto step = &stiction_##LOWER##_step;                    \
        static constexpr auto collect = &stiction_##LOWER##_collect;                            \
        static constexpr auto collector_body = &stiction_##LOWER##_collector_body;            \
        static constexpr auto contact_count = &stiction_##LOWER##_contact_count;            \
        static constexpr auto contact = &stiction_##LOWER##_contact;                        \
        static constexpr auto pipeline_wrench = &stiction_##LOWER##_pipeline_wrench;        \
        static constexpr auto cache_size = &stiction_##LOWER##_cache_size;                  \
        static constexpr auto cache_save = &stiction_##LOWER##_cache_save;                  \
        static constexpr auto cache_restore = &stiction_##LOWER##_cache_restore;            \
        static constexpr auto cache_clear = &stiction_##LOWER##_cache_clear;                \
        static constexpr auto pipeline_size_with_moments = &stiction_##LOWER##_pipeline_size_with_moments; \
        static constexpr auto pipeline_init_with_moments = &stiction_##LOWER##_pipeline_init_with_moments; \
        static constexpr auto pipeline_kind_8_16_with_moments = &stiction_##LOWER##_pipeline_kind_8_16_with_moments; \
        static constexpr auto pipeline_kind_16_64_with_moments = &stiction_##LOWER##_pipeline_kind_16_64_with_moments; \
        static constexpr auto pipeline_kind_64_256_with_moments = &stiction_##LOWER##_pipeline_kind_64_256_with_moments; \
        static constexpr auto pipeline_kind_256_1024_with_moments = &stiction_##LOWER##_pipeline_kind_256_1024_with_moments; \
        static constexpr auto pipeline_kind_1024_4096_with_moments = &stiction_##LOWER##_pipeline_kind_1024_4096_with_moments; \
        static constexpr auto pipeline_kind_4096_16384_with_moments = &stiction_##LOWER##_pipeline_kind_4096_16384_with_moments; \
        static constexpr auto set_surface = &stiction_##LOWER##_set_surface; \
        static constexpr auto surface = &stiction_##LOWER##_surface; \
        static constexpr auto collect_on = &stiction_##LOWER##_collect_on; \
        static constexpr auto contact_moment = &stiction_##LOWER##_contact_moment; \
        static constexpr auto pipeline_friction_work = &stiction_##LOWER##_pipeline_friction_work; \
        static constexpr auto pipeline_size_with_joints = &stiction_##LOWER##_pipeline_size_with_joints; \
        static constexpr auto pipeline_init_with_joints = &stiction_##LOWER##_pipeline_init_with_joints; \
        static constexpr auto pipeline_kind_8_16_with_joints = &stiction_##LOWER##_pipeline_kind_8_16_with_joints; \
        static constexpr auto pipeline_kind_16_64_with_joints = &stiction_##LOWER##_pipeline_kind_16_64_with_joints; \
        static constexpr auto pipeline_kind_64_256_with_joints = &stiction_##LOWER##_pipeline_kind_64_256_with_joints; \
        static constexpr auto pipeline_kind_256_1024_with_joints = &stiction_##LOWER##_pipeline_kind_256_1024_with_joints; \
        static constexpr auto pipeline_kind_1024_4096_with_joints = &stiction_##LOWER##_pipeline_kind_1024_4096_with_joints; \
        static constexpr auto pipeline_kind_4096_16384_with_joints = &stiction_##LOWER##_pipeline_kind_4096_16384_with_joints; \
        static constexpr auto joint_between = &stiction_##LOWER##_joint_between; \
        static constexpr auto add_joint = &stiction_##LOWER##_add_joint; \
        static constexpr auto set_joint = &stiction_##LOWER##_set_joint; \
        static constexpr auto joint = &stiction_##LOWER##_joint; \
        static constexpr auto joint_count = &stiction_##LOWER##_joint_count; \
        static constexpr auto clear_joints = &stiction_##LOWER##_clear_joints; \
        static constexpr auto joint_state = &stiction_##LOWER##_joint_state; \
        static constexpr auto joint_work = &stiction_##LOWER##_joint_work; \
                                                                                            \
        static constexpr auto delassus_solver_size = &stiction_##LOWER##_delassus_solver_size;            \
        static constexpr auto delassus_solver_init = &stiction_##LOWER##_delassus_solver_init;            \
        static constexpr auto delassus_solver_kind_16 = &stiction_##LOWER##_delassus_solver_kind_16;      \
        static constexpr auto delassus_solver_kind_128 = &stiction_##LOWER##_delassus_solver_kind_128;    \
        static constexpr auto delassus_solver_kind_1024 = &stiction_##LOWER##_delassus_solver_kind_1024;  \
        static constexpr auto delassus_solver_kind_8192 = &stiction_##LOWER##_delassus_solver_kind_8192;  \
        static constexpr auto delassus_solver_kind_size = &stiction_##LOWER##_delassus_solver_kind_size;  \
        static constexpr auto delassus_solver_init_kind = &stiction_##LOWER##_delassus_solver_init_kind;  \
        static constexpr auto delassus_solver_size_with_moments = &stiction_##LOWER##_delassus_solver_size_with_moments; \
        static constexpr auto delassus_solver_init_with_moments = &stiction_##LOWER##_delassus_solver_init_with_moments; \
        static constexpr auto delassus_solver_kind_16_with_moments = &stiction_##LOWER##_delassus_solver_kind_16_with_moments; \
        static constexpr auto delassus_solver_kind_128_with_moments = &stiction_##LOWER##_delassus_solver_kind_128_with_moments; \
        static constexpr auto delassus_solver_kind_1024_with_moments = &stiction_##LOWER##_delassus_solver_kind_1024_with_moments; \
        static constexpr auto delassus_solver_kind_8192_with_moments = &stiction_##LOWER##_delassus_solver_kind_8192_with_moments; \
        static constexpr auto delassus_solve = &stiction_##LOWER##_delassus_solve;          \
    }

STICTION_HPP_API(float, f32, F32);
STICTION_HPP_API(double, f64, F64);
#undef STICTION_HPP_API

template <class T> using Settings = typename Api<T>::Settings;
template <class T> using StepSettings = typename Api<T>::StepSettings;
template <class T> using RigidBody = typename Api<T>::RigidBody;
template <class T> using InputError = typename Api<T>::InputError;
template <class T> using Bodies = typename Api<T>::Bodies;
template <class T> using Contacts = typename Api<T>::Contacts;
template <class T> using Answer = typename Api<T>::Answer;
template <class T> using Hooks = typename Api<T>::Hooks;
template <class T> using Report = typename Api<T>::Report;
template <class T> using FrictionWork = typename Api<T>::FrictionWork;
template <class T> using States = typename Api<T>::States;
template <class T> using Surface = typename Api<T>::Surface;
template <class T> using Joint = typename Api<T>::Joint;
template <class T> using JointState = typename Api<T>::JointState;
template <class T> using JointWork = typename Api<T>::JointWork;
template <class T> using ManifoldPoint = typename Api<T>::ManifoldPoint;
template <class T> using Manifold = typename Api<T>::Manifold;
template <class T> using StepReport = typename Api<T>::StepReport;
template <class T> using ContactRecord = typename Api<T>::ContactRecord;
template <class T> using DelassusProblem = typename Api<T>::DelassusProblem;
template <class T> using DelassusAnswer = typename Api<T>::DelassusAnswer;
template <class T> using DelassusReport = typename Api<T>::DelassusReport;

// Default settings.
template <class T>
[[nodiscard]] Settings<T> settings() noexcept { return Api<T>::settings(); }

// Default settings of a step.
template <class T>
[[nodiscard]] StepSettings<T> step_settings() noexcept { return Api<T>::step_settings(); }

// The same for bodies whose smallest extent is `length` metres: slop, margin and the cells of the contact cache are
// fractions of it.
template <class T>
[[nodiscard]] StepSettings<T> step_settings_for_length(T length) noexcept { return Api<T>::step_settings_for_length(length); }

// A default body: it cannot move, is at the origin, and has no friction.
template <class T>
[[nodiscard]] RigidBody<T> fixed_body() noexcept { return Api<T>::fixed_body(); }

// A body with mass, kg, and inertia about its centre of mass in body axes, kg m^2, at rest at the origin, without
// friction. An inertia that has no inverse gives an inverse inertia of NaN, which is rejected when the body is used.
template <class T>
[[nodiscard]] RigidBody<T> body_from_mass(T mass, const T (&inertia)[9]) noexcept { return Api<T>::body_from_mass(mass, inertia); }

// Version of the library, as in "0.1.0".
[[nodiscard]] inline const char *version() noexcept { return stiction_version(); }

// Whether the linked library matches stiction.h.
[[nodiscard]] inline bool abi_matches() noexcept { return stiction_abi() == STICTION_ABI; }

// The message of an error; never null.
[[nodiscard]] inline const char *text(Error error) noexcept { return stiction_error_text(static_cast<std::uint32_t>(error)); }

// ------------------------------------------------------------------------------------------------------------------- spans

namespace detail {

template <class T>
using Bare = std::remove_cv_t<std::remove_reference_t<T>>;

// The elements of a range, with their constness: arrays, and types with data() and size().
template <class E, std::size_t N>
constexpr E *first_of(E (&array)[N]) noexcept { return array; }
template <class Range>
constexpr auto first_of(Range &range) noexcept -> decltype(range.data()) { return range.data(); }
template <class E, std::size_t N>
constexpr std::size_t count_of(E (&)[N]) noexcept { return N; }
template <class Range>
constexpr auto count_of(Range &range) noexcept -> decltype(static_cast<std::size_t>(range.size())) {
    return static_cast<std::size_t>(range.size());
}

template <class Range>
using ElementOf = std::remove_pointer_t<decltype(first_of(std::declval<Range &>()))>;

// Whether the elements of a range can be used as T: constness may be added, but a derived class is not accepted as its
// base class, since their sizes differ.
template <class Range, class T, class = void>
struct Gives : std::false_type {};
template <class Range, class T>
struct Gives<Range, T, std::void_t<ElementOf<Range>, decltype(count_of(std::declval<Range &>()))>>
    : std::is_convertible<ElementOf<Range> (*)[], T (*)[]> {};

}  // namespace detail

// Contiguous elements in memory that it does not own. Constructed from arrays, std::array, std::vector, std::span and
// the like.
template <class T>
class Span {
 public:
    constexpr Span() noexcept = default;
    constexpr Span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}

    template <class Range, class = std::enable_if_t<!std::is_same_v<detail::Bare<Range>, Span> &&
                                                    detail::Gives<std::remove_reference_t<Range>, T>::value>>
    constexpr Span(Range &&range) noexcept : data_(detail::first_of(range)), size_(detail::count_of(range)) {}

    [[nodiscard]] constexpr T *data() const noexcept { return data_; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] constexpr T *begin() const noexcept { return data_; }
    [[nodiscard]] constexpr T *end() const noexcept { return data_ + size_; }
    [[nodiscard]] constexpr T &operator[](std::size_t index) const noexcept { return data_[index]; }

 private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

// Memory for an object, with the required alignment. `Solver<T>::size` and the like return the number of bytes needed.
template <std::size_t Bytes>
struct alignas(STICTION_ALIGNMENT) Memory {
    std::byte bytes[Bytes];

    [[nodiscard]] constexpr std::byte *data() noexcept { return bytes; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return Bytes; }
};

// Writes an error as a zero-terminated line, truncated to fit. Returns the length of the full line without that zero.
inline std::size_t text(const InputError<float> &input_error, Span<char> out) noexcept {
    return Api<float>::error_text(&input_error, out.data(), out.size());
}
inline std::size_t text(const InputError<double> &input_error, Span<char> out) noexcept {
    return Api<double>::error_text(&input_error, out.data(), out.size());
}

// ------------------------------------------------------------------------------------------------------------------- views

// The scalar type of a vector type. Known for numbers, arrays, types with a `value_type` or `Scalar`, and structs with
// a member `x`. For other types specialise it, or name the scalar in the call: view<float>(bodies, &Body::velocity).
template <class V, class = void>
struct NumberOf {
    static_assert(sizeof(V) == 0, "name the number: view<float>(range, &Struct::member), or specialise stiction::NumberOf");
};

namespace detail {

template <class V, class = void>
struct HasValueType : std::false_type {};
template <class V>
struct HasValueType<V, std::void_t<typename V::value_type>> : std::true_type {};
template <class V, class = void>
struct HasScalar : std::false_type {};
template <class V>
struct HasScalar<V, std::void_t<typename V::Scalar>> : std::true_type {};

}  // namespace detail

template <class V>
struct NumberOf<V, std::enable_if_t<std::is_arithmetic_v<V>>> { using Type = V; };
template <class V, std::size_t N>
struct NumberOf<V[N], void> : NumberOf<V> {};
template <class V>
struct NumberOf<V, std::enable_if_t<detail::HasValueType<V>::value>> : NumberOf<typename V::value_type> {};
template <class V>
struct NumberOf<V, std::enable_if_t<!detail::HasValueType<V>::value && detail::HasScalar<V>::value>>
    : NumberOf<typename V::Scalar> {};
template <class V>
struct NumberOf<V, std::enable_if_t<!detail::HasValueType<V>::value && !detail::HasScalar<V>::value &&
                                    std::is_arithmetic_v<decltype(V::x)>>> : NumberOf<decltype(V::x)> {};

namespace detail {

// View types by scalar type. Signed indices are accepted, too: a negative one is rejected as a body that does not
// exist.
template <class N>
struct ViewsOf {
    static_assert(sizeof(N) == 0, "views are of float, double, uint32_t or int32_t");
};
template <>
struct ViewsOf<float> {
    using Number = float;
    using View = StictionViewF32;
    using ViewMut = StictionViewMutF32;
};
template <>
struct ViewsOf<double> {
    using Number = double;
    using View = StictionViewF64;
    using ViewMut = StictionViewMutF64;
};
template <>
struct ViewsOf<std::uint32_t> {
    using Number = std::uint32_t;
    using View = StictionViewU32;
    using ViewMut = StictionViewMutU32;
};
template <>
struct ViewsOf<std::int32_t> : ViewsOf<std::uint32_t> {};

// The scalar type of a member: the named one, or the one deduced from its type.
template <class Named, class Member>
struct Chosen : ViewsOf<Named> {};
template <class Member>
struct Chosen<void, Member> : ViewsOf<typename NumberOf<std::remove_cv_t<Member>>::Type> {};

// The first number of a member. The member's type must store its numbers contiguously.
template <class Number, class Member>
auto number_at(Member *member) noexcept {
    using To = std::conditional_t<std::is_const_v<Member>, const Number, Number>;
    static_assert(std::is_standard_layout_v<Member>, "a view needs a member of standard layout");
    static_assert(sizeof(Member) % sizeof(Number) == 0, "the member is not made of this number");
    return reinterpret_cast<To *>(member);
}

}  // namespace detail

// A view, for reading, of a member in an array of your structs: view(bodies, &Body::velocity).
template <class Named = void, class Range, class Struct, class Member>
[[nodiscard]] auto view(Range &&range, Member Struct::*member) noexcept {
    using Choice = detail::Chosen<Named, Member>;
    using Element = detail::ElementOf<std::remove_reference_t<Range>>;
    typename Choice::View view = {nullptr, sizeof(Element)};
    if (detail::count_of(range) > 0) {
        view.data = detail::number_at<typename Choice::Number>(&(detail::first_of(range)->*member));
    }
    return view;
}

// A view, for writing, of a member in an array of your structs.
template <class Named = void, class Range, class Struct, class Member>
[[nodiscard]] auto view_mut(Range &&range, Member Struct::*member) noexcept {
    using Choice = detail::Chosen<Named, Member>;
    using Element = detail::ElementOf<std::remove_reference_t<Range>>;
    typename Choice::ViewMut view = {nullptr, sizeof(Element)};
    if (detail::count_of(range) > 0) {
        view.data = detail::number_at<typename Choice::Number>(&(detail::first_of(range)->*member));
    }
    return view;
}

// A view, for reading, of an array of numbers or vectors: view(inverse_masses).
template <class Named = void, class Range>
[[nodiscard]] auto view(Range &&range) noexcept {
    using Element = detail::ElementOf<std::remove_reference_t<Range>>;
    using Choice = detail::Chosen<Named, Element>;
    return typename Choice::View{detail::number_at<typename Choice::Number>(detail::first_of(range)), sizeof(Element)};
}

// A view, for writing, of an array of numbers or vectors.
template <class Named = void, class Range>
[[nodiscard]] auto view_mut(Range &&range) noexcept {
    using Element = detail::ElementOf<std::remove_reference_t<Range>>;
    using Choice = detail::Chosen<Named, Element>;
    return typename Choice::ViewMut{detail::number_at<typename Choice::Number>(detail::first_of(range)), sizeof(Element)};
}

// A view in which all elements are the same number or vector. It must outlive the call, so temporaries are not
// accepted.
template <class Named = void, class Value>
[[nodiscard]] auto same(const Value &value) noexcept {
    using Choice = detail::Chosen<Named, Value>;
    return typename Choice::View{detail::number_at<typename Choice::Number>(&value), 0};
}
template <class Named = void, class Value>
auto same(const Value &&value) = delete;

// ------------------------------------------------------------------------------------------------------------------- hooks

// Hooks that call your functions: a stop callback, `bool()`, and a recorder, `void(Span<const std::uint8_t>)`. The
// functions and these hooks are stored by address, so both must outlive the call. The fields are those of the C struct:
// provide memory for direct methods by `hooks.direct = memory.handle()`, and memory for lanes by
// `hooks.lanes = lanes.handle()`.
template <class T, class ShouldStop, class Record>
class Calls : public Hooks<T> {
 public:
    Calls(ShouldStop *asked, Record *recorder) noexcept : Hooks<T>{}, should_stop_(asked), record_(recorder) {
        this->user = this;
        if constexpr (!std::is_void_v<ShouldStop>) this->should_stop = &ask;
        if constexpr (!std::is_void_v<Record>) this->record = &pass_on;
    }
    Calls(const Calls &) = delete;
    Calls &operator=(const Calls &) = delete;

 private:
    static bool ask(void *user) noexcept {
        if constexpr (std::is_void_v<ShouldStop>) return user == nullptr;
        else return static_cast<bool>((*static_cast<Calls *>(user)->should_stop_)());
    }
    static void pass_on(void *user, const std::uint8_t *bytes, std::size_t count) noexcept {
        if constexpr (!std::is_void_v<Record>) (*static_cast<Calls *>(user)->record_)(Span<const std::uint8_t>(bytes, count));
    }

    ShouldStop *should_stop_;
    Record *record_;
};

// Hooks that call `should_stop` repeatedly during a solve.
template <class T, class ShouldStop>
[[nodiscard]] auto stop_when(ShouldStop &should_stop) noexcept {
    return Calls<T, ShouldStop, void>(&should_stop, nullptr);
}

// Hooks that pass the bytes of a recording to `record`.
template <class T, class Record>
[[nodiscard]] auto record_to(Record &record) noexcept {
    return Calls<T, void, Record>(nullptr, &record);
}

// Hooks that do both.
template <class T, class ShouldStop, class Record>
[[nodiscard]] auto stop_and_record(ShouldStop &should_stop, Record &record) noexcept {
    return Calls<T, ShouldStop, Record>(&should_stop, &record);
}

// ----------------------------------------------------------------------------------------------------------------- objects

namespace detail {

inline Error made(StictionError error) noexcept { return static_cast<Error>(error); }

constexpr bool fits(std::size_t bodies, std::size_t contacts, std::size_t most_bodies, std::size_t most_contacts) noexcept {
    return bodies <= most_bodies && contacts <= most_contacts;
}

}  // namespace detail

// Memory for direct methods, for islands on which sweeps converge slowly.
template <class T>
class DirectMemory {
 public:
    using Handle = typename Api<T>::DirectMemory;
    using Kind = typename Api<T>::DirectMemoryKind;

    DirectMemory() noexcept = default;
    explicit DirectMemory(Handle *handle) noexcept : handle_(handle) {}

    // Bytes for islands of this many contacts; 0 if none is large enough.
    [[nodiscard]] static std::size_t size(std::size_t contacts) noexcept { return Api<T>::direct_memory_size(contacts); }

    // The smallest kind with this capacity, chosen at compile time: no other one is linked.
    template <std::size_t Contacts>
    [[nodiscard]] static const Kind *kind() noexcept {
        static_assert(Contacts <= 8192, "no capacity is large enough");
        if constexpr (Contacts <= 16) return Api<T>::direct_memory_kind_16();
        else if constexpr (Contacts <= 64) return Api<T>::direct_memory_kind_64();
        else if constexpr (Contacts <= 512) return Api<T>::direct_memory_kind_512();
        else if constexpr (Contacts <= 1024) return Api<T>::direct_memory_kind_1024();
        else return Api<T>::direct_memory_kind_8192();
    }
    [[nodiscard]] static std::size_t size(const Kind *kind) noexcept { return Api<T>::direct_memory_kind_size(kind); }
    Error init(const Kind *kind, Span<std::byte> memory) noexcept {
        return detail::made(Api<T>::direct_memory_init_kind(kind, memory.data(), memory.size(), &handle_));
    }

    Error init(Span<std::byte> memory, std::size_t contacts) noexcept {
        return detail::made(Api<T>::direct_memory_init(memory.data(), memory.size(), contacts, &handle_));
    }

    [[nodiscard]] Handle *handle() const noexcept { return handle_; }

 private:
    Handle *handle_ = nullptr;
};

// Memory for sweeps over several contacts at once. Solves have the same bits with and without it.
template <class T>
class Lanes {
 public:
    using Handle = typename Api<T>::Lanes;

    Lanes() noexcept = default;
    explicit Lanes(Handle *handle) noexcept : handle_(handle) {}

    // Bytes for this many bodies of the whole problem or world, and contacts of the largest island; 0 if none is large
    // enough, and on processors without lanes.
    [[nodiscard]] static std::size_t size(std::size_t bodies, std::size_t contacts) noexcept {
        return Api<T>::lanes_size(bodies, contacts);
    }

    Error init(Span<std::byte> memory, std::size_t bodies, std::size_t contacts) noexcept {
        return detail::made(Api<T>::lanes_init(memory.data(), memory.size(), bodies, contacts, &handle_));
    }

    [[nodiscard]] Handle *handle() const noexcept { return handle_; }

 private:
    Handle *handle_ = nullptr;
};

// A solver for bodies and contacts in your own memory.
template <class T>
class Solver {
 public:
    using Handle = typename Api<T>::Solver;
    using Kind = typename Api<T>::SolverKind;

    Solver() noexcept = default;
    explicit Solver(Handle *handle) noexcept : handle_(handle) {}

    // Bytes for this many bodies and contacts; 0 if none is large enough. Links all compiled capacities.
    [[nodiscard]] static std::size_t size(std::size_t bodies, std::size_t contacts) noexcept {
        return Api<T>::solver_size(bodies, contacts);
    }
    [[nodiscard]] static std::size_t size(const Kind *kind) noexcept { return Api<T>::solver_kind_size(kind); }

    // The smallest kind with this capacity, chosen at compile time: no other one is linked.
    template <std::size_t Bodies, std::size_t Contacts>
    [[nodiscard]] static const Kind *kind() noexcept {
        static_assert(detail::fits(Bodies, Contacts, 4096, 16384), "no capacity is large enough");
        if constexpr (detail::fits(Bodies, Contacts, 8, 16)) return Api<T>::solver_kind_8_16();
        else if constexpr (detail::fits(Bodies, Contacts, 16, 64)) return Api<T>::solver_kind_16_64();
        else if constexpr (detail::fits(Bodies, Contacts, 64, 256)) return Api<T>::solver_kind_64_256();
        else if constexpr (detail::fits(Bodies, Contacts, 256, 1024)) return Api<T>::solver_kind_256_1024();
        else if constexpr (detail::fits(Bodies, Contacts, 1024, 4096)) return Api<T>::solver_kind_1024_4096();
        else return Api<T>::solver_kind_4096_16384();
    }

    Error init(Span<std::byte> memory, std::size_t bodies, std::size_t contacts) noexcept {
        return detail::made(Api<T>::solver_init(memory.data(), memory.size(), bodies, contacts, &handle_));
    }
    Error init(const Kind *kind, Span<std::byte> memory) noexcept {
        return detail::made(Api<T>::solver_init_kind(kind, memory.data(), memory.size(), &handle_));
    }

    // The same for a solver with moments: contacts may also have torsion, rolling friction, or friction that depends on
    // the direction. A contact with torsion or rolling takes two places.
    [[nodiscard]] static std::size_t size_with_moments(std::size_t bodies, std::size_t contacts) noexcept {
        return Api<T>::solver_size_with_moments(bodies, contacts);
    }
    template <std::size_t Bodies, std::size_t Contacts>
    [[nodiscard]] static const Kind *kind_with_moments() noexcept {
        static_assert(detail::fits(Bodies, Contacts, 4096, 16384), "no capacity is large enough");
        if constexpr (detail::fits(Bodies, Contacts, 8, 16)) return Api<T>::solver_kind_8_16_with_moments();
        else if constexpr (detail::fits(Bodies, Contacts, 16, 64)) return Api<T>::solver_kind_16_64_with_moments();
        else if constexpr (detail::fits(Bodies, Contacts, 64, 256)) return Api<T>::solver_kind_64_256_with_moments();
        else if constexpr (detail::fits(Bodies, Contacts, 256, 1024)) return Api<T>::solver_kind_256_1024_with_moments();
        else if constexpr (detail::fits(Bodies, Contacts, 1024, 4096)) return Api<T>::solver_kind_1024_4096_with_moments();
        else return Api<T>::solver_kind_4096_16384_with_moments();
    }
    Error init_with_moments(Span<std::byte> memory, std::size_t bodies, std::size_t contacts) noexcept {
        return detail::made(Api<T>::solver_init_with_moments(memory.data(), memory.size(), bodies, contacts, &handle_));
    }

    Error capacity(Capacity &capacity) const noexcept { return detail::made(Api<T>::solver_capacity(handle_, &capacity)); }

    // Rejects the input that `solve` would reject, but does not solve.
    Error validate(const Bodies<T> &bodies, const Contacts<T> &contacts, const Settings<T> &settings, T dt,
                   InputError<T> *input_error = nullptr) noexcept {
        return detail::made(Api<T>::validate(handle_, &bodies, &contacts, &settings, dt, input_error));
    }

    // Solves the contacts of a step of `dt` seconds and writes the bodies' new velocities.
    Error solve(const Bodies<T> &bodies, const Contacts<T> &contacts, const Settings<T> &settings, T dt,
                const Answer<T> *answer = nullptr, const Hooks<T> *hooks = nullptr, Report<T> *report = nullptr,
                InputError<T> *input_error = nullptr) noexcept {
        return detail::made(Api<T>::solve(handle_, &bodies, &contacts, &settings, dt, answer, hooks, report, input_error));
    }

    // Mean force (N) and torque (N m) of all contacts on a body over the last solved step. Either may be null.
    Error wrench(std::size_t body, T *force, T *torque = nullptr) const noexcept {
        return detail::made(Api<T>::solver_wrench(handle_, body, force, torque));
    }

    // Work of friction in the last solve by what it resists, J. Needs a solver with moments.
    Error friction_work(FrictionWork<T> &work) const noexcept {
        return detail::made(Api<T>::solver_friction_work(handle_, &work));
    }

    [[nodiscard]] Handle *handle() const noexcept { return handle_; }

 private:
    Handle *handle_ = nullptr;
};

// Collects the manifolds of a substep; valid only while the detector runs.
template <class T>
class ContactCollector {
 public:
    using Handle = typename Api<T>::ContactCollector;

    explicit ContactCollector(Handle *handle) noexcept : handle_(handle) {}

    // Adds a manifold. An invalid manifold is not added, and the step is rejected.
    Error collect(const Manifold<T> &manifold, InputError<T> *input_error = nullptr) noexcept {
        return detail::made(Api<T>::collect(handle_, &manifold, input_error));
    }

    // The same with friction beyond sliding of its own instead of that of its bodies. Needs a pipeline with moments.
    Error collect_on(const Manifold<T> &manifold, const Surface<T> &surface, InputError<T> *input_error = nullptr) noexcept {
        return detail::made(Api<T>::collect_on(handle_, &manifold, &surface, input_error));
    }

    // The state of a body in the current substep.
    Error body(std::size_t index, RigidBody<T> &body) const noexcept {
        return detail::made(Api<T>::collector_body(handle_, index, &body));
    }

    [[nodiscard]] Handle *handle() const noexcept { return handle_; }

 private:
    Handle *handle_;
};

// A world of bodies, moved by steps.
template <class T>
class Pipeline {
 public:
    using Handle = typename Api<T>::Pipeline;
    using Kind = typename Api<T>::PipelineKind;

    Pipeline() noexcept = default;
    explicit Pipeline(Handle *handle) noexcept : handle_(handle) {}

    // Bytes for this many bodies and contacts; 0 if none is large enough. Links all compiled capacities.
    [[nodiscard]] static std::size_t size(std::size_t bodies, std::size_t contacts) noexcept {
        return Api<T>::pipeline_size(bodies, contacts);
    }
    [[nodiscard]] static std::size_t size(const Kind *kind) noexcept { return Api<T>::pipeline_kind_size(kind); }

    // The smallest kind with this capacity, chosen at compile time: no other one is linked.
    template <std::size_t Bodies, std::size_t Contacts>
    [[nodiscard]] static const Kind *kind() noexcept {
        static_assert(detail::fits(Bodies, Contacts, 4096, 16384), "no capacity is large enough");
        if constexpr (detail::fits(Bodies, Contacts, 8, 16)) return Api<T>::pipeline_kind_8_16();
        else if constexpr (detail::fits(Bodies, Contacts, 16, 64)) return Api<T>::pipeline_kind_16_64();
        else if constexpr (detail::fits(Bodies, Contacts, 64, 256)) return Api<T>::pipeline_kind_64_256();
        else if constexpr (detail::fits(Bodies, Contacts, 256, 1024)) return Api<T>::pipeline_kind_256_1024();
        else if constexpr (detail::fits(Bodies, Contacts, 1024, 4096)) return Api<T>::pipeline_kind_1024_4096();
        else return Api<T>::pipeline_kind_4096_16384();
    }

    Error init(Span<std::byte> memory, std::size_t bodies, std::size_t contacts) noexcept {
        return detail::made(Api<T>::pipeline_init(memory.data(), memory.size(), bodies, contacts, &handle_));
    }
    Error init(const Kind *kind, Span<std::byte> memory) noexcept {
        return detail::made(Api<T>::pipeline_init_kind(kind, memory.data(), memory.size(), &handle_));
    }

    // The same for a pipeline with moments: bodies and manifolds may also have torsion, rolling friction, or friction that
    // depends on the direction. A contact with torsion or rolling takes two places.
    [[nodiscard]] static std::size_t size_with_moments(std::size_t bodies, std::size_t contacts) noexcept {
        return Api<T>::pipeline_size_with_moments(bodies, contacts);
    }
    template <std::size_t Bodies, std::size_t Contacts>
    [[nodiscard]] static const Kind *kind_with_moments() noexcept {
        static_assert(detail::fits(Bodies, Contacts, 4096, 16384), "no capacity is large enough");
        if constexpr (detail::fits(Bodies, Contacts, 8, 16)) return Api<T>::pipeline_kind_8_16_with_moments();
        else if constexpr (detail::fits(Bodies, Contacts, 16, 64)) return Api<T>::pipeline_kind_16_64_with_moments();
        else if constexpr (detail::fits(Bodies, Contacts, 64, 256)) return Api<T>::pipeline_kind_64_256_with_moments();
        else if constexpr (detail::fits(Bodies, Contacts, 256, 1024)) return Api<T>::pipeline_kind_256_1024_with_moments();
        else if constexpr (detail::fits(Bodies, Contacts, 1024, 4096)) return Api<T>::pipeline_kind_1024_4096_with_moments();
        else return Api<T>::pipeline_kind_4096_16384_with_moments();
    }
    Error init_with_moments(Span<std::byte> memory, std::size_t bodies, std::size_t contacts) noexcept {
        return detail::made(Api<T>::pipeline_init_with_moments(memory.data(), memory.size(), bodies, contacts, &handle_));
    }

    // The same for a pipeline with joints, as many as bodies. It has moments, too.
    [[nodiscard]] static std::size_t size_with_joints(std::size_t bodies, std::size_t contacts) noexcept {
        return Api<T>::pipeline_size_with_joints(bodies, contacts);
    }
    template <std::size_t Bodies, std::size_t Contacts>
    [[nodiscard]] static const Kind *kind_with_joints() noexcept {
        static_assert(detail::fits(Bodies, Contacts, 4096, 16384), "no capacity is large enough");
        if constexpr (detail::fits(Bodies, Contacts, 8, 16)) return Api<T>::pipeline_kind_8_16_with_joints();
        else if constexpr (detail::fits(Bodies, Contacts, 16, 64)) return Api<T>::pipeline_kind_16_64_with_joints();
        else if constexpr (detail::fits(Bodies, Contacts, 64, 256)) return Api<T>::pipeline_kind_64_256_with_joints();
        else if constexpr (detail::fits(Bodies, Contacts, 256, 1024)) return Api<T>::pipeline_kind_256_1024_with_joints();
        else if constexpr (detail::fits(Bodies, Contacts, 1024, 4096)) return Api<T>::pipeline_kind_1024_4096_with_joints();
        else return Api<T>::pipeline_kind_4096_16384_with_joints();
    }
    Error init_with_joints(Span<std::byte> memory, std::size_t bodies, std::size_t contacts) noexcept {
        return detail::made(Api<T>::pipeline_init_with_joints(memory.data(), memory.size(), bodies, contacts, &handle_));
    }

    Error capacity(Capacity &capacity) const noexcept { return detail::made(Api<T>::pipeline_capacity(handle_, &capacity)); }

    Error settings(StepSettings<T> &settings) const noexcept {
        return detail::made(Api<T>::pipeline_settings(handle_, &settings));
    }
    Error set_settings(const StepSettings<T> &settings, InputError<T> *input_error = nullptr) noexcept {
        return detail::made(Api<T>::pipeline_set_settings(handle_, &settings, input_error));
    }

    // Bodies. `index` may be null.
    Error add_body(const RigidBody<T> &body, std::size_t *index = nullptr, InputError<T> *input_error = nullptr) noexcept {
        return detail::made(Api<T>::add_body(handle_, &body, index, input_error));
    }
    Error body(std::size_t index, RigidBody<T> &body) const noexcept {
        return detail::made(Api<T>::body(handle_, index, &body));
    }
    Error set_body(std::size_t index, const RigidBody<T> &body, InputError<T> *input_error = nullptr) noexcept {
        return detail::made(Api<T>::set_body(handle_, index, &body, input_error));
    }
    Error set_load(std::size_t index, const T (&force)[3], const T (&torque)[3], InputError<T> *input_error = nullptr) noexcept {
        return detail::made(Api<T>::set_load(handle_, index, force, torque, input_error));
    }
    // A body's friction beyond sliding. Needs a pipeline with moments.
    Error set_surface(std::size_t index, const Surface<T> &surface, InputError<T> *input_error = nullptr) noexcept {
        return detail::made(Api<T>::set_surface(handle_, index, &surface, input_error));
    }
    Error surface(std::size_t index, Surface<T> &surface) const noexcept {
        return detail::made(Api<T>::surface(handle_, index, &surface));
    }
    [[nodiscard]] std::size_t body_count() const noexcept { return Api<T>::body_count(handle_); }
    Error clear_bodies() noexcept { return detail::made(Api<T>::clear_bodies(handle_)); }

    // Joints. All of these need a pipeline with joints. Writes where `joint` acts, given its bodies and its kind: both
    // points and the unit axis in world coordinates. Its position is 0 where bodies are now.
    Error joint_between(Joint<T> &joint, const T (&on_a)[3], const T (&on_b)[3], const T (&axis)[3],
                        InputError<T> *input_error = nullptr) const noexcept {
        return detail::made(Api<T>::joint_between(handle_, on_a, on_b, axis, &joint, input_error));
    }
    // The same at one point.
    Error joint_between(Joint<T> &joint, const T (&at)[3], const T (&axis)[3], InputError<T> *input_error = nullptr) const noexcept {
        return detail::made(Api<T>::joint_between(handle_, at, nullptr, axis, &joint, input_error));
    }
    // The same at one point, for kinds without an axis.
    Error joint_between(Joint<T> &joint, const T (&at)[3], InputError<T> *input_error = nullptr) const noexcept {
        return detail::made(Api<T>::joint_between(handle_, at, nullptr, nullptr, &joint, input_error));
    }
    // `index` may be null.
    Error add_joint(const Joint<T> &joint, std::size_t *index = nullptr, InputError<T> *input_error = nullptr) noexcept {
        return detail::made(Api<T>::add_joint(handle_, &joint, index, input_error));
    }
    // Another joint in its place: another speed of its motor, other limits.
    Error set_joint(std::size_t index, const Joint<T> &joint, InputError<T> *input_error = nullptr) noexcept {
        return detail::made(Api<T>::set_joint(handle_, index, &joint, input_error));
    }
    Error joint(std::size_t index, Joint<T> &joint) const noexcept {
        return detail::made(Api<T>::joint(handle_, index, &joint));
    }
    [[nodiscard]] std::size_t joint_count() const noexcept { return Api<T>::joint_count(handle_); }
    Error clear_joints() noexcept { return detail::made(Api<T>::clear_joints(handle_)); }
    // Impulse and position after the last step.
    Error joint_state(std::size_t index, JointState<T> &state) const noexcept {
        return detail::made(Api<T>::joint_state(handle_, index, &state));
    }
    // Work of joints in the last step, J.
    Error joint_work(JointWork<T> &work) const noexcept { return detail::made(Api<T>::joint_work(handle_, &work)); }

    Error states(const States<T> &states) const noexcept { return detail::made(Api<T>::states(handle_, &states)); }

    // Advances the world by `dt` seconds with manifolds that you found before.
    Error step_manifolds(Span<const Manifold<T>> manifolds, T dt, const Hooks<T> *hooks = nullptr, StepReport<T> *report = nullptr,
               InputError<T> *input_error = nullptr) noexcept {
        return step_manifolds(manifolds.data(), manifolds.size(), sizeof(Manifold<T>), dt, hooks, report, input_error);
    }
    // The same for manifolds with a spacing of `stride` bytes, for example within your own structs.
    Error step_manifolds(const Manifold<T> *manifolds, std::size_t count, std::size_t stride, T dt,
                         const Hooks<T> *hooks = nullptr, StepReport<T> *report = nullptr, InputError<T> *input_error = nullptr) noexcept {
        return detail::made(Api<T>::step_manifolds(handle_, manifolds, count, stride, dt, hooks, report, input_error));
    }

    // Advances the world by `dt` seconds. `detect` is called in every substep with a ContactCollector<T> & and adds the
    // contacts. It returns nothing, or whether it succeeded.
    template <class Detect>
    Error step(Detect &&detect, T dt, const Hooks<T> *hooks = nullptr, StepReport<T> *report = nullptr,
                    InputError<T> *input_error = nullptr) noexcept {
        // The address of a pointer is passed: the address of a plain function cannot be converted to a void pointer.
        auto *address = &detect;
        return detail::made(Api<T>::step(handle_, &detected_by<decltype(address)>, &address, dt, hooks, report, input_error));
    }

    // Contacts of the last substep.
    [[nodiscard]] std::size_t contact_count() const noexcept { return Api<T>::contact_count(handle_); }
    Error contact(std::size_t index, ContactRecord<T> &contact) const noexcept {
        return detail::made(Api<T>::contact(handle_, index, &contact));
    }

    // Moment on B of a contact of the last step (N m s), and the bounds that it has reached, a sum of Reached. Either may be
    // null. Needs a pipeline with moments.
    Error contact_moment(std::size_t index, T *moment, std::uint32_t *reached = nullptr) const noexcept {
        return detail::made(Api<T>::contact_moment(handle_, index, moment, reached));
    }

    // Work of friction in the last step by what it resists, J. Needs a pipeline with moments.
    Error friction_work(FrictionWork<T> &work) const noexcept {
        return detail::made(Api<T>::pipeline_friction_work(handle_, &work));
    }

    // Mean force (N) and torque (N m) of all contacts on a body over the last substep. Either may be null.
    Error wrench(std::size_t body, T *force, T *torque = nullptr) const noexcept {
        return detail::made(Api<T>::pipeline_wrench(handle_, body, force, torque));
    }

    // The contact cache, in a portable format.
    [[nodiscard]] std::size_t cache_size() const noexcept { return Api<T>::cache_size(handle_); }
    Error cache_save(Span<std::uint8_t> out, std::size_t &count, InputError<T> *input_error = nullptr) const noexcept {
        return detail::made(Api<T>::cache_save(handle_, out.data(), out.size(), &count, input_error));
    }
    Error cache_restore(Span<const std::uint8_t> saved, InputError<T> *input_error = nullptr) noexcept {
        return detail::made(Api<T>::cache_restore(handle_, saved.data(), saved.size(), input_error));
    }
    Error cache_clear() noexcept { return detail::made(Api<T>::cache_clear(handle_)); }

    [[nodiscard]] Handle *handle() const noexcept { return handle_; }

 private:
    template <class Pointer>
    static bool detected_by(void *user, typename Api<T>::ContactCollector *handle) noexcept {
        ContactCollector<T> collector(handle);
        auto &detect = **static_cast<Pointer *>(user);
        if constexpr (std::is_void_v<decltype(detect(collector))>) {
            detect(collector);
            return true;
        } else {
            return static_cast<bool>(detect(collector));
        }
    }

    Handle *handle_ = nullptr;
};

// A solver for problems in Delassus form.
template <class T>
class DelassusSolver {
 public:
    using Handle = typename Api<T>::DelassusSolver;
    using Kind = typename Api<T>::DelassusSolverKind;

    DelassusSolver() noexcept = default;
    explicit DelassusSolver(Handle *handle) noexcept : handle_(handle) {}

    // Bytes for this many contacts; 0 if none is large enough.
    [[nodiscard]] static std::size_t size(std::size_t contacts) noexcept { return Api<T>::delassus_solver_size(contacts); }

    // The smallest kind with this capacity, chosen at compile time: no other one is linked.
    template <std::size_t Contacts>
    [[nodiscard]] static const Kind *kind() noexcept {
        static_assert(Contacts <= 8192, "no capacity is large enough");
        if constexpr (Contacts <= 16) return Api<T>::delassus_solver_kind_16();
        else if constexpr (Contacts <= 128) return Api<T>::delassus_solver_kind_128();
        else if constexpr (Contacts <= 1024) return Api<T>::delassus_solver_kind_1024();
        else return Api<T>::delassus_solver_kind_8192();
    }
    [[nodiscard]] static std::size_t size(const Kind *kind) noexcept { return Api<T>::delassus_solver_kind_size(kind); }
    Error init(const Kind *kind, Span<std::byte> memory) noexcept {
        return detail::made(Api<T>::delassus_solver_init_kind(kind, memory.data(), memory.size(), &handle_));
    }

    Error init(Span<std::byte> memory, std::size_t contacts) noexcept {
        return detail::made(Api<T>::delassus_solver_init(memory.data(), memory.size(), contacts, &handle_));
    }

    // The same for a solver with moments. A contact with torsion or rolling has two block rows.
    [[nodiscard]] static std::size_t size_with_moments(std::size_t contacts) noexcept {
        return Api<T>::delassus_solver_size_with_moments(contacts);
    }
    template <std::size_t Contacts>
    [[nodiscard]] static const Kind *kind_with_moments() noexcept {
        static_assert(Contacts <= 8192, "no capacity is large enough");
        if constexpr (Contacts <= 16) return Api<T>::delassus_solver_kind_16_with_moments();
        else if constexpr (Contacts <= 128) return Api<T>::delassus_solver_kind_128_with_moments();
        else if constexpr (Contacts <= 1024) return Api<T>::delassus_solver_kind_1024_with_moments();
        else return Api<T>::delassus_solver_kind_8192_with_moments();
    }
    Error init_with_moments(Span<std::byte> memory, std::size_t contacts) noexcept {
        return detail::made(Api<T>::delassus_solver_init_with_moments(memory.data(), memory.size(), contacts, &handle_));
    }

    Error solve(const DelassusProblem<T> &problem, const Settings<T> &settings, const DelassusAnswer<T> *answer = nullptr,
                const Hooks<T> *hooks = nullptr, DelassusReport<T> *report = nullptr, InputError<T> *input_error = nullptr) noexcept {
        return detail::made(Api<T>::delassus_solve(handle_, &problem, &settings, answer, hooks, report, input_error));
    }

    [[nodiscard]] Handle *handle() const noexcept { return handle_; }

 private:
    Handle *handle_ = nullptr;
};

}  // namespace stiction

#endif  // STICTION_HPP
