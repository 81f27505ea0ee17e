// What parts are called where they cannot be seen.
import { said, type Words } from "./language";

const NAMES: Words = {
  link: "edge",
  drop: "edge",
  number: "gradient",
  reason: "what will be sent",
  slot: "saved value",
  lane: "shared weight",
  cycle: "update",
  sheet: "second layer",
  versions: "versions",
  strand: "name of a line",
  opened: "opened card",
  call: "numpy call",
  wire: "edge",
  program: "program",
  "program-line": "line",
  rail: "buffer",
  tenant: "array in a buffer",
};
/** What cards are called by the first of these class names that they bear. */
const CARDS: Words = { turn: "turn", stack: "stack", leaf: "leaf", constant: "data", data: "data", module: "module", op: "op" };
/** Class names as one would say them, where they are not said as they are; none of what texts say already, or the name of a kind. */
const STATES: Words = {
  coming: "yet to come",
  waiting: "waiting for a gradient",
  running: "running now",
  partly: "partly done",
  released: "freed",
  failed: "stopped by an error",
  blocked: "blocked by an error",
  nothing: "no gradient goes here",
  odd: "not finite",
  cut: "cut off",
};
const SILENT = new Set(
  "plus minus zero now recorded open spent set unset sent shared second own joint handed saved kept packed freed empty filling cycle apart".split(" "),
);

/** The name of a kind of part; `state` are its class names but for the first. */
export function kindName(kind: string, state: readonly string[]): string {
  if (kind !== "card") return said(NAMES[kind] ?? kind);
  const found = Object.keys(CARDS).find((name) => state.includes(name));
  return said(found ? CARDS[found]! : kind);
}

/** How something is, as one would say it, by its class names. */
export function stateOf(state: readonly string[]): string[] {
  return state.filter((name) => !SILENT.has(name) && !(name in CARDS)).map((name) => said(STATES[name] ?? name));
}

/** Texts of a drawing as parts of a sentence; what can be seen is said as it is written. */
export function spoken(texts: string): string[] {
  return texts.replace(/\.grad\n/g, ".grad ").replace(/ {2,}/g, ", ").split("\n");
}
