// Draws a level with three.js.
import * as THREE from "three";
import { CORNER, SAMPLES, SPACING } from "./level.js";

const COLOURS = {
  wall: 0xe9e1d3,
  roof: 0xb8694d,
  stone: 0xbfb7a8,
  wood: 0xa27f5b,
  crate: 0xc99b5e,
  ball: 0xd4705c,
  barrel: 0x5d8299,
  rock: 0x8b8a83,
  pin: 0xe3c468,
};
const SKY = 0xd5e4ea;
const [GRASS, EARTH, SAND] = [0x93a878, 0x8a7458, 0xcbbd97].map((colour) => new THREE.Color(colour));
// Colours of debug lines by kind: fixed, moving, planes, leaves, velocities, others; then nodes by depth.
const LINES = [0x2f5d73, 0xc2502e, 0x777777, 0x6a8f3c, 0xd09a2a, 0x555555].map((colour) => new THREE.Color(colour));
const NODES = [0x7b2d6b, 0xa23b72, 0xc75b7a, 0xe58f8f, 0xf0b9a0].map((colour) => new THREE.Color(colour));
const MARKS = 600;

export class View {
  constructor(canvas) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 1.05;
    this.camera = new THREE.PerspectiveCamera(62, 1, 0.1, 160);
    this.materials = new Map();
    this.geometries = new Map();
    this.ghost = new THREE.MeshBasicMaterial({ color: 0x8a3b2f, transparent: true, opacity: 0.28, depthWrite: false });
    this.resize();
    addEventListener("resize", () => this.resize());
  }

  resize() {
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(innerWidth, innerHeight, false);
    this.camera.aspect = innerWidth / innerHeight;
    this.camera.updateProjectionMatrix();
  }

  /** Begins with another level. */
  show(level) {
    this.scene = new THREE.Scene();
    this.scene.background = sky();
    this.scene.fog = new THREE.Fog(SKY, 45, 130);
    this.meshes = new Map();
    this.#light();
    this.#ground(level.ground);
    for (const thing of level.things) this.add(thing);
    this.hero = figure();
    this.lines = segments();
    this.contacts = segments();
    // Seen through what touches.
    this.contacts.material.depthTest = false;
    this.frozen = segments();
    this.marks = new THREE.InstancedMesh(new THREE.SphereGeometry(0.045, 8, 6), new THREE.MeshBasicMaterial(), MARKS);
    this.marks.setColorAt(0, GRASS);
    this.marks.count = 0;
    this.marks.frustumCulled = false;
    this.nextMark = 0;
    this.scene.add(this.hero, this.lines, this.contacts, this.frozen, this.marks);
  }

  #light() {
    this.scene.add(new THREE.HemisphereLight(0xeaf4fb, 0xb9ab90, 2.1));
    this.sun = new THREE.DirectionalLight(0xfff0d8, 2.2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.03;
    const { camera } = this.sun.shadow;
    [camera.left, camera.right, camera.bottom, camera.top, camera.near, camera.far] = [-34, 34, -34, 34, 1, 120];
    this.scene.add(this.sun, this.sun.target);
  }

  #ground(heights) {
    const geometry = new THREE.BufferGeometry();
    const positions = new Float32Array(3 * SAMPLES * SAMPLES);
    const indices = [];
    for (let row = 0; row < SAMPLES - 1; row++) {
      for (let column = 0; column < SAMPLES - 1; column++) {
        const a = row * SAMPLES + column;
        indices.push(a, a + SAMPLES, a + 1, a + 1, a + SAMPLES, a + SAMPLES + 1);
      }
    }
    geometry.setIndex(indices);
    geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(positions.length), 3));
    const material = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 1 });
    this.terrain = new THREE.Mesh(geometry, material);
    this.terrain.receiveShadow = this.terrain.castShadow = true;
    this.terrain.frustumCulled = false;
    this.scene.add(this.terrain);
    this.reshape(heights);
  }

  /** Gives the ground other heights; steep ground is earth, low ground sand. */
  reshape(heights) {
    const { position, color, normal } = this.terrain.geometry.attributes;
    for (let i = 0; i < heights.length; i++) {
      position.setXYZ(i, CORNER + SPACING * (i % SAMPLES), heights[i], CORNER + SPACING * Math.floor(i / SAMPLES));
    }
    this.terrain.geometry.computeVertexNormals();
    const normals = normal ?? this.terrain.geometry.attributes.normal;
    const shade = new THREE.Color();
    for (let i = 0; i < heights.length; i++) {
      const steep = THREE.MathUtils.smoothstep(1 - normals.getY(i), 0.06, 0.3);
      const low = THREE.MathUtils.smoothstep(-heights[i], 0.2, 1.2);
      shade.copy(GRASS).lerp(SAND, low).lerp(EARTH, steep);
      shade.multiplyScalar(0.94 + 0.06 * Math.sin(0.9 * position.getX(i)) * Math.cos(0.7 * position.getZ(i)));
      color.setXYZ(i, shade.r, shade.g, shade.b);
    }
    position.needsUpdate = color.needsUpdate = true;
  }

  add({ key, kind, pose }) {
    const mesh = new THREE.Mesh(this.#geometry(kind), this.#material(kind.colour));
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.userData.material = mesh.material;
    this.scene.add(mesh);
    this.meshes.set(key, mesh);
    place(mesh, pose, 0);
  }

  remove(key) {
    this.scene.remove(this.meshes.get(key));
    this.meshes.delete(key);
  }

  #material(colour) {
    if (!this.materials.has(colour)) {
      this.materials.set(colour, new THREE.MeshStandardMaterial({ color: COLOURS[colour], roughness: 0.85 }));
    }
    return this.materials.get(colour);
  }

  #geometry(kind) {
    if (!this.geometries.has(kind)) this.geometries.set(kind, geometry(kind));
    return this.geometries.get(kind);
  }

  /** Moves what a step has moved. */
  move({ moved, poses }) {
    for (let i = 0; i < moved.length; i++) {
      const mesh = this.meshes.get(moved[i]);
      if (mesh) place(mesh, poses, 7 * i);
    }
  }

  /** Draws as ghosts what is not among these keys; `undefined` for nothing. */
  ghostOthers(keys) {
    const seen = keys && new Set(keys);
    for (const [key, mesh] of this.meshes) {
      const isSeen = !seen || seen.has(key);
      mesh.material = isSeen ? mesh.userData.material : this.ghost;
      mesh.castShadow = isSeen;
    }
  }

  /** The edges of a camera's volume, from its inverse projection · view; `undefined` for none. */
  freeze(inverse) {
    const corner = (i) => new THREE.Vector3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1).applyMatrix4(inverse);
    const edges = [0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7];
    const positions = inverse ? edges.flatMap((i) => corner(i).toArray()) : [];
    draw(this.frozen, positions, () => LINES[1]);
  }

  drawLines({ count, positions, kinds }) {
    draw(this.lines, positions.subarray(0, 6 * count), (i) => {
      return kinds[i] >= 8 ? NODES[Math.min(kinds[i] - 8, NODES.length - 1)] : LINES[kinds[i]];
    });
  }

  /** The normals of contacts, each as long as its impulse is great. */
  drawContacts({ count, points, normals, impulses }) {
    const positions = new Float32Array(6 * count);
    for (let i = 0; i < count; i++) {
      const length = 0.15 + 0.08 * Math.sqrt(impulses[i]);
      for (let k = 0; k < 3; k++) {
        positions[6 * i + k] = points[3 * i + k];
        positions[6 * i + 3 + k] = points[3 * i + k] + length * normals[3 * i + k];
      }
    }
    draw(this.contacts, positions, () => LINES[1]);
  }

  /** Leaves marks where rays have hit, coloured by the direction of what they hit. */
  mark({ count, keys, points, normals }) {
    const [matrix, colour] = [new THREE.Matrix4(), new THREE.Color()];
    for (let i = 0; i < count; i++) {
      if (keys[i] === 0) continue;
      const n = this.nextMark++ % MARKS;
      this.marks.setMatrixAt(n, matrix.makeTranslation(points[3 * i], points[3 * i + 1], points[3 * i + 2]));
      const [x, y, z] = normals.subarray(3 * i);
      this.marks.setColorAt(n, colour.setRGB(0.5 + 0.45 * x, 0.3 + 0.4 * Math.abs(y), 0.5 + 0.45 * z));
    }
    this.marks.count = Math.min(this.nextMark, MARKS);
    this.marks.instanceMatrix.needsUpdate = this.marks.instanceColor.needsUpdate = true;
  }

  /** Draws a frame, lit around a point. */
  render(around) {
    this.sun.target.position.set(...around);
    this.sun.position.set(around[0] + 26, around[1] + 46, around[2] + 30);
    this.renderer.render(this.scene, this.camera);
  }
}

/** Paler toward the horizon, where the fog takes over. */
function sky() {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 64 });
  const context = canvas.getContext("2d");
  const gradient = context.createLinearGradient(0, 0, 0, 64);
  [[0, "#9cc3dc"], [0.5, "#d5e4ea"], [1, "#d5e4ea"]].forEach(([at, colour]) => gradient.addColorStop(at, colour));
  context.fillStyle = gradient;
  context.fillRect(0, 0, 1, 64);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.mapping = THREE.EquirectangularReflectionMapping;
  return texture;
}

function place(object, poses, at) {
  object.position.set(poses[at], poses[at + 1], poses[at + 2]);
  object.quaternion.set(poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]);
}

function segments() {
  const lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true }));
  lines.frustumCulled = false;
  return lines;
}

/** Gives lines other ends, and each a colour. */
function draw(lines, positions, colour) {
  const colours = new Float32Array(positions.length);
  for (let i = 0; i < positions.length / 6; i++) {
    const { r, g, b } = colour(i);
    colours.set([r, g, b, r, g, b], 6 * i);
  }
  lines.geometry.dispose();
  lines.geometry = new THREE.BufferGeometry();
  lines.geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
  lines.geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
}

/** The character: a capsule that looks where it goes. */
function figure() {
  const group = new THREE.Group();
  const coat = new THREE.MeshStandardMaterial({ color: 0x3f6f86, roughness: 0.7 });
  const body = new THREE.Mesh(new THREE.CapsuleGeometry(0.3, 1.2, 8, 24), coat);
  const visor = new THREE.Mesh(new THREE.BoxGeometry(0.34, 0.12, 0.12), new THREE.MeshStandardMaterial({ color: 0x1e2b33 }));
  visor.position.set(0, 0.62, -0.25);
  body.castShadow = visor.castShadow = true;
  return group.add(body, visor);
}

/** The geometry of a kind of thing. */
function geometry({ box, ball, cylinder, capsule, hull, mesh, boxes }) {
  if (box) return new THREE.BoxGeometry(2 * box[0], 2 * box[1], 2 * box[2]);
  if (ball) return new THREE.SphereGeometry(ball, 24, 16);
  if (cylinder) return new THREE.CylinderGeometry(cylinder[1], cylinder[1], 2 * cylinder[0], 28);
  if (capsule) return new THREE.CapsuleGeometry(capsule[1], 2 * capsule[0], 8, 20);
  if (hull) return flat(hullTriangles(hull));
  if (mesh) return flat(mesh.indices.flatMap((i) => mesh.vertices.slice(3 * i, 3 * i + 3)));
  return flat(
    boxes.flatMap(({ half, at }) => {
      const part = new THREE.BoxGeometry(2 * half[0], 2 * half[1], 2 * half[2]).translate(...at).toNonIndexed();
      return [...part.attributes.position.array];
    }),
  );
}

function flat(positions) {
  const flat = new THREE.BufferGeometry();
  flat.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
  flat.computeVertexNormals();
  return flat;
}

/** The triangles of a hull of a few points: every three with all others behind them, fans where more lie on a plane. */
function hullTriangles(numbers) {
  const points = [];
  for (let i = 0; i < numbers.length; i += 3) points.push(new THREE.Vector3(...numbers.slice(i, i + 3)));
  const [faces, plane] = [new Map(), new THREE.Plane()];
  for (const a of points) {
    for (const b of points) {
      for (const c of points) {
        if (a === b || b === c || c === a) continue;
        plane.setFromCoplanarPoints(a, b, c);
        if (!(plane.normal.lengthSq() > 0.5) || points.some((point) => plane.distanceToPoint(point) > 1e-5)) continue;
        const name = [...plane.normal.toArray(), plane.constant].map((x) => (x + 0).toFixed(3)).join();
        faces.set(name, plane.clone());
      }
    }
  }
  return [...faces.values()].flatMap(({ normal, constant }) => {
    const on = points.filter((point) => Math.abs(normal.dot(point) + constant) < 1e-4);
    const middle = on.reduce((sum, point) => sum.add(point), new THREE.Vector3()).divideScalar(on.length);
    const across = on[0].clone().sub(middle).normalize();
    const up = normal.clone().cross(across);
    const angle = (point) => Math.atan2(point.clone().sub(middle).dot(up), point.clone().sub(middle).dot(across));
    on.sort((a, b) => angle(a) - angle(b));
    return on.slice(2).flatMap((point, i) => [on[0], on[i + 1], point].flatMap((corner) => corner.toArray()));
  });
}
