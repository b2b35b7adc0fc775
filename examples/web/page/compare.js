// The same rays against the same meshes, by this package and by three-mesh-bvh. Runs in the page (`?compare`) and in
// Node (test/compare.mjs).
import * as THREE from "three";
import { CENTER, MeshBVH, SAH } from "three-mesh-bvh";
import { Shape, World } from "./cullide/cullide.js";

const SIDE = 256;
// Each figure is that of the fastest of some runs.
const RUNS = 3;

/** Meshes by name. */
function meshes() {
  const knot = new THREE.TorusKnotGeometry(10, 3, 512, 64);
  const hills = new THREE.PlaneGeometry(100, 100, 250, 250).rotateX(-Math.PI / 2);
  const { position } = hills.attributes;
  for (let i = 0; i < position.count; i++) {
    const [x, z] = [position.getX(i), position.getZ(i)];
    position.setY(i, 4 * Math.sin(0.2 * x) * Math.cos(0.17 * z) + 0.5 * Math.sin(1.3 * x + 0.9 * z));
  }
  // Triangles of all sizes and directions, as of a town seen from afar.
  const soup = new THREE.BufferGeometry();
  const corners = new Float32Array(9 * 60_000);
  const random = numbers();
  for (let i = 0; i < corners.length; i += 9) {
    const [x, y, z, size] = [40 * random() - 20, 40 * random() - 20, 40 * random() - 20, 0.05 + random() ** 8];
    for (let k = 0; k < 9; k++) corners[i + k] = [x, y, z][k % 3] + size * (random() - 0.5);
  }
  soup.setAttribute("position", new THREE.BufferAttribute(corners, 3));
  soup.setIndex(Array.from({ length: corners.length / 3 }, (_, i) => i));
  return { knot, hills, soup };
}

/** Numbers between 0 and 1, always the same. */
function numbers() {
  let state = 1;
  return () => (state = (48271 * state) % 2147483647) / 2147483647;
}

/** Rays of a picture, and rays between random points around a mesh. */
function rays(geometry) {
  geometry.computeBoundingSphere();
  const { center, radius } = geometry.boundingSphere;
  const picture = new Float32Array(6 * SIDE * SIDE);
  const eye = new THREE.Vector3(1.1, 0.9, 1.4).normalize().multiplyScalar(1.6 * radius).add(center);
  const forward = center.clone().sub(eye).normalize();
  const right = forward.clone().cross(new THREE.Vector3(0, 1, 0)).normalize();
  const up = right.clone().cross(forward);
  for (let i = 0; i < SIDE * SIDE; i++) {
    const [x, y] = [(i % SIDE) / SIDE - 0.5, Math.floor(i / SIDE) / SIDE - 0.5];
    const direction = forward.clone().addScaledVector(right, 1.2 * x).addScaledVector(up, -1.2 * y).normalize();
    picture.set([...eye.toArray(), ...direction.toArray()], 6 * i);
  }
  const random = numbers();
  const point = () => new THREE.Vector3(random() - 0.5, random() - 0.5, random() - 0.5).multiplyScalar(2 * radius).add(center);
  const scattered = new Float32Array(6 * SIDE * SIDE);
  for (let i = 0; i < SIDE * SIDE; i++) {
    const from = point();
    scattered.set([...from.toArray(), ...point().sub(from).normalize().toArray()], 6 * i);
  }
  return { picture, scattered };
}

/** Returns the least time of some runs in seconds, and the last answer. */
function fastest(work) {
  let [least, answer] = [Infinity];
  for (let run = 0; run < RUNS; run++) {
    const begin = performance.now();
    answer = work();
    least = Math.min(least, performance.now() - begin);
  }
  return [least / 1000, answer];
}

/** This package: the time to build, and what answers rays. */
function ours(geometry) {
  const { position } = geometry.attributes;
  const begin = performance.now();
  const world = new World();
  const shape = Shape.mesh(position.array, geometry.index.array);
  world.insert(shape, [0, 0, 0]);
  const build = performance.now() - begin;
  return {
    build,
    closest: (rays) => world.castRays(rays).distances.slice(),
    any: (rays) => world.anyRayHits(rays).reduce((count, hit) => count + hit, 0),
  };
}

function theirs(strategy) {
  return (geometry) => {
    const begin = performance.now();
    // Its builder orders the indices it is given.
    const copy = geometry.clone();
    const bvh = new MeshBVH(copy, { strategy });
    const build = performance.now() - begin;
    const ray = new THREE.Ray();
    const target = new THREE.Vector3();
    let isHit = false;
    const any = {
      intersectsBounds: (box) => !isHit && ray.intersectsBox(box),
      intersectsTriangle: (triangle) => (isHit ||= ray.intersectTriangle(triangle.a, triangle.b, triangle.c, false, target) !== null),
    };
    const each = (rays, work) => {
      for (let i = 0; i < rays.length; i += 6) {
        ray.origin.set(rays[i], rays[i + 1], rays[i + 2]);
        ray.direction.set(rays[i + 3], rays[i + 4], rays[i + 5]);
        work(i / 6);
      }
    };
    return {
      build,
      closest(rays) {
        const distances = new Float32Array(rays.length / 6);
        each(rays, (i) => (distances[i] = bvh.raycastFirst(ray, THREE.DoubleSide)?.distance ?? Infinity));
        return distances;
      },
      any(rays) {
        let count = 0;
        each(rays, () => {
          isHit = false;
          bvh.shapecast(any);
          count += isHit ? 1 : 0;
        });
        return count;
      },
    };
  };
}

/** Returns rows: mesh, triangles, who, milliseconds to build, then millions of rays a second. */
export function compare() {
  const rows = [];
  for (const [name, geometry] of Object.entries(meshes())) {
    const kinds = rays(geometry);
    let expected;
    for (const [who, make] of [["cullide", ours], ["three-mesh-bvh", theirs(CENTER)], ["the same, SAH", theirs(SAH)]]) {
      const [, first] = [0, make(geometry)];
      const build = Math.min(first.build, make(geometry).build, make(geometry).build);
      const row = { mesh: name, triangles: geometry.index.count / 3, who, build };
      const distances = {};
      for (const [kind, list] of Object.entries(kinds)) {
        const [closest, found] = fastest(() => first.closest(list));
        const [any, count] = fastest(() => first.any(list));
        distances[kind] = found;
        row[`${kind} closest`] = list.length / 6 / closest / 1e6;
        row[`${kind} any`] = list.length / 6 / any / 1e6;
        row[`${kind} hits`] = count;
      }
      expected ??= distances;
      row.different = Object.keys(kinds).reduce((sum, kind) => sum + differences(expected[kind], distances[kind]), 0);
      rows.push(row);
    }
  }
  return rows;
}

/** How many distances differ by more than rounding. */
function differences(ours, theirs) {
  let count = 0;
  for (let i = 0; i < ours.length; i++) {
    if (ours[i] !== theirs[i] && !(Math.abs(ours[i] - theirs[i]) <= 1e-3 * (1 + ours[i]))) count++;
  }
  return count;
}

/** The rows as a table in Markdown. */
export function table(rows) {
  const figure = (number) => number.toPrecision(3);
  const cells = rows.map((row) => [
    `${row.mesh}, ${row.triangles}`, row.who, `${figure(row.build)} ms`, figure(row["picture closest"]),
    figure(row["picture any"]), figure(row["scattered closest"]), figure(row["scattered any"]),
  ]);
  const head = ["mesh, triangles", "", "build", "picture, closest", "picture, any", "scattered, closest", "scattered, any"];
  return [head, head.map((_, i) => (i < 2 ? "---" : "---:")), ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
