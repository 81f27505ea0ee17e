// Names that may be made short in what is built: members of our own classes that nobody outside of the sources speaks of.
import { readdir, readFile } from "node:fs/promises";

const here = (path) => new URL(path, import.meta.url);
const read = (path) => readFile(here(path), "utf8");
const names = (text, pattern) => [...text.matchAll(pattern)].map(([, name]) => name);

const MODIFIERS = "(?:(?:private|protected|readonly|static|override|async|get|set) )*";
/** Fields and methods stand two characters in; those that a constructor takes say that they are. */
const MEMBER = new RegExp(`^  ${MODIFIERS}(\\w+)(?:<[^>]*>)?[?!]?(?:\\(| = |: |;)`, "gm");
/** What an interface asks for that is called. Only if a class of ours has it, it is ours: `save_changes` is JupyterLab's. */
const ASKED = /^  (\w+)\??\(/gm;
const TAKEN = /^ {4}(?:private|protected|readonly) (?:readonly )?(\w+)/gm;

/** What the platform calls its own. */
async function ofThePlatform() {
  const [packed] = (await readdir(here("node_modules/@typescript"))).filter((name) => name.startsWith("typescript-"));
  const folder = `node_modules/@typescript/${packed}/lib/`;
  const files = (await readdir(here(folder))).filter((name) => /^lib\..*\.d\.ts$/.test(name));
  return (await Promise.all(files.map((file) => read(folder + file)))).flatMap((text) => names(text, /^\s+(?:readonly |get |set )*(\w+)[?]?[(:<]/gm));
}

/** How often each of some names occurs. */
function counted(found) {
  const counts = new Map();
  for (const name of found) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** A pattern for the names that may be short: each is told of where a class has it, or an interface asks for it, and else stands after a dot alone, so that it is the name of no data. */
export async function shortened() {
  const files = (await readdir(here("src"))).filter((name) => name.endsWith(".ts"));
  const sources = await Promise.all(files.map(async (file) => (await read(`src/${file}`)).replace(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")));
  const all = sources.join("\n");
  const classes = sources.flatMap((text) => [...text.matchAll(/^(?:export )?class [\s\S]*?^}/gm)].map(([block]) => block)).join("\n");
  const interfaces = sources.flatMap((text) => [...text.matchAll(/^(?:export )?interface [\s\S]*?^}/gm)].map(([block]) => block)).join("\n");
  const told = counted([...names(classes, MEMBER), ...names(classes, TAKEN)]);
  const asked = counted(names(interfaces, ASKED));
  const [dotted, anywhere] = [counted(names(all, /(?<!\.\.)\.(\w+)/g)), counted(names(all, /(\w+)/g))];
  const kept = new Set(["constructor", ...(await ofThePlatform())]);
  const own = [...told].filter(([name, count]) => !kept.has(name) && count + (asked.get(name) ?? 0) + (dotted.get(name) ?? 0) === anywhere.get(name));
  return new RegExp(`^(?:${own.map(([name]) => name).sort().join("|")})$`);
}
