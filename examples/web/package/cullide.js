// The library as an ES module: types and explanations are in cullide.d.ts.
import {
  ALL, answeredBytes, asFloats, asKeys, asPoses, ask, asWords, call, floats, free, keys, own, receive, send, words,
} from "./module.js";

export { init } from "./module.js";

export class Shape {
  #handle;

  constructor(handle) {
    this.#handle = own(this, "shape_free", handle);
  }

  static box(halfX, halfY, halfZ) {
    return new Shape(call("shape_box", halfX, halfY, halfZ));
  }

  static ball(radius) {
    return new Shape(call("shape_ball", radius));
  }

  static capsule(halfSegment, radius) {
    return new Shape(call("shape_capsule", halfSegment, radius));
  }

  static cylinder(halfHeight, radius, topRadius = radius) {
    return new Shape(call("shape_cylinder", halfHeight, radius, topRadius));
  }

  static cone(halfHeight, radius) {
    return Shape.cylinder(halfHeight, radius, 0);
  }

  static hull(points) {
    const column = asFloats(points, 3, "points");
    send(column);
    return new Shape(call("shape_hull", column.length / 3));
  }

  static mesh(vertices, indices, { surfaces, oneSided = false } = {}) {
    const [places, corners] = [asFloats(vertices, 3, "vertices"), asWords(indices)];
    if (corners.length % 3 !== 0) throw new RangeError("Cullide: a triangle is three indices");
    const numbers = surfaces ? asWords(surfaces) : new Uint32Array(0);
    send(places, corners, numbers);
    return new Shape(call("shape_mesh", places.length / 3, corners.length / 3, Boolean(surfaces), !oneSided));
  }

  static terrain(columns, rows, heights, { spacing = [1, 1], origin = [0, 0] } = {}) {
    const column = asFloats(heights, 1, "heights");
    if (column.length !== columns * rows) throw new RangeError(`Cullide: ${columns} × ${rows} heights, not ${column.length}`);
    send(column);
    return new Shape(call("shape_terrain", columns, rows, ...spacing, ...origin));
  }

  static compound(shapes, poses) {
    const column = asPoses(poses);
    if (column.length !== 7 * shapes.length) throw new RangeError("Cullide: a compound takes a pose for each shape");
    send(Uint32Array.from(shapes, (shape) => shape.handle), column);
    return new Shape(call("shape_compound", shapes.length));
  }

  scaled(x, y, z) {
    return new Shape(call("shape_scaled", this.#handle, x, y, z));
  }

  free() {
    free(this, "shape_free", this.#handle);
    this.#handle = 0;
  }

  get handle() {
    return this.#handle;
  }
}

// ---- Worlds

export class World {
  #handle;

  constructor(handle = call("world_new")) {
    this.#handle = own(this, "world_free", handle);
  }

  static restore(bytes) {
    send(bytes);
    return new World(call("world_restore", bytes.length));
  }

  clone() {
    return new World(call("world_clone", this.#handle));
  }

  free() {
    free(this, "world_free", this.#handle);
    this.#handle = 0;
  }

  get handle() {
    return this.#handle;
  }

  // -- Objects

  insert(shape, poses, { moving = false, layers = ALL, pairsWith = ALL } = {}) {
    const column = asPoses(poses);
    send(column);
    return keys(receive(call("world_insert", this.#handle, shape.handle, column.length / 7, moving, layers, pairsWith))).slice();
  }

  insertPlane([x, y, z], d, { wall = false, layers = ALL } = {}) {
    return keys(receive(call("world_insert_plane", this.#handle, x, y, z, d, wall, layers)))[0];
  }

  remove(objects) {
    const column = asKeys(objects);
    send(column);
    return call("world_remove", this.#handle, column.length);
  }

  setTransforms(objects, poses) {
    const [column, places] = [asKeys(objects), asPoses(poses)];
    if (places.length !== 7 * column.length) throw new RangeError("Cullide: a pose for each key");
    send(column, places);
    return call("world_set_transforms", this.#handle, column.length);
  }

  transforms(objects) {
    const column = asKeys(objects);
    send(column);
    return floats(7 * receive(call("world_transforms", this.#handle, column.length)));
  }

  setLayers(keys, layers, pairsWith = ALL) {
    const column = asKeys(keys);
    send(column);
    return call("world_set_layers", this.#handle, column.length, layers, pairsWith);
  }

  setEnabled(objects, enabled) {
    const column = asKeys(objects);
    send(column);
    return call("world_set_enabled", this.#handle, column.length, enabled);
  }

  editTerrain(terrain, column, row, columns, rows, heights) {
    send(asKeys(terrain), asFloats(heights, 1, "heights"));
    call("world_edit_terrain", this.#handle, column, row, columns, rows, 0);
  }

  digTerrain(terrain, column, row, columns, rows) {
    send(asKeys(terrain));
    call("world_edit_terrain", this.#handle, column, row, columns, rows, 1);
  }

  fillTerrain(terrain, column, row, columns, rows) {
    send(asKeys(terrain));
    call("world_edit_terrain", this.#handle, column, row, columns, rows, 2);
  }

  optimize() {
    call("world_optimize", this.#handle);
  }

  get size() {
    return call("world_len", this.#handle);
  }

  hash() {
    return BigInt.asUintN(64, call("world_hash", this.#handle));
  }

  snapshot() {
    return answeredBytes(call("world_snapshot", this.#handle)).slice();
  }

  // -- Queries

  castRays(rays, maxDistance = Infinity, filter) {
    const column = asFloats(rays, 6, "rays");
    ask(filter, column);
    return hits(receive(call("world_cast_rays", this.#handle, column.length / 6, maxDistance)));
  }

  castRaysAll(rays, maxDistance = Infinity, filter) {
    const column = asFloats(rays, 6, "rays");
    ask(filter, column);
    const count = receive(call("world_cast_rays_all", this.#handle, column.length / 6, maxDistance));
    const starts = words(column.length / 6 + 1);
    return { starts, ...hits(count) };
  }

  anyRayHits(rays, maxDistance = Infinity, filter) {
    const column = asFloats(rays, 6, "rays");
    ask(filter, column);
    return words(receive(call("world_any_ray_hits", this.#handle, column.length / 6, maxDistance)));
  }

  overlap(shape, poses, filter) {
    const column = asPoses(poses);
    ask(filter, column);
    const count = receive(call("world_overlap", this.#handle, shape.handle, column.length / 7));
    return { count, starts: words(column.length / 7 + 1), keys: keys(count) };
  }

  nearest(points, { maxDistance = Infinity, most = 1, ...filter } = {}) {
    const column = asFloats(points, 3, "points");
    ask(filter, column);
    const count = receive(call("world_nearest", this.#handle, column.length / 3, maxDistance, most));
    return {
      count,
      starts: words(column.length / 3 + 1),
      keys: keys(count),
      distances: floats(count),
      separations: floats(count),
      points: floats(3 * count),
      normals: floats(3 * count),
      parts: words(count),
      surfaces: words(count),
    };
  }

  sweep(shape, poses, motions, filter) {
    const [column, ways] = [asPoses(poses), asFloats(motions, 3, "motions")];
    if (7 * ways.length !== 3 * column.length) throw new RangeError("Cullide: a motion for each pose");
    ask(filter, column, ways);
    const count = receive(call("world_sweep", this.#handle, shape.handle, column.length / 7));
    return {
      count,
      keys: keys(count),
      times: floats(count),
      translations: floats(3 * count),
      points: floats(3 * count),
      normals: floats(3 * count),
      parts: words(count),
      surfaces: words(count),
      overlaps: words(count),
    };
  }

  cull(viewProjection, { depthFromZero = false, ...filter } = {}) {
    ask(filter, asFloats(viewProjection, 16, "matrices"));
    return keys(receive(call("world_cull", this.#handle, depthFromZero)));
  }

  debugLines({ shapes = true, leaves = false, nodes = -1, planes = 0, velocities = 0, bounds, ...filter } = {}) {
    const lengths = Float32Array.of(planes, velocities, ...(bounds ?? [0, 0, 0, 0, 0, 0]));
    ask(filter, Uint32Array.of(shapes, leaves, nodes + 1, bounds !== undefined), lengths);
    const count = receive(call("world_debug_lines", this.#handle));
    return { count, positions: floats(6 * count), kinds: words(count) };
  }

  // -- Characters

  insertCharacter(position, { halfSegment = 0.6, radius = 0.3, layers = ALL } = {}) {
    const handle = receive(call("character_new", this.#handle, ...position, halfSegment, radius, layers));
    return new Character(this, handle, keys(1)[0], position);
  }

  // -- Bodies

  insertBodies(objects, options = {}) {
    const { kinematic = false, mass, density = 1, friction = 0.6, restitution = 0, rollingResistance = 0 } = options;
    const { gravityScale = 1, linearDamping = 0, angularDamping = 0, lockedTranslation = 0, lockedRotation = 0 } = options;
    const { canSleep = true, sensor = false, velocities } = options;
    const column = asKeys(objects);
    const ways = velocities === undefined ? new Float32Array(0) : asFloats(velocities, 6, "velocities");
    if (ways.length > 0 && ways.length !== 6 * column.length) throw new RangeError("Cullide: velocities for each key");
    const description = [
      kinematic, mass ?? density, mass === undefined, friction, restitution, rollingResistance, gravityScale,
      linearDamping, angularDamping, lockedTranslation, lockedRotation, canSleep, sensor,
    ];
    send(Float32Array.from(description), column, ways);
    return call("bodies_insert", this.#handle, column.length, ways.length > 0);
  }

  removeBodies(objects) {
    const column = asKeys(objects);
    send(column);
    return call("bodies_remove", this.#handle, column.length);
  }

  setGravity(x, y, z, substeps = 8) {
    call("bodies_configure", this.#handle, x, y, z, substeps);
  }

  step(dt) {
    const count = receive(call("bodies_step", this.#handle, dt));
    const [moved, begun, ended, awake] = words(4);
    return { moved: keys(moved), poses: floats(7 * count), begun: keys(2 * begun), ended: keys(2 * ended), awake };
  }

  contacts() {
    const count = receive(call("bodies_contacts", this.#handle));
    return {
      count,
      firsts: keys(count),
      seconds: keys(count),
      points: floats(3 * count),
      normals: floats(3 * count),
      separations: floats(count),
      impulses: floats(count),
    };
  }

  velocities(objects) {
    const column = asKeys(objects);
    send(column);
    const count = receive(call("bodies_velocities", this.#handle, column.length));
    return { velocities: floats(6 * count), asleep: words(count) };
  }

  setVelocities(objects, velocities) {
    return this.#push("bodies_set_velocities", objects, velocities);
  }

  applyImpulses(objects, impulses) {
    return this.#push("bodies_impulses", objects, impulses);
  }

  #push(name, objects, numbers) {
    const [column, six] = [asKeys(objects), asFloats(numbers, 6, "velocities and impulses with their points")];
    if (six.length !== 6 * column.length) throw new RangeError("Cullide: six numbers for each key");
    send(column, six);
    return call(name, this.#handle, column.length);
  }

  moveKinematic(objects, poses, dt) {
    const [column, places] = [asKeys(objects), asPoses(poses)];
    if (places.length !== 7 * column.length) throw new RangeError("Cullide: a pose for each key");
    send(column, places);
    return call("bodies_move", this.#handle, column.length, dt);
  }

  setMaterials(targets, { friction = 0.6, restitution = 0, rollingResistance = 0, surfaceVelocity = [0, 0, 0] } = {}) {
    const column = asKeys(targets);
    send(Float32Array.of(friction, restitution, rollingResistance, ...surfaceVelocity), column);
    call("bodies_set_materials", this.#handle, column.length);
  }
}

/** The columns of rays' hits. */
function hits(count) {
  return {
    count,
    keys: keys(count),
    distances: floats(count),
    exits: floats(count),
    points: floats(3 * count),
    normals: floats(3 * count),
    parts: words(count),
    surfaces: words(count),
    inside: words(count),
  };
}

export class Character {
  #world;
  #handle;

  constructor(world, handle, key, position) {
    [this.#world, this.#handle, this.key] = [world, handle, key];
    this.position = Float32Array.from(position);
    this.velocity = new Float32Array(3);
    this.groundNormal = new Float32Array(3);
    this.ground = 0;
    this.groundSurface = 0;
    this.stepped = 0;
  }

  configure({ stepHeight = 0.35, maxSlope = Math.PI / 4, pushForce = 300 } = {}) {
    call("character_configure", this.#world.handle, this.#handle, stepHeight, maxSlope, pushForce);
  }

  walk(x, y, z, dt, filter) {
    ask(filter);
    receive(call("character_walk", this.#world.handle, this.#handle, x, y, z, dt));
    this.ground = keys(1)[0];
    this.position.set(floats(3));
    this.velocity.set(floats(3));
    this.groundNormal.set(floats(3));
    this.stepped = floats(1)[0];
    this.groundSurface = words(1)[0];
  }

  moveTo(x, y, z) {
    call("character_move", this.#world.handle, this.#handle, x, y, z);
    this.position.set([x, y, z]);
    this.velocity.fill(0);
    this.ground = 0;
  }

  remove() {
    call("character_free", this.#world.handle, this.#handle);
  }
}
