// The same as moments.c, with the C++ interface.

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

// The number of problems that have other bits, and the number of all.
template <class T>
void compare(Reader &file, unsigned long &wrong, unsigned long &problems) {
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
        wrong += !(form == 1 ? solves<T>(file, problems / 2 % 2 != 0, direct) : solves_delassus<T>(file, delassus));
    }
}

}  // namespace

int main(int count, char **arguments) {
    Reader file{count > 1 ? std::fopen(arguments[1], "rb") : nullptr};
    if (!file.file) {
        std::puts("no file of problems");
        return 1;
    }
    unsigned long wrong = 0, problems = 0;
    compare<float>(file, wrong, problems);
    compare<double>(file, wrong, problems);
    std::fclose(file.file);
    std::printf("%lu problems, %s\n", problems, wrong ? "DIFFERENT" : "every bit the same");
    return wrong != 0 || problems == 0;
}
