#!/usr/bin/env python3
"""Times the solvers of Siconos 4.4 for rolling friction on a folder of .rfc3d contact problems.

    siconos_rolling.py FOLDER [TOLERANCE]      (Debian: apt-get install python3-siconos, and the Python of the system)

Prints one CSV line per problem and solver: problem,contacts,solver,milliseconds,iterations,unit_rel_q,reached. The
solvers are NSGS (block Gauss-Seidel) with its default local solver, NSGS with plain projection, and ADMM. The
milliseconds are those of the fastest run from zero, single thread, the C function alone: not the Python binding, nor
the construction of the problem and of the options. unit_rel_q is computed here and not taken from Siconos; TOLERANCE
(default 1e-8) is the value of it at which a solver shall stop. At most ITERATION_CAP iterations; a solver that takes
longer than SECONDS_CAP for all its runs on a problem is ended, and its line has no figures.
"""
import os
import sys

# The BLAS library reads these once, when it is loaded.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
# A file beside this one has the name of the package: its folder must not be searched for it.
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path = [place for place in sys.path if os.path.realpath(place) != HERE]

import ctypes
import multiprocessing
import pathlib
import time

try:
    import numpy as np
    import siconos.numerics as sn
except ImportError as missing:
    print(f"siconos_rolling.py: {missing}; needs python3-siconos and the Python it belongs to", file=sys.stderr)
    sys.exit(2)

ITERATION_CAP = 20_000
SECONDS_CAP = 150.0
RUNS = 500
SECONDS_PER_PROBLEM = 2.0
# The library is loaded already, with the binding.
LIBRARY = ctypes.CDLL("libsiconos_numerics.so.7")
SOLVERS = {
    "NSGS": ("rolling_fc3d_nsgs", sn.SICONOS_ROLLING_FRICTION_3D_NSGS),
    "NSGS projection": ("rolling_fc3d_nsgs", sn.SICONOS_ROLLING_FRICTION_3D_NSGS),
    "ADMM": ("rolling_fc3d_admm", sn.SICONOS_ROLLING_FRICTION_3D_ADMM),
}


class Problem:
    def __init__(self, path):
        lines = (line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#"))
        words = lambda: next(lines).split()
        if words() != ["RFC3D-TEXT", "1"]:
            raise ValueError(f"{path.name}: not an .rfc3d file")
        self.contacts = int(words()[1])
        self.mu = np.array(words()[1:], float)
        self.rolling = np.array(words()[1:], float)
        words()
        self.q = np.array([words() for _ in range(self.contacts)], float)
        count = int(words()[1])
        blocks = [words() for _ in range(count)]
        self.row = np.array([block[0] for block in blocks], int)
        self.column = np.array([block[1] for block in blocks], int)
        self.blocks = np.array([block[2:] for block in blocks], float).reshape(count, 5, 5)

    def for_siconos(self):
        """The problem with W in dense storage: in 4.4.0 the NSGS solver for rolling friction stops at an assertion when
        it gets sparse blocks, and compressed columns are no faster on problems of this size."""
        n = self.contacts
        dense = np.zeros((n, 5, n, 5))
        dense[self.row, :, self.column, :] = self.blocks
        dense = np.asfortranarray(dense.reshape(5 * n, 5 * n))
        kept = [dense, np.ascontiguousarray(self.q.ravel()), self.mu.copy(), self.rolling.copy()]
        matrix, *vectors = (ctypes.c_void_p(array.ctypes.data) for array in kept)
        create, new = LIBRARY.NM_create_from_data, LIBRARY.rollingFrictionContactProblem_new_with_data
        create.restype = new.restype = ctypes.c_void_p
        stored = ctypes.c_void_p(create(sn.NM_DENSE, 5 * n, 5 * n, matrix))
        self.kept = kept  # Siconos has pointers to these arrays.
        return ctypes.c_void_p(new(5, n, stored, *vectors))

    def unit_rel_q(self, reaction):
        """The natural map with moments and angular velocities in units of impulses and velocities: moments over, and
        angular velocities times, the length L = sqrt(tr K_tt / tr K_rr) of the contact; step 1/k, where k is the mean
        of the diagonal in that unit; in m/s, over |q| in that unit."""
        x, u = reaction.reshape(-1, 5), self.q.copy()
        np.add.at(u, self.row, np.einsum("kij,kj->ki", self.blocks, x[self.column]))
        own = self.blocks[self.row == self.column]
        diagonal = np.einsum("kii->ki", own)
        unit = np.ones_like(u)
        unit[:, 3:] = np.sqrt(diagonal[:, 1:3].sum(1) / diagonal[:, 3:].sum(1))[:, None]
        size = (diagonal * unit**2).mean(1)
        rolling = self.rolling / unit[:, 3]
        x, u = x / unit, u * unit
        u[:, 0] += self.mu * np.hypot(u[:, 1], u[:, 2]) + rolling * np.hypot(u[:, 3], u[:, 4])
        z = x - u / size[:, None]
        nearest = np.array([nearest_of(*contact) for contact in zip(z, self.mu, rolling)])
        return np.linalg.norm((x - nearest) * size[:, None]) / np.linalg.norm(self.q * unit)


def nearest_of(z, mu, rolling):
    """The nearest point with |x_t| <= mu x_n and |x_r| <= rolling x_n: that of the bounds that it lies on."""
    best, least = np.zeros(5), z @ z
    slide, roll = np.hypot(z[1], z[2]), np.hypot(z[3], z[4])
    for on_slide, on_roll in ((0, 0), (1, 0), (0, 1), (1, 1)):
        normal = z[0] + on_slide * mu * slide + on_roll * rolling * roll
        normal /= 1.0 + on_slide * mu * mu + on_roll * rolling * rolling
        if normal < 0.0:
            continue
        shorter = lambda length, bound: bound / length if length > bound else 1.0
        a, b = shorter(slide, mu * normal), shorter(roll, rolling * normal)
        x = np.array([normal, a * z[1], a * z[2], b * z[3], b * z[4]])
        distance = (x - z) @ (x - z)
        if distance < least:
            best, least = x, distance
    return best


def options_for(solver, tolerance):
    options = sn.SolverOptions(SOLVERS[solver][1])
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = ITERATION_CAP
    options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    if solver != "ADMM":
        # The default watches the change of the impulses and sweeps past the tolerance: check the residual every sweep.
        full = sn.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL
        options.iparam[sn.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = full
    if solver == "NSGS projection":
        sn.solver_options_update_internal(options, 0, sn.SICONOS_ROLLING_FRICTION_3D_ONECONTACT_ProjectionOnCone)
    return options


def solve(prepared, contacts, solver, tolerance):
    # Siconos writes to its options and starts from the impulses it is given: everything is new for each run.
    # As its driver does, -1: with 0 it takes the problem for solved.
    options = options_for(solver, tolerance)
    reaction, velocity, failed = np.zeros(5 * contacts), np.zeros(5 * contacts), ctypes.c_int(-1)
    function = getattr(LIBRARY, SOLVERS[solver][0])
    arguments = [prepared, ctypes.c_void_p(reaction.ctypes.data),
                 ctypes.c_void_p(velocity.ctypes.data), ctypes.byref(failed), ctypes.c_void_p(int(options.this))]
    begin = time.perf_counter()
    function(*arguments)
    seconds = time.perf_counter() - begin
    return seconds, int(options.iparam[sn.SICONOS_IPARAM_ITER_DONE]), reaction, failed.value


def tolerance_for(prepared, problem, solver, wanted):
    """The largest tolerance, to a few per cent, with which unit_rel_q is at most `wanted`; none if there is none.

    Siconos divides the natural map, in the units of the file, by the largest of |q|, |r| and |u|: where impulses are
    large numbers it would stop thousands of times too early. None of this search is timed.
    """
    best, given = None, wanted
    for _ in range(10):
        _, _, reaction, failed = solve(prepared, problem.contacts, solver, given)
        left = problem.unit_rel_q(reaction)
        if left <= wanted:
            best = max(given, best or 0.0)
            if failed or left > 0.9 * wanted or left == 0.0:
                break
        elif failed:
            break
        given = min(given * min(0.95 * wanted / left, 30.0), best * 30.0 if best else 1e-2)
        if best and given <= 1.02 * best:
            break
    return best


def measure(problem, solver, tolerance, pipe):
    prepared = problem.for_siconos()
    given = tolerance_for(prepared, problem, solver, tolerance)
    best, spent, runs = float("inf"), 0.0, 0
    # Where the tolerance is out of reach, one run with the cap on iterations.
    while runs < RUNS and (runs == 0 or (given and spent < SECONDS_PER_PROBLEM)):
        seconds, iterations, reaction, _ = solve(prepared, problem.contacts, solver, given or tolerance * 1e-3)
        best, spent, runs = min(best, seconds), spent + seconds, runs + 1
    pipe.send((best, iterations, problem.unit_rel_q(reaction)))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    tolerance = float(sys.argv[2]) if len(sys.argv) == 3 else 1e-8
    print("problem,contacts,solver,milliseconds,iterations,unit_rel_q,reached")
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.rfc3d")):
        problem = Problem(path)
        for solver in SOLVERS:
            ours, theirs = multiprocessing.Pipe(False)
            child = multiprocessing.Process(target=measure, args=(problem, solver, tolerance, theirs))
            child.start()
            theirs.close()
            start = f"{path.stem},{problem.contacts},{solver}"
            try:
                if not ours.poll(SECONDS_CAP):
                    raise EOFError(f"ended after {SECONDS_CAP:.0f} s")
                seconds, iterations, left = ours.recv()
                reached = "yes" if left <= tolerance else "no"
                print(f"{start},{1e3 * seconds:.4g},{iterations},{left:.3e},{reached}", flush=True)
            except EOFError as ended:
                print(f"{start},,,,no", flush=True)
                print(f"siconos_rolling.py: {path.stem}: {solver}: {ended or 'the solver died'}", file=sys.stderr)
            child.kill()
            child.join()


if __name__ == "__main__":
    main()
