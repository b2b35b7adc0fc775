// Tests the package in Node: node node.mjs <folder with the page> [module]
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const folder = resolve(process.argv[2]);
const name = process.argv[3] ?? "cullide.wasm";
const hasBodies = name === "cullide.wasm";
const load = (path) => import(pathToFileURL(`${folder}/${path}`));
const bytes = readFileSync(`${folder}/cullide/${name}`);
const { init, Shape, World } = await load("cullide/cullide.js");
// Bytes, gzipped: what they are now and a little more, so that whoever adds to them notices.
const LIMIT = hasBodies ? 820_000 : 540_000;
const bodies = { skip: !hasBodies && "without bodies" };

test("a browser without SIMD is told so at once", async () => {
  const { validate } = WebAssembly;
  WebAssembly.validate = () => false;
  await assert.rejects(init(bytes), /needs WebAssembly with SIMD/);
  WebAssembly.validate = validate;
  assert.throws(() => new World(), /await init\(\) first/);
});

test("it loads", () => init(bytes));

test("it is small, and imports nothing", async () => {
  const gzipped = gzipSync(bytes, { level: 9 }).length;
  console.log(`${name}: ${bytes.length} bytes, ${gzipped} gzipped`);
  assert(gzipped <= LIMIT);
  assert.deepEqual(WebAssembly.Module.imports(await WebAssembly.compile(bytes)), []);
});

test("rays hit what is in their way, and filters choose", () => {
  const world = new World();
  const floor = world.insertPlane([0, 1, 0], 0, { layers: 2 });
  const [box, far] = world.insert(Shape.box(1, 1, 1), [0, 3, 0, 0, 0, 0, 1, 9, 3, 0, 0, 0, 0, 1], { layers: 1 });
  assert(floor < 0 && box > 0 && far > 0);
  const rays = [0, 9, 0, 0, -5, 0, 5, 9, 0, 0, -1, 0, 0, 9, 0, 0, 1, 0];
  const hits = world.castRays(rays, 100);
  assert.deepEqual([...hits.keys], [box, floor, 0]);
  assert.deepEqual([...hits.distances], [5, 9, Infinity]);
  assert.deepEqual([...hits.points.slice(0, 6)], [0, 4, 0, 5, 0, 0]);
  assert.deepEqual([...hits.normals.slice(0, 6)], [0, 1, 0, 0, 1, 0]);
  assert.deepEqual([...world.anyRayHits(rays, 8)], [1, 0, 0]);
  assert.deepEqual([...world.castRays(rays, 100, { layers: 2 }).keys], [floor, floor, 0]);
  assert.deepEqual([...world.castRays(rays, 100, { without: box }).keys], [floor, floor, 0]);
  const all = world.castRaysAll(rays, 100);
  assert.deepEqual([...all.starts], [0, 2, 3, 3]);
  assert.deepEqual([...all.keys], [box, floor, floor]);
  assert.equal(world.castRays([]).count, 0);
  assert.equal(world.setLayers([floor, 0, NaN], 4), 1);
  assert.deepEqual([...world.castRays(rays, 100, { layers: 2 }).keys], [0, 0, 0]);
  assert.deepEqual([...world.castRays(rays, 100, { layers: 4 }).keys], [floor, floor, 0]);
  assert.equal(world.remove([floor, floor, 0, -0.5, NaN]), 1);
  assert.equal(world.insertPlane([0, 1, 0], 0) === floor, false);
});

test("a batch is what its rays are one by one", () => {
  const world = new World();
  let state = 1;
  const random = () => (state = (48271 * state) % 2147483647) / 2147483647;
  const poses = Float32Array.from({ length: 7 * 500 }, (_, i) => (i % 7 < 3 ? 40 * random() - 20 : random() - 0.5));
  for (const shape of [Shape.box(0.5, 1, 0.7), Shape.capsule(0.5, 0.4), Shape.cone(1, 0.5)]) world.insert(shape, poses);
  const rays = Float32Array.from({ length: 6 * 2000 }, () => 40 * random() - 20);
  const { keys, distances } = world.castRays(rays, 50);
  const batch = [keys.slice(), distances.slice()];
  assert(batch[0].filter((key) => key !== 0).length > 500);
  for (let i = 0; i < 2000; i++) {
    const one = world.castRays(rays.subarray(6 * i, 6 * i + 6), 50);
    assert.deepEqual([one.keys[0], one.distances[0]], [batch[0][i], batch[1][i]]);
  }
});

test("overlaps, nearest and sweeps", () => {
  const world = new World();
  const keys = world.insert(Shape.ball(1), [0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0, 1, 20, 0, 0, 0, 0, 0, 1]);
  const overlap = world.overlap(Shape.box(2, 1, 1), [2, 0, 0, 0, 0, 0, 1, 50, 0, 0, 0, 0, 0, 1, 20, 0, 0, 0, 0, 0, 1]);
  assert.deepEqual([...overlap.starts], [0, 2, 2, 3]);
  assert.deepEqual([...overlap.keys], [...keys]);
  const near = world.nearest([-3, 0, 0, 20, 0, 0], { most: 2, maxDistance: 10 });
  assert.deepEqual([...near.starts], [0, 2, 3]);
  assert.deepEqual([...near.keys], [keys[0], keys[1], keys[2]]);
  assert.deepEqual([...near.distances], [2, 6, 0]);
  assert.equal(near.separations[2], -1);
  assert.deepEqual([...near.points.slice(0, 3)], [-1, 0, 0]);
  const swept = world.sweep(Shape.ball(1), [-8, 0, 0, 0, 0, 0, 1, 0, 8, 0, 0, 0, 0, 1, 0, 0, 0.5, 0, 0, 0, 1], [12, 0, 0, 0, 1, 0, 1, 0, 0]);
  assert.deepEqual([...swept.keys], [keys[0], 0, keys[0]]);
  assert(Math.abs(swept.times[0] - 0.5) < 1e-5 && swept.times[1] === 1);
  assert(Math.abs(swept.translations[0] - 6) < 1e-4 && swept.translations[4] === 1);
  assert.deepEqual([...swept.overlaps], [0, 0, 1]);
});

test("hulls, meshes and compounds", () => {
  const world = new World();
  const corners = [0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2];
  const hull = Shape.hull(corners);
  const mesh = Shape.mesh(corners, [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], { surfaces: [5, 6, 7, 8] });
  const compound = Shape.compound([hull, Shape.ball(1)], [0, 0, 0, 0, 0, 0, 1, 0, 5, 0, 0, 0, 0, 1]);
  const keys = [hull, mesh, compound].map((shape, i) => world.insert(shape, [10 * i, 0, 0])[0]);
  const [large] = world.insert(mesh.scaled(2, 2, 2), [30, 0, 0]);
  const hits = world.castRays([0.5, 9, 0.5, 0, -1, 0, 10.5, 9, 0.5, 0, -1, 0, 20, 9, 0, 0, -1, 0, 31, 9, 1, 0, -1, 0]);
  assert.deepEqual([...hits.keys], [...keys, large]);
  assert.deepEqual([...hits.points].filter((_, i) => i % 3 === 1).map((y) => Math.round(1000 * y)), [1000, 1000, 6000, 2000]);
  assert.deepEqual([...hits.parts], [0, 3, 1, 3]);
  assert.deepEqual([...hits.surfaces], [0, 8, 0, 8]);
});

test("transforms in batches, and keys of what was removed", () => {
  const world = new World();
  const keys = world.insert(Shape.box(1, 1, 1), new Float32Array(7 * 1000).map((_, i) => (i % 7 === 6 ? 1 : 0)), { moving: true });
  const poses = Float32Array.from({ length: 7000 }, (_, i) => (i % 7 === 0 ? i : i % 7 === 6 ? 1 : 0));
  assert.equal(world.setTransforms(keys, poses), 1000);
  assert.deepEqual(world.transforms(keys), poses);
  assert.equal(world.remove(keys.subarray(0, 10)), 10);
  assert.equal(world.size, 990);
  assert.equal(world.setTransforms(keys, poses), 990);
  assert.deepEqual([...world.transforms(keys[0])], [0, 0, 0, 0, 0, 0, 0]);
  const [next] = world.insert(Shape.box(1, 1, 1), [0, 0, 0]);
  assert(!keys.includes(next), "a key is not given out again");
  for (let i = 0; i < 5000; i++) assert.equal(world.remove(world.insert(Shape.ball(1), [0, 0, 0])[0]), 1);
  assert.equal(world.setEnabled(next, false), 1);
  assert.equal(world.anyRayHits([0, 5, 0, 0, -1, 0])[0], 0);
});

test("a camera sees what is ahead", () => {
  const world = new World();
  const [ahead] = world.insert(Shape.ball(1), [0, 0, -10]);
  world.insert(Shape.ball(1), [0, 0, 10]);
  // A right angle, near 0.1, far 100, depth from -1 to 1.
  const [near, far] = [0.1, 100];
  const matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, (near + far) / (near - far), -1, 0, 0, (2 * near * far) / (near - far), 0];
  assert.deepEqual([...world.cull(matrix)], [ahead]);
});

test("terrains are edited, dug and filled", () => {
  const world = new World();
  const [terrain] = world.insert(Shape.terrain(9, 9, new Float32Array(81), { origin: [-4, -4] }), [0, 0, 0]);
  const depth = () => world.castRays([0.5, 10, 0.5, 0, -1, 0]).distances[0];
  assert.equal(depth(), 10);
  world.editTerrain(terrain, 3, 3, 3, 3, new Float32Array(9).fill(-2));
  assert.equal(depth(), 12);
  world.digTerrain(terrain, 4, 4, 1, 1);
  assert.equal(depth(), Infinity);
  world.fillTerrain(terrain, 4, 4, 1, 1);
  assert.equal(depth(), 12);
  assert.throws(() => world.editTerrain(terrain, 8, 8, 3, 3, new Float32Array(9)), /Cullide/);
});

test("a character walks up a step and stops at a wall", () => {
  const world = new World();
  world.insertPlane([0, 1, 0], 0);
  const [step] = world.insert(Shape.box(2, 0.15, 5), [4, 0.15, 0]);
  world.insert(Shape.box(1, 3, 5), [7, 3, 0]);
  const hero = world.insertCharacter([0, 0.9, 0]);
  for (let tick = 0; tick < 180; tick++) hero.walk(3, hero.ground ? 0 : hero.velocity[1] - 0.16, 0, 1 / 60);
  assert.equal(hero.ground, step);
  assert(Math.abs(hero.position[1] - 1.2) < 0.01 && Math.abs(hero.position[0] - 5.7) < 0.01, `${hero.position}`);
  assert.deepEqual([...world.castRays([hero.position[0], 9, 0, 0, -1, 0]).keys], [hero.key]);
});

test("debug lines", () => {
  const world = new World();
  world.insert(Shape.box(1, 1, 1), [0, 0, 0]);
  const { count, positions, kinds } = world.debugLines();
  assert.deepEqual([count, positions.length, kinds.length], [12, 72, 12]);
  assert(world.debugLines({ shapes: false, leaves: true, nodes: 3 }).count >= 12);
});

test("errors tell what is wrong, and change nothing", () => {
  const world = new World();
  assert.throws(() => Shape.ball(-1), /Cullide: .*radius/);
  assert.throws(() => world.castRays([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]), /number 1: .*direction/);
  assert.throws(() => world.castRays(new Float32Array(7)), /6 numbers each/);
  assert.throws(() => world.insert(Shape.ball(1), [NaN, 0, 0]), /number 0/);
  assert.throws(() => Shape.mesh([0, 0, 0], [0, 1, 2]), /Cullide/);
  assert.throws(() => world.cull(new Float32Array(16)), /matrix/);
  assert.equal(world.size, 0);
  const ball = Shape.ball(1);
  ball.free();
  assert.throws(() => world.insert(ball, [0, 0, 0]), /freed/);
  world.free();
  assert.throws(() => world.size, /freed/);
  if (!hasBodies) assert.throws(() => new World().step(1 / 60), /this build has no bodies_step/);
});

test("bodies fall, touch, are pushed and sleep", bodies, () => {
  const world = new World();
  const floor = world.insertPlane([0, 1, 0], 0);
  const poses = [0, 0.6, 0, 0, 0, 0, 1, 0, 1.7, 0, 0, 0, 0, 1];
  const [low, high] = world.insert(Shape.box(0.5, 0.5, 0.5), poses, { moving: true });
  assert.equal(world.insertBodies([low, high], { density: 100 }), 2);
  let begun = [];
  for (let tick = 0; tick < 240; tick++) begun.push(...world.step(1 / 60).begun);
  assert(Math.abs(world.transforms(high)[1] - 1.5) < 0.01);
  assert.deepEqual(begun.toSorted(), [low, floor, low, high].toSorted());
  const contacts = world.contacts();
  assert.equal(contacts.count, 8);
  const weight = contacts.impulses.reduce((sum, impulse) => sum + impulse, 0);
  assert(contacts.firsts.every((key) => key === low || key === high) && weight > 0);
  assert.deepEqual([...world.velocities([low, high]).asleep], [1, 1]);
  assert.equal(world.applyImpulses(high, [200, 0, 0, 0, 1.5, 0]), 1);
  const { moved, awake } = world.step(1 / 60);
  assert(moved.includes(high) && awake > 0 && world.velocities(high).velocities[0] > 0.5);
});

test("a snapshot and a clone go on as the world does", bodies, async () => {
  const { Script } = await load("script.js");
  const script = new Script();
  for (let tick = 0; tick < 70; tick++) script.advance();
  const { world } = script.level;
  const bytes = world.snapshot();
  const others = [world.clone(), World.restore(bytes)];
  assert.deepEqual(others.map((other) => other.hash()), [world.hash(), world.hash()]);
  for (const other of [world, ...others]) for (let tick = 0; tick < 30; tick++) other.step(1 / 60);
  assert.deepEqual(others.map((other) => other.hash()), [world.hash(), world.hash()]);
  assert.throws(() => World.restore(bytes.subarray(0, bytes.length / 2)), /Cullide/);
  for (let at = 5; at < bytes.length; at += Math.ceil(bytes.length / 60)) {
    const broken = bytes.slice();
    broken[at] ^= 0x55;
    // Either an error or a world: never the end of the module.
    try {
      World.restore(broken).hash();
    } catch (error) {
      assert.match(error.message, /^Cullide/);
    }
  }
});

test("the script ends on the native hashes, in either language", bodies, async () => {
  const native = readFileSync(`${folder}/native.txt`, "utf8").trim();
  const { Script, TICKS } = await load("script.js");
  const begin = performance.now();
  const script = new Script();
  while (!script.isOver) script.advance();
  console.log(`${TICKS} ticks of ${script.level.world.size} objects: ${((performance.now() - begin) / TICKS).toFixed(2)} ms each`);
  assert.equal(script.outcome(), native);
  const { script_hash: hash } = (await WebAssembly.instantiate(bytes, {})).instance.exports;
  const hex = (number) => BigInt.asUintN(64, number).toString(16).padStart(16, "0");
  assert.equal(`${hex(hash(0))} ${hex(hash(1))}`, native);
});
