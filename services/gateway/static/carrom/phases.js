// @ts-check
/**
 * The shot, as arithmetic: the same bits as the house's, so that a page can play a shot and check it.
 *
 * A port, line for line, of `shared/sahrat/games/carrom/physics/phases.py`, where the why stands;
 * tests hold the two to each other with node. Only `+ - * /`, `Math.sqrt` and comparisons: change an
 * operation or its order, and every stored match plays otherwise.
 *
 * Discs have ids: 0 the striker, 1 the queen, 2 to 19 the coins. Lengths are um from the board's
 * centre, x to the right and y away from whoever shoots; times s.
 */

/**
 * What the discs move on.
 * @typedef {object} Surface
 * @property {number} slowing By how much friction slows a disc, um/s2.
 * @property {number} discBounce The part of the approaching speed that an impact leaves.
 * @property {number} cushionBounce The same for a cushion.
 */

/**
 * All discs, by id.
 * @typedef {object} Discs
 * @property {Float64Array} x Where they are; one that fell stays where it did.
 * @property {Float64Array} y
 * @property {Float64Array} vx How fast they are.
 * @property {Float64Array} vy
 * @property {Float64Array} radius
 * @property {Float64Array} lightness 1/mass.
 * @property {Int32Array} present 1 while a disc is on the board, else 0.
 * @property {Int32Array} fallen The ids that fell, in order, then -1.
 * @property {Float64Array} ux The constant velocity until the next impact; 0 for a disc at rest.
 * @property {Float64Array} uy
 * @property {Float64Array} speed Of a moving disc, at the last impact.
 * @property {Int32Array} moving The ids of the discs that move, as many as `spreadFriction` says.
 */

/** The game's numbers, each with its rule in `shared/sahrat/games/carrom/board.py`. */
export const NUMBERS = Object.freeze({
  PHYSICS_VERSION: 1,
  DISCS: 20,
  HALF_UM: 370000,
  POCKET_RADIUS_UM: 22250,
  COIN_RADIUS_UM: 15900,
  COIN_MG: 5500,
  STRIKER_RADIUS_UM: 20650,
  STRIKER_MG: 15000,
  LINE_Y_UM: -252600,
  LINE_HALF_UM: 219100,
  FRICTION_PERCENT: 12,
  GRAVITY_UM_S2: 9806650,
  DISC_BOUNCE_PERCENT: 90,
  CUSHION_BOUNCE_PERCENT: 75,
  SPEED_LIMIT_UM_S: 8000000,
  DIRECTION_LIMIT: 1000000,
  STEPS_A_SECOND: 256,
  STEPS_LIMIT: 20000,
  IMPACTS_THAT_BOUNCE: 2000,
  IMPACTS_LIMIT: 4000,
  TOUCH_NM: 1,
  APPROACH_UM_S: 1,
});

const HALF = NUMBERS.HALF_UM;
const POCKET_RADIUS = NUMBERS.POCKET_RADIUS_UM;
const POCKET = HALF - POCKET_RADIUS;
const WIDEST = NUMBERS.STRIKER_RADIUS_UM;
const STEP = 1.0 / NUMBERS.STEPS_A_SECOND;
const TOUCH = NUMBERS.TOUCH_NM / 1000.0;
const APPROACH = NUMBERS.APPROACH_UM_S;

const [NOTHING, RIGHT, LEFT, TOP, BOTTOM, FALLS, MEET] = [0, 1, 2, 3, 4, 5, 6];

/**
 * Let the discs move until all rest; return how many steps found one moving.
 * @param {Discs} discs
 * @param {Surface} surface
 * @returns {number}
 */
export function run(discs, surface) {
  for (let steps = 0; steps < NUMBERS.STEPS_LIMIT; steps++) {
    if (step(discs, surface) === 0) return steps;
  }
  return NUMBERS.STEPS_LIMIT;
}

/**
 * Move the discs by one step; return how many moved when it began.
 * @param {Discs} discs
 * @param {Surface} surface
 * @returns {number}
 */
export function step(discs, surface) {
  let left = STEP;
  let impacts = 0;
  let began = -1;
  for (;;) {
    const count = spreadFriction(discs, surface.slowing, left);
    if (began < 0) began = count;
    if (count === 0) return began;
    const [time, what, first, second] = nextImpact(discs, count, left);
    if (time > 0.0) advance(discs, count, surface.slowing, time);
    if (what === NOTHING) return began;
    left = left - time;
    impacts += 1;
    if (impacts > NUMBERS.IMPACTS_LIMIT) {
      stop(discs);
      return began;
    }
    if (impacts <= NUMBERS.IMPACTS_THAT_BOUNCE) {
      resolve(discs, what, first, second, surface.discBounce, surface.cushionBounce);
    } else {
      resolve(discs, what, first, second, 0.0, 0.0);
    }
  }
}

/**
 * Give each moving disc its mean velocity over the time; return how many move.
 * @param {Discs} discs
 * @param {number} slowing
 * @param {number} time
 * @returns {number}
 */
function spreadFriction(discs, slowing, time) {
  const { vx, vy, ux, uy, present, speed, moving } = discs;
  const lost = slowing * time;
  let count = 0;
  for (let i = 0; i < vx.length; i++) {
    ux[i] = 0.0;
    uy[i] = 0.0;
    if (present[i] && (vx[i] !== 0.0 || vy[i] !== 0.0)) {
      const s = Math.sqrt(vx[i] * vx[i] + vy[i] * vy[i]);
      const f = s <= lost ? s / (2.0 * slowing) / time : 1.0 - lost / (s + s);
      speed[i] = s;
      ux[i] = vx[i] * f;
      uy[i] = vy[i] * f;
      moving[count] = i;
      count += 1;
    }
  }
  return count;
}

/**
 * Return when the next impact comes, what it is, and the one or two discs that it concerns;
 * [time, NOTHING, 0, 0] if none comes within the time.
 * @param {Discs} discs
 * @param {number} count
 * @param {number} time
 * @returns {[number, number, number, number]}
 */
function nextImpact(discs, count, time) {
  const { x, y, ux, uy, radius, moving } = discs;
  let [best, what, first, second] = [time, NOTHING, 0, 0];
  let fastest = 0.0;
  for (let k = 0; k < count; k++) {
    const s = discs.speed[moving[k]];
    fastest = s > fastest ? s : fastest;
  }
  for (let k = 0; k < count; k++) {
    const i = moving[k];
    const u = ux[i];
    const w = uy[i];
    const edge = HALF - radius[i];
    if (u !== 0.0) {
      let t = u > 0.0 ? (edge - x[i]) / u : (-edge - x[i]) / u;
      t = t < 0.0 ? 0.0 : t;
      if (t < best) [best, what, first] = [t, u > 0.0 ? RIGHT : LEFT, i];
    }
    if (w !== 0.0) {
      let t = w > 0.0 ? (edge - y[i]) / w : (-edge - y[i]) / w;
      t = t < 0.0 ? 0.0 : t;
      if (t < best) [best, what, first] = [t, w > 0.0 ? TOP : BOTTOM, i];
    }
    const dx = x[i] < 0.0 ? x[i] + POCKET : x[i] - POCKET;
    const dy = y[i] < 0.0 ? y[i] + POCKET : y[i] - POCKET;
    const b = dx * u + dy * w;
    const c = dx * dx + dy * dy - POCKET_RADIUS * POCKET_RADIUS;
    if (c <= 0.0) {
      if (best > 0.0) [best, what, first] = [0.0, FALLS, i];
    } else if (b < 0.0 && c + 2.0 * b * best < 0.0) {
      const d = b * b - (u * u + w * w) * c;
      if (d > 0.0) {
        const t = c / (Math.sqrt(d) - b);
        if (t < best) [best, what, first] = [t, FALLS, i];
      }
    }
    const [t, j] = nextMeeting(discs, i, best, fastest);
    if (j >= 0) [best, what, first, second] = [t, MEET, i, j];
  }
  return [best, what, first, second];
}

/**
 * Return when a moving disc meets another one before the time `best`, and which; [best, -1] if it
 * meets none. Of two moving discs the one with the lower id looks for the other. Whatever is too far
 * to be met is passed over, with a margin of 1 um.
 * @param {Discs} discs
 * @param {number} i
 * @param {number} best
 * @param {number} fastest
 * @returns {[number, number]}
 */
function nextMeeting(discs, i, best, fastest) {
  const { x, y, ux, uy, radius, present } = discs;
  const [xi, yi, ui, wi, ri] = [x[i], y[i], ux[i], uy[i], radius[i]];
  const far = ri + WIDEST + (discs.speed[i] + fastest) * best + 1.0;
  let met = -1;
  for (let j = 0; j < x.length; j++) {
    const dx = x[j] - xi;
    if (dx > far || dx < -far) continue;
    const dy = y[j] - yi;
    if (dy > far || dy < -far) continue;
    if (!present[j] || (j <= i && (j === i || ux[j] !== 0.0 || uy[j] !== 0.0))) continue;
    const du = ux[j] - ui;
    const dw = uy[j] - wi;
    const b = dx * du + dy * dw;
    if (b < 0.0) {
      const reach = ri + radius[j];
      const c = dx * dx + dy * dy - reach * reach;
      if (c <= TOUCH * reach) {
        const away = dx * (discs.vx[j] - discs.vx[i]) + dy * (discs.vy[j] - discs.vy[i]);
        if (away < -APPROACH * reach && best > 0.0) [best, met] = [0.0, j];
      } else if (c + 2.0 * b * best < 0.0) {
        const d = b * b - (du * du + dw * dw) * c;
        if (d > 0.0) {
          const t = c / (Math.sqrt(d) - b);
          if (t < best) [best, met] = [t, j];
        }
      }
    }
  }
  return [best, met];
}

/**
 * Move the moving discs on by a time within which nothing happens, and slow them down.
 * @param {Discs} discs
 * @param {number} count
 * @param {number} slowing
 * @param {number} time
 */
function advance(discs, count, slowing, time) {
  const { x, y, vx, vy } = discs;
  const lost = slowing * time;
  for (let k = 0; k < count; k++) {
    const i = discs.moving[k];
    x[i] = x[i] + discs.ux[i] * time;
    y[i] = y[i] + discs.uy[i] * time;
    if (discs.speed[i] <= lost) {
      vx[i] = 0.0;
      vy[i] = 0.0;
    } else {
      const f = 1.0 - lost / discs.speed[i];
      vx[i] = vx[i] * f;
      vy[i] = vy[i] * f;
    }
  }
}

/**
 * Let happen what `nextImpact` found: a fall, two discs that meet, or a cushion.
 * @param {Discs} discs
 * @param {number} what
 * @param {number} first
 * @param {number} second
 * @param {number} discBounce
 * @param {number} cushionBounce
 */
function resolve(discs, what, first, second, discBounce, cushionBounce) {
  if (what === FALLS) {
    fall(discs, first);
  } else if (what === MEET) {
    meet(discs, first, second, discBounce);
  } else {
    const edge = HALF - discs.radius[first];
    if (what === RIGHT) {
      discs.x[first] = edge;
      discs.vx[first] = -cushionBounce * discs.vx[first];
    } else if (what === LEFT) {
      discs.x[first] = -edge;
      discs.vx[first] = -cushionBounce * discs.vx[first];
    } else if (what === TOP) {
      discs.y[first] = edge;
      discs.vy[first] = -cushionBounce * discs.vy[first];
    } else {
      discs.y[first] = -edge;
      discs.vy[first] = -cushionBounce * discs.vy[first];
    }
  }
}

/**
 * Take a disc off the board.
 * @param {Discs} discs
 * @param {number} i
 */
function fall(discs, i) {
  discs.present[i] = 0;
  discs.vx[i] = 0.0;
  discs.vy[i] = 0.0;
  let place = 0;
  while (discs.fallen[place] >= 0) place += 1;
  discs.fallen[place] = i;
}

/**
 * Exchange the momentum of two discs that meet, along the line of their centres.
 * @param {Discs} discs
 * @param {number} i
 * @param {number} j
 * @param {number} bounce
 */
function meet(discs, i, j, bounce) {
  const { vx, vy, lightness } = discs;
  const dx = discs.x[j] - discs.x[i];
  const dy = discs.y[j] - discs.y[i];
  const d = Math.sqrt(dx * dx + dy * dy);
  const nx = dx / d;
  const ny = dy / d;
  const vn = (vx[j] - vx[i]) * nx + (vy[j] - vy[i]) * ny;
  if (vn < 0.0) {
    const impulse = (-(1.0 + bounce) * vn) / (lightness[i] + lightness[j]);
    const a = impulse * lightness[i];
    const b = impulse * lightness[j];
    vx[i] = vx[i] - a * nx;
    vy[i] = vy[i] - a * ny;
    vx[j] = vx[j] + b * nx;
    vy[j] = vy[j] + b * ny;
  }
}

/**
 * Let all discs rest where they are: a way out that no shot has ever needed.
 * @param {Discs} discs
 */
function stop(discs) {
  discs.vx.fill(0.0);
  discs.vy.fill(0.0);
}
