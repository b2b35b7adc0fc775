// Fifteen seconds in the level through the JavaScript interface: the twin of src/script.rs. The page plays it, tick by
// tick; whoever plays it, it ends on the same hashes as the native program.
import { Shape } from "./cullide/cullide.js";
import { bump, height, heights, Level } from "./level.js";

export const DT = 1 / 60;
// What gravity adds to a fall in a tick.
export const FALL = 0.1640625;
// How many ticks to walk with which velocity along x and z.
const WALK = [
  [60, 0, -4],
  [60, -4, 0],
  [285, 0, -4],
  [270, 4, 0],
  [240, 0, 4],
];
const WAYS = WALK.flatMap(([ticks, x, z]) => Array.from({ length: ticks }, () => [x, z]));
export const TICKS = WAYS.length;
// The tick in which the crater is dug, and its centre, radius and depth.
const CRATER = { tick: 240, x: 24, z: 20, radius: 4.5, depth: 3 };
// What is thrown in which tick: from where, how fast, and with which spin.
const THROWS = {
  60: { kind: "ball", from: [4, 2, -5], velocities: [20, 2, 8, 0, 0, 0] },
  120: { kind: "crate", from: [0, 2, 6], velocities: [12, 2, 0, 2, 4, 6] },
};

/** Answers, folded into one number (FNV-1a over words). */
class Fold {
  hash = 0xcbf29ce484222325n;

  word(word) {
    this.hash = BigInt.asUintN(64, (this.hash ^ BigInt(word >>> 0)) * 0x100000001b3n);
  }

  /** The bits of floats. */
  floats(floats) {
    new Uint32Array(Float32Array.from(floats).buffer).forEach((word) => this.word(word));
  }
}

export class Script {
  constructor() {
    this.level = new Level();
    this.hero = this.level.world.insertCharacter([0, 0.9375, 8], { halfSegment: 0.6, radius: 0.3 });
    this.tick = 0;
    this.fold = new Fold();
    const rays = [];
    for (let i = 0; i < 64; i++) rays.push(0, 1.5, 0, (i % 8) - 3.5, -0.125, Math.floor(i / 8) - 3.5);
    this.rays = Float32Array.from(rays);
    this.ball = Shape.ball(2.5);
  }

  get isOver() {
    return this.tick === TICKS;
  }

  /** One tick; returns the step's report. */
  advance() {
    const { level, hero, tick } = this;
    this.#happen(tick);
    const [x, z] = WAYS[tick];
    hero.walk(x, hero.ground ? 0 : hero.velocity[1] - FALL, z, DT);
    const report = level.world.step(DT);
    this.tick++;
    if (tick % 60 === 0) {
      const poses = report.poses.slice();
      const moved = report.moved.slice();
      this.#look();
      return { ...report, moved, poses };
    }
    return report;
  }

  /** The hashes of the world and of the answers on the way. */
  outcome() {
    const answers = new Fold();
    answers.hash = this.fold.hash;
    answers.floats(this.hero.position);
    return [this.level.world.hash(), answers.hash].map((hash) => hash.toString(16).padStart(16, "0")).join(" ");
  }

  /** What happens at the beginning of a tick. */
  #happen(tick) {
    const { level } = this;
    const thrown = THROWS[tick];
    if (thrown) {
      const key = level.drop(level.shapes[thrown.kind], thrown.from, [0, 0, 0, 1]);
      level.world.setVelocities(key, thrown.velocities);
    }
    if (tick === CRATER.tick) {
      const { x, z, radius, depth } = CRATER;
      level.reshape(heights((atX, atZ) => height(atX, atZ) - depth * bump(atX - x, atZ - z, radius)));
    }
  }

  /** Asks and folds the answers. */
  #look() {
    const { fold, ball, level: { world } } = this;
    const hits = world.castRays(this.rays, 60);
    for (let i = 0; i < hits.count; i++) {
      if (hits.keys[i] === 0) continue;
      fold.word(hits.keys[i]);
      fold.floats([hits.distances[i], hits.points[3 * i], hits.normals[3 * i + 1]]);
    }
    world.overlap(ball, [14, 1, -1], { only: "moving" }).keys.forEach((key) => fold.word(key));
    const near = world.nearest([6, 1, 2], { maxDistance: 50, most: 4 });
    for (let i = 0; i < near.count; i++) {
      fold.word(near.keys[i]);
      fold.floats([near.distances[i]]);
    }
    fold.floats([world.sweep(ball, [14, 1, -1], [-30, 0, 0], { only: "fixed" }).translations[0]]);
  }
}
