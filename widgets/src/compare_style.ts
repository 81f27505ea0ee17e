// How the screen of two films looks, beyond what it shares with that of one.

export const COMPARE_CSS = `
.spoken { position: absolute; left: -999em; }
.player.compare { position: relative; grid-template-columns: repeat(6, minmax(0, 1fr)); grid-template-rows: auto minmax(0, 3fr) minmax(0, 2fr) auto; gap: 8px 12px;
  grid-template-areas: "words-first words-first words-first words-second words-second words-second"
    "picture-first picture-first picture-first picture-second picture-second picture-second"
    "below-first below-first middle middle below-second below-second" "foot foot foot foot foot foot"; }
.player.compare.rows { grid-template-columns: minmax(0, 1fr) minmax(260px, 29%);
  grid-template-rows: auto minmax(0, 2fr) minmax(0, 1fr) auto minmax(0, 1fr) minmax(0, 2fr) auto;
  grid-template-areas: "words-first below-first" "picture-first below-first" "picture-first middle" "words-second middle" "picture-second middle"
    "picture-second below-second" "foot foot"; }
.compare .title { gap: 12px; }
.title .camera { position: static; align-self: center; margin-left: auto; }
.compare .title { min-height: 30px; }
.player.compare .camera button { min-width: 26px; min-height: 26px; padding: 0 5px; }
.compare .title h2 { min-width: 0; overflow: hidden; font-size: 17px; text-overflow: ellipsis; white-space: nowrap; }
.compare .title > :not(h2) { flex: none; }
.compare .caption { font-size: 14px; }
.compare.rows .caption { min-height: 1.35em; }
.compare .phases { height: 15px; }
.compare .phase { line-height: 15px; }
.compare .goals { display: none; }
.compare .side { max-width: none; }
.compare .foot { grid-area: foot; }
.compare .inspector { position: static; flex: 1 1 auto; width: auto; max-height: none; }
.compare .inspector:not([hidden]) + .code { display: none; }
.compare .held { height: 14px; }
.compare .held-now { top: 0; font-size: 11px; line-height: 13px; }
.move { padding: 0 8px; border-radius: 9px; background: var(--module); color: var(--paper); font-size: 12px; line-height: 18px; font-weight: bold; }
.move:empty { display: none; }
.words.waits .caption { color: var(--quiet); }
.picture.waits .now > .halo, .picture.waits .link.now > .under { stroke: none; }
.picture.waits .flow.now > .halo { fill: none; }
.middle { position: relative; grid-area: middle; min-height: 0; overflow: auto; padding: 4px 8px; border: 1px solid var(--hair); border-radius: 6px; font-size: 13px; }
.middle h3 { font-size: 14px; }
.middle ol { list-style: none; }
.middle summary { margin-top: 6px; cursor: pointer; font-weight: bold; }
.compare .legend { max-height: none; }
.mark-difference { stroke: var(--ink); stroke-width: 2; }
.middle:focus-visible, summary:focus-visible { outline: 3px solid var(--leaf_line); outline-offset: 1px; }
@container (max-width: 760px) {
  .player.compare, .player.compare.rows { height: auto; grid-template-columns: minmax(0, 1fr); grid-template-rows: auto 300px auto 300px auto auto auto auto;
    grid-template-areas: "words-first" "picture-first" "words-second" "picture-second" "middle" "foot" "below-first" "below-second"; }
  .compare .side { max-height: 260px; }
  .middle { max-height: 300px; }
}
@media print {
  .player.compare { display: flex; flex-direction: column; height: auto; }
  .compare .side { order: 1; }
  .compare .picture { order: 0; height: 360px; }
  .middle { max-height: none; overflow: visible; }
}
`;
