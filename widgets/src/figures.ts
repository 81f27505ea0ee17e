// A value closely: a table of all its numbers, or statistics, a histogram and heat cells.
import { h, s } from "./dom";
import type { Sheet } from "./film";

const [WIDE, HIGH, CELL] = [240, 56, 10];

/** A figure of a value, with its title. */
export function figure(title: string, sheet: Sheet): HTMLElement {
  const [one, ...others] = sheet.rows?.flat().filter(Boolean) ?? [];
  if (one && !others.length) return h("figure", {}, h("figcaption", {}, title), h("span", { class: "one" }, one));
  const parts: (HTMLElement | SVGElement)[] = [];
  if (sheet.rows) parts.push(table(title, sheet.rows));
  if (sheet.bars) parts.push(histogram(sheet.bars, sheet.low!, sheet.high!));
  if (sheet.note) parts.push(h("p", { class: "remark" }, sheet.note));
  const facts = sheet.facts?.flatMap(([word, text]) => [h("dt", {}, word), h("dd", {}, text)]) ?? [];
  if (sheet.heat || facts.length) parts.push(h("div", { class: "beside" }, ...(sheet.heat ? [heat(sheet.heat)] : []), h("dl", {}, ...facts)));
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
  const told = `Histogram of ${bars.length} bars from ${low} to ${high}, counts ${bars.join(", ")}`;
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

/** A sample of the elements, the larger the darker; a cross where one is no finite number. */
function heat(levels: string): HTMLElement {
  const rows = levels.split("/");
  const size = { width: rows[0]!.length * CELL, height: rows.length * CELL };
  const svg = s("svg", { ...size, class: "heat", role: "img", "aria-label": `A sample of ${rows.length} rows by ${rows[0]!.length} columns` });
  rows.forEach((row, y) =>
    [...row].forEach((level, x) => {
      svg.append(s("rect", { class: `h${level}`, x: x * CELL, y: y * CELL, width: CELL, height: CELL }));
    }),
  );
  return h("div", {}, svg, h("p", { class: "remark" }, "dark = large"));
}
