// The same as film.c, with the C++ interface.

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
    const std::size_t bodies = film.word(), islands = film.word();
    Aligned memory(stiction::Pipeline<T>::size(bodies, 4096)), space(stiction::DirectMemory<T>::size(islands));
    stiction::Pipeline<T> pipeline;
    Aligned space_for_lanes(stiction::Lanes<T>::size(bodies, 4096));
    stiction::DirectMemory<T> direct;
    stiction::Lanes<T> lanes;
    bool same = pipeline.init(memory.span(), bodies, 4096) == stiction::Error::ok &&
                direct.init(space.span(), islands) == stiction::Error::ok &&
                lanes.init(space_for_lanes.span(), bodies, 4096) == stiction::Error::ok;
    auto settings = read_settings<T>(film);
    for (std::size_t i = 0; same && i < bodies; i++) {
        stiction::RigidBody<T> body;
        film.reals(reinterpret_cast<T *>(&body), sizeof body / sizeof(T));
        same = pipeline.add_body(body) == stiction::Error::ok;
    }
    stiction::Hooks<T> hooks{};
    hooks.direct = islands > 0 ? direct.handle() : nullptr;
    hooks.lanes = lanes.handle();
    unsigned steps = 0;
    while (same && film.word() == 1) {
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

}  // namespace

int main(int count, char **files) {
    bool same = true;
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
