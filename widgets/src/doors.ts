// The two doors of a screen: what anywidget loads in a notebook, and what starts by itself in a stand-alone page.
import { openPage } from "./address";
import type { Maker } from "./mounted";
import { type Model, render } from "./notebook";

/** Open a page if this is one; gives what anywidget asks for. */
export function door<Data>(Made: Maker<Data>): { render: (widget: { model: Model; el: HTMLElement }) => Promise<() => void> } {
  openPage(Made);
  return { render: (widget) => render(Made, widget) };
}
