// Making elements. Texts become text nodes, never markup.

type Value = string | number | boolean | undefined | ((event: never) => void);

/** Set an attribute of an element that may be there. */
export function set(element: Element | null | undefined, name: string, value: unknown): void {
  element?.setAttribute(name, String(value));
}

/** An HTML element; `on…` attributes are listeners, false and undefined ones are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Value> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value !== undefined && value !== false) set(element, name, value === true ? "" : value);
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
    if (!name.startsWith("on") && name !== "href") set(element, name, value);
  }
  return element;
}

/** A group in a drawing that is not read out. */
export const silent = (name: string): SVGElement => s("g", { class: name, "aria-hidden": "true" });

export const rectOf = (element: Element): DOMRect => element.getBoundingClientRect();

/** Have the cursor somewhere, and nothing scrolled for it. */
export const focusOn = (element: HTMLElement | SVGElement | null | undefined): void => element?.focus({ preventScroll: true });

/** Leave an event to nobody else. */
export function claim(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
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
  program: "M7 5L2 10l5 5 1.4-1.4L4.8 10l3.6-3.6zM13 5l5 5-5 5-1.4-1.4 3.6-3.6-3.6-3.6z",
  more: "M3 8h4v4H3zM8 8h4v4H8zM13 8h4v4h-4z",
  previous: "M15 4l-7 6 7 6zM5 4h2v12H5z",
  share: "M10 2l5 5-1.4 1.4L11 5.8V13H9V5.8L6.4 8.4 5 7zM3 10h3v2H5v4h10v-4h-1v-2h3v8H3z",
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

/** A button for what is a drawer of a screen where there is no room for all: the screen has its name while it is open. */
export function drawer(screen: () => HTMLElement, name: string, label: string): HTMLButtonElement {
  const opener = iconButton(name, label, () => set(opener, "aria-expanded", screen().classList.toggle(name)));
  opener.classList.add("drawer", name);
  set(opener, "aria-expanded", false);
  return opener;
}

/** Listen to what happens to something; without a target, to what happens to the page. */
export function on<K extends keyof HTMLElementEventMap>(target: EventTarget, kind: K, hear: (event: HTMLElementEventMap[K]) => unknown, how?: AddEventListenerOptions | boolean): void {
  target.addEventListener(kind, hear as EventListener, how);
}

export const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** So much is seen around a row that is brought into sight, px. */
const NEAR = 20;

/** Bring a row into sight in a box that begins with a whole row. Scrolls this box alone; `scrollIntoView` would move the page, too. */
export function bring(row: HTMLElement, box: HTMLElement): void {
  const [top, tall, start, height] = [row.offsetTop, row.offsetHeight, box.scrollTop, box.clientHeight];
  if (top >= start + NEAR && top + tall + NEAR <= start + height) return;
  const last = Math.min(top - (height - tall) / 2, box.scrollHeight - height);
  const starts = [...box.querySelectorAll<HTMLElement>(".line, .jump")].map(({ offsetTop }) => offsetTop);
  box.scrollTop = starts.filter((each) => each <= last).at(-1) ?? 0;
}
