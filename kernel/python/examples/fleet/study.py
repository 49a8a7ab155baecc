#!/usr/bin/env python3
"""A Monte Carlo study on a fleet: a robot with four legs falls, and stands or not. Ray spreads it over the machines.

    study.py --out DIR [--samples 4096] [--shard 64] [--workers N] [--address ADDRESS] [--seed 1]

(pip install ray pyarrow numpy matplotlib, and stiction.) Friction, mass and sideways speed of a sample follow from
the seed and the sample's number alone. Shards of samples are tasks of Ray. Each is written to DIR/shards when it is
done, and the same command goes on from there. At the end: DIR/results.parquet, DIR/figure.png, and the digest of all
results. It depends on the seed and the number of samples, and not on shards, workers, machines or restarts.

Columns of the results, SI units:
    sample         number of the sample
    friction       coefficient of friction
    mass           of the whole robot, kg
    speed          sideways, where the fall begins, m/s
    stands         whether it stands at the end: high, upright, and the trunk never touched the floor
    height         of the trunk's centre above the floor at the end, m
    up             cosine of the trunk's tilt at the end
    trunk_touched  whether the trunk touched the floor
    peak_force     largest normal force of all contacts together, mean of one step, N
    slip           way of a foot along the floor while it touched, mean of the four, m
    energy_lost    kinetic and potential energy, beginning less end, J; motors give and take some of it
    rest_time      when all parts were slow for good, s; the length of the simulation if they never were
    status         worst status of a step
    residual       worst relative residual of a step with contacts
"""
import argparse
import hashlib
import json
import os
import pathlib
import sys
import time

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

try:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as parquet
    import ray
    import stiction
except ImportError as missing:
    wanted = "./kernel/python" if missing.name == "stiction" else "ray pyarrow numpy matplotlib"
    print(f"study.py: {missing}; pip install {wanted}", file=sys.stderr)
    sys.exit(2)

# Types in the digest; text is UTF-8 with a zero byte after each.
COLUMNS = {
    "sample": "<i8", "friction": "<f8", "mass": "<f8", "speed": "<f8", "stands": "|u1", "height": "<f8", "up": "<f8",
    "trunk_touched": "|u1", "peak_force": "<f8", "slip": "<f8", "energy_lost": "<f8", "rest_time": "<f8",
    "status": "text", "residual": "<f8",
}
KEPT = "finished shards are kept, and the same command goes on from them"
STATUSES = ["converged", "sweep_limit", "deadline"]
FRICTION, TRUNK_MASS, SPEED = (0.05, 1.2), (4.0, 30.0), (0.0, 2.0)  # what samples are drawn from: low and high

DT, SECONDS, DROP = 1 / 60, 1.5, 0.25
SLOW = 0.05  # m/s, and rad/s times a leg's length
HALF = (0.24, 0.18, 0.06)  # of the trunk, m
BONE, BONE_MASS, FOOT = (0.12, 0.16), 0.4, 0.02  # way of a bone forward and down, m; kg; radius of foot and knee, m
MOTOR = {"position": 0.0, "stiffness": 300.0, "damping": 8.0, "max": 30.0}  # rad, N m
STANDING = HALF[2] + 2 * BONE[1] + FOOT


def draw(seed, sample):
    """Friction, mass of the trunk and sideways speed of a sample, from a generator that counts."""
    numbers = np.random.Generator(np.random.Philox(key=seed, counter=sample << 64)).random(3).tolist()
    return [low + (high - low) * number for (low, high), number in zip((FRICTION, TRUNK_MASS, SPEED), numbers)]


class Robot:
    """A trunk on four legs of two bones, with motors in hips and knees, above a floor.

    Only sums, products, quotients and roots: their bits are the same on every machine.
    """

    def __init__(self, friction, trunk_mass, speed):
        self.world = stiction.World(length=2 * FOOT)
        self.friction, self.speed = friction, speed
        self.floor = self.world.add_body(mu=friction)
        self.points = []  # body, place from its centre of mass, radius: what can touch the floor
        height = STANDING + DROP
        self.trunk = self.part(trunk_mass, HALF, (0.0, 0.0, height))
        self.points += [(self.trunk, [x, y, z], 0.0) for x in (-HALF[0], HALF[0]) for y in (-HALF[1], HALF[1])
                        for z in (-HALF[2], HALF[2])]
        hips = [(x, y, height - HALF[2]) for x in (-0.2, 0.2) for y in (-HALF[1], HALF[1])]
        self.feet = [self.leg(hip) for hip in hips]
        self.mass = trunk_mass + 8 * BONE_MASS
        body, place, radius = zip(*self.points)
        self.body, self.place, self.radius = np.array(body), np.array(place), np.array(radius)
        self.is_foot = np.isin(self.body, self.feet)

    def part(self, mass, half, position):
        x, y, z = (mass / 3 * length * length for length in half)
        return self.world.add_body(mass=mass, inertia=np.diag([y + z, x + z, x + y]), position=position,
                                   linear=(0.0, self.speed, 0.0), mu=self.friction)

    def leg(self, hip):
        """A leg from hip back to knee and forward to foot; returns the body of the foot."""
        (x, y, z), (along, down), half = hip, BONE, (0.06, 0.02, 0.08)
        upper = self.part(BONE_MASS, half, (x - along / 2, y, z - down / 2))
        lower = self.part(BONE_MASS, half, (x - along / 2, y, z - down * 3 / 2))
        knee = (x - along, y, z - down)
        for a, b, anchor, limits in ((self.trunk, upper, hip, (-1.2, 1.2)), (upper, lower, knee, (-1.2, 1.2))):
            self.world.add_joint(a, b, hinge={"anchor": list(anchor), "axis": [0.0, 1.0, 0.0],
                                              "limits": list(limits), "motor": MOTOR})
        self.points += [(upper, [-along / 2, 0.0, -down / 2], FOOT), (lower, [along / 2, 0.0, -down / 2], FOOT)]
        return lower

    def lowest(self):
        """The lowest point of each ball and corner, in world coordinates."""
        turned = self.world.orientations[self.body]
        w, axis = turned[:, :1], turned[:, 1:]
        twice = 2.0 * np.cross(axis, self.place)
        points = self.world.positions[self.body] + (self.place + w * twice + np.cross(axis, twice))
        points[:, 2] -= self.radius
        return points

    def touching(self, points):
        near = np.flatnonzero(points[:, 2] < self.world.search_margin(DT))
        if not len(near):
            return ()
        up = np.tile([0.0, 0.0, 1.0], (len(near), 1))
        return {"a": np.full(len(near), self.floor), "b": self.body[near], "normal": up,
                "on_a": points[near] * [1.0, 1.0, 0.0], "on_b": points[near], "id": near}


def simulate(seed, sample):
    """A sample's row: the values of COLUMNS."""
    friction, trunk_mass, speed = draw(seed, sample)
    robot = Robot(friction, trunk_mass, speed)
    peak, slip, worst, residual, rest, touched, first = 0.0, 0.0, 0, 0.0, 0.0, False, None
    points = robot.lowest()
    for step in range(round(SECONDS / DT)):
        report = robot.world.step(DT, robot.touching(points))
        first, last = first or report.ledger, report.ledger
        contacts = robot.world.contacts
        impulses = (contacts["normal_impulse"] + contacts["bounce_impulse"]).tolist()
        loaded = {body for body, impulse in zip(contacts["b"].tolist(), impulses) if impulse > 0.0}
        peak = max(peak, sum(impulses) / DT)
        touched |= robot.trunk in loaded
        before, points = points, robot.lowest()
        x, y, _ = (points - before)[robot.is_foot & np.isin(robot.body, list(loaded))].T
        slip += sum(np.sqrt(x * x + y * y).tolist()) / len(robot.feet)
        worst = max(worst, STATUSES.index(report.status))
        residual = max(residual, report.residual) if report.contacts else residual
        fastest = max(abs(robot.world.linear).max(), abs(robot.world.angular).max() * 2 * BONE[1])
        if fastest > SLOW:
            rest = (step + 1) * DT
    _, x, y, _ = robot.world.orientations[robot.trunk].tolist()
    up, height = 1.0 - 2.0 * (x * x + y * y), float(robot.world.positions[robot.trunk, 2])
    lost = sum(first[f"{kind}_before"] - last[f"{kind}_after"] for kind in ("kinetic", "potential"))
    stands = up > 0.95 and height > 0.85 * STANDING and not touched
    return (sample, friction, robot.mass, speed, stands, height, up, touched, peak, slip, lost, rest,
            STATUSES[worst], residual)


def shard_rows(first, last, seed, version):
    """The task: the rows of samples from `first` up to and without `last`."""
    if stiction.__version__ != version:
        raise RuntimeError(f"stiction {stiction.__version__} on this machine, {version} where the study was started")
    return [simulate(seed, sample) for sample in range(first, last)]


def table_of(rows):
    kinds = {"<i8": pa.int64(), "<f8": pa.float64(), "|u1": pa.bool_(), "text": pa.string()}
    return pa.table({name: pa.array(column, kinds[kind])
                     for (name, kind), column in zip(COLUMNS.items(), zip(*rows), strict=True)})


def digest_of(table):
    """SHA-256 of the columns, one after the other, in the order of COLUMNS."""
    digest = hashlib.sha256()
    for name, kind in COLUMNS.items():
        values = table[name].to_pylist()
        digest.update("".join(f"{word}\0" for word in values).encode() if kind == "text"
                      else np.array(values).astype(kind).tobytes())
    return digest.hexdigest()


def write(path, content):
    """Writes a table or text so that the name is there only with all of its content."""
    half = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    with open(half, "wb") as file:
        file.write(content.encode()) if isinstance(content, str) else parquet.write_table(content, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(half, path)


def open_study(folder, args):
    """Makes the folder of a study, or checks that it is the folder of this one."""
    wanted = {"samples": args.samples, "shard": args.shard, "seed": args.seed}
    for name, file in (("study.py", __file__), ("stiction", stiction._native.__file__)):
        wanted[name] = hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()
    path = folder / "study.json"
    (folder / "shards").mkdir(parents=True, exist_ok=True)
    if not path.exists():
        return write(path, json.dumps(wanted, indent=1) + "\n")
    there = json.loads(path.read_text(encoding="utf-8"))
    other = [f"{name}: {there.get(name)} there, {now} now" for name, now in wanted.items() if there.get(name) != now]
    if other:
        sys.exit(f"study.py: {folder} has another study ({'; '.join(other)}). Choose another folder, or remove it.")


def read_shard(path, first, last):
    """A shard's table; none if it is missing or not whole."""
    try:
        table = parquet.read_table(path)
    except (OSError, pa.ArrowException):
        return None
    whole = table.column_names == list(COLUMNS) and table["sample"].to_pylist() == list(range(first, last))
    return table if whole else None


def compute(missing, args):
    """Computes shards, and writes each as soon as it is there. Tasks of workers that die are started again by Ray."""
    here = {"num_cpus": args.workers, "include_dashboard": False, "object_store_memory": 100_000_000}
    where = {"address": args.address} if args.address else {"address": "local", **here}
    ray.init(log_to_driver=False, logging_level="error", **where)
    task = ray.remote(num_cpus=1, max_retries=5)(shard_rows)
    waiting = {task.options(name=f"shard {first}").remote(first, last, args.seed, stiction.__version__): path
               for path, first, last in missing}
    begin = time.monotonic()
    while waiting:
        [done], _ = ray.wait(list(waiting))
        write(waiting.pop(done), table_of(ray.get(done)))
        count = len(missing) - len(waiting)
        left = (time.monotonic() - begin) / count * len(waiting)
        end = "\r" if waiting and sys.stderr.isatty() else "\n"
        print(f"{count} of {len(missing)} shards, {left:.0f} s left   ", end=end, file=sys.stderr, flush=True)
    ray.shutdown()


def draw_figure(table, path):
    try:
        import matplotlib
    except ImportError as missing:
        return print(f"no figure: {missing}; pip install matplotlib", file=sys.stderr)
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    column = {name: table[name].to_numpy() for name in COLUMNS}
    stands, touched = column["stands"], column["trunk_touched"]
    cells = max(3, min(12, round((len(stands) / 25) ** 0.5)))
    figure, (*maps, right) = plt.subplots(1, 3, figsize=(15, 4.4), layout="constrained")
    for axes, name, label in zip(maps, ("mass", "speed"), ("mass, kg", "sideways speed, m/s")):
        count, across, along = np.histogram2d(column["friction"], column[name], cells)
        standing, _, _ = np.histogram2d(column["friction"][stands], column[name][stands], (across, along))
        share = np.divide(standing, count, out=np.full_like(count, np.nan), where=count > 0)
        image = axes.pcolormesh(across, along, share.T, vmin=0, vmax=1, cmap="viridis")
        axes.set(xlabel="friction", ylabel=label, title=f"{len(stands)} falls: share that stands")
    figure.colorbar(image, ax=maps)
    for outcome, name, colour in ((stands, "stands", "green"), (~stands & ~touched, "sinks or leans", "orange"),
                                  (touched, "trunk touched the floor", "red")):
        x, y = column["mass"][outcome], column["peak_force"][outcome]
        right.plot(x, y, ".", markersize=3, color=f"tab:{colour}", label=name)
    right.set(xlabel="mass, kg", ylabel="largest contact force, N", yscale="log", title="landing")
    right.legend()
    figure.savefig(path, dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, type=pathlib.Path, metavar="DIR", help="folder of the study")
    parser.add_argument("--samples", type=int, default=4096, metavar="N", help="number of samples (4096)")
    parser.add_argument("--shard", type=int, default=64, metavar="N", help="samples of a task (64)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes on this machine (as many as it has cores)")
    parser.add_argument("--address", help="a cluster of Ray that runs: auto, or HOST:PORT of its head")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the samples (1)")
    args = parser.parse_args()
    if min(args.samples, args.shard) < 1 or args.seed < 0 or (args.workers is not None and args.workers < 1):
        parser.error("samples, shard and workers must be 1 or more, seed 0 or more")
    if args.address and args.workers:
        parser.error("--workers is for this machine: with --address, the cluster has its own number")
    open_study(args.out, args)
    shards = [(args.out / "shards" / f"{first:09}.parquet", first, min(first + args.shard, args.samples))
              for first in range(0, args.samples, args.shard)]
    missing = [shard for shard in shards if read_shard(*shard) is None]
    print(f"{len(shards) - len(missing)} of {len(shards)} shards are there", file=sys.stderr, flush=True)
    try:
        if missing:
            compute(missing, args)
    except KeyboardInterrupt:
        print(f"\nstopped; {KEPT}", file=sys.stderr)
        sys.exit(130)
    except (ray.exceptions.RayError, ConnectionError) as error:
        sys.exit(f"\nstudy.py: {error}\n{KEPT}")
    results = pa.concat_tables([read_shard(*shard) for shard in shards])
    write(args.out / "results.parquet", results)
    draw_figure(results, args.out / "figure.png")
    print(f"stands: {sum(results['stands'].to_pylist())} of {args.samples}")
    print(f"digest: {digest_of(results)}")


if __name__ == "__main__":
    main()
