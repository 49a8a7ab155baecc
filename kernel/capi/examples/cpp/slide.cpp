// A block that slides to a stop. The engine stores bodies and contacts in its own structs. The solver reads them in
// place and writes velocities and impulses back, which the next step uses as its warm start.
//
//   g++ -std=c++17 -O2 -Wall -Wextra -Werror -I../../include slide.cpp
//       ../../../../target/c/c/libstiction_c.a -Wl,--gc-sections -o slide

#include <array>
#include <cmath>
#include <cstdio>

#include "stiction.hpp"

using stiction::Error;

namespace {

// The engine's own types, with arbitrary names, order and further fields.
struct Vec3 {
    float x, y, z;
};

struct Body {
    const char *name;
    Vec3 position;
    Vec3 velocity, spin;
    float inverse_mass;
    std::array<float, 9> inverse_inertia;  // world axes
};

struct Contact {
    std::uint32_t below, above;
    Vec3 normal, point;
    float depth;
    float push;  // normal impulse, N s: warm start and answer
    Vec3 drag;   // friction impulse, N s: likewise
    std::uint32_t state;
};

constexpr float mu = 0.5f, gravity = 9.81f, speed = 3.0f, dt = 1.0f / 60.0f;
constexpr float half[3] = {0.2f, 0.2f, 0.05f};  // m

std::array<Body, 2> world() {
    const float mass = 2.0f;
    auto inverse = [&](float a, float b) { return 3.0f / (mass * (a * a + b * b)); };
    Body ground = {"ground", {}, {}, {}, 0.0f, {}};
    Body block = {"block", {0, 0, half[2]}, {speed, 0, 0}, {}, 1.0f / mass, {}};
    block.inverse_inertia = {inverse(half[1], half[2]), 0, 0, 0, inverse(half[0], half[2]), 0, 0, 0, inverse(half[0], half[1])};
    return {ground, block};
}

// The block does not rotate, so its corners follow from its centre.
void detect(const Body &block, std::array<Contact, 4> &contacts) {
    for (std::size_t corner = 0; corner < contacts.size(); ++corner) {
        Contact &contact = contacts[corner];
        contact.below = 0, contact.above = 1;
        contact.normal = {0, 0, 1};
        contact.point = {block.position.x + (corner & 1 ? half[0] : -half[0]),
                         block.position.y + (corner & 2 ? half[1] : -half[1]), block.position.z - half[2]};
        contact.depth = -contact.point.z;
    }
}

stiction::Bodies<float> seen(std::array<Body, 2> &bodies) {
    stiction::Bodies<float> seen = {};
    seen.count = bodies.size();
    seen.inverse_mass = stiction::view(bodies, &Body::inverse_mass);
    seen.inverse_inertia_world = stiction::view(bodies, &Body::inverse_inertia);
    seen.linear_velocity = stiction::view_mut(bodies, &Body::velocity);
    seen.angular_velocity = stiction::view_mut(bodies, &Body::spin);
    seen.position = stiction::view(bodies, &Body::position);
    return seen;
}

stiction::Contacts<float> seen(const std::array<Contact, 4> &contacts) {
    stiction::Contacts<float> seen = {};
    seen.count = contacts.size();
    seen.a = stiction::view(contacts, &Contact::below);
    seen.b = stiction::view(contacts, &Contact::above);
    seen.normal = stiction::view(contacts, &Contact::normal);
    seen.point = stiction::view(contacts, &Contact::point);
    seen.depth = stiction::view(contacts, &Contact::depth);
    seen.mu = stiction::same(mu);
    seen.warm_normal_impulse = stiction::view(contacts, &Contact::push);
    seen.warm_tangent_impulse = stiction::view(contacts, &Contact::drag);
    return seen;
}

stiction::Answer<float> written(std::array<Contact, 4> &contacts) {
    stiction::Answer<float> answer = {};
    answer.normal_impulse = stiction::view_mut(contacts, &Contact::push);
    answer.tangent_impulse = stiction::view_mut(contacts, &Contact::drag);
    answer.state = stiction::view_mut(contacts, &Contact::state);
    return answer;
}

}  // namespace

int main() {
    static stiction::Memory<16384> memory;
    const auto *kind = stiction::Solver<float>::kind<2, 4>();
    stiction::Solver<float> solver;
    if (auto error = solver.init(kind, memory); error != Error::ok) {
        std::printf("init: %s\n", stiction::text(error));
        return 1;
    }
    std::printf("memory: %zu of %zu bytes\n", solver.size(kind), memory.size());

    auto bodies = world();
    std::array<Contact, 4> contacts = {};
    auto settings = stiction::settings<float>();
    // A real program would check a clock here. A solve that is stopped early still gives a usable answer.
    auto should_stop = [] { return false; };
    const auto hooks = stiction::stop_when<float>(should_stop);
    const auto where_bodies = seen(bodies);
    const auto where_contacts = seen(contacts);
    const auto where_answer = written(contacts);

    Body &block = bodies[1];
    unsigned sweeps = 0;
    for (int step = 0; step < 60; ++step) {
        detect(block, contacts);
        const float before = block.velocity.x;
        block.velocity.z -= gravity * dt;
        stiction::Report<float> report;
        stiction::InputError<float> input_error;
        if (solver.solve(where_bodies, where_contacts, settings, dt, &where_answer, &hooks, &report, &input_error) != Error::ok) {
            char line[128];
            stiction::text(input_error, line);
            std::printf("step %d: %s\n", step, line);
            return 1;
        }
        sweeps += report.sweeps;
        if (report.energy_after > report.energy_before || report.status != stiction::Status::converged) return 1;
        // The mean of old and new speed is exact under constant force.
        block.position.x += dt * 0.5f * (before + block.velocity.x);
        block.position.z += dt * block.velocity.z;
    }

    const float ideal = speed * speed / (2 * mu * gravity);
    const bool sticks = contacts[0].state == stiction::ContactState::stick;
    std::printf("%s stopped at %.5f m, Coulomb says %.5f m; %u sweeps in 60 steps; now it %s\n", block.name,
                static_cast<double>(block.position.x), static_cast<double>(ideal), sweeps, sticks ? "sticks" : "slides");
    return std::fabs(block.position.x - ideal) < 2e-3f * ideal && sticks ? 0 : 1;
}
