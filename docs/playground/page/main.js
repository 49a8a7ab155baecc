// The page: controls, main loop, display. Scenes and their digests come from scenes.json, which the host's tests write.

import { load } from "./kernel.js";
import { Plot, shortNumber } from "./plots.js";
import { View, pick } from "./view.js";
import { add, by, dot, sub } from "./shapes.js";

const at = (id) => document.getElementById(id);
const STATUS = ["converged", "stopped at the sweep limit", "stopped at the deadline"];

const page = {
  kernel: null, view: null, scenes: [], scene: null, name: "",
  frames: 0, playing: true, touched: false, changed: {}, debt: 0, last: 0, held: null,
  cost: { step: 0, frames: [], work: [], before: 0 }, verdict: "", figures: null, shown: "",
};

const energy = new Plot(at("energy"), ["kinetic", "potential", "total", "lost"]);
const ledger = new Plot(at("ledger"), ["lost", "kinetic", "total", "potential", "correction"]);
const residual = new Plot(at("residual"), ["accent"], { logarithmic: true });

// Colours by name, as text and as numbers, until the theme changes.
const colors = { text: new Map(), numbers: new Map(), probe: document.createElement("canvas").getContext("2d", { willReadFrequently: true }) };
const text = (name) => {
  if (!colors.text.has(name)) {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = `var(${name})`;
    colors.text.set(name, getComputedStyle(probe).color);
    probe.remove();
  }
  return colors.text.get(name);
};
const numbers = (name) => {
  if (!colors.numbers.has(name)) {
    colors.probe.fillStyle = text(name);
    colors.probe.fillRect(0, 0, 1, 1);
    colors.numbers.set(name, Array.from(colors.probe.getImageData(0, 0, 1, 1).data, (part) => part / 255));
  }
  return colors.numbers.get(name);
};
const forgetColors = () => {
  colors.text.clear();
  colors.numbers.clear();
  drawPlots();
};

function say(words) {
  at("message").hidden = !words;
  at("message").textContent = words ?? "";
}

// Only the changes made by the page's controls: other surfaces keep the material of their bodies.
function chosen() {
  const { changed } = page;
  const settings = Object.fromEntries(["sweeps", "rule", "direct"].filter((name) => name in changed).map((name) => [name, changed[name]]));
  return { mu: changed.mu, restitution: changed.e, massFactor: changed.mass ?? 1, settings };
}

function begin(changed) {
  say();
  if (!page.kernel.begin(page.scene, changed)) return say("The kernel rejects this scene with these values.");
  Object.assign(page, { frames: 0, debt: 0, held: null, verdict: "" });
  energy.clear();
  ledger.clear();
  residual.clear();
  note();
  show();
}

// From the start, with all changes. Without changes it is the original scene.
function restart() {
  page.touched = Object.keys(page.changed).length > 0;
  begin(chosen());
}

function open(name) {
  const { scene, line, check } = page.scenes.find((entry) => entry.name === name);
  Object.assign(page, { scene, name, check, changed: {}, playing: true });
  at("scene").value = name;
  at("line").textContent = line;
  const typical = scene.bodies.find((body) => !body.fixed);
  at("mu").value = typical.mu;
  at("e").value = typical.restitution;
  at("mass").value = 0;
  at("sweeps").value = scene.settings.sweeps ?? 50;
  at("rule").value = 0;
  at("direct").checked = true;
  page.view.frame(scene);
  location.replace(`#${name}`);
  restart();
}

function step() {
  if (page.held) page.kernel.pull(page.held.towards);
  const before = performance.now();
  if (!page.kernel.step()) {
    page.playing = false;
    return say("The kernel rejected this step and changed nothing: a value is outside its input limits.");
  }
  page.cost.step += 0.1 * (performance.now() - before - page.cost.step);
  page.frames++;
  note();
  if (page.check && page.frames === page.check.frames && !page.touched) {
    page.verdict = page.kernel.digest() === page.check.digest ? "yes" : "no";
  }
}

// Stores the figures of the last step.
function note() {
  const figures = page.kernel.figures();
  page.figures = figures;
  // The energy that gravity adds to a resting body within a step is removed by its contact: this is not a loss.
  const lost = -(figures.integration + figures.bounce + figures.normal + figures.friction);
  energy.add(figures.time, [figures.kinetic, figures.potential, figures.kinetic + figures.potential, lost]);
  ledger.add(figures.time, [figures.friction, figures.bounce, figures.integration + figures.normal, figures.load, figures.correction]);
  residual.add(figures.time, [figures.residual]);
}

function advance(now) {
  // The frame's own timestamp is earlier than this.
  const begin = performance.now();
  const passed = Math.min(now - page.last, 100) / 1000;
  keep(page.cost.frames, now - page.last);
  page.last = now;
  if (page.playing) {
    page.debt = Math.min(page.debt + passed, 8 * page.scene.dt);
    // Half a millisecond early is accepted, because browser clocks are coarse. If steps take too long, the scene runs
    // slower.
    while (page.debt > page.scene.dt - 5e-4 && page.playing && performance.now() - begin < 12) {
      page.debt -= page.scene.dt;
      step();
    }
  }
  show();
  keep(page.cost.work, performance.now() - begin);
  keepPace();
  requestAnimationFrame(advance);
}

// Lowers the resolution if the median frame rate is below forty a second; restores it if that does not help.
function keepPace() {
  const { frames, before } = page.cost;
  if (frames.length < 30) return;
  const middle = [...frames].sort((a, b) => a - b)[frames.length >> 1];
  if (middle <= 25) return;
  page.cost.before = before || middle;
  if (page.view.coarser() || (middle > 0.8 * page.cost.before && page.view.finer())) frames.length = 0;
}

// The last four seconds of a list.
function keep(list, value) {
  list.push(value);
  if (list.length > 240) list.shift();
}

function show() {
  const { kernel, view, scene, figures, cost } = page;
  if (page.playing && !page.held && !pointers.size) view.follow(scene, kernel.poses());
  const seen = { poses: kernel.poses(), contacts: kernel.contacts(), joints: kernel.joints() };
  view.draw(scene, seen, { forces: at("forces").checked, cones: at("cones").checked, marks: at("marks").checked, color: numbers });
  const state = JSON.stringify([page.name, page.frames, page.playing, page.touched, page.changed, page.verdict]);
  if (state !== page.shown && (page.frames % 6 === 0 || !page.playing)) {
    page.shown = state;
    drawPlots();
    const gained = figures.kinetic + figures.potential - figures.start - figures.load - figures.correction;
    at("time").textContent = `${figures.time.toFixed(2)} s`;
    at("gained").textContent = gained > 1e-3 * Math.abs(figures.start || 1) ? `${shortNumber(gained)} J` : "none";
    at("gained").className = at("gained").textContent === "none" ? "good" : "bad";
    at("effort").textContent = `${figures.contacts}, ${figures.sweeps}`;
    at("status").textContent = STATUS[figures.status] + (figures.guard ? ", limited by the passivity guard" : "");
    at("cost").textContent = `${cost.step.toFixed(2)} ms`;
    at("digest").textContent = kernel.digest();
    at("same").textContent = page.verdict || (page.touched ? "only for the original scene" : `compared at step ${page.check.frames}`);
    at("same").className = { yes: "good", no: "bad" }[page.verdict] ?? "";
    at("play").textContent = page.playing ? "Pause" : "Play";
    showValues();
  }
}

function showValues() {
  for (const [id, words] of [["mu", at("mu").value], ["e", at("e").value], ["sweeps", at("sweeps").value], ["mass", `× ${shortNumber(10 ** at("mass").value)}`]]) {
    at(`${id}-value`).textContent = words;
  }
}

function drawPlots() {
  energy.draw(text);
  ledger.draw(text);
  residual.draw(text);
}

// Some changes apply while the scene runs, others need a restart.
function change({ target: { id } }) {
  if (["forces", "cones", "marks"].includes(id)) return;
  page.touched = true;
  showValues();
  page.changed[id] = { direct: () => (at("direct").checked ? 1 : 0), mass: () => 10 ** Number(at("mass").value) }[id]?.() ?? Number(at(id).value);
  if (id === "mu" || id === "e") {
    [page.changed.mu, page.changed.e] = [Number(at("mu").value), Number(at("e").value)];
    page.kernel.material(page.changed.mu, page.changed.e);
  } else if (id === "sweeps" || id === "direct") {
    page.kernel.set(id, page.changed[id]);
  } else {
    restart();
  }
}

const actions = {
  " ": () => { page.playing = !page.playing; },
  ".": () => { page.playing = false; step(); },
  r: restart,
  f: () => { at("forces").checked = !at("forces").checked; },
  c: () => { at("cones").checked = !at("cones").checked; },
  j: () => { at("marks").checked = !at("marks").checked; },
  t: changeTheme,
  o: () => open(page.name),
  ArrowLeft: () => { page.view.look.yaw -= 0.1; },
  ArrowRight: () => { page.view.look.yaw += 0.1; },
  ArrowUp: () => tilt(0.08),
  ArrowDown: () => tilt(-0.08),
  "+": () => closer(1 / 1.1),
  "-": () => closer(1.1),
};
for (const rule of [0, 1, 2, 3]) {
  actions[rule + 1] = () => {
    at("rule").value = rule;
    page.changed.rule = rule;
    restart();
  };
}

function changeTheme() {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark"
    || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  forgetColors();
}

function tilt(by) {
  page.view.look.pitch = Math.min(1.5, Math.max(0.02, page.view.look.pitch + by));
}

function closer(factor) {
  page.view.look.distance = Math.min(100, Math.max(0.3, page.view.look.distance * factor));
}

// Fingers and mouse: on a body they pull it, elsewhere they rotate the view; two fingers zoom.
const pointers = new Map();

function position({ clientX, clientY }) {
  const box = at("view").getBoundingClientRect();
  return [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
}

function press(event) {
  at("view").setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, position(event));
  if (pointers.size > 1) return letGo();
  const found = pick(page.scene, page.kernel.poses(), page.view.ray(...position(event)));
  if (!found) return;
  page.held = { towards: found.at };
  page.touched = true;
  page.kernel.grab(found.index, found.at);
}

function move(event) {
  if (!pointers.has(event.pointerId)) return;
  const [before, now] = [pointers.get(event.pointerId), position(event)];
  if (pointers.size === 2) {
    const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, where]) => where);
    const distance = (where) => Math.hypot(where[0] - other[0], where[1] - other[1]) + 1e-3;
    closer(distance(before) / distance(now));
  } else if (page.held) {
    // In the plane through the grabbed point that faces the camera.
    const { from, direction } = page.view.ray(...now);
    const { back } = page.view.basis();
    page.held.towards = add(from, by(direction, dot(sub(page.held.towards, from), back) / dot(direction, back)));
  } else {
    page.view.look.yaw -= 3 * (now[0] - before[0]);
    tilt(2 * (now[1] - before[1]));
  }
  pointers.set(event.pointerId, now);
}

function letGo() {
  if (page.held) page.kernel.release();
  page.held = null;
}

function lift(event) {
  pointers.delete(event.pointerId);
  letGo();
}

function listen() {
  at("scene").addEventListener("change", () => open(at("scene").value));
  at("controls").addEventListener("input", change);
  at("play").addEventListener("click", actions[" "]);
  at("single").addEventListener("click", actions["."]);
  at("restart").addEventListener("click", restart);
  at("original").addEventListener("click", actions.o);
  new ResizeObserver(drawPlots).observe(at("energy"));
  at("theme").addEventListener("click", changeTheme);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", forgetColors);
  addEventListener("hashchange", () => {
    const name = location.hash.slice(1);
    if (name !== page.name && page.scenes.some((entry) => entry.name === name)) open(name);
  });
  addEventListener("keydown", (event) => {
    const { key, target } = event;
    const action = actions[key] ?? actions[key.toLowerCase()];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || target.closest("select, input[type=range]")) return;
    if (key === " " && target.closest("button, input")) return;
    // Elsewhere arrow keys scroll the page.
    if (key.startsWith("Arrow") && target !== at("view")) return;
    event.preventDefault();
    action();
  });
  const canvas = at("view");
  canvas.addEventListener("pointerdown", press);
  canvas.addEventListener("pointermove", move);
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, lift);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    closer(Math.exp(event.deltaY * 1e-3));
  }, { passive: false });
}

async function main() {
  const [kernel, scenes] = await Promise.all([load("stiction.wasm"), fetch("scenes.json").then((answer) => answer.json())]);
  Object.assign(page, { kernel, scenes, view: new View(at("view")) });
  at("scene").append(...scenes.map(({ name }) => new Option(name, name)));
  const asked = location.hash.slice(1);
  open(scenes.some((entry) => entry.name === asked) ? asked : "slide-45-fast");
  listen();
  page.last = performance.now();
  requestAnimationFrame(advance);
  document.documentElement.dataset.ready = Math.round(performance.now());
}

// For tests and for the browser console.
Object.assign(globalThis, { playground: { page, open, energy, ledger, residual } });
main().catch((error) => say(`This page cannot run here: ${error.message}`));
