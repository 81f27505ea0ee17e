// The teacher's screen: the question, how many chose what, and what can be done about it.
import { t } from "./language.js";

const [question, choices, said, address] = ["question", "choices", "said", "address"].map((id) => document.getElementById(id));
const counts = document.getElementById("counts");
const [door, there, size, addresses, renew] = ["door", "there", "size", "addresses", "renew"].map((id) => document.getElementById(id));
const buttons = [...document.querySelectorAll("button[data-wish]")];
const LETTERS = "abcdefgh";
const KEYS = { o: "open", c: "close", v: "again", r: "reveal", n: "next", p: "back" };
const POSSIBLE = { waiting: ["open"], open: ["close", "reveal", "again"], closed: ["open", "reveal", "again"], revealed: ["again"] };
const STAGES = { waiting: t`The vote is waiting`, open: t`The vote is open`, closed: t`The vote is closed`, revealed: t`The vote is revealed` };
const EVERY = 500;

const wall = new BroadcastChannel(`vote ${location.pathname}`);

let shown = "";
let last; // what was shown last
let open = false; // whether counts are shown while the vote is open
let asked = Promise.resolve(); // until the answers to all that was asked have come
let waiting = 0;

/** One request at a time: an answer that was given before a wish came, and arrives after it, would take the wish back. */
function turn(wish, value) {
  if (!wish && waiting) return asked;
  waiting += 1;
  asked = asked.then(() => request(wish, value)).finally(() => (waiting -= 1));
  return asked;
}

async function request(wish, value) {
  try {
    const options = wish ? { method: "POST", body: JSON.stringify({ wish, value }) } : {};
    const response = await fetch(wish ? "do" : "state", { ...options, signal: AbortSignal.timeout(5000) });
    const answer = await response.json();
    if (response.ok) show(answer);
    else say(answer.error);
  } catch {
    say(t`No connection to the vote. Is the command still running?`);
  }
}

function show(now) {
  const sketch = JSON.stringify([now, open]);
  if (sketch === shown) return;
  shown = sketch;
  question.textContent = now.question;
  if (address.textContent !== now.address) {
    address.textContent = now.address;
    door.src = `door.svg?${now.address.split("/").at(-2)}`;
  }
  attend(now);
  const most = Math.max(1, ...now.counts);
  choices.replaceChildren(...now.choices.map((text, number) => row(now, text, number, most)));
  const voted = now.counts.reduce((sum, count) => sum + count, 0);
  const stage = STAGES[now.phase];
  const round = now.round > 1 ? t`${stage}, round ${now.round}` : stage;
  say(`${t`${voted} of ${now.voters} voted.`} ${round}. ${t`Question ${now.number + 1} of ${now.questions}.`}`);
  const possible = [...POSSIBLE[now.phase], ...(now.number > 0 ? ["back"] : []), ...(now.number + 1 < now.questions ? ["next"] : [])];
  for (const button of buttons) button.disabled = !possible.includes(button.dataset.wish);
  last = now;
  tell();
}

function peek() {
  open = !open;
  counts.setAttribute("aria-pressed", String(open));
  void turn();
}

/** Who takes part, and what can be done when somebody makes voters up. */
function attend(now) {
  const full = now.places >= now.size;
  const given = now.given ? t`${now.voters} take part, of a class of ${now.size}` : t`${now.voters} take part`;
  there.textContent = full ? t`${now.places} take part, of a class of ${now.size}: full` : given;
  there.classList.toggle("trouble", full);
  if (document.activeElement !== size) size.value = now.size;
  addresses.replaceChildren(
    ...now.addresses.map(([name, voters]) => entry(`${name}: ${voters}`, t`Shut out`, "shut out", name)),
    ...now.shut.map((name) => entry(t`${name}: shut out`, t`Let in`, "let in", name)),
  );
}

function entry(text, label, wish, name) {
  const line = span("li", "address", `${text} `);
  const button = span("button", "", label);
  button.addEventListener("click", () => void turn(wish, name));
  line.append(button);
  return line;
}

/** The page on the wall shows what stands here, when it may be seen. */
function tell() {
  if (!last) return;
  const stage = { open: "asking", closed: "counted", revealed: "revealed" }[last.phase];
  const rounds = [...(last.before ? [last.before] : []), last.phase === "open" ? last.counts.map(() => 0) : last.counts];
  const votes = stage ? [stage, ...rounds.map((round) => round.join("."))].join("_") : "";
  const voted = last.counts.reduce((sum, count) => sum + count, 0);
  wall.postMessage({ number: last.number, votes, said: t`${voted} of ${last.voters} voted.` });
}

/** Do what was asked for on the wall, on the question that is shown there. */
async function follow({ number, wish }) {
  if (wish === undefined) return tell();
  for (let way = 0; last.number !== number && way < last.questions; way += 1) await turn(last.number < number ? "next" : "back");
  if (POSSIBLE[last.phase].includes(wish)) await turn(wish);
}

/** Counts are hidden while the vote is open, unless they are asked for: nobody is to follow the others. */
function row(now, text, number, most) {
  const hidden = (now.phase === "open" && !open) || now.phase === "waiting";
  const line = span("div", now.answer === number ? "choice right" : "choice");
  line.setAttribute("role", "listitem");
  const bar = span("div", "bar");
  bar.style.width = hidden ? "0" : `${(100 * now.counts[number]) / most}%`;
  const words = span("span", "words", ` ${text}`);
  words.prepend(span("span", "letter", `${LETTERS[number]})`));
  if (now.reveals?.[number]) words.append(span("span", "reveals", now.reveals[number]));
  line.append(bar, words);
  if (hidden) return line;
  const count = span("span", "count", `${now.counts[number]}${now.answer === number ? ` ${t`right`}` : ""}`);
  if (now.before) count.append(span("span", "before", ` ${t`before: ${now.before[number]}`}`));
  line.append(count);
  return line;
}

function span(tag, name, text = "") {
  return Object.assign(document.createElement(tag), { className: name, textContent: text });
}

function say(text) {
  if (said.textContent !== text) said.textContent = text;
}

for (const button of buttons) button.addEventListener("click", () => void turn(button.dataset.wish));
document.addEventListener("keydown", (event) => {
  const wish = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
  if (event.target === size) return;
  if (wish) void turn(wish);
  if (event.key === "h") peek();
});
counts.addEventListener("click", peek);
wall.addEventListener("message", ({ data }) => void follow(data));
addEventListener("pagehide", () => wall.postMessage("gone"));
void turn();
setInterval(() => void turn(), EVERY); // also behind another tab: the wall is one
document.getElementById("class").addEventListener("submit", (event) => {
  event.preventDefault();
  size.blur();
  void turn("size", size.valueAsNumber);
});
renew.addEventListener("click", () => void turn("new code"));
