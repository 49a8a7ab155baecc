// The same as film.c, with the C++ interface; and its calls for joints that films do not need.

#include <cstdio>
#include <cstdint>
#include <memory>
#include <vector>

#include "stiction.hpp"

namespace {

struct Aligned {
    explicit Aligned(std::size_t bytes) : bytes_(bytes + STICTION_ALIGNMENT) {}
    stiction::Span<std::byte> span() {
        void *start = bytes_.data();
        std::size_t size = bytes_.size();
        std::align(STICTION_ALIGNMENT, 1, start, size);
        return {static_cast<std::byte *>(start), size};
    }
    std::vector<std::byte> bytes_;
};

struct Reader {
    std::FILE *file;

    std::uint32_t word() {
        std::uint32_t value = 0;
        return std::fread(&value, 4, 1, file) == 1 ? value : 0;
    }

    template <class T>
    void reals(T *to, std::size_t count) {
        if (std::fread(to, sizeof(T), count, file) != count) {
            std::puts("the film ends early");
        }
    }
};

template <class T>
stiction::StepSettings<T> read_settings(Reader &film) {
    auto settings = stiction::Api<T>::step_settings();
    auto &solver = settings.solver;
    for (std::uint32_t *word : {&solver.method, &solver.local, &solver.bounce, &solver.order, &solver.position_correction,
                                &solver.sweeps, &solver.factorisations, &solver.min_sweeps, &solver.normal_sweeps}) {
        *word = film.word();
    }
    for (T *number : {&solver.relaxation, &solver.accelerated_relaxation, &solver.tolerance, &solver.restitution_threshold,
                      &solver.error_reduction, &solver.slop, &solver.max_correction_speed}) {
        film.reals(number, 1);
    }
    film.reals(settings.gravity, 3);
    film.reals(&settings.contact_margin, 1);
    film.reals(&settings.cache_cell, 1);
    settings.substeps = film.word();
    return settings;
}

template <class T>
stiction::Manifold<T> manifold(Reader &film) {
    stiction::Manifold<T> manifold{};
    manifold.a = film.word();
    manifold.b = film.word();
    manifold.point_count = film.word();
    manifold.has_material = film.word() != 0;
    film.reals(manifold.normal, 3);
    film.reals(&manifold.mu, 1);
    film.reals(&manifold.restitution, 1);
    for (std::uint32_t i = 0; i < manifold.point_count && i < 4; i++) {
        auto &point = manifold.points[i];
        point.kind = film.word();
        point.feature = film.word();
        film.reals(point.on_a, 3);
        film.reals(point.on_b, 3);
        film.reals(&point.depth, 1);
    }
    return manifold;
}

template <class T>
stiction::Joint<T> joint(Reader &film) {
    stiction::Joint<T> joint{};
    joint.a = film.word();
    joint.b = film.word();
    joint.kind = film.word();
    joint.motor = film.word();
    const std::uint32_t flags = film.word();
    joint.collide = (flags & 1) != 0;
    joint.has_limits = (flags & 2) != 0;
    joint.has_spring = (flags & 4) != 0;
    film.reals(joint.anchor_a, 3);
    film.reals(joint.anchor_b, 3);
    film.reals(joint.axis, 3);
    film.reals(joint.rest, 4);
    film.reals(joint.limits, 2);
    for (T *number : {&joint.motor_speed, &joint.motor_position, &joint.motor_stiffness, &joint.motor_damping, &joint.motor_max,
                      &joint.friction, &joint.spring_rest, &joint.spring_stiffness, &joint.spring_damping, &joint.length}) {
        film.reals(number, 1);
    }
    return joint;
}

template <class T>
void add_joints(std::vector<T> &numbers, const stiction::Pipeline<T> &pipeline) {
    const std::size_t count = pipeline.joint_count();
    for (std::size_t i = 0; i < count; i++) {
        stiction::JointState<T> state{};
        (void)pipeline.joint_state(i, state);
        numbers.insert(numbers.end(), state.linear, state.linear + 3);
        numbers.insert(numbers.end(), state.angular, state.angular + 3);
        numbers.push_back(state.position);
        numbers.push_back(state.is_at_limit ? T(1) : T(0));
    }
    stiction::JointWork<T> work{};
    if (count > 0 && pipeline.joint_work(work) == stiction::Error::ok) {
        numbers.insert(numbers.end(), {work.motor, work.spring, work.friction, work.stored_before, work.stored_after});
    }
}

template <class T>
std::uint64_t digest(const stiction::Pipeline<T> &pipeline, std::size_t bodies) {
    std::vector<T> states(13 * bodies);
    T *at = states.data();
    const auto column = [&at, bodies](std::size_t width) {
        typename stiction::Api<T>::ViewMut view{at, width * sizeof(T)};
        at += width * bodies;
        return view;
    };
    const auto position = column(3), orientation = column(4), linear = column(3), angular = column(3);
    (void)pipeline.states({bodies, position, orientation, linear, angular});
    add_joints(states, pipeline);
    std::uint64_t digest = 0xcbf29ce484222325u;
    const auto *bytes = reinterpret_cast<const unsigned char *>(states.data());
    for (std::size_t i = 0; i < states.size() * sizeof(T); i++) {
        digest = (digest ^ bytes[i]) * 0x100000001b3u;
    }
    return digest;
}

// Whether every step gives the bits recorded in the film.
template <class T>
bool play(const char *name, Reader film) {
    const std::size_t bodies = film.word(), joints = film.word(), islands = film.word();
    const std::size_t places = joints > bodies ? joints : bodies;
    using Pipeline = stiction::Pipeline<T>;
    Aligned memory(joints > 0 ? Pipeline::size_with_joints(places, 4096) : Pipeline::size(bodies, 4096)), space(stiction::DirectMemory<T>::size(islands));
    Pipeline pipeline;
    Aligned space_for_lanes(stiction::Lanes<T>::size(bodies, 4096));
    stiction::DirectMemory<T> direct;
    stiction::Lanes<T> lanes;
    const auto made = joints > 0 ? pipeline.init_with_joints(memory.span(), places, 4096) : pipeline.init(memory.span(), bodies, 4096);
    bool same = made == stiction::Error::ok &&
                direct.init(space.span(), islands) == stiction::Error::ok &&
                lanes.init(space_for_lanes.span(), bodies, 4096) == stiction::Error::ok;
    auto settings = read_settings<T>(film);
    for (std::size_t i = 0; same && i < bodies; i++) {
        stiction::RigidBody<T> body;
        film.reals(reinterpret_cast<T *>(&body), sizeof body / sizeof(T));
        same = pipeline.add_body(body) == stiction::Error::ok;
    }
    for (std::size_t i = 0; same && i < joints; i++) {
        same = pipeline.add_joint(joint<T>(film)) == stiction::Error::ok;
    }
    stiction::Hooks<T> hooks{};
    hooks.direct = islands > 0 ? direct.handle() : nullptr;
    hooks.lanes = lanes.handle();
    unsigned steps = 0;
    for (std::uint32_t what; same && (what = film.word()) != 0;) {
        if (what == 2) {
            const std::size_t index = film.word();
            same = pipeline.set_joint(index, joint<T>(film)) == stiction::Error::ok;
            continue;
        }
        T dt;
        film.reals(&dt, 1);
        settings.substeps = film.word();
        same = pipeline.set_settings(settings) == stiction::Error::ok;
        std::vector<stiction::Manifold<T>> manifolds(film.word());
        for (auto &found : manifolds) {
            found = manifold<T>(film);
        }
        same = same && pipeline.step_manifolds(manifolds, dt, &hooks) == stiction::Error::ok;
        std::uint64_t wanted = 0;
        same = std::fread(&wanted, 8, 1, film.file) == 1 && same && digest(pipeline, bodies) == wanted;
        steps++;
    }
    std::printf("%s: %u steps, %s\n", name, steps, same ? "every bit the same" : "DIFFERENT in the last one");
    return same && steps > 0;
}

// Whether joints are made from world coordinates, read back and removed.
template <class T>
bool makes_joints() {
    using stiction::Error;
    using Pipeline = stiction::Pipeline<T>;
    const auto *kind = Pipeline::template kind_with_joints<3, 4>();
    Aligned memory(Pipeline::size(kind));
    Pipeline pipeline;
    auto body = stiction::fixed_body<T>();
    bool good = pipeline.init(kind, memory.span()) == Error::ok && pipeline.add_body(body) == Error::ok;
    body.inverse_mass = 1;
    body.position[0] = 2;
    good = good && pipeline.add_body(body) == Error::ok;
    const T at[3] = {1, 0, 0}, other[3] = {1, 0, 3}, axis[3] = {0, 1, 0};
    stiction::Joint<T> joint{}, read{};
    joint.b = 1;
    good = good && pipeline.joint_between(joint, at) == Error::ok && joint.anchor_a[0] == 1 && joint.anchor_b[0] == -1;
    good = good && pipeline.add_joint(joint) == Error::ok;
    joint.kind = stiction::JointKind::hinge;
    joint.motor = stiction::MotorKind::speed;
    joint.motor_max = 1;
    good = good && pipeline.joint_between(joint, at) == Error::null_pointer && pipeline.joint_between(joint, at, axis) == Error::ok;
    good = good && pipeline.set_joint(0, joint) == Error::ok && joint.axis[1] == 1;
    good = good && pipeline.joint(0, read) == Error::ok && read.kind == stiction::JointKind::hinge && read.motor_max == 1;
    good = good && pipeline.joint_between(joint, at, other, axis) == Error::ok && joint.anchor_b[2] == 3;
    good = good && pipeline.joint_count() == 1 && pipeline.clear_joints() == Error::ok && pipeline.joint_count() == 0;
    return good && pipeline.set_joint(0, joint) == Error::no_such_joint;
}

}  // namespace

int main(int count, char **files) {
    bool same = true;
    if (!(makes_joints<float>() && makes_joints<double>())) {
        std::puts("joints are not made");
        return 1;
    }
    for (int i = 1; i < count; i++) {
        Reader film{std::fopen(files[i], "rb")};
        if (!film.file || film.word() != 0x4d4c4946) {
            std::printf("%s: no film\n", files[i]);
            return 1;
        }
        same &= film.word() == 4 ? play<float>(files[i], film) : play<double>(files[i], film);
        std::fclose(film.file);
    }
    return same ? 0 : 1;
}
