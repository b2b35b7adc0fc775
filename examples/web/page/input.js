// Keys, pointer and touch, as one state: where to walk, where to look, and which keys were pressed.

// Pixels of a finger's way for the full speed.
const STICK = 60;

export class Input {
  constructor(canvas) {
    this.yaw = 0;
    this.pitch = -0.18;
    this.distance = 6;
    this.onAction = () => {};
    this.held = new Set();
    this.stick = [0, 0];
    this.pointers = new Map();
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.code === "Space" || event.code.startsWith("Arrow")) event.preventDefault();
      this.held.add(event.code);
      if (!event.repeat) this.onAction(event.code);
    });
    addEventListener("keyup", (event) => this.held.delete(event.code));
    addEventListener("blur", () => this.held.clear());
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      const walks = event.pointerType === "touch" && event.clientX < innerWidth / 2;
      this.pointers.set(event.pointerId, { walks, from: [event.clientX, event.clientY], at: [event.clientX, event.clientY] });
    });
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.#release(event));
    canvas.addEventListener("wheel", (event) => this.#zoom(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  #move(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    const [x, y] = [event.clientX, event.clientY];
    if (pointer.walks) {
      this.stick = [x - pointer.from[0], y - pointer.from[1]].map((way) => Math.max(-1, Math.min(1, way / STICK)));
    } else {
      this.yaw -= 0.005 * (x - pointer.at[0]);
      this.pitch = Math.max(-1.4, Math.min(0.9, this.pitch - 0.005 * (y - pointer.at[1])));
    }
    pointer.at = [x, y];
  }

  #release(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    if (pointer.walks) this.stick = [0, 0];
    const way = Math.hypot(event.clientX - pointer.from[0], event.clientY - pointer.from[1]);
    // A press that has not turned the camera throws.
    if (way < 4 && event.pointerType === "mouse") this.onAction(event.button === 2 ? "KeyB" : "KeyE");
    this.pointers.delete(event.pointerId);
  }

  #zoom(event) {
    event.preventDefault();
    this.distance = Math.max(2, Math.min(14, this.distance * 1.001 ** event.deltaY));
  }

  /** The direction to walk in, x and z of the world, no longer than 1. */
  direction() {
    const key = (...codes) => (codes.some((code) => this.held.has(code)) ? 1 : 0);
    const x = key("KeyD", "ArrowRight") - key("KeyA", "ArrowLeft") + this.stick[0];
    const z = key("KeyS", "ArrowDown") - key("KeyW", "ArrowUp") + this.stick[1];
    const length = Math.max(1, Math.hypot(x, z));
    const [sin, cos] = [Math.sin(this.yaw), Math.cos(this.yaw)];
    return [(cos * x + sin * z) / length, (cos * z - sin * x) / length];
  }

  get runs() {
    return this.held.has("ShiftLeft") || this.held.has("ShiftRight");
  }

  get jumps() {
    return this.held.has("Space");
  }
}
