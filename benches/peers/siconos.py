#!/usr/bin/env python3
"""Times the NSGS solver of Siconos 4.4 (block Gauss-Seidel) on a folder of .fc3d frictional contact problems.

    siconos.py FOLDER [TOLERANCE]          (Debian: apt-get install python3-siconos, and the Python of the system)

Prints one CSV line per problem: problem,contacts,milliseconds,iterations,natural_rel_q. The milliseconds are those of
the fastest run from zero, single thread, solver call only. natural_rel_q, |r - P(r - u - mu |u_t| n)| / |q|, is
computed here and not taken from Siconos; TOLERANCE (default 1e-4) is the value of it at which the solver shall stop.
A problem that Siconos gives up on keeps its line, and a warning goes to stderr.
"""
import os
import sys

# The BLAS library reads these once, when it is loaded.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
# This file has the name of the package: its own folder must not be searched for it.
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path = [place for place in sys.path if os.path.realpath(place) != HERE]

import pathlib
import struct
import tempfile
import time

try:
    import numpy as np
    import siconos.numerics as sn
except ImportError as missing:
    print(f"siconos.py: {missing}; needs python3-siconos and the Python it belongs to",
          file=sys.stderr)
    sys.exit(2)

SWEEP_CAP = 200_000
RUNS = 500
SECONDS_PER_PROBLEM = 3.0


class Problem:
    def __init__(self, path):
        data = path.read_bytes()
        if data[:8] != b"FC3DBSR1":
            raise ValueError(f"{path.name}: not an .fc3d file")
        self.contacts, count = struct.unpack_from("<II", data, 8)
        at = 16
        fields = []
        for kind, length in (("<f8", self.contacts), ("<f8", 3 * self.contacts), ("<f8", 9 * count),
                             ("<u4", self.contacts + 1), ("<u4", count)):
            fields.append(np.frombuffer(data, kind, length, at))
            at += fields[-1].nbytes
        self.mu, self.q, blocks, self.start, self.column = fields
        self.blocks = blocks.reshape(count, 3, 3)

    def for_siconos(self):
        """The problem with W in sparse block storage, the one Siconos itself uses for contact problems.

        Arrays and scipy matrices handed to the Python binding become dense or compressed column storage, in which the
        same sweeps take up to ten times as long; the text format of Siconos carries blocks, and repr() every digit.
        """
        n, count = self.contacts, len(self.column)
        ends = 3 * np.arange(1, n + 1)
        parts = [[3, n], [1, 3 * n, 3 * n], [count, n, n], ends, ends, [n + 1, count], self.start, self.column]
        for k, block in enumerate(self.blocks):
            parts += [[k], block.T]  # Blocks are column-major there.
        parts += [self.q, self.mu]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "problem.dat")
            with open(path, "w") as file:
                for part in parts:
                    file.write(" ".join(map(repr, np.asarray(part).ravel().tolist())) + "\n")
            return sn.frictionContact_new_from_filename(path)

    def natural_rel_q(self, reaction):
        r = reaction.reshape(-1, 3)
        u = self.q.reshape(-1, 3).copy()
        row = np.repeat(np.arange(self.contacts), np.diff(self.start.astype(int)))
        np.add.at(u, row, np.einsum("kij,kj->ki", self.blocks, r[self.column]))
        u[:, 0] += self.mu * np.hypot(u[:, 1], u[:, 2])
        return np.linalg.norm(r - onto_cone(r - u, self.mu)) / np.linalg.norm(self.q)


def onto_cone(x, mu):
    """The nearest point of the friction cone |x_t| <= mu x_n, for each row of x."""
    normal, tangent = x[:, 0], np.hypot(x[:, 1], x[:, 2])
    inside = tangent <= mu * normal
    height = np.maximum((normal + mu * tangent) / (1 + mu * mu), 0.0)
    length = np.where(tangent > 0, tangent, 1.0)
    nearest = np.column_stack([height, x[:, 1:] * (mu * height / length)[:, None]])
    return np.where(inside[:, None], x, nearest)


def options_for(tolerance):
    options = sn.SolverOptions(sn.SICONOS_FRICTION_3D_NSGS)
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = SWEEP_CAP
    options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    # The default watches the change of the impulses and sweeps far past the tolerance: check the residual every sweep.
    options.iparam[sn.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = sn.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL
    return options


def solve(problem, contacts, tolerance):
    # Siconos writes to its options and starts from the impulses it is given: everything is new for each run.
    options = options_for(tolerance)
    reaction, velocity = np.zeros(3 * contacts), np.zeros(3 * contacts)
    begin = time.perf_counter()
    failed = sn.fc3d_nsgs(problem, reaction, velocity, options)
    seconds = time.perf_counter() - begin
    return seconds, int(options.iparam[sn.SICONOS_IPARAM_ITER_DONE]), reaction, velocity, failed


def tolerance_for_siconos(prepared, problem, tolerance):
    """The tolerance with which Siconos stops where natural_rel_q passes `tolerance`.

    Siconos divides the natural map by the largest of |q|, |r| and |u|, and not by |q|. Where impulses are large numbers
    in the units of the file it would stop thousands of times too early. The norms are known only once the problem is
    solved, hence the repetition; none of it is timed.
    """
    norm, given = np.linalg.norm, tolerance
    for _ in range(20):
        _, _, reaction, velocity, failed = solve(prepared, problem.contacts, given)
        wanted = tolerance * norm(problem.q) / max(norm(problem.q), norm(reaction), norm(velocity))
        if failed or (problem.natural_rel_q(reaction) <= tolerance and given > 0.999 * wanted):
            break
        given = wanted
    return given


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    tolerance = float(sys.argv[2]) if len(sys.argv) == 3 else 1e-4
    print("problem,contacts,milliseconds,iterations,natural_rel_q")
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.fc3d")):
        problem = Problem(path)
        prepared = problem.for_siconos()
        given = tolerance_for_siconos(prepared, problem, tolerance)
        best, spent, runs = float("inf"), 0.0, 0
        # At least five runs, unless one alone is longer than a second.
        while runs < RUNS and (spent < SECONDS_PER_PROBLEM or (runs < 5 and best < 1.0)):
            seconds, sweeps, reaction, _, failed = solve(prepared, problem.contacts, given)
            best, spent, runs = min(best, seconds), spent + seconds, runs + 1
        if failed:
            print(f"siconos.py: {path.stem}: stopped before the tolerance (code {failed})", file=sys.stderr)
        print(f"{path.stem},{problem.contacts},{1e3 * best:.3f},{sweeps},{problem.natural_rel_q(reaction):.3e}",
              flush=True)


if __name__ == "__main__":
    main()
