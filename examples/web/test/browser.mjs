// Tests the page in a headless Chromium: node browser.mjs <folder with the page> <tools> [folder for screenshots]
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { serve } from "./serve.mjs";

const [folder, tools, pictures] = process.argv.slice(2).map((path) => resolve(path));
const puppeteer = createRequire(`${tools}/`)("puppeteer-core");
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
// Drawn without a graphics card: slowly, but with the same code.
const args = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const { server, address } = await serve(folder);
const browser = await puppeteer.launch({ executablePath, args });
const page = await browser.newPage();
await page.setViewport({ width: 1280, height: 720 });
const [errors, outcomes] = [[], []];
page.on("pageerror", (error) => errors.push(error.message));
page.on("requestfailed", (request) => errors.push(`not loaded: ${request.url()}`));
page.on("response", (response) => response.status() < 400 || errors.push(`${response.status()}: ${response.url()}`));
page.on("console", (message) => {
  if (message.text().startsWith("script: ")) outcomes.push(message.text());
  else if (["error", "warn"].includes(message.type())) errors.push(message.text());
});

/** Lets the page draw some more frames. */
async function frames(count) {
  const last = (await page.evaluate("page.frames")) + count;
  await page.waitForFunction(`page.frames >= ${last}`, { timeout: 120_000 });
}

async function picture(name) {
  const bytes = await page.screenshot(pictures ? { path: `${pictures}/${name}.png` } : {});
  assert(bytes.length > 20_000, `${name}: nothing is drawn`);
}

async function press(key, count = 8) {
  await page.keyboard.press(key);
  await frames(count);
}

await page.goto(address);
await page.waitForFunction("globalThis.page?.frames > 5", { timeout: 60_000 });
await picture("begin");

await page.keyboard.down("w");
await page.waitForFunction("page.hero.position[2] < 6.5", { timeout: 120_000 });
await page.keyboard.up("w");
const ground = await page.evaluate("page.level.ground.slice()[0] + page.level.ground.reduce((a, b) => a + b, 0)");
for (const key of ["e", "b", "e"]) await press(key);
await page.evaluate("page.input.pitch = -0.4");
await press("f");
assert.equal(await page.evaluate("page.thrown.length"), 3, "three things are thrown");
assert((await page.evaluate("page.view.nextMark")) > 200, "most rays leave a mark");
await picture("throw");
await page.evaluate("page.input.pitch = -0.7");
await frames(2);
await press("g");
const dug = await page.evaluate("page.level.ground.slice()[0] + page.level.ground.reduce((a, b) => a + b, 0)");
assert(dug < ground - 1, "the ground is lower");
await page.evaluate("page.input.pitch = -0.2");
await press("v");
await press("t");
await picture("trees");
await press("t");
await press("t");
await press("t");
await press("c", 12);
const [seen, ghosts] = await page.evaluate(
  "[page.seen, [...page.view.meshes.values()].filter((mesh) => mesh.material === page.view.ghost).length]",
);
assert(seen > 10 && ghosts > 10, `${seen} are seen and ${ghosts} are culled`);
await picture("frozen");

// By touch: the left half walks, the right half looks, buttons act.
await page.setViewport({ width: 420, height: 800, hasTouch: true, isMobile: true });
await page.goto(address);
await page.waitForFunction("globalThis.page?.frames > 5", { timeout: 60_000 });
await page.touchscreen.touchStart(100, 500);
await page.touchscreen.touchMove(100, 430);
await page.waitForFunction("page.hero.position[2] < 7", { timeout: 120_000 });
await page.touchscreen.touchEnd();
await page.touchscreen.touchStart(300, 300);
await page.touchscreen.touchMove(350, 300);
await page.touchscreen.touchEnd();
assert((await page.evaluate("page.input.yaw")) < -0.2, "a finger turns the camera");
await page.tap('[data-code="KeyE"]');
await frames(2);
assert.equal(await page.evaluate("page.thrown.length"), 1, "a finger throws a crate");
await picture("touch");
await page.setViewport({ width: 1280, height: 720 });

await page.goto(`${address}?script&fast`);
await page.waitForFunction("globalThis.page?.outcome", { timeout: 240_000 });
await frames(10);
await picture("script");
assert(outcomes.length === 1 && /^script: (\S+ \S+), native: \1$/.test(outcomes[0]), outcomes[0] ?? "no outcome");
assert.match(await page.$eval("#hash", (hash) => hash.textContent), /the same, bit for bit/);
const costs = await page.evaluate("[...page.costs].map(([name, cost]) => `${name} ${cost.toFixed(2)}`).join(', ')");
console.log(`${outcomes[0]}\nmilliseconds a frame, drawn without a graphics card: ${costs}`);
assert.deepEqual(errors, []);
await browser.close();
server.close();
