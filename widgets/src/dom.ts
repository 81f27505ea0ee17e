// Making elements. Texts become text nodes, never markup.

type Value = string | number | boolean | undefined | ((event: never) => void);

/** An HTML element; `on…` attributes are listeners, false and undefined ones are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Value> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

const TAGS = new Set(["svg", "g", "rect", "path", "circle", "text", "tspan", "line", "title"]);

/** An SVG element. Refuses tags that no drawing of ours has, so that data cannot bring along anything that runs. */
export function s(tag: string, attributes: Record<string, string | number> = {}): SVGElement {
  if (!TAGS.has(tag)) throw new Error(`no drawing has a <${tag}>`);
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (!name.startsWith("on") && name !== "href") element.setAttribute(name, String(value));
  }
  return element;
}

const ICONS: Record<string, string> = {
  first: "M5 4h2v12H5zM16 4v12l-8-6z",
  back: "M14 4v12l-8-6z",
  play: "M6 3v14l11-7z",
  pause: "M5 4h4v12H5zM11 4h4v12h-4z",
  forward: "M6 4v12l8-6z",
  last: "M13 4h2v12h-2zM4 4v12l8-6z",
  closer: "M9 4h2v5h5v2h-5v5H9v-5H4V9h5z",
  farther: "M4 9h12v2H4z",
  fit: "M3 3h5v2H5v3H3zM12 3h5v5h-2V5h-3zM3 12h2v3h3v2H3zM15 12h2v5h-5v-2h3z",
  next: "M5 4l7 6-7 6zM13 4h2v12h-2z",
  previous: "M15 4l-7 6 7 6zM5 4h2v12H5z",
};

export function icon(name: string): SVGElement {
  const svg = s("svg", { viewBox: "0 0 20 20", width: 18, height: 18, "aria-hidden": "true", class: "icon" });
  svg.append(s("path", { d: ICONS[name]! }));
  return svg;
}

/** A button that says what it does. */
export function button(click: () => void, attributes: Record<string, Value>, ...said: (Node | string)[]): HTMLButtonElement {
  return h("button", { type: "button", ...attributes, onclick: click }, ...said);
}

/** A button with a picture on it; what it does is its name for everybody. */
export function iconButton(name: string, label: string, click: () => void): HTMLButtonElement {
  return button(click, { "aria-label": label, title: label }, icon(name));
}

export const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
