// An array closely: a table of all its numbers, or statistics, a histogram and heat cells.
import { h, s } from "./dom";
import type { Sheet } from "./film";
import { t } from "./language";

const [WIDE, HIGH, CELL] = [240, 56, 10];
/** Cells of a tile that are no finite numbers, or true. */
const ODD: Record<string, string> = { N: "lost", P: "endless", M: "endless", T: "p8" };

/** A figure of an array, with its title. */
export function arrayFigure(title: string, sheet: Sheet): HTMLElement {
  const parts: (HTMLElement | SVGElement)[] = [];
  if (sheet.rows) parts.push(table(title, sheet.rows));
  if (sheet.bars) parts.push(histogram(sheet.bars, sheet.low!, sheet.high!));
  if (sheet.note) parts.push(h("p", { class: "remark" }, sheet.note));
  const facts = sheet.facts?.flatMap(([word, text]) => [h("dt", {}, word), h("dd", {}, text)]) ?? [];
  if (sheet.heat || facts.length) parts.push(h("div", { class: "beside" }, ...(sheet.heat ? [heat(sheet.heat, sheet.each!, title)] : []), h("dl", {}, ...facts)));
  return h("figure", { class: parts.length > 1 || sheet.rows ? "block" : "" }, h("figcaption", {}, title), ...parts);
}

/** Rows of numbers, each after its place in the array. */
function table(title: string, rows: string[][]): HTMLElement {
  const placed = rows.some(([place]) => place);
  const body = rows.map(([place, ...cells]) =>
    h("tr", {}, ...(placed ? [h("th", { scope: "row" }, place!)] : []), ...cells.map((cell) => h("td", {}, cell))),
  );
  return h("div", { class: "numbers", tabindex: 0, role: "group", "aria-label": title }, h("table", {}, ...body));
}

/** How many elements lie in each part of the way from the least to the largest. */
function histogram(bars: number[], low: string, high: string): HTMLElement {
  const most = Math.max(...bars);
  const wide = WIDE / bars.length;
  const told = t`Histogram of ${bars.length} bars from ${low} to ${high}, counts ${bars.join(", ")}`;
  const svg = s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": told });
  bars.forEach((count, i) => {
    const height = count && Math.max(1.5, (count / most) * (HIGH - 14));
    svg.append(s("rect", { class: "bar-of", x: i * wide + 0.5, y: HIGH - height, width: wide - 1, height }));
  });
  const at = bars.indexOf(most);
  const label = s("text", { x: Math.min(WIDE - 20, Math.max(20, (at + 0.5) * wide)), y: 10, "text-anchor": "middle" });
  label.textContent = String(most);
  svg.append(label, s("path", { class: "axis", d: `M0 ${HIGH}H${WIDE}` }));
  return h("div", { class: "histogram" }, svg, h("div", { class: "ends", "aria-hidden": "true" }, h("span", {}, low), h("span", {}, high)));
}

/** The cells of a tile: a to h is more and more of what is positive, A to H of what is negative. */
function heat(levels: string, each: string, title: string): HTMLElement {
  const rows = levels.split("/");
  const size = { width: rows[0]!.length * CELL, height: rows.length * CELL };
  const scale = title.startsWith(t`gradient`) || title.endsWith(".grad") ? "grads" : "values";
  const svg = s("svg", { ...size, class: `heat tile ${scale}`, role: "img", "aria-label": t`${rows.length} rows by ${rows[0]!.length} columns, ${each}` });
  rows.forEach((row, y) =>
    [...row].forEach((level, x) => {
      const name = /[a-h]/i.test(level) ? `${level < "a" ? "n" : "p"}${level.charCodeAt(0) & 31}` : ODD[level];
      if (name) svg.append(s("path", { class: name, d: `M${x * CELL} ${y * CELL}h${CELL}v${CELL}h-${CELL}z` }));
    }),
  );
  return h("div", {}, svg, h("p", { class: "remark" }, t`dark = far from 0,`), h("p", { class: "remark" }, each));
}
