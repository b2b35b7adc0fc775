// The WebAssembly module: how arrays get in and answers out.
//
// A call copies its arrays to where the module reads them, and returns views of what it answers, which are good until
// the next call of anything here; `slice()` what is to be kept.

/** @type {any} The functions of the module. */
let wasm;

// A function that returns a vector: what a browser without SIMD calls invalid.
const SIMD = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];

export async function init(source = new URL("cullide.wasm", import.meta.url)) {
  if (wasm) return;
  if (typeof WebAssembly === "undefined" || !WebAssembly.validate(new Uint8Array(SIMD))) {
    throw new Error("Cullide needs WebAssembly with SIMD: Chrome 91, Firefox 89, Safari 16.4 or later");
  }
  wasm = (await instantiate(source)).exports;
}

async function instantiate(source) {
  if (source instanceof WebAssembly.Module) return WebAssembly.instantiate(source, {});
  if (typeof source === "string" || source instanceof URL) source = await fetch(source);
  if (typeof Response !== "undefined" && source instanceof Response) {
    if (!source.ok) throw new Error(`Cullide: ${source.url}: ${source.status} ${source.statusText}`);
    source = await source.arrayBuffer();
  }
  return (await WebAssembly.instantiate(source, {})).instance;
}

// ---- Calls

export function call(name, ...numbers) {
  const work = wasm?.[name];
  if (!work) throw new Error(wasm ? `Cullide: this build has no ${name}` : "Cullide: await init() first");
  const answer = work(...numbers);
  // A hash is a BigInt of any sign.
  if (typeof answer === "number" && answer < 0) {
    throw new Error("Cullide: " + new TextDecoder().decode(answeredBytes(wasm.error())));
  }
  return answer;
}

const padded = (bytes) => (bytes + 7) & ~7;

/** Copies arrays to where the next call reads them. */
export function send(...columns) {
  if (!wasm) throw new Error("Cullide: await init() first");
  let bytes = 0;
  for (const column of columns) bytes += padded(column.byteLength);
  let at = wasm.input(bytes);
  for (const column of columns) {
    new column.constructor(wasm.memory.buffer, at, column.length).set(column);
    at += padded(column.byteLength);
  }
}

// Where the next column of an answer begins.
let keysAt, floatsAt, wordsAt;

export function receive(count) {
  [keysAt, floatsAt, wordsAt] = [wasm.answer_keys(), wasm.answer_floats(), wasm.answer_words()];
  return count;
}

export function keys(count) {
  const column = new Float64Array(wasm.memory.buffer, keysAt, count);
  keysAt += 8 * count;
  return column;
}

export function floats(count) {
  const column = new Float32Array(wasm.memory.buffer, floatsAt, count);
  floatsAt += 4 * count;
  return column;
}

export function words(count) {
  const column = new Uint32Array(wasm.memory.buffer, wordsAt, count);
  wordsAt += 4 * count;
  return column;
}

// ---- Arguments

export function asFloats(numbers, size, what) {
  const array = numbers instanceof Float32Array ? numbers : Float32Array.from(numbers);
  if (array.length % size !== 0) throw new RangeError(`Cullide: ${what} are ${size} numbers each, not ${array.length} in all`);
  return array;
}

export function asWords(numbers) {
  return numbers instanceof Uint32Array ? numbers : Uint32Array.from(numbers);
}

export function asKeys(keys) {
  if (typeof keys === "number") return Float64Array.of(keys);
  return keys instanceof Float64Array ? keys : Float64Array.from(keys);
}

/** Poses: one position, or seven numbers each. */
export function asPoses(poses) {
  if (poses.length === 3) return Float32Array.of(poses[0], poses[1], poses[2], 0, 0, 0, 1);
  return asFloats(poses, 7, "poses");
}

export const ALL = 0xffffffff;
const NOTHING = new Float64Array(0);
const MOBILITY = { all: 0, fixed: 1, moving: 2 };

/** Copies a filter and arrays to where the next query reads them. */
export function ask(filter, ...columns) {
  const without = filter?.without === undefined ? NOTHING : asKeys(filter.without);
  const head = Uint32Array.of(filter?.layers ?? ALL, MOBILITY[filter?.only ?? "all"] ?? 0, without.length, 0);
  send(head, without, ...columns);
}

const registry = new FinalizationRegistry(([name, handle]) => wasm[name](handle));

/** Lets `name` free a handle when nothing refers to its object any more. */
export function own(object, name, handle) {
  registry.register(object, [name, handle], object);
  return handle;
}

/** Frees it now. */
export function free(object, name, handle) {
  registry.unregister(object);
  call(name, handle);
}

/** The bytes of the last answer. */
export function answeredBytes(length) {
  return new Uint8Array(wasm.memory.buffer, wasm.answer_bytes(), length);
}

