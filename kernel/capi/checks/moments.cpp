// The same as moments.c, with the C++ interface.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "stiction.hpp"

namespace {

// Views that a problem passes. Those of all others are null.
enum Given : std::uint32_t { torsion = 1, rolling = 2, treads = 4, joined = 8, warm = 16 };

template <class T>
struct Body {
    T inverse_mass, inverse_inertia[9], linear[3], angular[3];
};

template <class T>
struct Contact {
    std::uint32_t a, b, is_joined, unused;
    T normal[3], r_a[3], r_b[3], mu, restitution, depth, warm_normal, warm_tangent[3];
    T torsion, rolling, mu_across, direction[3], warm_moment[3];
};

template <class T>
struct Outcome {
    std::uint32_t state, reached;
    T normal, tangent[3], bounce, moment[3];
};

struct Reader {
    std::FILE *file;

    template <class E>
    std::vector<E> some(std::size_t count) {
        std::vector<E> elements(count);
        if (std::fread(elements.data(), sizeof(E), count, file) != count) {
            std::puts("the file ends early");
            std::exit(1);
        }
        return elements;
    }
    std::uint32_t word() { return some<std::uint32_t>(1)[0]; }
};

struct Aligned {
    explicit Aligned(std::size_t bytes) : bytes_(bytes + STICTION_ALIGNMENT, std::byte{0xa5}) {}
    stiction::Span<std::byte> span() {
        void *start = bytes_.data();
        std::size_t size = bytes_.size();
        std::align(STICTION_ALIGNMENT, 1, start, size);
        return {static_cast<std::byte *>(start), size};
    }
    std::vector<std::byte> bytes_;
};

template <class E>
bool equal(const std::vector<E> &one, const std::vector<E> &other) {
    return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size() * sizeof(E)) == 0;
}

template <class T>
bool solves(Reader &file, bool by_kind, const stiction::DirectMemory<T> &direct) {
    const std::uint32_t given = file.word(), count = file.word(), touching = file.word();
    auto settings = stiction::settings<T>();
    settings.method = file.word();
    settings.islands = file.word();
    settings.position_correction = file.word();
    stiction::Hooks<T> hooks{};
    hooks.direct = file.word() ? direct.handle() : nullptr;
    auto bodies = file.some<Body<T>>(count);
    const auto contacts = file.some<Contact<T>>(touching);
    const auto velocities = file.some<T>(6 * count);
    const auto wanted = file.some<Outcome<T>>(touching);
    const auto work = file.some<T>(3);

    stiction::Bodies<T> all{};
    all.count = count;
    all.inverse_mass = stiction::view(bodies, &Body<T>::inverse_mass);
    all.inverse_inertia_world = stiction::view(bodies, &Body<T>::inverse_inertia);
    all.linear_velocity = stiction::view_mut(bodies, &Body<T>::linear);
    all.angular_velocity = stiction::view_mut(bodies, &Body<T>::angular);
    stiction::Contacts<T> views{};
    views.count = touching;
    views.a = stiction::view(contacts, &Contact<T>::a);
    views.b = stiction::view(contacts, &Contact<T>::b);
    views.normal = stiction::view(contacts, &Contact<T>::normal);
    views.r_a = stiction::view(contacts, &Contact<T>::r_a);
    views.r_b = stiction::view(contacts, &Contact<T>::r_b);
    views.mu = stiction::view(contacts, &Contact<T>::mu);
    views.restitution = stiction::view(contacts, &Contact<T>::restitution);
    views.depth = stiction::view(contacts, &Contact<T>::depth);
    if (given & warm) {
        views.warm_normal_impulse = stiction::view(contacts, &Contact<T>::warm_normal);
        views.warm_tangent_impulse = stiction::view(contacts, &Contact<T>::warm_tangent);
        views.warm_moment = stiction::view(contacts, &Contact<T>::warm_moment);
    }
    if (given & torsion) views.torsion = stiction::view(contacts, &Contact<T>::torsion);
    if (given & rolling) views.rolling = stiction::view(contacts, &Contact<T>::rolling);
    if (given & treads) {
        views.mu_across = stiction::view(contacts, &Contact<T>::mu_across);
        views.friction_direction = stiction::view(contacts, &Contact<T>::direction);
    }
    if (given & joined) views.is_joined = stiction::view(contacts, &Contact<T>::is_joined);

    std::vector<Outcome<T>> outcomes(touching);
    stiction::Answer<T> answer{};
    answer.normal_impulse = stiction::view_mut(outcomes, &Outcome<T>::normal);
    answer.tangent_impulse = stiction::view_mut(outcomes, &Outcome<T>::tangent);
    answer.bounce_impulse = stiction::view_mut(outcomes, &Outcome<T>::bounce);
    answer.state = stiction::view_mut(outcomes, &Outcome<T>::state);
    answer.moment = stiction::view_mut(outcomes, &Outcome<T>::moment);
    answer.reached = stiction::view_mut(outcomes, &Outcome<T>::reached);

    using Solver = stiction::Solver<T>;
    const auto *kind = Solver::template kind_with_moments<16, 64>();
    Aligned memory(by_kind ? Solver::size(kind) : Solver::size_with_moments(count, 2 * touching));
    Solver solver;
    const auto error = by_kind ? solver.init(kind, memory.span()) : solver.init_with_moments(memory.span(), count, 2 * touching);
    stiction::FrictionWork<T> found{};
    if (error != stiction::Error::ok ||
        solver.solve(all, views, settings, static_cast<T>(1.0 / 60.0), &answer, &hooks) != stiction::Error::ok ||
        solver.friction_work(found) != stiction::Error::ok) {
        return false;
    }
    std::vector<T> after;
    for (const auto &body : bodies) {
        after.insert(after.end(), body.linear, body.linear + 3);
        after.insert(after.end(), body.angular, body.angular + 3);
    }
    return equal(after, velocities) && equal(outcomes, wanted) && equal({found.sliding, found.spinning, found.rolling}, work);
}

template <class T>
bool solves_delassus(Reader &file, stiction::DelassusSolver<T> &solver) {
    const bool dense = file.word() != 0;
    const std::uint32_t rows = file.word(), starts = file.word();
    const auto w = file.some<T>(9 * rows * rows), q = file.some<T>(3 * rows), mu = file.some<T>(rows);
    const auto of_torsion = file.some<T>(rows), of_rolling = file.some<T>(rows);
    const auto is_joined = file.some<std::uint32_t>(rows);
    const auto start = file.some<T>(3 * starts), wanted = file.some<T>(3 * rows);
    const auto wanted_states = file.some<std::uint32_t>(rows);
    std::vector<std::uint32_t> row_starts, columns;
    for (std::uint32_t i = 0; i <= rows; i++) row_starts.push_back(i * rows);
    for (std::uint32_t i = 0; i < rows * rows; i++) columns.push_back(i % rows);
    std::vector<T> x(3 * rows);
    std::vector<std::uint32_t> states(rows);
    stiction::DelassusProblem<T> problem{};
    problem.contacts = rows;
    problem.w = w.data();
    if (!dense) {
        problem.blocks = columns.size();
        problem.row_starts = row_starts.data();
        problem.columns = columns.data();
    }
    problem.q = {q.data(), 3 * sizeof(T)};
    problem.mu = stiction::view(mu);
    if (starts > 0) problem.start = {start.data(), 3 * sizeof(T)};
    problem.torsion = stiction::view(of_torsion);
    problem.rolling = stiction::view(of_rolling);
    problem.is_joined = stiction::view(is_joined);
    const stiction::DelassusAnswer<T> answer{{x.data(), 3 * sizeof(T)}, stiction::view_mut(states)};
    return solver.solve(problem, stiction::settings<T>(), &answer) == stiction::Error::ok && equal(x, wanted) &&
           equal(states, wanted_states);
}

template <class T>
struct Touch {
    stiction::Manifold<T> manifold;
    stiction::Surface<T> surface;
    bool has_own;
};

// The numbers of a surface.
template <class T>
stiction::Surface<T> surface_of(const std::vector<T> &numbers, bool is_joined) {
    return {numbers[0], numbers[1], numbers[2], {numbers[3], numbers[4], numbers[5]}, is_joined};
}

template <class T>
Touch<T> touch(Reader &file) {
    Touch<T> touch{};
    auto &manifold = touch.manifold;
    manifold.a = file.word();
    manifold.b = file.word();
    manifold.point_count = file.word();
    manifold.has_material = file.word() != 0;
    touch.has_own = file.word() != 0;
    const bool is_joined = file.word() != 0;
    const auto numbers = file.some<T>(5);
    std::copy_n(numbers.begin(), 3, manifold.normal);
    manifold.mu = numbers[3];
    manifold.restitution = numbers[4];
    touch.surface = surface_of(file.some<T>(6), is_joined);
    for (std::uint32_t i = 0; i < manifold.point_count && i < 4; i++) {
        auto &point = manifold.points[i];
        const auto place = file.some<T>(7);
        std::copy_n(place.begin(), 3, point.on_a);
        std::copy_n(place.begin() + 3, 3, point.on_b);
        point.depth = place[6];
        point.feature = file.word();
    }
    return touch;
}

// Compares the state after a step.
template <class T>
bool is_equal(Reader &file, const stiction::Pipeline<T> &pipeline, std::size_t bodies) {
    bool same = true;
    for (std::size_t i = 0; i < bodies; i++) {
        stiction::RigidBody<T> body{};
        same = pipeline.body(i, body) == stiction::Error::ok && same;
        std::vector<T> state(body.position, body.position + 3);
        state.insert(state.end(), body.orientation, body.orientation + 4);
        state.insert(state.end(), body.linear_velocity, body.linear_velocity + 3);
        state.insert(state.end(), body.angular_velocity, body.angular_velocity + 3);
        same = equal(state, file.some<T>(13)) && same;
    }
    const std::size_t contacts = file.word();
    same = pipeline.contact_count() == contacts && same;
    for (std::size_t i = 0; i < contacts; i++) {
        std::vector<T> moment(3);
        std::uint32_t reached = 9;
        same = pipeline.contact_moment(i, moment.data(), &reached) == stiction::Error::ok && same;
        same = equal(moment, file.some<T>(3)) && same;
        same = reached == file.word() && same;
    }
    stiction::FrictionWork<T> work{};
    same = pipeline.friction_work(work) == stiction::Error::ok && same;
    return equal({work.sliding, work.spinning, work.rolling}, file.some<T>(3)) && same;
}

template <class T>
bool simulates(Reader &file, bool by_kind) {
    using Pipeline = stiction::Pipeline<T>;
    const auto ok = stiction::Error::ok;
    const auto *kind = Pipeline::template kind_with_moments<16, 64>();
    Aligned memory(by_kind ? Pipeline::size(kind) : Pipeline::size_with_moments(16, 64));
    Pipeline pipeline;
    bool same = (by_kind ? pipeline.init(kind, memory.span()) : pipeline.init_with_moments(memory.span(), 16, 64)) == ok;
    const std::size_t bodies = file.word(), steps = file.word(), saved_every = file.word();
    for (std::size_t i = 0; i < bodies; i++) {
        const auto body = file.some<stiction::RigidBody<T>>(1);
        const bool is_joined = file.word() != 0;
        const auto surface = surface_of(file.some<T>(6), is_joined);
        stiction::Surface<T> kept{};
        same = pipeline.add_body(body[0]) == ok && pipeline.set_surface(i, surface) == ok && pipeline.surface(i, kept) == ok && same;
        same = kept.rolling == surface.rolling && kept.is_joined == is_joined && same;
    }
    for (std::size_t step = 1; step <= steps; step++) {
        std::vector<Touch<T>> touches(file.word());
        bool has_own = false;
        for (auto &found : touches) {
            found = touch<T>(file);
            has_own = has_own || found.has_own;
        }
        const T dt = static_cast<T>(1.0 / 60.0);
        const auto detect = [&](stiction::ContactCollector<T> &collector) {
            bool collected = true;
            for (const auto &found : touches) {
                const auto error = found.has_own ? collector.collect_on(found.manifold, found.surface) : collector.collect(found.manifold);
                collected = error == ok && collected;
            }
            return collected;
        };
        const auto *first = touches.empty() ? nullptr : &touches[0].manifold;
        const auto error = has_own || step % 2 == 0 ? pipeline.step(detect, dt)
                                                    : pipeline.step_manifolds(first, touches.size(), sizeof(Touch<T>), dt);
        same = error == ok && same;
        same = is_equal(file, pipeline, bodies) && same;
        if (step % saved_every == 0) {
            std::vector<std::uint8_t> saved(pipeline.cache_size());
            std::size_t count = 0;
            same = pipeline.cache_save(saved, count) == ok && pipeline.cache_restore(saved) == ok && same;
        }
    }
    return same;
}

// The number of problems that have other bits, the number of all, and that of worlds among them.
template <class T>
void compare(Reader &file, unsigned long &wrong, unsigned long &problems, unsigned long &worlds) {
    Aligned space(stiction::DirectMemory<T>::size(64));
    Aligned of_delassus(stiction::DelassusSolver<T>::size_with_moments(16));
    stiction::DirectMemory<T> direct;
    stiction::DelassusSolver<T> delassus, by_kind;
    const auto *kind = stiction::DelassusSolver<T>::template kind_with_moments<16>();
    if (file.word() != sizeof(T) || direct.init(space.span(), 64) != stiction::Error::ok ||
        by_kind.init(kind, of_delassus.span()) != stiction::Error::ok ||
        delassus.init_with_moments(of_delassus.span(), 16) != stiction::Error::ok) {
        wrong++;
        return;
    }
    for (std::uint32_t form = file.word(); form != 0; form = file.word()) {
        problems++;
        worlds += form == 3;
        wrong += !(form == 1   ? solves<T>(file, problems / 2 % 2 != 0, direct)
                   : form == 2 ? solves_delassus<T>(file, delassus)
                               : simulates<T>(file, problems % 2 != 0));
    }
}

}  // namespace

int main(int count, char **arguments) {
    Reader file{count > 1 ? std::fopen(arguments[1], "rb") : nullptr};
    if (!file.file) {
        std::puts("no file of problems");
        return 1;
    }
    unsigned long wrong = 0, problems = 0, worlds = 0;
    compare<float>(file, wrong, problems, worlds);
    compare<double>(file, wrong, problems, worlds);
    std::fclose(file.file);
    std::printf("%lu problems and %lu worlds, %s\n", problems - worlds, worlds, wrong ? "DIFFERENT" : "every bit the same");
    return wrong != 0 || problems == worlds || worlds == 0;
}
