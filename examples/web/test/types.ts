// Compiles if the types say what the package does.
import { type Filter, type Hits, init, Shape, World } from "../package/cullide.js";

await init("cullide.wasm");
const world = new World();
const box = Shape.box(1, 1, 1);
const [key]: Float64Array = world.insert(box, [0, 5, 0], { moving: true });
const filter: Filter = { layers: 1, only: "moving", without: key };
const hits: Hits = world.castRays(new Float32Array(6), 100, filter);
const distance: number = hits.distances[0];
world.insertBodies(key, { density: 50 });
const { moved, poses } = world.step(1 / 60);
world.setTransforms(moved, poses);
const hero = world.insertCharacter([0, 1, 0], { radius: 0.3 });
hero.walk(0, 0, -4, 1 / 60);
const near = world.nearest(hero.position, { maxDistance: 10, most: 3, only: "fixed" });
const hash: bigint = World.restore(world.snapshot()).clone().hash();
world.debugLines({ nodes: 3, bounds: [0, 0, 0, 1, 1, 1] }).positions.subarray(0);
console.log(distance, near.starts[1], hash, world.cull(new Float32Array(16), { depthFromZero: true }).length);
// @ts-expect-error A ray is six numbers.
world.castRays(5);
