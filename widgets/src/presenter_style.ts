// How a film looks on a wall: legible from the last row of a room at 1024 × 768.
export const PRESENTER_CSS = `
.present { position: relative; padding: 14px 20px 10px; font-size: 22px; }
.present .title h2 { font-size: 30px; }
.present .caption { min-height: 2.6em; font-size: 27px; line-height: 1.25; }
.present .goals { display: none; }
.present .line { grid-template-columns: 40px max-content; font-size: 18px; line-height: 27px; }
.present .stage { flex-direction: column-reverse; }
.present .side { flex: 0 1 auto; max-width: none; max-height: 36%; }
.present .camera, .present .notice { display: none; }
.present .foot { display: flex; gap: 24px; align-items: center; color: var(--quiet); font-size: 18px; }
.present .time { margin-left: auto; color: var(--ink); font-size: 26px; font-variant-numeric: tabular-nums; }
.present.asking .code { display: none; }
.present.asking .side { flex: none; max-height: 62%; }
.present.no-code .code, .present.no-words .words, .present.no-foot .foot, .present.no-picture .picture { display: none; }
.present.no-code:not(.asking) .side { display: none; }
.panel-of-hands { overflow: auto; flex: 1 1 auto; }
.hands h3 { margin: 0 0 10px; font-size: 29px; line-height: 1.2; }
.hands .choices { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 8px; }
.hands .choice { position: relative; display: flex; gap: 12px; align-items: center; min-height: 52px; padding: 4px 14px; overflow: hidden; border: 2px solid var(--hair); border-radius: 8px; font-size: 26px; line-height: 1.2; }
.hands .choice > * { position: relative; }
.hands .choice .bar-of-hands { position: absolute; inset: 0 auto 0 0; background: var(--saved); }
.hands .text { flex: 1; }
.hands .number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.hands small { font-size: 17px; font-weight: normal; }
.hands .choice.right { border: 5px solid var(--kept_line); }
.hands .choice.right .bar-of-hands { background: var(--kept); }
.hands .said { margin-top: 8px; color: var(--quiet); font-size: 20px; }
.black { position: fixed; inset: 0; z-index: 9; background: #000; }
@media (prefers-reduced-motion: no-preference) { .bar-of-hands { transition: width 0.3s; } }
@media (forced-colors: active) { .bar-of-hands { background: Highlight; opacity: 0.5; } }
`;
