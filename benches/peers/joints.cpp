// Chains of rods in Bullet, as a table of states: the peer of `joint_peers.rs`, which compiles and runs this.
//
//   g++ -std=c++17 -O3 -march=native -isystem /usr/include/bullet joints.cpp -o joints
//       -lBulletDynamics -lBulletCollision -lLinearMath
//   ./joints METHOD ITERATIONS DT STEPS GRAVITY RODS < rods
//
// METHOD: hinge, point, nncg, dantzig or multibody. A line of input for each rod: mass, inertia about x, y and z, length,
// centre of mass below the upper hinge, angle about z from hanging down. A line of output for each step: nanoseconds, and
// for each body position, orientation (w first), velocity and angular velocity.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>

namespace {

struct Rod {
    double mass, x, y, z, length, centre, angle;
    btVector3 inertia() const { return btVector3(btScalar(x), btScalar(y), btScalar(z)); }
    btVector3 upper() const { return btVector3(0, btScalar(centre), 0); }
    btVector3 lower() const { return btVector3(0, btScalar(centre - length), 0); }
};

struct State {
    btVector3 position;
    btQuaternion orientation;
    btVector3 linear, angular;
};

const btVector3 axis(0, 0, 1);

// A world without collisions. The order of members is the order of construction.
struct Mechanism {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broad;
    btDantzigSolver dantzig;
    btMultiBodyConstraintSolver multibody_solver;
    std::unique_ptr<btConstraintSolver> solver;
    std::unique_ptr<btDiscreteDynamicsWorld> world;
    btSphereShape shape{btScalar(0.01)};
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
    std::unique_ptr<btMultiBody> multibody;

    Mechanism(const std::string &method, const std::vector<Rod> &rods, int iterations, btScalar gravity) {
        const bool reduced = method == "multibody";
        if (method == "dantzig") solver = std::make_unique<btMLCPSolver>(&dantzig);
        else if (method == "nncg") solver = std::make_unique<btNNCGConstraintSolver>();
        else solver = std::make_unique<btSequentialImpulseConstraintSolver>();
        if (reduced)
            world = std::make_unique<btMultiBodyDynamicsWorld>(&dispatcher, &broad, &multibody_solver, &configuration);
        else
            world = std::make_unique<btDiscreteDynamicsWorld>(&dispatcher, &broad, solver.get(), &configuration);
        world->setGravity(btVector3(0, -gravity, 0));
        world->getSolverInfo().m_numIterations = iterations;
        if (reduced) build_reduced(rods);
        else build_bodies(rods, method == "point");
    }

    ~Mechanism() {
        for (auto &joint : joints) world->removeConstraint(joint.get());
        for (auto &body : bodies) world->removeRigidBody(body.get());
        if (multibody) static_cast<btMultiBodyDynamicsWorld &>(*world).removeMultiBody(multibody.get());
    }

    void build_bodies(const std::vector<Rod> &rods, bool points) {
        btVector3 end(0, 0, 0);
        for (size_t i = 0; i < rods.size(); ++i) {
            const Rod &rod = rods[i];
            const btQuaternion turned(axis, btScalar(rod.angle));
            const btVector3 centre = end - quatRotate(turned, rod.upper());
            btRigidBody::btRigidBodyConstructionInfo info(btScalar(rod.mass), nullptr, &shape, rod.inertia());
            info.m_startWorldTransform = btTransform(turned, centre);
            bodies.push_back(std::make_unique<btRigidBody>(info));
            btRigidBody &body = *bodies.back();
            body.setActivationState(DISABLE_DEACTIVATION);
            world->addRigidBody(&body, 0, 0);
            if (points && i == 0)
                joints.push_back(std::make_unique<btPoint2PointConstraint>(body, rod.upper()));
            else if (points)
                joints.push_back(
                    std::make_unique<btPoint2PointConstraint>(*bodies[i - 1], body, rods[i - 1].lower(), rod.upper()));
            else if (i == 0)
                joints.push_back(std::make_unique<btHingeConstraint>(body, rod.upper(), axis));
            else
                joints.push_back(std::make_unique<btHingeConstraint>(*bodies[i - 1], body, rods[i - 1].lower(),
                                                                     rod.upper(), axis, axis));
            world->addConstraint(joints.back().get(), true);
            end = centre + quatRotate(turned, rod.lower());
        }
    }

    void build_reduced(const std::vector<Rod> &rods) {
        multibody = std::make_unique<btMultiBody>(int(rods.size()), btScalar(0), btVector3(0, 0, 0), true, false);
        for (size_t i = 0; i < rods.size(); ++i) {
            const btVector3 hinge = i == 0 ? btVector3(0, 0, 0) : rods[i - 1].lower();
            multibody->setupRevolute(int(i), btScalar(rods[i].mass), rods[i].inertia(), int(i) - 1,
                                     btQuaternion::getIdentity(), axis, hinge, -rods[i].upper(), true);
        }
        multibody->finalizeMultiDof();
        multibody->setLinearDamping(0);
        multibody->setAngularDamping(0);
        multibody->setMaxCoordinateVelocity(btScalar(1e6));
        for (size_t i = 0; i < rods.size(); ++i)
            multibody->setJointPos(int(i), btScalar(rods[i].angle - (i == 0 ? 0 : rods[i - 1].angle)));
        static_cast<btMultiBodyDynamicsWorld &>(*world).addMultiBody(multibody.get());
    }

    std::vector<State> states(const std::vector<Rod> &rods) const {
        std::vector<State> states;
        for (const auto &body : bodies)
            states.push_back({body->getCenterOfMassPosition(), body->getOrientation(), body->getLinearVelocity(),
                              body->getAngularVelocity()});
        if (!multibody) return states;
        btVector3 end(0, 0, 0), speed(0, 0, 0);
        btScalar angle = 0, rate = 0;
        for (size_t i = 0; i < rods.size(); ++i) {
            angle += multibody->getJointPos(int(i));
            rate += multibody->getJointVel(int(i));
            const btQuaternion turned(axis, angle);
            const btVector3 spin = axis * rate;
            const btVector3 centre = quatRotate(turned, -rods[i].upper());
            const btVector3 rod = quatRotate(turned, rods[i].lower() - rods[i].upper());
            states.push_back({end + centre, turned, speed + spin.cross(centre), spin});
            end += rod;
            speed += spin.cross(rod);
        }
        return states;
    }
};

void print(double nanoseconds, const std::vector<State> &states) {
    std::printf("%.0f", nanoseconds);
    for (const State &s : states) {
        const double numbers[] = {s.position.x(),    s.position.y(),    s.position.z(),    s.orientation.w(),
                                  s.orientation.x(), s.orientation.y(), s.orientation.z(), s.linear.x(),
                                  s.linear.y(),      s.linear.z(),      s.angular.x(),     s.angular.y(),
                                  s.angular.z()};
        for (double number : numbers) std::printf(" %.17g", number);
    }
    std::printf("\n");
}

} // namespace

int main(int count, char **words) {
    if (count != 7) {
        std::fprintf(stderr, "usage: joints METHOD ITERATIONS DT STEPS GRAVITY RODS < rods\n");
        return 2;
    }
    const auto dt = btScalar(std::atof(words[3]));
    std::vector<Rod> rods(size_t(std::atoi(words[6])));
    for (Rod &rod : rods)
        if (std::scanf("%lf %lf %lf %lf %lf %lf %lf", &rod.mass, &rod.x, &rod.y, &rod.z, &rod.length, &rod.centre,
                       &rod.angle) != 7) {
            std::fprintf(stderr, "a rod with fewer than seven numbers\n");
            return 2;
        }
    Mechanism mechanism(words[1], rods, std::atoi(words[2]), btScalar(std::atof(words[5])));
    for (int step = 0; step < std::atoi(words[4]); ++step) {
        const auto start = std::chrono::steady_clock::now();
        mechanism.world->stepSimulation(dt, 0);
        const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
        print(taken.count(), mechanism.states(rods));
    }
    return 0;
}
