// The level, built through the JavaScript interface: the twin of src/level.rs, number by number. Besides the world, it
// returns what a renderer needs to draw each thing.
import { Shape, World } from "./cullide/cullide.js";

export const SAMPLES = 129;
export const SPACING = 0.75;
export const CORNER = -48;
// Hills and a pond: centre in x and z, radius, height.
const HILLS = [
  [-38, -34, 22, 9],
  [0, -42, 20, 6],
  [34, -34, 20, 10],
  [45, 0, 18, 7],
  [36, 38, 20, 8],
  [2, 45, 20, 6],
  [-34, 38, 20, 9],
  [-44, 0, 18, 6],
  [24, 20, 9, 3.5],
  [-14, 14, 8, -2.5],
];
// House, terrace and lintel: centres and half sizes.
const WALLS = [
  [-15, 1.5, -15.75, 5, 1.75, 0.25],
  [-19.75, 1.5, -12, 0.25, 1.75, 3.5],
  [-10.25, 0.375, -12, 0.25, 0.625, 3.5],
  [-10.25, 2.75, -12, 0.25, 0.5, 3.5],
  [-10.25, 1.625, -14.5, 0.25, 0.625, 1],
  [-10.25, 1.625, -9.5, 0.25, 0.625, 1],
  [-18, 1.5, -8.25, 2, 1.75, 0.25],
  [-12, 1.5, -8.25, 2, 1.75, 0.25],
  [-15, 2.75, -8.25, 1, 0.5, 0.25],
  [-2, 1.375, -15, 6, 1.625, 4],
  [-2, 3.5, -18.75, 6, 0.5, 0.25],
  [-7.75, 3.5, -15, 0.25, 0.5, 3.5],
  [16, 4.25, 0, 0.75, 0.25, 10.75],
];
const ROOF = [-20.5, 3.25, -16.5, -20.5, 3.25, -7.5, -9.5, 3.25, -16.5, -9.5, 3.25, -7.5, -20.5, 5.5, -12, -9.5, 5.5, -12];
const RAMP = [4, 3, -18, 4, 3, -13, 4, -0.25, -18, 4, -0.25, -13, 13, -0.25, -18, 13, -0.25, -13];
const ROCK = [
  0.5, 0.125, 0, -0.5, 0, 0.125, 0.125, 0.5, 0, 0, -0.375, 0.125, 0.125, 0, 0.5, 0, 0.125, -0.5,
  0.375, 0.375, 0.25, -0.375, 0.25, -0.25, -0.25, -0.25, 0.375, 0.25, -0.25, -0.375,
];
const SEGMENTS = 16;
const UPRIGHT = [0, 0, 0, 1];
const LYING = [0, 0, 0.6, 0.8];

/** A bump of height 1 that ends at a radius. */
export function bump(x, z, radius) {
  const share = 1 - (x * x + z * z) / (radius * radius);
  return share > 0 ? share * share : 0;
}

/** How high the ground is in the beginning. */
export function height(x, z) {
  return HILLS.reduce((sum, [hillX, hillZ, radius, top]) => sum + top * bump(x - hillX, z - hillZ, radius), 0);
}

/** Heights of all samples, by a function of x and z. */
export function heights(of) {
  return Float32Array.from({ length: SAMPLES * SAMPLES }, (_, i) => {
    return of(CORNER + SPACING * (i % SAMPLES), CORNER + SPACING * Math.floor(i / SAMPLES));
  });
}

export class Level {
  constructor() {
    this.world = new World();
    // What to draw: a kind, its sizes, and a colour; things that move by key.
    this.things = [];
    this.ground = heights(height);
    const terrain = Shape.terrain(SAMPLES, SAMPLES, this.ground, { spacing: [SPACING, SPACING], origin: [CORNER, CORNER] });
    [this.terrain] = this.world.insert(terrain, [0, 0, 0]);
    this.shapes = kinds();
    this.#build();
    this.#furnish();
  }

  /** Everything that stays. */
  #build() {
    for (const [x, y, z, ...half] of WALLS) this.#fix({ box: half, shape: Shape.box(...half), colour: "wall" }, [x, y, z]);
    for (let step = 0; step < 12; step++) {
      const half = [2, 0.25 + 0.125 * step, 0.25];
      this.#fix({ box: half, shape: Shape.box(...half), colour: "stone" }, [-4, half[1] - 0.25, -5.25 - 0.5 * step]);
    }
    this.#fix({ hull: ROOF, shape: Shape.hull(ROOF), colour: "roof" }, [0, 0, 0]);
    this.#fix({ hull: RAMP, shape: Shape.hull(RAMP), colour: "stone" }, [0, 0, 0]);
    const column = { cylinder: [2, 0.375], shape: Shape.cylinder(2, 0.375), colour: "wall" };
    for (let z = -10; z <= 10; z += 4) this.#fix(column, [16, 2, z]);
    const mesh = bridge();
    this.#fix({ mesh, shape: Shape.mesh(mesh.vertices, mesh.indices), colour: "wood" }, [0, 0, 0]);
  }

  /** Everything that falls. */
  #furnish() {
    const { crate, ball, barrel, rock, pin, table } = this.shapes;
    for (let row = 0; row < 4; row++) {
      for (let i = 0; i < 4 - row; i++) this.drop(crate, [12.5 + 0.5 * row + i, stacked(row), -1], UPRIGHT);
    }
    for (let i = 0; i < 10; i++) this.drop(crate, [5 + 0.9375 * (i % 2), stacked(Math.floor(i / 2)), 6], UPRIGHT);
    for (let i = 0; i < 4; i++) {
      this.drop(barrel, [7 + i, 0.5039, -2.5], UPRIGHT);
      this.drop(ball, [1 + i, 2.5, 4.5], UPRIGHT);
      this.drop(rock, [-3 + 1.5 * i, 3, 10], LYING);
      this.drop(pin, [8 + i, 1.5, 9], LYING);
      this.drop(table, [-18 + 2 * i, 0.0625, -12], UPRIGHT);
    }
  }

  #fix(kind, position) {
    const [key] = this.world.insert(kind.shape, position);
    this.things.push({ key, kind, pose: [...position, ...UPRIGHT] });
  }

  /** Inserts a body, and returns its key. */
  drop(kind, position, turn) {
    const pose = [...position, ...turn];
    const [key] = this.world.insert(kind.shape, pose, { moving: true });
    this.world.insertBodies(key, { density: 50, angularDamping: 0.5 });
    this.things.push({ key, kind, pose, moves: true });
    return key;
  }

  /** Sets the heights of the whole ground. */
  reshape(ground) {
    this.ground = ground;
    this.world.editTerrain(this.terrain, 0, 0, SAMPLES, SAMPLES, ground);
  }
}

/** How high a crate in a row of a pile is: in the arithmetic of `f32`, in which the other language adds. */
function stacked(row) {
  return Math.fround(Math.fround(0.4414) + Math.fround(Math.fround(0.879) * row));
}

/** The kinds of things that move. */
function kinds() {
  const [leg, top] = [[0.0625, 0.34375, 0.0625], [0.75, 0.0625, 0.5]];
  const places = [[-1, -1], [1, -1], [-1, 1], [1, 1]].map(([x, z]) => [0.625 * x, 0.34375, 0.375 * z]);
  const boxes = [...places.map((at) => ({ half: leg, at })), { half: top, at: [0, 0.75, 0] }];
  const poses = boxes.flatMap(({ at }) => [...at, ...UPRIGHT]);
  const table = Shape.compound(boxes.map(({ half }) => Shape.box(...half)), poses);
  const half = [0.4375, 0.4375, 0.4375];
  return {
    crate: { box: half, shape: Shape.box(...half), colour: "crate" },
    ball: { ball: 0.375, shape: Shape.ball(0.375), colour: "ball" },
    barrel: { cylinder: [0.5, 0.375], shape: Shape.cylinder(0.5, 0.375), colour: "barrel" },
    rock: { hull: ROCK, shape: Shape.hull(ROCK), colour: "rock" },
    pin: { capsule: [0.375, 0.25], shape: Shape.capsule(0.375, 0.25), colour: "pin" },
    table: { boxes, shape: table, colour: "wood" },
  };
}

/** A bridge over the pond, curved as a parabola. */
function bridge() {
  const [vertices, indices] = [[], []];
  for (let i = 0; i <= SEGMENTS; i++) {
    const along = (2 * i) / SEGMENTS - 1;
    const [x, y] = [-14 + 9 * along, 2 * (1 - along * along)];
    for (const [z, below] of [[12.5, 0], [15.5, 0], [15.5, 0.5], [12.5, 0.5]]) vertices.push(x, y - below, z);
  }
  for (let segment = 0; segment < 4 * SEGMENTS; segment += 4) {
    for (let side = 0; side < 4; side++) {
      const [a, b] = [segment + side, segment + ((side + 1) % 4)];
      indices.push(a, b, b + 4, a, b + 4, a + 4);
    }
  }
  return { vertices, indices };
}
