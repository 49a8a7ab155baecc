// Four stacked boxes on the ground: the library stores and moves the bodies, this file does the collision detection.
//
//   g++ -std=c++17 -O2 -Wall -Wextra -Werror -I../../include stack.cpp
//       ../../../../target/c/c/libstiction_c.a -Wl,--gc-sections -o stack

#include <cmath>
#include <cstdio>

#include "stiction.hpp"

using stiction::Error;

namespace {

constexpr int boxes = 4;
constexpr float half = 0.5f;  // m
constexpr float dt = 1.0f / 60.0f;

struct Vec3 {
    float x, y, z;
};

Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec3 operator*(float s, Vec3 v) { return {s * v.x, s * v.y, s * v.z}; }
float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
Vec3 vec(const float (&v)[3]) { return {v[0], v[1], v[2]}; }
void put(float (&out)[3], Vec3 v) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

// From body axes to world axes, by the quaternion x, y, z, w.
Vec3 rotated(const float (&q)[4], Vec3 v) {
    const Vec3 axis = {q[0], q[1], q[2]};
    const Vec3 once = 2.0f * cross(axis, v);
    return v + q[3] * once + cross(axis, once);
}

// A box of 1 kg and 1 m, or the ground: a body that cannot move, whose top plane is z = 0.
stiction::RigidBody<float> body_at(int level) {
    constexpr float i = 1.0f / 6.0f;  // inertia of a cube, kg m²: m a²/6
    auto body = level == 0 ? stiction::fixed_body<float>() : stiction::body_from_mass<float>(1.0f, {i, 0, 0, 0, i, 0, 0, 0, i});
    body.mu = 0.6f;
    body.position[2] = static_cast<float>(level) - half;
    return body;
}

// The four lower corners of the upper body against the top plane of the lower one. A corner keeps its number, so its
// cached impulse is found again in the next step.
stiction::Manifold<float> between(std::uint32_t lower, const stiction::RigidBody<float> &a, const stiction::RigidBody<float> &b) {
    stiction::Manifold<float> manifold = {};
    const Vec3 up = rotated(a.orientation, {0, 0, 1});
    const Vec3 top = vec(a.position) + half * up;
    manifold.a = lower, manifold.b = lower + 1;
    put(manifold.normal, up);
    manifold.point_count = 4;
    for (std::uint32_t corner = 0; corner < 4; ++corner) {
        const float x = corner & 1 ? half : -half, y = corner & 2 ? half : -half;
        const Vec3 on_b = vec(b.position) + rotated(b.orientation, {x, y, -half});
        auto &point = manifold.points[corner];
        point.depth = dot(top - on_b, up);
        put(point.on_b, on_b);
        put(point.on_a, on_b + point.depth * up);
        point.kind = stiction::PointKind::feature;
        point.feature = corner;
    }
    return manifold;
}

bool find_contacts(stiction::ContactCollector<float> &collector) {
    stiction::RigidBody<float> lower, upper;
    for (std::uint32_t level = 0; level < boxes; ++level) {
        if (collector.body(level, lower) != Error::ok || collector.body(level + 1, upper) != Error::ok) return false;
        if (collector.collect(between(level, lower, upper)) != Error::ok) return false;
    }
    return true;
}

// A report is consistent if its energy change equals the sum of its works, and if `converged` implies a small residual.
bool is_honest(const stiction::StepReport<float> &report, float tolerance) {
    const float change = report.kinetic_after - report.kinetic_before + report.potential_after - report.potential_before;
    const float works = report.load_work + report.integration_work + report.bounce_work + report.normal_work +
                        report.friction_work + report.position_correction_work;
    const float rounding = 1e-5f * (1.0f + std::fabs(report.potential_after));
    const bool solved = report.status != stiction::Status::converged || report.residual <= tolerance;
    return solved && std::fabs(change - works) <= rounding && report.contacts_left_out == 0;
}

int fail(const char *what, Error error) {
    std::printf("%s: %s\n", what, stiction::text(error));
    return 1;
}

}  // namespace

int main() {
    // Five bodies and sixteen contacts: the smallest kind is enough, and it is the only one that is linked.
    const auto *kind = stiction::Pipeline<float>::kind<boxes + 1, 4 * boxes>();
    static stiction::Memory<20480> memory;
    stiction::Pipeline<float> world;
    if (auto error = world.init(kind, memory); error != Error::ok) return fail("init", error);
    std::printf("memory: %zu of %zu bytes\n", world.size(kind), memory.size());
    // Lengths such as slop and margin are fractions of the smallest extent of a body.
    const auto settings = stiction::step_settings_for_length(2.0f * half);
    if (auto error = world.set_settings(settings); error != Error::ok) return fail("settings", error);

    for (int level = 0; level <= boxes; ++level) {
        if (auto error = world.add_body(body_at(level)); error != Error::ok) return fail("body", error);
    }

    const float tolerance = settings.solver.tolerance;
    bool honest = true;
    for (int step = 1; step <= 120; ++step) {
        stiction::StepReport<float> report;
        stiction::InputError<float> input_error;
        if (world.step(find_contacts, dt, nullptr, &report, &input_error) != Error::ok) {
            char line[128];
            stiction::text(input_error, line);
            std::printf("step %d: %s\n", step, line);
            return 1;
        }
        honest = honest && is_honest(report, tolerance);
        if (step == 1 || step % 30 == 0) {
            std::printf("%.2f s: sweeps %u, warm %u of %u, residual %.1e, energy %.6f J\n", step / 60.0,
                        report.sweeps, report.warm_started, report.contacts, static_cast<double>(report.residual),
                        static_cast<double>(report.kinetic_after + report.potential_after));
        }
    }

    float moved = 0;
    Vec3 positions[boxes + 1];
    stiction::States<float> states = {};
    states.count = boxes + 1;
    states.position = stiction::view_mut(positions);
    if (auto error = world.states(states); error != Error::ok) return fail("states", error);
    for (int level = 1; level <= boxes; ++level) {
        const Vec3 off = positions[level] - vec(body_at(level).position);
        moved = std::fmax(moved, std::sqrt(dot(off, off)));
        std::printf("box %d: height %.6f m\n", level, static_cast<double>(positions[level].z));
    }
    std::printf("moved by at most %.3g m, reports %s\n", static_cast<double>(moved), honest ? "honest" : "NOT honest");
    return moved <= 1e-3f && honest ? 0 : 1;
}
