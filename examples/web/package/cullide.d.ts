/**
 * A collision world: shapes, queries in batches, characters and rigid bodies.
 *
 * - Objects are known by keys, which are numbers: positive for objects, negative for infinite planes, 0 for nothing. The
 *   key of something that was removed is never given out again.
 * - Arrays go in as typed arrays (others are converted), many questions at once: rays are six numbers each (origin,
 *   direction of any length), poses seven (position, quaternion x y z w) or one position of three. Lengths are in the
 *   units of the scene; everything is y up.
 * - Answers are columns, and views of the module's memory: **they are good until the next call** of any function here.
 *   `slice()` what is to be kept. No object is made for a ray.
 * - What cannot be computed (a number that is not finite, a ray without a direction) throws an `Error` that tells why and,
 *   in a batch, which; then nothing has changed.
 * - The same calls with the same numbers give the same bits in every browser, and natively.
 */

/** Numbers: typed arrays are copied as they are, others are converted. */
export type Floats = Float32Array | ArrayLike<number>;
/** Keys of objects or planes, or one of them. */
export type Keys = Float64Array | readonly number[] | number;
export type Vector = ArrayLike<number> & Iterable<number>;

/**
 * Loads the module; once for a page. `source` is an address (preset: `cullide.wasm` beside this file; the smaller
 * `queries.wasm` has no bodies), a `Response`, bytes, or a compiled module.
 *
 * Throws an error that says so if the browser has no SIMD.
 */
export function init(source?: string | URL | Response | BufferSource | WebAssembly.Module): Promise<void>;

/** Whom a query asks about. */
export interface Filter {
  /** Only objects in one of these layers, a bit each. */
  layers?: number;
  only?: "all" | "fixed" | "moving";
  /** Objects to leave out. */
  without?: Keys;
}

/** A shape about the origin; objects, queries and sweeps take one together with poses. It may be used many times. */
export class Shape {
  private constructor();
  /** A box, from half of its edges. */
  static box(halfX: number, halfY: number, halfZ: number): Shape;
  static ball(radius: number): Shape;
  /** An upright capsule, from half of the segment between the centres of its ends. */
  static capsule(halfSegment: number, radius: number): Shape;
  /** An upright cylinder, or with another radius above, a frustum of a cone. */
  static cylinder(halfHeight: number, radius: number, topRadius?: number): Shape;
  static cone(halfHeight: number, radius: number): Shape;
  /** The convex hull of points, three numbers each. */
  static hull(points: Floats): Shape;
  /** Triangles: three numbers a vertex, three indices a triangle, and if given, a surface (0 to 65,535) a triangle. */
  static mesh(
    vertices: Floats,
    indices: ArrayLike<number>,
    options?: { surfaces?: ArrayLike<number>; oneSided?: boolean },
  ): Shape;
  /** Heights over a grid, row by row: columns along x, rows along z. */
  static terrain(
    columns: number,
    rows: number,
    heights: Floats,
    options?: { spacing?: [x: number, z: number]; origin?: [x: number, z: number] },
  ): Shape;
  /** Several shapes as one, with a pose for each. */
  static compound(shapes: readonly Shape[], poses: Floats): Shape;
  /** A mesh or a compound in another size; it shares the data. */
  scaled(x: number, y: number, z: number): Shape;
  /** Gives up its memory now; otherwise that happens some time after nothing refers to it. */
  free(): void;
}

/** What rays hit: columns with one entry a ray. */
export interface Hits {
  readonly count: number;
  /** 0 for a ray that hits nothing. */
  readonly keys: Float64Array;
  /** Infinite for a ray that hits nothing. */
  readonly distances: Float32Array;
  /** Where the ray leaves what it hits. */
  readonly exits: Float32Array;
  /** Three numbers each. */
  readonly points: Float32Array;
  /** Three numbers each. */
  readonly normals: Float32Array;
  /** The triangle of a mesh or a terrain, the child of a compound. */
  readonly parts: Uint32Array;
  /** The surface of that part. */
  readonly surfaces: Uint32Array;
  /** 1 if the ray began inside. */
  readonly inside: Uint32Array;
}

/** Answers of which a question may have several: those of question `i` are from `starts[i]` up to `starts[i + 1]`. */
export interface Several {
  readonly count: number;
  readonly starts: Uint32Array;
}

export interface Near extends Several {
  readonly keys: Float64Array;
  /** 0 if the point is inside. */
  readonly distances: Float32Array;
  /** The distance again, negative inside a solid. */
  readonly separations: Float32Array;
  readonly points: Float32Array;
  readonly normals: Float32Array;
  readonly parts: Uint32Array;
  readonly surfaces: Uint32Array;
}

export interface Sweeps {
  readonly count: number;
  /** What stops the shape, or what it overlapped from the start. */
  readonly keys: Float64Array;
  /** The fraction of the motion at which it touches; 1 if nothing stops it, 0 if it overlaps from the start. */
  readonly times: Float32Array;
  /** How far it gets, three numbers each. */
  readonly translations: Float32Array;
  readonly points: Float32Array;
  readonly normals: Float32Array;
  readonly parts: Uint32Array;
  readonly surfaces: Uint32Array;
  /** 1 if it overlapped something from the start. */
  readonly overlaps: Uint32Array;
}

export interface Step {
  /** The bodies whose poses have changed, and their poses, seven numbers each. */
  readonly moved: Float64Array;
  readonly poses: Float32Array;
  /** Pairs that begin to touch and those that cease to, two keys each. */
  readonly begun: Float64Array;
  readonly ended: Float64Array;
  /** How many bodies are awake. */
  readonly awake: number;
}

/** Points at which bodies touch things. */
export interface Contacts {
  readonly count: number;
  readonly firsts: Float64Array;
  readonly seconds: Float64Array;
  readonly points: Float32Array;
  /** From the first toward the second. */
  readonly normals: Float32Array;
  readonly separations: Float32Array;
  readonly impulses: Float32Array;
}

export interface DebugLines {
  readonly count: number;
  /** Six numbers a line: what `LineSegments` draws. */
  readonly positions: Float32Array;
  /** 0 fixed, 1 moving, 2 planes, 3 leaves of trees, 4 velocities, 8 and more: nodes of trees by depth. */
  readonly kinds: Uint32Array;
}

export interface BodyOptions {
  /** Moved by its velocity alone. */
  kinematic?: boolean;
  /** The whole mass; or else it follows from `density`, 1 unless given. */
  mass?: number;
  density?: number;
  friction?: number;
  restitution?: number;
  rollingResistance?: number;
  gravityScale?: number;
  linearDamping?: number;
  angularDamping?: number;
  /** Axes along or about which it cannot move: 1 for x, 2 for y, 4 for z. */
  lockedTranslation?: number;
  lockedRotation?: number;
  canSleep?: boolean;
  sensor?: boolean;
  /** Six numbers each: velocity, angular velocity. */
  velocities?: Floats;
}

export class World {
  constructor();
  /** A world from the bytes of `snapshot`: it goes on as that one would have, bit for bit. */
  static restore(bytes: Uint8Array): World;
  /** A copy, characters included, that shares what neither changes: cheap enough to go back to an earlier tick. */
  clone(): World;
  snapshot(): Uint8Array;
  /** A hash of all that determines the future: the same wherever the same was done. */
  hash(): bigint;
  /** Gives up its memory now; otherwise that happens some time after nothing refers to it. */
  free(): void;
  /** How many objects there are. */
  readonly size: number;

  /** Inserts a shape at each pose, and returns the keys, in order. Layers are bits, preset: all. */
  insert(
    shape: Shape,
    poses: Floats,
    options?: { moving?: boolean; layers?: number; pairsWith?: number },
  ): Float64Array;
  /** Inserts the plane of the points with normal · point + d = 0, solid behind it or a wall, solid nowhere. */
  insertPlane(normal: Vector, d: number, options?: { wall?: boolean; layers?: number }): number;
  /** Removes objects and planes; returns how many there were. */
  remove(targets: Keys): number;
  /** Gives objects other poses; skips those that were removed, and returns how many there were. */
  setTransforms(objects: Keys, poses: Floats): number;
  /** Poses of objects, seven numbers each: zeros for those that were removed. */
  transforms(objects: Keys): Float32Array;
  /** Puts objects and planes into layers, and lets objects pair with others; returns how many there were. */
  setLayers(keys: Keys, layers: number, pairsWith?: number): number;
  /** Switches objects off and on again; no query finds those that are off. */
  setEnabled(objects: Keys, enabled: boolean): number;
  /** Sets heights in a rectangle of samples, row by row. */
  editTerrain(terrain: number, column: number, row: number, columns: number, rows: number, heights: Floats): void;
  /** Turns a rectangle of cells into holes. */
  digTerrain(terrain: number, column: number, row: number, columns: number, rows: number): void;
  /** Fills holes again. */
  fillTerrain(terrain: number, column: number, row: number, columns: number, rows: number): void;
  /** Builds the trees again after many edits; answers stay the same. */
  optimize(): void;

  /** What each ray hits first. Neighbours in the same direction, as in a picture, are fastest. */
  castRays(rays: Floats, maxDistance?: number, filter?: Filter): Hits;
  /** Everything that each ray hits, nearest first. */
  castRaysAll(rays: Floats, maxDistance?: number, filter?: Filter): Hits & Several;
  /** 1 for each ray that hits anything, else 0. */
  anyRayHits(rays: Floats, maxDistance?: number, filter?: Filter): Uint32Array;
  /** What a shape at each pose overlaps. */
  overlap(shape: Shape, poses: Floats, filter?: Filter): Several & { readonly keys: Float64Array };
  /** What is nearest to each point, nearest first. */
  nearest(points: Floats, options?: Filter & { maxDistance?: number; most?: number }): Near;
  /** How far a convex shape, or a compound of such, gets from each pose along each motion. */
  sweep(shape: Shape, poses: Floats, motions: Floats, filter?: Filter): Sweeps;
  /** What a camera sees, by projection · view in columns, as three.js has it; `depthFromZero` for WebGPU. */
  cull(viewProjection: Floats, options?: Filter & { depthFromZero?: boolean }): Float64Array;
  /** Lines to draw: edges of shapes, boxes of leaves, of nodes down to a depth, grids in planes of a spacing, velocities
   * over seconds; `bounds` (least and greatest corner) leaves out what is elsewhere. */
  debugLines(
    options?: Filter & {
      shapes?: boolean;
      leaves?: boolean;
      nodes?: number;
      planes?: number;
      velocities?: number;
      bounds?: Floats & Iterable<number>;
    },
  ): DebugLines;

  /** A character with an upright capsule about `position`, and the object that others meet. */
  insertCharacter(
    position: Vector,
    options?: { halfSegment?: number; radius?: number; layers?: number },
  ): Character;

  /** Makes objects bodies; returns how many there were. */
  insertBodies(objects: Keys, options?: BodyOptions): number;
  removeBodies(objects: Keys): number;
  /** Preset: (0, -9.81, 0), and 8 substeps. */
  setGravity(x: number, y: number, z: number, substeps?: number): void;
  /** Advances all bodies by `dt` seconds. */
  step(dt: number): Step;
  /** Where bodies touch after the last step. */
  contacts(): Contacts;
  /** Six numbers each: velocity, angular velocity; and whether they sleep. */
  velocities(objects: Keys): { readonly velocities: Float32Array; readonly asleep: Uint32Array };
  setVelocities(objects: Keys, velocities: Floats): number;
  /** Six numbers each: an impulse and the point where it acts. */
  applyImpulses(objects: Keys, impulses: Floats): number;
  /** Lets kinematic bodies reach poses in the next step. */
  moveKinematic(objects: Keys, poses: Floats, dt: number): number;
  /** Materials of objects and planes that are not bodies, such as ice and conveyor belts. */
  setMaterials(
    targets: Keys,
    material?: { friction?: number; restitution?: number; rollingResistance?: number; surfaceVelocity?: Vector },
  ): void;
}

/** A character that walks: made by `World.insertCharacter`. Its arrays stay the same and are overwritten by each walk. */
export class Character {
  private constructor();
  /** The object that others meet. */
  readonly key: number;
  readonly position: Float32Array;
  /** The velocity to go on with: walls have taken what led into them. */
  readonly velocity: Float32Array;
  /** The key of what it stands on; 0 in the air. */
  readonly ground: number;
  readonly groundNormal: Float32Array;
  readonly groundSurface: number;
  /** How far a step has raised it in the last walk. */
  readonly stepped: number;
  /** Presets: 0.35, π / 4, 300. */
  configure(options: { stepHeight?: number; maxSlope?: number; pushForce?: number }): void;
  /** Walks for `dt` seconds at a velocity. In the air, the caller adds gravity to it. */
  walk(x: number, y: number, z: number, dt: number, filter?: Filter): void;
  moveTo(x: number, y: number, z: number): void;
  /** Removes it and its object. */
  remove(): void;
}
