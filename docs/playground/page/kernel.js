// Plain functions around the kernel. Arrays are looked up again in every call, because its memory may grow and move.

const KINDS = { half_space: 0, box: 1, sphere: 2, capsule: 3 };
const JOINTS = ["ball", "hinge", "slider", "fixed", "distance", "rope", "spring"];
const SETTINGS = { sweeps: 0, tolerance: 1, rule: 2, direct: 3, substeps: 4 };
const INBOX = 25, POSE = 7, CONTACT = 12, JOINT = 10, FIGURES = 16;
const NAMES = ["time", "kinetic", "potential", "start", "load", "integration", "bounce", "normal", "friction", "correction",
  "residual", "sweeps", "contacts", "status", "guard", "depth"];

export async function load(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const { instance } = await WebAssembly.instantiate(await answer.arrayBuffer(), {});
  return new Kernel(instance.exports);
}

class Kernel {
  constructor(exports) {
    this.kernel = exports;
  }

  // Starts a scene with the changes made on the page; returns whether the kernel accepted it.
  begin(scene, changed) {
    const [x, y, z] = scene.gravity;
    this.kernel.open(scene.dt, x, y, z);
    const movable = scene.bodies.filter((body) => !body.fixed);
    for (const body of scene.bodies) {
      const heavier = body === movable[movable.length - 1] ? changed.massFactor : 1;
      if (this.add(body, heavier, changed) !== 0) return false;
    }
    for (const joint of scene.joints ?? []) {
      if (this.connect(joint, scene.bodies) !== 0) return false;
    }
    const settings = { substeps: scene.substeps, ...scene.settings, ...changed.settings };
    for (const [name, value] of Object.entries(settings)) {
      if (value !== null && this.set(name, value) !== 0) return false;
    }
    return this.kernel.start() === 0;
  }

  add(body, heavier, { mu, restitution }) {
    const [kind, shape] = Object.entries(body.shape)[0];
    const size = shape.half_extents ?? shape.normal ?? [shape.radius, shape.half_height ?? 0, 0];
    this.put([...size, body.fixed ? 0 : body.mass * heavier, ...body.position, ...body.orientation, ...body.linear,
      ...body.angular, mu ?? body.mu, restitution ?? body.restitution, body.torsion ?? 0, body.rolling ?? 0,
      body.mu_across ?? 0, ...(body.friction_direction ?? [0, 0, 0])]);
    return this.kernel.body(KINDS[kind]);
  }

  // The numbers of a body or a joint; those that are left out are zero.
  put(numbers) {
    new Float64Array(this.kernel.memory.buffer, this.kernel.inbox(), INBOX).fill(0).set(numbers);
  }

  connect(joint, bodies) {
    const kind = JOINTS.findIndex((name) => joint[name]);
    const at = (name) => name === "world" ? bodies.length : bodies.findIndex((body, i) => (body.name || `body ${i}`) === name);
    const of = joint[JOINTS[kind]];
    const { axis = [1, 0, 0], limits, motor, friction = 0 } = of;
    // That of a spring between two anchors, or of one along an axis.
    const spring = JOINTS[kind] === "spring" ? of : of.spring;
    this.put([at(joint.a), at(joint.b), ...(of.anchor ?? of.anchor_a), ...(of.anchor ?? of.anchor_b), ...axis,
      joint.collide ? 1 : 0, limits ? 1 : 0, ...(limits ?? [0, 0]), motor ? (motor.speed === undefined ? 2 : 1) : 0,
      motor?.speed ?? motor?.position ?? 0, motor?.stiffness ?? 0, motor?.damping ?? 0, motor?.max ?? 0, friction,
      spring ? 1 : 0, spring?.rest ?? of.length ?? 0, spring?.stiffness ?? 0, spring?.damping ?? 0]);
    return this.kernel.joint(kind);
  }

  set(name, value) {
    return this.kernel.set(SETTINGS[name], value);
  }

  material(mu, restitution) {
    return this.kernel.material(mu, restitution);
  }

  step() {
    return this.kernel.step() === 0;
  }

  poses() {
    return new Float32Array(this.kernel.memory.buffer, this.kernel.poses(), POSE * this.kernel.body_count());
  }

  contacts() {
    const count = this.kernel.contact_count();
    if (count === 0) return [];
    const all = new Float32Array(this.kernel.memory.buffer, this.kernel.contacts(), CONTACT * count);
    return Array.from({ length: count }, (_, i) => {
      const at = all.subarray(CONTACT * i, CONTACT * (i + 1));
      return { point: at.slice(0, 3), normal: at.slice(3, 6), impulse: at.slice(6, 9), mu: at[9], normalImpulse: at[10], state: at[11] };
    });
  }

  joints() {
    const count = this.kernel.joint_count();
    if (count === 0) return [];
    const all = new Float32Array(this.kernel.memory.buffer, this.kernel.joints(), JOINT * count);
    return Array.from({ length: count }, (_, i) => {
      const at = Array.from(all.subarray(JOINT * i, JOINT * (i + 1)));
      return { a: at.slice(0, 3), b: at.slice(3, 6), axis: at.slice(6, 9), isLine: at[9] === 1 };
    });
  }

  figures() {
    const all = new Float64Array(this.kernel.memory.buffer, this.kernel.figures(), FIGURES);
    return Object.fromEntries(NAMES.map((name, i) => [name, all[i]]));
  }

  digest() {
    return BigInt.asUintN(64, this.kernel.digest()).toString(16).padStart(16, "0");
  }

  grab(body, [x, y, z]) { this.kernel.grab(body, x, y, z); }
  pull([x, y, z]) { this.kernel.pull(x, y, z); }
  release() { this.kernel.release(); }
}
