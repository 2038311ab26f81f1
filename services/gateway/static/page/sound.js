// @ts-check
/** Small wooden sounds, made here; off until they are asked for. */
const KEPT = "sahrat.sound";
/** @type {{[what: string]: [hertz: number, ms: number]}} */
const SOUNDS = {
  dice: [190, 90],
  step: [330, 60],
  capture: [140, 180],
  home: [520, 220],
  turn: [440, 120],
};
/** @type {AudioContext | null} */
let context = null;

export function on() {
  try {
    return localStorage.getItem(KEPT) === "on";
  } catch {
    return false;
  }
}

/** Turn sound on or off; to be called from a press, as browsers want it. */
export function toggle() {
  try {
    localStorage.setItem(KEPT, on() ? "off" : "on");
  } catch {
    return; // a browser that keeps nothing stays silent
  }
  play("turn");
}

/** @param {string} what */
export function play(what) {
  const sound = SOUNDS[what];
  if (!sound || !on() || document.hidden) return;
  context ??= new AudioContext();
  const [hertz, ms] = sound;
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  tone.type = "triangle";
  tone.frequency.value = hertz;
  volume.gain.setValueAtTime(0.15, context.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + ms / 1000);
  tone.connect(volume).connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + ms / 1000);
}
