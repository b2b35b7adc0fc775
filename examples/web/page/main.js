// The page: a character in the level, what it can do, and what each question costs.
import * as THREE from "three";
import { init, Shape } from "./cullide/cullide.js";
import { Input } from "./input.js";
import { bump, CORNER, Level, SAMPLES, SPACING } from "./level.js";
import { DT, FALL, Script } from "./script.js";
import { View } from "./view.js";

const RAYS = 400;
const BODIES = 300;
const LINES = ["off", "nodes", "leaves", "shapes"];
const element = (id) => document.getElementById(id);
const settings = new URLSearchParams(location.search);

class Page {
  constructor(native) {
    this.native = native;
    this.view = new View(element("view"));
    this.input = new Input(element("view"));
    this.input.onAction = (code) => this.act(code);
    this.costs = new Map([["frame", 16], ["draw", 10]]);
    this.toggles = { lines: 0, contacts: false, frozen: undefined };
    this.eye = Shape.ball(0.2);
    this.late = 0;
    this.frames = 0;
    this.#buttons();
    this.begin();
  }

  /** Begins with a fresh level, walked by the player or by the script. */
  begin(script) {
    this.script = script;
    this.level = script ? script.level : new Level();
    this.hero = script ? script.hero : this.level.world.insertCharacter([0, 0.9375, 8]);
    this.thrown = [];
    this.awake = 0;
    this.toggles.frozen = undefined;
    this.outcome = undefined;
    this.view.show(this.level);
    this.#showHash();
  }

  // -- Time

  frame(now) {
    const passed = Math.min(0.25, (now - (this.before ?? now)) / 1000);
    this.before = now;
    this.late += passed;
    const begin = performance.now();
    // A slow machine falls behind rather than ever more so.
    let ticks = settings.has("fast") && this.script ? 30 : Math.min(4, Math.floor(this.late / DT));
    this.late = ticks === 4 ? 0 : this.late - ticks * DT;
    while (ticks-- > 0) this.tick();
    this.look();
    this.time("draw", () => this.view.render(this.hero.position));
    this.#cost("frame", performance.now() - begin);
    this.frames++;
    if (this.frames % 10 === 0) this.#show();
  }

  tick() {
    const { script, hero, level } = this;
    if (script && !script.isOver) {
      this.view.move(this.time("script", () => script.advance()));
      this.#syncThings();
      if (script.isOver) this.#finish();
      return;
    }
    const [x, z] = this.input.direction();
    const speed = this.input.runs ? 8 : 4.5;
    const y = hero.ground ? (this.input.jumps ? 5 : 0) : hero.velocity[1] - FALL;
    const [vx, vz] = hero.ground ? [speed * x, speed * z] : [hero.velocity[0], hero.velocity[2]];
    this.time("walk", () => hero.walk(vx, y, vz, DT));
    if (hero.position[1] < -30) hero.moveTo(0, 3, 8);
    const report = this.time("step", () => level.world.step(DT));
    this.awake = report.awake;
    this.view.move(report);
  }

  #finish() {
    this.outcome = this.script.outcome();
    this.#showHash();
    console.log(`script: ${this.outcome}, native: ${this.native}`);
  }

  /** Things that the script has thrown appear, and its crater. */
  #syncThings() {
    const { things, ground } = this.level;
    for (let i = this.view.meshes.size; i < things.length; i++) this.view.add(things[i]);
    if (this.ground !== ground) this.view.reshape((this.ground = ground));
  }

  // -- Looking

  /** Puts the camera behind the character, nearer if a wall is in between. */
  look() {
    const { view, hero, input, level: { world } } = this;
    const { camera } = view;
    const [x, y, z] = hero.position;
    if (this.script && !this.script.isOver) this.#turnAfter(hero.velocity);
    const direction = new THREE.Vector3(0, 0, -1).applyEuler(new THREE.Euler(input.pitch, input.yaw, 0, "YXZ"));
    const frozen = this.toggles.frozen;
    const distance = frozen ? 34 : input.distance;
    const from = [x, y + 1.15, z];
    const way = direction.clone().multiplyScalar(-distance);
    if (frozen) way.y = Math.max(way.y, 16);
    else {
      const filter = { without: hero.key, only: "fixed" };
      const swept = this.time("camera", () => world.sweep(this.eye, from, way.toArray(), filter));
      way.fromArray(swept.translations);
    }
    camera.position.fromArray(from).add(way);
    camera.lookAt(...(frozen ? from : camera.position.clone().add(direction).toArray()));
    camera.updateMatrixWorld();
    view.hero.position.set(x, y, z);
    view.hero.rotation.y = input.yaw;
    view.hero.visible = frozen || way.length() > 1;
    const matrix = frozen ?? new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    const seen = this.time("cull", () => world.cull(matrix.elements));
    this.seen = seen.length;
    view.ghostOthers(frozen && seen);
    this.#debug();
  }

  #turnAfter([x, , z]) {
    if (x * x + z * z < 1) return;
    const turn = Math.atan2(-x, -z) - this.input.yaw;
    this.input.yaw += 0.06 * Math.atan2(Math.sin(turn), Math.cos(turn));
  }

  #debug() {
    const { view, hero, toggles, level: { world } } = this;
    const how = LINES[toggles.lines];
    const [x, y, z] = hero.position;
    const bounds = [x - 20, y - 20, z - 20, x + 20, y + 20, z + 20];
    const options = { shapes: how === "shapes", leaves: how === "leaves", nodes: how === "nodes" ? 4 : -1 };
    if (how !== "off") view.drawLines(this.time("lines", () => world.debugLines({ ...options, bounds })));
    view.lines.visible = how !== "off";
    const contacts = this.time("contacts", () => world.contacts());
    this.touching = contacts.count;
    if (toggles.contacts) view.drawContacts(contacts);
    view.contacts.visible = toggles.contacts;
  }

  /** A ray from the camera through the middle of the picture, from the character on. */
  aim() {
    const { camera } = this.view;
    const direction = camera.getWorldDirection(new THREE.Vector3());
    const before = camera.position.distanceTo(this.view.hero.position);
    return { origin: camera.position.clone().addScaledVector(direction, before - 0.5), direction };
  }

  // -- Actions

  #actions() {
    return [
      ["KeyE", "E", "throw a crate", () => this.throw("crate", 14)],
      ["KeyB", "B", "a ball", () => this.throw("ball", 24)],
      ["KeyF", "F", "shoot 400 rays", () => this.shoot()],
      ["KeyG", "G", "dig a crater", () => this.dig()],
      ["KeyC", "C", "freeze the frustum", () => this.freeze()],
      ["KeyT", "T", "trees", () => (this.toggles.lines = (this.toggles.lines + 1) % LINES.length)],
      ["KeyV", "V", "contacts", () => (this.toggles.contacts = !this.toggles.contacts)],
      ["KeyP", "P", "play the script", () => this.begin(new Script())],
      ["KeyR", "R", "begin again", () => this.begin()],
    ];
  }

  act(code) {
    this.#actions().find((action) => action[0] === code)?.[3]();
    this.#light();
  }

  throw(kind, speed) {
    const { level, view } = this;
    const { origin, direction } = this.aim();
    const start = origin.addScaledVector(direction, 1.6);
    const { x, y, z, w } = view.camera.quaternion;
    const key = level.drop(level.shapes[kind], start.toArray(), [x, y, z, w]);
    level.world.setVelocities(key, [...direction.multiplyScalar(speed).toArray(), 0, 0, 0]);
    view.add(level.things.at(-1));
    this.thrown.push(key);
    if (this.thrown.length > BODIES) {
      const oldest = this.thrown.shift();
      level.world.remove(oldest);
      view.remove(oldest);
    }
  }

  /** Rays in a cone, all in one call. */
  shoot() {
    const { origin, direction } = this.aim();
    const rays = new Float32Array(6 * RAYS);
    for (let i = 0; i < RAYS; i++) {
      const [share, angle] = [Math.sqrt(i / RAYS), 2.399963 * i];
      const spread = new THREE.Vector3(0.22 * share * Math.cos(angle), 0.22 * share * Math.sin(angle), -1);
      rays.set([...origin.toArray(), ...spread.applyQuaternion(this.view.camera.quaternion).toArray()], 6 * i);
    }
    const filter = { without: this.hero.key };
    this.view.mark(this.time("400 rays", () => this.level.world.castRays(rays, 100, filter)));
    return direction;
  }

  /** Lowers the ground where the camera looks. */
  dig() {
    const { level, view } = this;
    const { origin, direction } = this.aim();
    const hit = level.world.castRays([...origin.toArray(), ...direction.toArray()], 60, { only: "fixed" });
    if (hit.keys[0] !== level.terrain) return;
    const [x, , z] = hit.points;
    const [radius, depth] = [3.5, 1.4];
    const first = [x, z].map((middle) => Math.max(0, Math.ceil((middle - radius - CORNER) / SPACING)));
    const last = [x, z].map((middle) => Math.min(SAMPLES - 1, Math.floor((middle + radius - CORNER) / SPACING)));
    const [columns, rows] = [0, 1].map((axis) => last[axis] - first[axis] + 1);
    const edited = new Float32Array(columns * rows);
    for (let i = 0; i < edited.length; i++) {
      const [column, row] = [first[0] + (i % columns), first[1] + Math.floor(i / columns)];
      const low = depth * bump(CORNER + SPACING * column - x, CORNER + SPACING * row - z, radius);
      edited[i] = level.ground[row * SAMPLES + column] -= low;
    }
    this.time("terrain edit", () => level.world.editTerrain(level.terrain, ...first, columns, rows, edited));
    view.reshape(level.ground);
  }

  /** Keeps the volume that the camera sees now, and looks at it from outside. */
  freeze() {
    const { camera } = this.view;
    const matrix = new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    this.toggles.frozen = this.toggles.frozen ? undefined : matrix;
    this.view.freeze(this.toggles.frozen?.clone().invert());
  }

  // -- What the page tells

  /** Runs work, and keeps how long it took. */
  time(name, work) {
    const begin = performance.now();
    const answer = work();
    this.#cost(name, performance.now() - begin);
    return answer;
  }

  #cost(name, milliseconds) {
    const before = this.costs.get(name) ?? milliseconds;
    this.costs.set(name, before + 0.1 * (milliseconds - before));
  }

  #buttons() {
    const hint = document.createElement("span");
    hint.innerHTML = "<kbd>W A S D</kbd>walk <kbd>space</kbd>jump <kbd>shift</kbd>run <kbd>drag</kbd>look";
    element("keys").append(hint);
    for (const [code, key, label] of [["Space", "␣", "jump"], ...this.#actions()]) {
      if (code === "Space" && !matchMedia("(pointer: coarse)").matches) continue;
      const button = document.createElement("button");
      button.innerHTML = `<kbd>${key}</kbd>${label}`;
      button.dataset.code = code;
      button.tabIndex = -1;
      button.addEventListener("pointerdown", () => (code === "Space" ? this.input.held.add(code) : this.act(code)));
      button.addEventListener("pointerup", () => this.input.held.delete(code));
      element("keys").append(button);
    }
  }

  /** Lights the buttons of what is on. */
  #light() {
    const on = { KeyC: this.toggles.frozen, KeyT: this.toggles.lines, KeyV: this.toggles.contacts };
    for (const button of element("keys").querySelectorAll("button")) button.className = on[button.dataset.code] ? "on" : "";
  }

  #show() {
    const rows = [...this.costs].map(([name, cost]) => `<tr><td>${name}</td><td>${cost.toFixed(2)} ms</td></tr>`);
    element("costs").innerHTML = rows.join("");
    const { size } = this.level.world;
    element("counts").textContent = `${size} objects, ${this.seen} in view, ${this.awake} awake, ${this.touching} contacts`;
    if (!this.outcome) this.#showHash();
  }

  #showHash() {
    const { world } = this.level;
    const hash = this.outcome?.split(" ")[0] ?? this.time("hash", () => world.hash()).toString(16).padStart(16, "0");
    const native = this.native.split(" ")[0];
    const isSame = this.outcome === this.native;
    const verdict = isSame ? '<span class="same">the same, bit for bit</span>' : '<span class="differs">differs</span>';
    const told = this.outcome ? `<br>native <code>${native}</code><br>${verdict}` : "";
    element("hash").innerHTML = `hash <code>${hash}</code>${told}`;
  }
}

function note(text) {
  element("note").hidden = false;
  element("note").textContent = text;
}

async function begin() {
  await init();
  if (settings.has("compare")) {
    const { compare, table } = await import("./compare.js");
    note("Comparing; this takes a minute.");
    await new Promise((done) => setTimeout(done, 100));
    window.rows = compare();
    return note(table(window.rows));
  }
  const native = (await (await fetch("native.txt")).text()).trim();
  const page = new Page(native);
  if (settings.has("script")) page.begin(new Script());
  page.view.renderer.setAnimationLoop((now) => page.frame(now));
  window.page = page;
}

try {
  await begin();
} catch (error) {
  note(error.message);
  throw error;
}
