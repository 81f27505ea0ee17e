// A phone: shows the question, sends a vote until it is counted, and asks how things stand once a second.
import { t } from "./language.js";

const [question, program, choices, said] = ["question", "program", "choices", "said"].map((id) => document.getElementById(id));
const LETTERS = "abcdefgh";
const EVERY = 1000;
const KEY = `vote ${location.pathname}`;

let voter = remembered();
let shown = "";
let unsent; // a vote that no answer has come for
let counted; // the last one that was counted, should it be lost there
let state;

/** The same browser is the same voter, also after it was closed; where nothing can be kept, as long as the page lives. */
function remembered() {
  const made = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  try {
    const kept = localStorage.getItem(KEY) ?? made;
    localStorage.setItem(KEY, kept);
    return kept;
  } catch {
    return made;
  }
}

async function ask(path, body) {
  const options = body ? { method: "POST", body: JSON.stringify({ voter, ...body }) } : {};
  const response = await fetch(path, { ...options, signal: AbortSignal.timeout(5000) });
  return { status: response.status, ...(await response.json()) };
}

async function turn() {
  try {
    const vote = unsent;
    const answer = vote ? await ask("vote", vote) : await ask(`state?voter=${voter}`);
    if (vote && answer.status === 200) counted = vote;
    if (vote && (answer.status === 200 || answer.status === 409 || answer.status === 400) && unsent === vote) unsent = undefined;
    if (answer.status === 200) show(answer);
    else if (answer.status !== 429) say(answer.error, true);
  } catch {
    say(unsent ? t`No connection. Your vote is kept, and sent as soon as there is one.` : t`No connection; trying again.`, true);
  }
}

function show(now) {
  state = now;
  const lost = now.phase === "open" && now.mine === null && counted?.number === now.number && counted.round === now.round;
  if (lost) unsent ??= counted;
  const sketch = JSON.stringify([now.number, now.round, now.phase, now.counts]);
  if (sketch !== shown) draw(now);
  shown = sketch;
  const mine = unsent?.number === now.number && unsent.round === now.round ? unsent.choice : now.mine;
  for (const input of choices.querySelectorAll("input")) input.checked = Number(input.value) === mine;
  say(words(now));
}

/** Letters differ from those of a notebook, so a choice is said in words, too. */
function words({ phase, mine, reveals, choices }) {
  const yours = mine === null ? "" : `${LETTERS[mine]}) ${choices[mine]}`;
  if (phase === "open") return yours ? t`Counted: ${yours}. You may change your mind until the vote is closed.` : t`Choose one.`;
  if (phase === "closed") return yours ? t`Voting is closed. You said ${yours}.` : t`Voting is closed.`;
  if (phase === "revealed") return yours ? `${t`You said ${yours}`}. ${reveals}`.trim() : t`You did not vote.`;
  return t`Voting will open soon. Read the question, and think for yourself.`;
}

function draw(now) {
  question.textContent = now.question;
  if (program.textContent !== now.program) {
    program.textContent = now.program;
    program.hidden = !now.program;
    program.scrollTop = program.scrollHeight; // the question is about its last lines
  }
  choices.replaceChildren(...now.choices.map((text, number) => choice(now, text, number)));
}

function choice({ phase, counts, answer }, text, number) {
  const label = document.createElement("label");
  label.className = number === answer ? "choice right" : "choice";
  const input = Object.assign(document.createElement("input"), { type: "radio", name: "choice", value: number, disabled: phase !== "open" });
  input.addEventListener("change", () => {
    unsent = { number: state.number, round: state.round, choice: number };
    void turn();
  });
  const words = span("words", ` ${text}`);
  words.prepend(span("letter", `${LETTERS[number]})`));
  label.append(input, words);
  if (counts) label.append(span("count", `${counts[number]}${number === answer ? ` ${t`right`}` : ""}`));
  return label;
}

function span(name, text) {
  return Object.assign(document.createElement("span"), { className: name, textContent: text });
}

function say(text, trouble = false) {
  if (said.textContent !== text) said.textContent = text; // a screen reader says it once
  said.classList.toggle("trouble", trouble);
}

async function forever() {
  for (;;) {
    await turn();
    await new Promise((next) => setTimeout(next, EVERY * (0.8 + 0.4 * Math.random())));
  }
}

addEventListener("online", () => void turn());
document.addEventListener("visibilitychange", () => document.hidden || void turn());
void forever();
