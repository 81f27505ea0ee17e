// A picture of the page as a file of its own: an SVG that brings its styles and letters along, and a PNG of it.
import { h, s, set } from "./dom";

const XML = "http://www.w3.org/2000/svg";
/** A PNG has so many pixels for each of the screen's. */
const SHARP = 2;

/** The rules of some sheets that say anything about a picture, without those that depend on the screen. */
function rulesFor(picture: Element, sheets: Iterable<CSSStyleSheet>): string {
  const concern = ({ selectorText }: CSSStyleRule): boolean => picture.matches(selectorText) || picture.querySelector(selectorText) !== null;
  const rules = [...sheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules.filter((rule) => rule instanceof CSSStyleRule && concern(rule)).map(({ cssText }) => cssText).join("");
}

/** The faces of the pictures' letters, which the page has; what other pages brought along may not be read. */
function faces(): string {
  const rules = [...document.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules];
    } catch {
      return [];
    }
  });
  return rules.filter((rule) => rule instanceof CSSFontFaceRule && rule.cssText.includes("Autograd")).map(({ cssText }) => cssText).join("");
}

/** The SVG of what is seen of a graph. */
export function svgOf(graph: SVGElement): string {
  const [width, height] = [graph.clientWidth, graph.clientHeight];
  const copy = graph.cloneNode(true) as SVGElement;
  for (const name of ["class", "role", "aria-label"]) copy.removeAttribute(name);
  for (const unseen of copy.querySelectorAll(".hidden, [visibility=hidden]")) unseen.remove();
  for (const [name, value] of Object.entries({ xmlns: XML, width, height, viewBox: `0 0 ${width} ${height}` })) set(copy, name, value);
  const sheets = [...(graph.getRootNode() as ShadowRoot).querySelectorAll("style")].map(({ sheet }) => sheet!);
  const rules = rulesFor(copy, sheets);
  const seen = getComputedStyle(graph);
  const colours = [...new Set(`${rules}--paper`.match(/--[\w-]+/g))].map((name) => `${name}:${seen.getPropertyValue(name)}`);
  const style = document.createElementNS(XML, "style");
  style.textContent = `${faces()}:root{${colours.join(";")};color:${seen.color};font:${seen.font}}${rules}`;
  copy.prepend(style, s("rect", { width, height, style: "fill:var(--paper)" }));
  return new XMLSerializer().serializeToString(copy);
}

/** The same as a PNG. */
export async function pngOf(graph: SVGElement): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svgOf(graph))}`; // the policy of pages allows no other kind of address
  await image.decode();
  const canvas = h("canvas", { width: SHARP * image.width, height: SHARP * image.height });
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob((blob) => done(blob!)));
}

/** Have a file put where downloads go. */
export function save(file: Blob, name: string): void {
  const href = URL.createObjectURL(file);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}
