// Tests the package in Node: node node.mjs <folder with the page> <hashes of the native program>
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const [folder, native] = [process.argv[2], process.argv[3]];
const load = (path) => import(pathToFileURL(`${folder}/${path}`));
const { init, Shape, World } = await load("cullide/cullide.js");
const bytes = readFileSync(`${folder}/cullide/cullide.wasm`);
await init(bytes);
const { Script, TICKS } = await load("script.js");

const begin = performance.now();
const script = new Script();
while (!script.isOver) script.advance();
console.log(`${TICKS} ticks: ${((performance.now() - begin) / TICKS).toFixed(2)} ms each`);
console.log(script.outcome(), "JavaScript interface");
console.log(native, "native");
