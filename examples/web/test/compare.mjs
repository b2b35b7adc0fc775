// The table beside three-mesh-bvh, in Node: node compare.mjs <folder with the page> <folder with three.js>
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, modules] = process.argv.slice(2).map((path) => resolve(path));
const load = (path) => import(pathToFileURL(join(folder, path)));
// Node looks for three.js here.
const link = join(dirname(folder), "node_modules");
if (!existsSync(link)) symlinkSync(modules, link);

const { init } = await load("cullide/cullide.js");
await init(readFileSync(join(folder, "cullide/cullide.wasm")));
const { compare, table } = await load("compare.js");
console.error("half a minute");
console.log(table(compare()));
