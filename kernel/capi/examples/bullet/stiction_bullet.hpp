// stiction under Bullet: a btConstraintSolver for contacts, to be passed to a btDiscreteDynamicsWorld.
//
// Bullet detects contacts and moves bodies; stiction computes the velocities in between. README.md lists the
// adaptations and the unsupported features. The caller provides all memory; a step allocates nothing here.

#ifndef STICTION_BULLET_HPP
#define STICTION_BULLET_HPP

#include <cmath>
#include <cstdint>
#include <cstdio>

#include <btBulletDynamicsCommon.h>

#include "stiction.hpp"

static_assert(sizeof(btScalar) == sizeof(float), "written for Bullet in single precision");

// A body as the solver reads and writes it. Bullet's are scattered, and their matrices have padded rows: hence a copy.
struct StictionBulletBody {
    float inverse_mass;
    float inverse_inertia[9];
    float linear[3], angular[3];
    float correction_linear[3], correction_angular[3];
    btRigidBody *body;
};

// A contact as the solver reads and writes it.
struct StictionBulletContact {
    std::uint32_t a, b;
    float normal[3], r_a[3], r_b[3];
    float mu, restitution, depth;
    float impulse, friction[3];
    btManifoldPoint *point;
};

class StictionConstraintSolver : public btConstraintSolver {
 public:
    using Body = StictionBulletBody;
    using Contact = StictionBulletContact;

    // Counters that a program should check now and then: if one is not zero, a step was not solved completely.
    struct Troubles {
        int joints = 0;       // joints that were ignored
        int left_out = 0;     // contacts beyond the capacity
        int factors = 0;      // bodies whose linear factor was ignored
        int errors = 0;       // groups that the solver rejected
    };

    // The solver must have the capacity of the two arrays. The first body is the ground. Memory for direct methods
    // and for lanes is optional.
    StictionConstraintSolver(stiction::Solver<float> solver, stiction::Span<Body> bodies, stiction::Span<Contact> contacts,
                             stiction::DirectMemory<float> direct = {}, stiction::Lanes<float> lanes = {})
        : solver_(solver), bodies_(bodies), contacts_(contacts) {
        hooks_.direct = direct.handle();
        hooks_.lanes = lanes.handle();
        settings_.islands = stiction::IslandMode::separate;
    }

    // Error reduction, slop and restitution threshold are copied from Bullet, see `settings_for`; the rest may be
    // changed here.
    stiction::Settings<float> &settings() { return settings_; }
    const stiction::Report<float> &report() const { return report_; }
    const Troubles &troubles() const { return troubles_; }

    btScalar solveGroup(btCollisionObject **objects, int object_count, btPersistentManifold **manifolds, int manifold_count,
                        btTypedConstraint **, int joint_count, const btContactSolverInfo &info, btIDebugDraw *,
                        btDispatcher *) override {
        if (joint_count > 0) complain(troubles_.joints, joint_count, "joints are not supported and do nothing");
        body_count_ = contact_count_ = 0;
        add_fixed();
        for (int i = 0; i < object_count; ++i) add_moving(btRigidBody::upcast(objects[i]), info);
        for (int i = 0; i < manifold_count; ++i) add_manifold(*manifolds[i]);
        report_ = {};
        const bool solved = contact_count_ == 0 || solve(info);
        if (solved && contact_count_ > 0) write_back(info.m_timeStep);
        forget_slots();
        return report_.residual;
    }

    // Warm-start impulses are stored in Bullet's manifolds, so there is nothing to clear here.
    void reset() override { troubles_ = {}; }

    // Bullet has no type for external solvers; this one means that multibodies are not supported.
    btConstraintSolverType getSolverType() const override { return BT_SEQUENTIAL_IMPULSE_SOLVER; }

    void prepareSolve(int, int) override {}
    void allSolved(const btContactSolverInfo &, btIDebugDraw *) override {}

 private:
    static constexpr int no_slot = -1;
    static constexpr std::uint32_t fixed_slot = 0;

    static void put(float (&out)[3], const btVector3 &v) { out[0] = v.x(), out[1] = v.y(), out[2] = v.z(); }
    static btVector3 vec(const float (&v)[3]) { return btVector3(v[0], v[1], v[2]); }

    void complain(int &counter, int count, const char *what) {
        if (counter == 0) std::fprintf(stderr, "stiction: %s\n", what);
        counter += count;
    }

    // ------------------------------------------------------------------------------------------------------------ bodies in

    // One body represents all static ones: with arms instead of points their positions do not matter.
    void add_fixed() {
        bodies_[fixed_slot] = {};
        body_count_ = 1;
    }

    void add_moving(btRigidBody *body, const btContactSolverInfo &info) {
        if (!body || body->isStaticOrKinematicObject()) return;
        if (body->getLinearFactor() != btVector3(1, 1, 1)) complain(troubles_.factors, 1, "linear factors are not supported");
        apply_forces(*body, info);
        if (Body *slot = add_slot(*body)) {
            slot->inverse_mass = body->getInvMass();
            put_inertia(*slot, *body);
        }
    }

    // In Bullet the solver converts forces to velocities. Damping has been applied before.
    static void apply_forces(btRigidBody &body, const btContactSolverInfo &info) {
        const btScalar dt = info.m_timeStep;
        const btMatrix3x3 &inverse_inertia = body.getInvInertiaTensorWorld();
        btVector3 spin = body.getAngularVelocity() + inverse_inertia * body.getTotalTorque() * dt;
        const int flags = body.getFlags();
        if (flags & BT_ENABLE_GYROSCOPIC_FORCE_EXPLICIT) {
            spin -= inverse_inertia * body.computeGyroscopicForceExplicit(info.m_maxGyroscopicForce) * dt;
        }
        if (flags & BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_WORLD) spin += body.computeGyroscopicImpulseImplicit_World(dt);
        if (flags & BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_BODY) spin += body.computeGyroscopicImpulseImplicit_Body(dt);
        body.setLinearVelocity(body.getLinearVelocity() + body.getTotalForce() * (body.getInvMass() * dt));
        body.setAngularVelocity(spin);
    }

    // The body's index is stored in Bullet's companion id, where its contacts find it.
    Body *add_slot(btRigidBody &body) {
        if (body_count_ >= bodies_.size()) return nullptr;
        body.setCompanionId(static_cast<int>(body_count_));
        Body &slot = bodies_[body_count_++];
        slot = {};
        slot.body = &body;
        put(slot.linear, body.getLinearVelocity());
        put(slot.angular, body.getAngularVelocity());
        return &slot;
    }

    // Because of rounding, Bullet's matrix is not exactly symmetric. An angular factor of 0 removes the axis from rows
    // and columns.
    static void put_inertia(Body &slot, const btRigidBody &body) {
        const btMatrix3x3 &m = body.getInvInertiaTensorWorld();
        const btVector3 &factor = body.getAngularFactor();
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) {
                slot.inverse_inertia[3 * row + column] =
                    0.5f * (m[row][column] + m[column][row]) * factor[row] * factor[column];
            }
        }
    }

    // The index of a contact's body. Kinematic bodies are added here, with their velocity. Bullet has several negative
    // values for "no index"; as unsigned numbers they are beyond any count here.
    std::uint32_t slot_of(const btCollisionObject *object) {
        btRigidBody *body = const_cast<btRigidBody *>(btRigidBody::upcast(object));
        if (!body || (body->isStaticObject() && !body->isKinematicObject())) return fixed_slot;
        if (body->getCompanionId() < 0 && body->isKinematicObject()) add_slot(*body);
        return static_cast<std::uint32_t>(body->getCompanionId());
    }

    void forget_slots() {
        for (std::size_t i = 1; i < body_count_; ++i) bodies_[i].body->setCompanionId(no_slot);
    }

    // ---------------------------------------------------------------------------------------------------------- contacts in

    void add_manifold(btPersistentManifold &manifold) {
        const btCollisionObject *first = manifold.getBody0(), *second = manifold.getBody1();
        if (first->isStaticOrKinematicObject() && second->isStaticOrKinematicObject()) return;
        if (!first->hasContactResponse() || !second->hasContactResponse()) return;
        const std::uint32_t a = slot_of(first), b = slot_of(second);
        for (int i = 0; i < manifold.getNumContacts(); ++i) {
            btManifoldPoint &point = manifold.getContactPoint(i);
            if (point.getDistance() > manifold.getContactProcessingThreshold()) continue;
            const bool fits = a < body_count_ && b < body_count_ && contact_count_ < contacts_.size();
            if (!fits) complain(troubles_.left_out, 1, "more bodies or contacts than the capacity");
            else add_contact(point, a, b, center_of(first), center_of(second));
        }
    }

    static btVector3 center_of(const btCollisionObject *object) { return object->getWorldTransform().getOrigin(); }

    // Bullet's normal points from its second body to the first, ours from the first to the second. The two surface
    // points are replaced by their midpoint, so that impulse and counter-impulse act on the same line.
    void add_contact(btManifoldPoint &point, std::uint32_t a, std::uint32_t b, const btVector3 &center_a,
                     const btVector3 &center_b) {
        const btVector3 normal = unit(-point.m_normalWorldOnB);
        if (normal.isZero()) return;
        const btVector3 middle = (point.getPositionWorldOnA() + point.getPositionWorldOnB()) * 0.5f;
        Contact &contact = contacts_[contact_count_++];
        contact.a = a, contact.b = b;
        put(contact.normal, normal);
        put(contact.r_a, middle - center_a);
        put(contact.r_b, middle - center_b);
        contact.mu = btMax(point.m_combinedFriction, 0.0f);
        contact.restitution = btClamped(point.m_combinedRestitution, 0.0f, 1.0f);
        contact.depth = -point.getDistance();
        contact.point = &point;
        recall(contact, normal);
    }

    // Accurate to about one unit in the last place: Bullet's own function may use an estimate.
    static btVector3 unit(const btVector3 &v) {
        const float length = std::sqrt(v.x() * v.x() + v.y() * v.y() + v.z() * v.z());
        return length > 0 ? btVector3(v.x() / length, v.y() / length, v.z() / length) : btVector3(0, 0, 0);
    }

    // Impulses are stored in Bullet's point, which keeps three numbers when a point is updated, but no directions. So
    // the directions are computed from the normal alone, and stay the same as long as the normal does.
    static void recall(Contact &contact, const btVector3 &normal) {
        const btManifoldPoint &point = *contact.point;
        btVector3 first, second;
        btPlaneSpace1(normal, first, second);
        contact.impulse = btMax(point.m_appliedImpulse, 0.0f);
        put(contact.friction, -first * point.m_appliedImpulseLateral1 - second * point.m_appliedImpulseLateral2);
    }

    // In Bullet lateral impulses act on the first body, ours on the second.
    static void remember(const Contact &contact) {
        btManifoldPoint &point = *contact.point;
        const btVector3 friction = vec(contact.friction);
        btPlaneSpace1(vec(contact.normal), point.m_lateralFrictionDir1, point.m_lateralFrictionDir2);
        point.m_appliedImpulse = contact.impulse;
        point.m_appliedImpulseLateral1 = -friction.dot(point.m_lateralFrictionDir1);
        point.m_appliedImpulseLateral2 = -friction.dot(point.m_lateralFrictionDir2);
    }

    // ---------------------------------------------------------------------------------------------------------------- solve

    bool solve(const btContactSolverInfo &info) {
        const auto bodies = seen_bodies();
        const auto contacts = seen_contacts();
        const auto answer = written();
        stiction::InputError<float> input_error;
        const auto settings = settings_for(info);
        if (solver_.solve(bodies, contacts, settings, info.m_timeStep, &answer, &hooks_, &report_, &input_error) == stiction::Error::ok) return true;
        char line[160];
        stiction::text(input_error, line);
        complain(troubles_.errors, 1, line);
        return false;
    }

    stiction::Settings<float> settings_for(const btContactSolverInfo &info) const {
        auto settings = settings_;
        settings.position_correction = info.m_splitImpulse ? stiction::PositionCorrection::split_impulse : stiction::PositionCorrection::bias;
        settings.error_reduction = info.m_erp2;
        settings.slop = info.m_linearSlop;
        settings.restitution_threshold = info.m_restitutionVelocityThreshold;
        return settings;
    }

    stiction::Bodies<float> seen_bodies() const {
        const stiction::Span<Body> used(bodies_.data(), body_count_);
        stiction::Bodies<float> bodies = {};
        bodies.count = body_count_;
        bodies.inverse_mass = stiction::view(used, &Body::inverse_mass);
        bodies.inverse_inertia_world = stiction::view(used, &Body::inverse_inertia);
        bodies.linear_velocity = stiction::view_mut(used, &Body::linear);
        bodies.angular_velocity = stiction::view_mut(used, &Body::angular);
        return bodies;
    }

    stiction::Contacts<float> seen_contacts() const {
        const stiction::Span<Contact> used(contacts_.data(), contact_count_);
        stiction::Contacts<float> contacts = {};
        contacts.count = contact_count_;
        contacts.a = stiction::view(used, &Contact::a);
        contacts.b = stiction::view(used, &Contact::b);
        contacts.normal = stiction::view(used, &Contact::normal);
        contacts.r_a = stiction::view(used, &Contact::r_a);
        contacts.r_b = stiction::view(used, &Contact::r_b);
        contacts.mu = stiction::view(used, &Contact::mu);
        contacts.restitution = stiction::view(used, &Contact::restitution);
        contacts.depth = stiction::view(used, &Contact::depth);
        contacts.warm_normal_impulse = stiction::view(used, &Contact::impulse);
        contacts.warm_tangent_impulse = stiction::view(used, &Contact::friction);
        return contacts;
    }

    stiction::Answer<float> written() const {
        const stiction::Span<Body> used_bodies(bodies_.data(), body_count_);
        const stiction::Span<Contact> used_contacts(contacts_.data(), contact_count_);
        stiction::Answer<float> answer = {};
        answer.normal_impulse = stiction::view_mut(used_contacts, &Contact::impulse);
        answer.tangent_impulse = stiction::view_mut(used_contacts, &Contact::friction);
        answer.correction_linear = stiction::view_mut(used_bodies, &Body::correction_linear);
        answer.correction_angular = stiction::view_mut(used_bodies, &Body::correction_angular);
        return answer;
    }

    // ------------------------------------------------------------------------------------------------------------------ out

    void write_back(btScalar dt) {
        for (std::size_t i = 1; i < body_count_; ++i) {
            if (bodies_[i].inverse_mass > 0) write_body(bodies_[i], dt);
        }
        for (std::size_t i = 0; i < contact_count_; ++i) remember(contacts_[i]);
    }

    // Position correction moves the body immediately and is then dropped; Bullet adds the motion of the velocities
    // later.
    static void write_body(const Body &slot, btScalar dt) {
        btRigidBody &body = *slot.body;
        body.setLinearVelocity(vec(slot.linear));
        body.setAngularVelocity(vec(slot.angular));
        const btVector3 linear = vec(slot.correction_linear), angular = vec(slot.correction_angular);
        if (linear.isZero() && angular.isZero()) return;
        btTransform moved;
        btTransformUtil::integrateTransform(body.getWorldTransform(), linear, angular, dt, moved);
        body.setWorldTransform(moved);
    }

    stiction::Solver<float> solver_;
    stiction::Span<Body> bodies_;
    stiction::Span<Contact> contacts_;
    std::size_t body_count_ = 0, contact_count_ = 0;
    stiction::Settings<float> settings_ = stiction::settings<float>();
    stiction::Hooks<float> hooks_ = {};
    stiction::Report<float> report_ = {};
    Troubles troubles_;
};

#endif  // STICTION_BULLET_HPP
