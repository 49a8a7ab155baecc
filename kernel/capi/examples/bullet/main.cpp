// Runs the same worlds with Bullet's own solver and with stiction: a stack, a box that slides to a stop, a box on a
// slope. Exits with 1 if stiction misses a bound.
//
//   g++ -std=c++17 -O2 -Wall -Wextra -Werror -I../../include -isystem /usr/include/bullet main.cpp
//       ../../../../target/c/c/libstiction_c.a -lBulletDynamics -lBulletCollision -lLinearMath -Wl,--gc-sections -o bullet

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "stiction_bullet.hpp"

namespace {

constexpr btScalar g = 9.81f;
constexpr int box_count = 8;

// All memory that stiction needs. The library checks the sizes at run time.
struct Buffers {
    stiction::Memory<32768> solver;
    stiction::Memory<180224> direct;
    StictionBulletBody bodies[16];
    StictionBulletContact contacts[64];
};
Buffers buffers;

std::unique_ptr<StictionConstraintSolver> stiction_solver() {
    using stiction::Error;
    stiction::Solver<float> solver;
    stiction::DirectMemory<float> direct;
    const auto *kind = stiction::Solver<float>::kind<16, 64>();
    const Error first = solver.init(kind, buffers.solver), second = direct.init(buffers.direct, 64);
    if (first != Error::ok || second != Error::ok) {
        std::printf("init: solver %s (%zu bytes), direct memory %s (%zu bytes)\n", stiction::text(first), solver.size(kind),
                    stiction::text(second), direct.size(64));
        return nullptr;
    }
    return std::make_unique<StictionConstraintSolver>(solver, buffers.bodies, buffers.contacts, direct);
}

// A Bullet world with z upwards and sleeping disabled, so that the solver itself is measured.
class World {
 public:
    World(btConstraintSolver &solver, btScalar dt) : world_(&dispatcher_, &broadphase_, &solver, &configuration_), dt_(dt) {
        world_.setGravity(btVector3(0, 0, -g));
    }
    ~World() {
        for (auto &body : bodies_) world_.removeRigidBody(body.get());
    }

    btRigidBody &add_box(btScalar mass, const btVector3 &half, const btTransform &pose, btScalar friction) {
        shapes_.push_back(std::make_unique<btBoxShape>(half));
        btVector3 inertia(0, 0, 0);
        if (mass > 0) shapes_.back()->calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes_.back().get(), inertia);
        info.m_startWorldTransform = pose;
        info.m_friction = friction;
        bodies_.push_back(std::make_unique<btRigidBody>(info));
        bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
        world_.addRigidBody(bodies_.back().get());
        return *bodies_.back();
    }

    void step() { world_.stepSimulation(dt_, 0); }
    void iterations(int count) { world_.getSolverInfo().m_numIterations = count; }
    btDiscreteDynamicsWorld &bullet() { return world_; }

 private:
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_{&configuration_};
    btDbvtBroadphase broadphase_;
    btDiscreteDynamicsWorld world_;
    btScalar dt_;
    std::vector<std::unique_ptr<btBoxShape>> shapes_;
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

btTransform at(btScalar x, btScalar y, btScalar z) { return btTransform(btQuaternion::getIdentity(), btVector3(x, y, z)); }

// A solver under test: Bullet's with a number of iterations, or stiction (`ours`).
struct Candidate {
    const char *name;
    int iterations;
    bool ours;
};

// stiction comes last: its result is the one that is checked.
constexpr Candidate candidates[] = {
    {"Bullet, 10 iterations", 10, false}, {"Bullet, 50 iterations", 50, false}, {"stiction", 10, true}};

// Runs a scene with one candidate, prints the solver's statistics and returns the scene's result.
template <class Scene>
double run(const Candidate &candidate, btScalar dt, Scene scene, bool &complete) {
    btSequentialImpulseConstraintSolver bullets;
    auto ours = candidate.ours ? stiction_solver() : nullptr;
    if (candidate.ours && !ours) {
        complete = false;
        return INFINITY;
    }
    World world(candidate.ours ? static_cast<btConstraintSolver &>(*ours) : bullets, dt);
    world.iterations(candidate.iterations);
    unsigned steps = 0, sweeps = 0, unsolved = 0;
    auto step = [&] {
        world.step();
        ++steps;
        if (!ours) return;
        sweeps += ours->report().sweeps;
        unsolved += ours->report().status != stiction::Status::converged;
    };
    std::printf("  %-22s", candidate.name);
    const double figure = scene(world, step);
    if (ours) {
        const auto &t = ours->troubles();
        complete = complete && t.joints + t.left_out + t.factors + t.errors == 0;
        std::printf("  %.1f sweeps a step, %u of %u steps stopped before tolerance", double(sweeps) / steps, unsolved, steps);
    }
    std::printf("\n");
    return figure;
}

// -------------------------------------------------------------------------------------------------------------------- scenes

// Largest displacement of any of eight boxes of 1 m within 10 s, m.
template <class Step>
double stack(World &world, Step &step) {
    world.add_box(0, btVector3(10, 10, 0.5f), at(0, 0, -0.5f), 0.7f);
    std::vector<btRigidBody *> boxes;
    const btVector3 half(0.5f, 0.5f, 0.5f);
    for (int i = 0; i < box_count; ++i) boxes.push_back(&world.add_box(1, half, at(0, 0, btScalar(i) + 0.5f), 0.7f));
    double across = 0, along = 0;
    for (int i = 0; i < 600; ++i) {
        step();
        for (int k = 0; k < box_count; ++k) {
            const btVector3 off = boxes[size_t(k)]->getWorldTransform().getOrigin() - btVector3(0, 0, btScalar(k) + 0.5f);
            across = std::max(across, std::hypot(double(off.x()), double(off.y())));
            along = std::max(along, std::fabs(double(off.z())));
        }
    }
    std::printf("  largest drift across %.4f mm, along %.4f mm; heights", 1e3 * across, 1e3 * along);
    for (const btRigidBody *box : boxes) std::printf(" %.5f", double(box->getWorldTransform().getOrigin().z()));
    std::printf(";");
    return std::hypot(across, along);
}

// Sliding distance of a box from 6 m/s with friction 0.5, m.
template <class Step>
double slide(World &world, Step &step) {
    const btScalar friction = std::sqrt(0.5f);  // Bullet multiplies the two
    world.add_box(0, btVector3(10, 10, 0.5f), at(0, 0, -0.5f), friction);
    btRigidBody &box = world.add_box(1, btVector3(0.5f, 0.5f, 0.1f), at(-3, 0, 0.1f), friction);
    box.setLinearVelocity(btVector3(6, 0, 0));
    for (int i = 0; i < 1200 && box.getLinearVelocity().length() > 1e-4f; ++i) step();
    const btVector3 position = box.getWorldTransform().getOrigin();
    const double distance = double(position.x()) + 3;
    std::printf("  stops after %.4f m, %.4f mm aside;", distance, 1e3 * double(position.y()));
    return distance;
}

// Creep of a box down a slope of 0.3 rad with friction 0.7 within 10 s, m. The first second, in which it settles, is
// not counted.
template <class Step>
double slope(World &world, Step &step) {
    const btScalar friction = std::sqrt(0.7f);
    const btQuaternion tilt(btVector3(0, 1, 0), 0.3f);
    const btTransform rotation(tilt);
    world.add_box(0, btVector3(10, 10, 0.5f), rotation * at(0, 0, -0.5f), friction);
    btRigidBody &box = world.add_box(1, btVector3(0.5f, 0.5f, 0.5f), rotation * at(0, 0, 0.5f), friction);
    for (int i = 0; i < 60; ++i) step();
    const btVector3 start = box.getWorldTransform().getOrigin();
    for (int i = 0; i < 540; ++i) step();
    const double crept = double((box.getWorldTransform().getOrigin() - start).length());
    std::printf("  creeps %.6f mm in 9 s, speed at the end %.1e m/s;", 1e3 * crept, double(box.getLinearVelocity().length()));
    return crept;
}

// A joint must not be ignored silently.
bool joint_is_reported() {
    auto solver = stiction_solver();
    if (!solver) return false;
    World world(*solver, 1.0f / 60);
    btRigidBody &box = world.add_box(1, btVector3(0.5f, 0.5f, 0.5f), at(0, 0, 5), 0.5f);
    btPoint2PointConstraint joint(box, btVector3(0, 0, 1));
    world.bullet().addConstraint(&joint);
    world.step();
    world.bullet().removeConstraint(&joint);
    return solver->troubles().joints == 1;
}

bool held(const char *what, bool holds) {
    if (!holds) std::printf("FAILED: %s\n", what);
    return holds;
}

}  // namespace

int main() {
    bool good = held("the library matches the header", stiction::abi_matches());
    bool complete = true;
    double last = 0;

    std::printf("stack of %d boxes, 10 s at 60 Hz\n", box_count);
    for (const auto &candidate : candidates) last = run(candidate, 1.0f / 60, [](World &w, auto &s) { return stack(w, s); }, complete);
    good &= held("the stack stays within 0.5 mm", last < 5e-4);

    for (const int rate : {60, 240}) {
        // Bullet moves bodies with the velocity at a step's end, so the distance is shorter than v²/(2 μ g) by half a
        // step's distance.
        const double exact = 36 / (2 * 0.5 * double(g)), stepped = exact - 6 * 0.5 / rate;
        std::printf("slide from 6 m/s, friction 0.5, %d Hz: %.4f m exactly, %.4f m in steps\n", rate, exact, stepped);
        const btScalar dt = 1 / btScalar(rate);
        for (const auto &candidate : candidates) last = run(candidate, dt, [](World &w, auto &s) { return slide(w, s); }, complete);
        good &= held("the slide ends within 1 % of the distance in such steps", std::fabs(last - stepped) < 0.01 * stepped);
        if (rate == 240) good &= held("the slide ends within 1 % of v²/(2 μ g)", std::fabs(last - exact) < 0.01 * exact);
    }

    std::printf("slope of 0.3 rad, friction 0.7, 60 Hz\n");
    for (const auto &candidate : candidates) last = run(candidate, 1.0f / 60, [](World &w, auto &s) { return slope(w, s); }, complete);
    good &= held("the box on the slope creeps less than 0.02 mm", last < 2e-5);

    good &= held("a joint is reported", joint_is_reported());
    good &= held("nothing was rejected or left out", complete);
    return good ? 0 : 1;
}
