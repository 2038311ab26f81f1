// @ts-check
/** The live board of Carrom: shots move by the house's own physics, and end where the records say. */
import { NUMBERS, step } from "/carrom/phases.js";
import { BOARD, FRICTIONS_PERCENT, placed, simulate, surface, turned } from "/carrom/shots.js";
import { h, s } from "/page/dom.js";
import { t } from "/page/i18n.js";
import { Aim } from "/games/carrom/aim.js";
import { HALF, LINE, RADIUS, REACH, drawing, drawn } from "/games/carrom/board.js";

/** @typedef {import("/net/protocol.js").MatchState} MatchState */
/** @typedef {import("/net/protocol.js").Event} Event */
/** @typedef {import("/carrom/shots.js").Place} Place */

const MOON = [185.75, 211.15]; // mm from the middle: between them it cuts the moon
const STRIKER = 0;
const CALM = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * @param {import("/games/game.js").Hooks} hooks
 * @returns {import("/games/game.js").View}
 */
export function view(hooks) {
  return new CarromView(hooks);
}

class CarromView {
  /** @param {import("/games/game.js").Hooks} hooks */
  constructor(hooks) {
    this.hooks = hooks;
    /** What lies on the board, in the board's frame. @type {Place[]} */
    this.lying = [];
    /** The same by the newest record; what is shown may be older. @type {Place[]} */
    this.newest = [];
    /** What discs slide on. */
    this.surface = BOARD;
    /** Whether the striker may not lie on the red of a base circle in part (rule K7). */
    this.moon = false;
    /** By how many quarters the board is turned for whoever looks. */
    this.turn = 0;
    this.rushed = false;
    this.aim = new Aim((shot) => this.act(shot));
    this.text = h("p", { class: "controls-text" });
    this.down = h("p", { class: "row soft" });
    this.doubt = h("p", { class: "notice bad", role: "alert", hidden: true, "data-do": "differs" });
    this.controls = h("div", { class: "controls carrom-controls" }, this.text, this.down, this.doubt, this.aim.element);
    /** @type {Map<number, SVGGElement>} */
    this.discs = new Map();
    this.layer = s("g", null);
    this.striker = drawn(STRIKER);
    this.picture = s("svg", { viewBox: `${-REACH} ${-REACH} ${2 * REACH} ${2 * REACH}`, class: "picture carrom", role: "img" }, drawing(), this.layer, this.aim.guide, this.striker);
    this.board = h("div", { class: "board", dir: "ltr" }, this.picture);
    this.listen();
  }

  /** Hear the finger on the board. */
  listen() {
    const at = (/** @type {PointerEvent} */ event) => {
      const box = this.picture.getBoundingClientRect();
      const scale = (2 * REACH) / box.width;
      return { x: (event.clientX - box.left) * scale - REACH, y: (event.clientY - box.top) * scale - REACH };
    };
    this.picture.addEventListener("pointerdown", (event) => {
      const { x, y } = at(event);
      if (!this.aim.press(x, y)) return;
      this.picture.setPointerCapture(event.pointerId);
      this.drawStriker();
    });
    this.picture.addEventListener("pointermove", (event) => {
      const { x, y } = at(event);
      this.aim.drag(x, y);
      this.drawStriker();
    });
    this.picture.addEventListener("pointercancel", () => this.aim.drop());
    this.picture.addEventListener("pointerup", (event) => this.aim.release(at(event).y));
    this.controls.addEventListener("input", () => this.drawStriker());
  }

  /** @param {MatchState} state */
  show(state) {
    this.picture.setAttribute("aria-label", t("carrom.board"));
    if (!state.board) return;
    this.surface = surface(FRICTIONS_PERCENT[state.options.board_speed ?? "normal"]);
    this.lying = placesOf(state.board.places);
    this.put(turned(this.lying, this.turn));
    for (const [disc, x, y] of this.lying) Object.assign(this.disc(disc).dataset, { x, y });
    this.drawStriker();
    this.down.textContent = [...counts(state), t(`carrom.queen.${state.board.queen}`), ...owed(state)].join(" · ");
  }

  /**
   * Put the discs there, in whoever looks' frame, and no others.
   * @param {readonly (readonly [number, number, number])[]} places
   */
  put(places) {
    const there = new Set(places.map(([disc]) => disc));
    for (const [disc, shape] of this.discs) {
      if (there.has(disc)) continue;
      shape.remove();
      this.discs.delete(disc);
    }
    for (const [disc, x, y] of places) this.disc(disc).style.transform = `translate(${x / 1000}px, ${-y / 1000}px)`;
  }

  /** @param {number} disc */
  disc(disc) {
    const known = this.discs.get(disc);
    if (known) return known;
    const made = drawn(disc);
    this.discs.set(disc, made);
    this.layer.append(made);
    return made;
  }

  /** The own striker stands where it is aimed from, while the shot is the player's. */
  drawStriker() {
    this.striker.style.display = this.aim.may ? "" : "none";
    this.striker.style.transform = `translate(${this.aim.at.x}px, ${-NUMBERS.LINE_Y_UM / 1000}px)`;
    this.striker.classList.toggle("blocked", !this.isFree(this.aim.at.x));
  }

  /** Whether the striker may lie there, as far as is seen here; the house judges. @param {number} x */
  isFree(x) {
    if (this.moon && Math.abs(x) > MOON[0] && Math.abs(x) < MOON[1]) return false;
    const apart = RADIUS.striker + RADIUS.coin;
    return turned(this.newest, this.turn).every(([, left, up]) => Math.hypot(left / 1000 - x, (up - NUMBERS.LINE_Y_UM) / 1000) >= apart);
  }

  /**
   * How far a striker goes until it touches a piece or a cushion, in mm, if nothing slows it.
   * @param {number} x Where it stands on its line.
   * @param {number} sin
   * @param {number} cos
   */
  meets(x, sin, cos) {
    const y = NUMBERS.LINE_Y_UM / 1000;
    const wall = HALF - RADIUS.striker;
    const cushion = (/** @type {number} */ from, /** @type {number} */ way) => (way === 0 ? Infinity : ((way > 0 ? wall : -wall) - from) / way);
    const apart = RADIUS.striker + RADIUS.coin;
    const pieces = turned(this.newest, this.turn).map(([, left, up]) => {
      const [right, ahead] = [left / 1000 - x, up / 1000 - y];
      const [along, beside] = [right * sin + ahead * cos, right * cos - ahead * sin];
      return along > 0 && Math.abs(beside) < apart ? along - Math.sqrt(apart * apart - beside * beside) : Infinity;
    });
    return Math.max(0, Math.min(cushion(x, sin), cushion(y, cos), ...pieces));
  }

  /** Let the striker stand where it was, or beside a coin that came there. */
  stand() {
    const { x } = this.aim.at;
    const around = Array.from({ length: 440 }, (_, at) => x + (at % 2 ? -1 : 1) * Math.ceil(at / 2));
    const place = around.find((one) => Math.abs(one) <= LINE.half && this.isFree(one));
    if (place !== undefined) this.aim.set({ x: place });
  }

  /** @param {import("/net/protocol.js").LogRecord} record */
  async play(record) {
    const found = this.checked(record);
    if (!found) return; // what is shown next is what the record says
    this.hooks.sound("dice");
    if (!CALM.matches && !document.hidden) await this.move(found.shot);
    if (found.rested.pocketed.length > 0) this.hooks.sound("home");
  }

  /** Every shot is computed again, also one that nobody sees move. @param {import("/net/protocol.js").LogRecord} record */
  pass(record) {
    this.checked(record);
  }

  /**
   * The shot of a record, if it has one that ends as the record says; one that does not is told.
   * @param {import("/net/protocol.js").LogRecord} record
   */
  checked(record) {
    const shot = record.events.find((event) => event.type === "carrom.striker_shot");
    const rested = record.events.find((event) => event.type === "carrom.discs_rested");
    if (!shot || !rested) return null;
    if (this.agrees(shot, rested)) return { shot, rested };
    this.doubt.hidden = false;
    this.doubt.textContent = t("carrom.differs", { number: record.seq });
    return null;
  }

  /**
   * Whether this device computes what the record says: what fell, in order, and where the others rest.
   * After a record that differed the next shot may be one that the physics is not made for.
   * @param {Event} shot
   * @param {Event} rested
   */
  agrees(shot, rested) {
    try {
      const { fallen, places } = simulate(this.shot(shot), this.surface);
      const same = String(turned(places, -shot.seat)) === String(placesOf(rested.places));
      return same && String(fallen) === String(rested.pocketed);
    } catch (why) {
      if (why instanceof RangeError) return false;
      throw why;
    }
  }

  /** A shot as the physics takes it, in the shooter's frame. @param {Event} shot */
  shot({ seat, x, dx, dy, speed }) {
    /** @type {Place} */
    const striker = [STRIKER, x, NUMBERS.LINE_Y_UM];
    return { places: [striker, ...turned(this.lying, seat)], dx, dy, speed };
  }

  /**
   * Let a shot be seen, as long as it takes.
   * @param {Event} shot
   * @returns {Promise<void>}
   */
  move(shot) {
    const { seat } = shot;
    const discs = placed(this.shot(shot));
    const began = performance.now();
    let steps = 0;
    this.rushed = false;
    return new Promise((done) => {
      const frame = () => {
        const due = ((performance.now() - began) / 1000) * NUMBERS.STEPS_A_SECOND;
        let moves = true;
        for (; steps < due && moves; steps += 1) moves = step(discs, this.surface) > 0;
        /** @type {Place[]} */
        const places = [];
        discs.present.forEach((there, disc) => there && places.push([disc, discs.x[disc], discs.y[disc]]));
        this.put(turned(places, this.turn - seat));
        if (moves && !this.rushed) requestAnimationFrame(frame);
        else done();
      };
      requestAnimationFrame(frame);
    });
  }

  rush() {
    this.rushed = true;
  }

  /**
   * @param {MatchState | null} state
   * @param {number | null} seat
   */
  offer(state, seat) {
    if (seat !== null && seat !== this.turn) {
      this.turn = seat; // everybody shoots from below
      this.put(turned(this.lying, this.turn));
    }
    if (state !== null) {
      this.newest = placesOf(state.board.places);
      this.moon = state.options.cut_moon === "forbidden";
      this.aim.backward(state.options.back_shot === "on");
      this.aim.guided(state.options.aim_guide, (x, sin, cos) => this.meets(x, sin, cos));
      this.stand();
    }
    this.aim.offer(state !== null);
    this.drawStriker();
    this.controls.classList.toggle("yours", state !== null);
    if (state === null) return;
    this.text.textContent = t("carrom.do_shoot");
    const free = [document.body, document.getElementById("main")];
    if (free.includes(/** @type {HTMLElement} */ (document.activeElement))) this.aim.go.focus({ preventScroll: true });
  }

  /** @param {string} text */
  wait(text) {
    this.text.textContent = text;
  }

  /** @param {import("/games/carrom/aim.js").Shot} shot */
  act(shot) {
    this.rush();
    this.offer(null, null);
    this.hooks.act({ type: "carrom.shoot", ...shot });
  }

  /** @param {number} seq */
  mark(seq) {
    this.board.dataset.seq = String(seq);
  }
}

/**
 * How it stands: the coins that are down and, in a match of several boards, its score; or the points.
 * @param {MatchState} state
 * @returns {string[]}
 */
function counts({ board, options }) {
  if (board.points.length > 0) {
    return board.seats.map((/** @type {number} */ seat, /** @type {number} */ at) => t("carrom.points", { seat: t(`carrom.seat.${seat}`), points: board.points[at] }));
  }
  const all = Number(options.coins_each);
  const down = ["white", "black"].map((colour, at) => t(`carrom.down.${colour}`, { count: board.down[at], all }));
  if ((options.match ?? "one_board") === "one_board") return down;
  const [one, other] = board.score;
  return [...down, t("carrom.score", { number: board.board, one, other })];
}

/**
 * Who still owes coins for the striker.
 * @param {MatchState} state
 * @returns {string[]}
 */
function owed({ board }) {
  const names = board.points.length > 0 ? board.seats.map((/** @type {number} */ seat) => t(`carrom.seat.${seat}`)) : ["white", "black"].map((colour) => t(`carrom.colour.${colour}`));
  return board.owed.flatMap((/** @type {number} */ count, /** @type {number} */ at) => (count > 0 ? [t("carrom.owed", { who: names[at], count })] : []));
}

/**
 * @param {{disc: number, x: number, y: number}[]} shown
 * @returns {Place[]}
 */
function placesOf(shown) {
  return shown.map(({ disc, x, y }) => [disc, x, y]);
}
