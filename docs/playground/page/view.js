// The scene in three dimensions, with plain WebGL 2: each kind of shape is one instanced draw call.

import { add, along, axes, by, cross, cube, dot, funnel, placed, quad, reach, shaft, sphere, sub, times, tip, tube, unit } from "./shapes.js";

const LIGHT = unit([0.35, -0.75, 1.1]);
// Half of the ground that is drawn, m.
const EXTENT = 40;
const VERTEX = `#version 300 es
layout(location=0) in vec3 position; layout(location=1) in vec3 normal;
layout(location=2) in mat4 model; layout(location=6) in vec4 tint;
uniform mat4 camera; uniform vec3 light; uniform float shade;
out vec3 local, upward; out vec4 color;
void main() {
  vec4 at = model * vec4(position, 1.0);
  if (shade > 0.0) at.xyz = vec3(at.xy - light.xy / light.z * max(at.z, 0.0), 0.002);
  local = position; color = tint;
  upward = mat3(model[0].xyz / dot(model[0].xyz, model[0].xyz), model[1].xyz / dot(model[1].xyz, model[1].xyz), model[2].xyz / dot(model[2].xyz, model[2].xyz)) * normal;
  gl_Position = camera * at;
}`;
const FRAGMENT = `#version 300 es
precision highp float;
in vec3 local, upward; in vec4 color;
uniform vec3 light; uniform float shade; uniform int kind;
out vec4 pixel;
void main() {
  if (shade > 0.0) { pixel = vec4(0.0, 0.0, 0.0, shade); return; }
  if (kind == 0) { pixel = color; return; }
  vec3 n = normalize(upward);
  if (kind == 4 && !gl_FrontFacing) n = -n;
  float lit = 0.52 + 0.48 * max(dot(n, light), 0.0) + 0.10 * n.z;
  vec3 tone = color.rgb * lit;
  if (kind == 1) {
    vec3 a = abs(local);
    float middle = a.x + a.y + a.z - max(a.x, max(a.y, a.z)) - min(a.x, min(a.y, a.z));
    tone *= 1.0 - 0.35 * smoothstep(1.0 - 2.0 * fwidth(middle) - 0.02, 1.0, middle);
  }
  if (kind == 2) tone *= 0.72 + 0.28 * step(0.0, local.x * local.y * local.z);
  pixel = vec4(tone, color.a);
}`;

// The ground covers most pixels, so its shader does as little as possible per pixel.
const GROUND_VERTEX = `#version 300 es
layout(location=0) in vec3 position; layout(location=2) in mat4 model; layout(location=6) in vec4 tint;
uniform mat4 camera; uniform float far;
out vec2 point; flat out vec3 color;
void main() {
  vec4 at = model * vec4(position, 1.0);
  point = position.xy * far; color = tint.rgb;
  gl_Position = camera * at;
}`;
const GROUND_FRAGMENT = `#version 300 es
precision highp float;
in vec2 point; flat in vec3 color;
out vec4 pixel;
void main() {
  vec2 wide = fwidth(point);
  vec2 line = abs(fract(point - 0.5) - 0.5) / wide;
  float grid = max(1.0 - min(line.x, line.y), 0.0) * max(1.0 - 3.0 * max(wide.x, wide.y), 0.0);
  pixel = vec4(color * (1.0 - 0.13 * grid), 1.0);
}`;

function drawnByProcessor() {
  const probe = document.createElement("canvas").getContext("webgl2");
  const extension = probe?.getExtension("WEBGL_debug_renderer_info");
  return extension ? /swiftshader|llvmpipe|software/i.test(probe.getParameter(extension.UNMASKED_RENDERER_WEBGL)) : false;
}

export class View {
  constructor(canvas) {
    this.canvas = canvas;
    // Antialiasing is expensive with software rendering.
    this.byProcessor = drawnByProcessor();
    this.gl = canvas.getContext("webgl2", { antialias: !this.byProcessor, stencil: true });
    if (!this.gl) throw new Error("this browser has no WebGL 2");
    this.solid = this.compile(VERTEX, FRAGMENT, ["camera", "light", "shade", "kind"]);
    this.ground = this.compile(GROUND_VERTEX, GROUND_FRAGMENT, ["camera", "far"]);
    const shapes = { box: [cube(), 1], ball: [sphere(), 2], tube: [tube(), 2], mark: [sphere(), 0], plane: [quad(), 3], shaft: [shaft(), 0], tip: [tip(), 0], cone: [funnel(), 4] };
    this.shapes = Object.fromEntries(Object.entries(shapes).map(([name, [mesh, kind]]) => [name, this.upload(mesh, kind)]));
    this.look = { yaw: -0.9, pitch: 0.35, distance: 8, target: [0, 0, 0.5] };
    this.strongest = 0;
    this.fineness = 1;
  }

  // Lowers the resolution if frames are too slow, as without a graphics card; returns whether it changed.
  coarser() {
    const before = this.fineness;
    this.fineness = Math.max(0.35, 0.75 * before);
    return this.fineness < before;
  }

  // Restores the full resolution permanently; returns whether it changed.
  finer() {
    const before = this.fineness;
    if (this.byProcessor) return false;
    this.fineness = 1;
    this.coarser = () => false;
    return before < 1;
  }

  // A shader program and its uniform locations.
  compile(vertex, fragment, names) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    return { program, ...Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(program, name)])) };
  }

  upload({ positions, normals }, kind) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    for (const [at, numbers] of [[0, positions], [1, normals]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 0, 0);
    }
    const copies = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, copies);
    for (let column = 0; column < 5; column++) {
      gl.enableVertexAttribArray(2 + column);
      gl.vertexAttribPointer(2 + column, 4, gl.FLOAT, false, 80, 16 * column);
      gl.vertexAttribDivisor(2 + column, 1);
    }
    return { array, copies, kind, count: positions.length / 3 };
  }

  // Points the camera at the whole scene.
  frame(scene) {
    const movable = scene.bodies.filter((body) => !body.fixed);
    const span = (k) => {
      const all = movable.map((body) => body.position[k]);
      return [Math.min(...all), Math.max(...all)];
    };
    const [x, y, z] = [span(0), span(1), span(2)];
    const size = Math.max(...[x, y, z].map(([low, high]) => high - low), 1.2);
    // Arrows and cones have the size of the bodies.
    const extents = movable.map(({ shape }) => 2 * reach(shape));
    this.size = Math.min(1, Math.max(...extents));
    this.look = { yaw: -1.1, pitch: 0.3, distance: 1.5 * size + 4.5, target: [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2, Math.max(0.4, (z[0] + z[1]) / 2)] };
    this.strongest = 0;
  }

  // Smoothly keeps the moving bodies in view.
  follow(scene, poses) {
    const sum = [0, 0, 0];
    let count = 0;
    scene.bodies.forEach((body, i) => {
      if (body.fixed) return;
      count++;
      for (const k of [0, 1, 2]) sum[k] += poses[7 * i + k];
    });
    this.look.target = this.look.target.map((value, k) => value + 0.04 * (sum[k] / count - value));
  }

  basis() {
    const { yaw, pitch, distance, target } = this.look;
    const back = [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)];
    const right = unit(cross([0, 0, 1], back));
    return { eye: add(target, by(back, distance)), back, right, up: cross(back, right) };
  }

  camera({ eye, back, right, up }) {
    const aspect = this.canvas.width / this.canvas.height;
    const f = 2.2 / Math.min(1, aspect * 0.9), [near, far] = [0.05, 400];
    const project = [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0];
    this.lens = [aspect / f, 1 / f];
    const rotation = [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0, -dot(right, eye), -dot(up, eye), -dot(back, eye), 1];
    return times(project, rotation);
  }

  // The ray under a point of the canvas, from 0 to 1 across and down.
  ray(x, y) {
    const { eye, back, right, up } = this.basis();
    const [across, upward] = [(2 * x - 1) * this.lens[0], (1 - 2 * y) * this.lens[1]];
    return { from: eye, direction: unit(sub(add(by(right, across), by(up, upward)), back)) };
  }

  draw(scene, { poses, contacts, joints }, { forces, cones, marks, color }) {
    const { gl, canvas } = this;
    const scale = Math.min(devicePixelRatio || 1, 2) * this.fineness;
    const [width, height] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clearColor(...color("--ground"));
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    const basis = this.basis();
    const camera = this.camera(basis);
    const lists = this.bodies(scene, poses, color);
    gl.useProgram(this.ground.program);
    gl.uniformMatrix4fv(this.ground.camera, false, camera);
    gl.uniform1f(this.ground.far, EXTENT);
    this.many("plane", lists.plane);
    gl.useProgram(this.solid.program);
    gl.uniformMatrix4fv(this.solid.camera, false, camera);
    gl.uniform3fv(this.solid.light, LIGHT);
    gl.uniform1f(this.solid.shade, 0);
    if (this.isLevel(scene)) this.shadows(lists);
    this.many("box", lists.box);
    this.many("ball", lists.ball);
    this.many("tube", lists.tube);
    if (marks) this.marks(joints, basis.eye, color);
    if (forces) this.forces(contacts, basis.eye, color);
    if (cones) this.cones(contacts, color);
  }

  isLevel(scene) {
    return scene.bodies.some((body) => body.shape.half_space && body.shape.half_space.normal[2] > 0.999);
  }

  bodies(scene, poses, color) {
    const lists = { box: [], ball: [], tube: [], plane: [] };
    const tints = [color("--kinetic"), color("--potential"), color("--accent"), color("--faint")];
    let number = 0;
    scene.bodies.forEach((body, i) => {
      const at = Array.from(poses.subarray(7 * i, 7 * i + 3));
      const rotation = axes(poses.subarray(7 * i + 3, 7 * i + 7));
      if (body.shape.half_space) {
        lists.plane.push(...placed(along(body.shape.half_space.normal), [EXTENT, EXTENT, 1], at), ...color("--panel"));
        return;
      }
      const tint = body.fixed ? color("--line") : tints[number++ % tints.length];
      if (body.shape.box) lists.box.push(...placed(rotation, body.shape.box.half_extents, at), ...tint);
      if (body.shape.box && body.friction_direction) lists.box.push(...this.stripe(body, rotation, at), ...color("--ink"));
      if (body.shape.capsule) this.capsule(lists, body.shape.capsule, rotation, at, tint);
      if (body.shape.sphere) lists.ball.push(...placed(rotation, Array(3).fill(body.shape.sphere.radius), at), ...tint);
    });
    return lists;
  }

  capsule(lists, { half_height, radius }, rotation, at, tint) {
    lists.tube.push(...placed(rotation, [radius, radius, half_height], at), ...tint);
    for (const side of [-half_height, half_height]) {
      lists.ball.push(...placed(rotation, [radius, radius, radius], add(at, by(rotation[2], side))), ...tint);
    }
  }

  // A bar along the direction of a box's friction, slightly larger than the box.
  stripe({ shape, friction_direction }, rotation, at) {
    const half = shape.box.half_extents;
    const own = along(friction_direction);
    const extent = (axis) => 1.03 * dot(half, axis.map(Math.abs));
    const turned = (axis) => add(add(by(rotation[0], axis[0]), by(rotation[1], axis[1])), by(rotation[2], axis[2]));
    return placed(own.map(turned), [0.2 * extent(own[0]), extent(own[1]), extent(own[2])], at);
  }

  // Shadows on horizontal ground, each pixel once.
  shadows(lists) {
    const { gl } = this;
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 0xff);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    this.blended(() => {
      gl.uniform1f(this.solid.shade, 0.22);
      this.many("box", lists.box);
      this.many("ball", lists.ball);
      this.many("tube", lists.tube);
      gl.uniform1f(this.solid.shade, 0);
    });
    gl.disable(gl.STENCIL_TEST);
  }

  blended(draw) {
    const { gl } = this;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    draw();
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  forces(contacts, eye, color) {
    const largest = Math.max(0, ...contacts.map(({ impulse }) => Math.hypot(...impulse)));
    this.strongest = Math.max(0.97 * this.strongest, largest);
    const [shafts, tips] = [[], []];
    for (const { point, impulse, state } of contacts) {
      const share = Math.hypot(...impulse) / this.strongest;
      if (!(share > 0.01)) continue;
      const [length, thick, way] = [share * this.size, 0.016 * this.size, unit(impulse)];
      const across = unit(cross(way, sub(eye, point)));
      const facing = [across, way, cross(across, way)];
      const tint = color(state === 2 ? "--bad" : "--good");
      shafts.push(...placed(facing, [thick, length, 1], point), ...tint);
      tips.push(...placed(facing, [3 * thick, 6 * thick, 1], add(point, by(way, length))), ...tint);
    }
    this.gl.disable(this.gl.DEPTH_TEST);
    this.many("shaft", shafts);
    this.many("tip", tips);
    this.gl.enable(this.gl.DEPTH_TEST);
  }

  // Joints, over everything else: a dot on each anchor, a pin along an axis, a line between the anchors of a rope. Their
  // size on the screen is that of the camera's target.
  marks(joints, eye, color) {
    const [dots, bars] = [[], []];
    const size = 0.005 * this.look.distance;
    const tint = color("--ink");
    const bar = (from, to) => {
      const way = sub(to, from);
      const across = unit(cross(way, sub(eye, from)));
      bars.push(...placed([across, unit(way), cross(across, unit(way))], [0.3 * size, Math.hypot(...way), 1], from), ...tint);
    };
    for (const { a, b, axis, isLine } of joints) {
      dots.push(...placed([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [size, size, size], a), ...tint);
      if (isLine) dots.push(...placed([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [size, size, size], b), ...tint);
      if (isLine) bar(a, b);
      if (Math.hypot(...axis) > 0) bar(sub(a, by(axis, 2.5 * size)), add(a, by(axis, 2.5 * size)));
    }
    this.gl.disable(this.gl.DEPTH_TEST);
    this.many("mark", dots);
    this.many("shaft", bars);
    this.gl.enable(this.gl.DEPTH_TEST);
  }

  cones(contacts, color) {
    const list = [];
    for (const { point, normal, mu, state } of contacts) {
      const height = 0.35 * this.size;
      const tint = [...color(state === 2 ? "--bad" : "--good")];
      tint[3] = 0.3;
      list.push(...placed(along(normal), [mu * height, mu * height, height], point), ...tint);
    }
    this.blended(() => this.many("cone", list));
  }

  many(name, numbers) {
    if (numbers.length === 0) return;
    const { gl } = this;
    const { array, copies, kind, count } = this.shapes[name];
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, copies);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.DYNAMIC_DRAW);
    if (kind !== 3) gl.uniform1i(this.solid.kind, kind);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, count, numbers.length / 20);
  }
}

// The first movable body that a ray hits, and the point.
export function pick(scene, poses, { from, direction }) {
  let nearest = null;
  scene.bodies.forEach((body, index) => {
    if (body.fixed) return;
    const frame = axes(poses.subarray(7 * index + 3, 7 * index + 7));
    const relative = sub(from, poses.subarray(7 * index, 7 * index + 3));
    const [o, d] = [frame.map((axis) => dot(axis, relative)), frame.map((axis) => dot(axis, direction))];
    const { box, sphere: ball, capsule } = body.shape;
    const distance = box ? throughBox(o, d, box.half_extents) : ball ? throughBall(o, d, ball.radius) : throughCapsule(o, d, capsule);
    if (distance !== null && (!nearest || distance < nearest.distance)) nearest = { index, distance, at: add(from, by(direction, distance)) };
  });
  return nearest;
}

function throughBox(o, d, half) {
  let [enter, leave] = [0, Infinity];
  for (let k = 0; k < 3; k++) {
    const [a, b] = [(-half[k] - o[k]) / d[k], (half[k] - o[k]) / d[k]];
    [enter, leave] = [Math.max(enter, Math.min(a, b)), Math.min(leave, Math.max(a, b))];
  }
  return enter <= leave ? enter : null;
}

function throughBall(o, d, radius) {
  const b = dot(o, d), c = dot(o, o) - radius * radius;
  const root = b * b - c;
  return root < 0 || -b + Math.sqrt(root) < 0 ? null : Math.max(0, -b - Math.sqrt(root));
}

// The nearest of both ends and the straight part between them.
function throughCapsule(o, d, { half_height, radius }) {
  const found = [-half_height, half_height].map((z) => throughBall([o[0], o[1], o[2] - z], d, radius));
  const a = d[0] * d[0] + d[1] * d[1], b = o[0] * d[0] + o[1] * d[1], c = o[0] * o[0] + o[1] * o[1] - radius * radius;
  const root = b * b - a * c;
  if (a > 0 && root >= 0) {
    const enter = (-b - Math.sqrt(root)) / a;
    if (enter >= 0 && Math.abs(o[2] + enter * d[2]) <= half_height) found.push(enter);
  }
  const hits = found.filter((distance) => distance !== null);
  return hits.length ? Math.min(...hits) : null;
}
