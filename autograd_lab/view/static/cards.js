function a(d,e={},...t){let i=document.createElement(d);for(let[n,o]of Object.entries(e))typeof o=="function"?i.addEventListener(n.slice(2),o):o!==void 0&&o!==!1&&i.setAttribute(n,o===!0?"":String(o));return i.append(...t),i}function T(d){for(let e=d.parentElement;e;e=e.parentElement){let[t,i,n,o=1]=(getComputedStyle(e).backgroundColor.match(/[\d.]+/g)??[]).map(Number);if(o>.5)return t*.3+i*.6+n*.1<128}}var v=class{constructor(e,t,i,n,o,r){this.Made=e;this.style=n;this.changed=o;this.listener=r;t.append(this.host),this.paint();for(let s of[document.documentElement,document.body])this.watcher.observe(s,{attributes:!0});this.dark.addEventListener("change",this.paint),this.player=new e(this.root,i,n,o,r)}Made;style;changed;listener;host=a("div",{class:"autograd-lab","data-lm-suppress-shortcuts":"true"});player;root=this.host.attachShadow({mode:"open"});dark=matchMedia("(prefers-color-scheme: dark)");watcher=new MutationObserver(()=>this.paint());paint=()=>{let e=document.body.dataset.jpThemeLight,t=e===void 0?T(this.host)??this.dark.matches:e==="false";this.host.dataset.theme=t?"dark":"light"};replay(e,t){let i=this.player,n=this.root.activeElement!==null;i.destroy(),this.root.replaceChildren(),this.player=new this.Made(this.root,e,this.style,this.changed,this.listener),this.player.seek(t),this.player.takeOver?.(i),n&&this.player.element.focus()}destroy(){this.watcher.disconnect(),this.dark.removeEventListener("change",this.paint),this.player.destroy(),this.host.remove()}};async function b(d){let e=new Blob([d]).stream().pipeThrough(new DecompressionStream("gzip"));return JSON.parse(await new Response(e).text())}function j(d){let e=d.closest(".jp-OutputArea-child"),t,i=()=>{let o=e?.nextElementSibling;t||!(o instanceof HTMLElement)||!o.querySelector(".jp-RenderedImage, .jp-RenderedSVG")||(t=o,t.style.display="none",document.body.dataset.notebook&&e?.closest(".jp-mod-outputsScrolled")?.classList.remove("jp-mod-outputsScrolled"))};i();let n=new MutationObserver(i);return e?.parentElement&&n.observe(e.parentElement,{childList:!0,subtree:!0}),()=>{n.disconnect(),t?.style.removeProperty("display")}}var y=class{constructor(e){this.model=e}model;given(e,t){this.give(e,t)}picked(e,t){this.give(e,{picked:t,time:Date.now()})}give(e,t){this.model.set("given",{...this.all,[e]:t}),this.model.save_changes()}get all(){return this.model.get("given")??{}}tell(e){let t=this.model.get("replies")??{};for(let[i,n]of Object.entries(this.all))"picked"in n?e.say?.(t[i]?.said??""):e.answer?.(i,n,t[i])}};async function q(d,{model:e,el:t}){let i=e.get("film"),n=e.get("sheet"),o=new y(e),r=new v(d,t,await b(i),n,()=>{},o),s=()=>o.tell(r.player),p=()=>e.get("step"),u=async()=>{e.get("film")!==i?(i=e.get("film"),r.replay(await b(i),p())):r.player.seek(p())},l=Promise.resolve(),c=()=>{l=l.then(u)},g=()=>{p()!==r.player.step&&(e.set("step",r.player.step),e.save_changes())},h=()=>t.style.setProperty("--height",`${e.get("height")}px`),m=r.player.alone?()=>{}:j(t);return s(),r.player.seek(p()),h(),e.on("change:replies",s),e.on("change:film",c),e.on("change:step",c),e.on("change:height",h),r.host.addEventListener("focusout",g),r.host.addEventListener("pointerleave",g),()=>{m(),e.off("change:replies",s),e.off("change:film",c),e.off("change:step",c),e.off("change:height",h),r.destroy()}}async function H(d,e,t){let i=Uint8Array.from(atob(e.textContent),l=>l.charCodeAt(0)),n=await b(i),o=0,r=({step:l,select:c,view:g,words:h={}})=>{let m=new URLSearchParams({step:String(l),...c?{select:c}:{},view:g});for(let[D,S]of Object.entries(h))S&&m.set(D,S);clearTimeout(o),o=window.setTimeout(()=>history.replaceState(null,"",`#${m.toString()}`),150)},s=!1,{player:p}=new v(d,t,n,n.style,l=>s&&r(l)),u=()=>{let l=new URLSearchParams(location.hash.slice(1)),c=l.get("view");p.take?.(l),c&&p.turnTo(c),l.has("step")&&p.seek(Number(l.get("step"))),l.has("select")&&p.select(l.get("select")??void 0)};u(),s=!0,addEventListener("hashchange",u),addEventListener("beforeprint",()=>p.onPaper(!0)),addEventListener("afterprint",()=>p.onPaper(!1)),document.addEventListener("keydown",l=>p.key(l))}function E(d){let[e,t]=["autograd-lab-film","autograd-lab-player"].map(i=>document.getElementById(i));return e&&t&&H(d,e,t),{render:i=>q(d,i)}}var z="ABCDEF",w=["guessing","fairly sure","certain"],R=0;function f(d){return d.split("`").map((e,t)=>t%2?a("code",{},e):e)}var k=class{constructor(e,t){this.data=e;this.commit=t;let i=`question-${R+=1}`;this.choices=e.choices.map((r,s)=>a("input",{type:"radio",name:`${i}-choice`,value:s})),this.sure=w.map((r,s)=>a("input",{type:"radio",name:`${i}-sure`,value:s+1}));let n=this.choices.map((r,s)=>a("label",{},r,a("b",{},z[s]),a("span",{},...f(e.choices[s])))),o=this.sure.map((r,s)=>a("label",{},r,a("b",{},String(s+1)),w[s]));this.form=a("form",{novalidate:!0,onsubmit:r=>this.submit(r)},a("fieldset",{class:"choices"},a("legend",{},...f(e.text)),...n),a("fieldset",{class:"sure"},a("legend",{},"How sure are you?"),...o),a("button",{type:"submit"},"Commit"),a("button",{type:"button",onclick:()=>this.give({choice:null,confidence:null})},"Skip"),this.note),this.element=a("section",{class:"card","aria-label":`Question ${e.id}`},this.form,this.outcome),this.element.addEventListener("keydown",r=>this.key(r))}data;commit;element;given;form;choices;sure;note=a("p",{class:"note",role:"status"});outcome=a("div",{class:"outcome",role:"status",tabindex:-1});key(e){if(e.stopPropagation(),e.ctrlKey||e.metaKey||e.altKey)return;let i=(this.sure.includes(e.target)?this.sure:this.choices)[Number(e.key)-1];i&&!this.given?(i.checked=!0,i.focus()):e.key==="Enter"&&e.target instanceof HTMLInputElement&&this.submit(e)}submit(e){e.preventDefault();let t=this.choices.findIndex(n=>n.checked),i=this.sure.findIndex(n=>n.checked);if(t>=0&&i>=0)return this.give({choice:t,confidence:i+1});this.note.textContent=t<0?"Choose an answer first, or skip.":"Now say how sure you are: 1, 2 or 3, then Enter.",(t<0?this.choices:this.sure)[0].focus()}give(e){this.given||(this.commit(e),this.outcome.focus())}ask(e){this.given||(this.note.textContent=e,(this.choices.find(t=>t.checked)??this.choices[0]).focus())}choose(e){let t=this.choices[e-1];!t||this.given||(t.checked=!0,t.focus())}show(e,t){this.given=e,this.note.textContent="";for(let s of[...this.choices,...this.sure])s.disabled=!0;e.choice!==null&&(this.choices[e.choice].checked=!0),e.confidence!==null&&(this.sure[e.confidence-1].checked=!0);for(let s of this.form.querySelectorAll("button"))s.hidden=!0;let i=e.confidence===null?"":`, ${w[e.confidence-1]}`,n=e.choice===null?["skipped"]:[...this.lettered(e.choice),i],o=[a("dt",{},"Your prediction"),a("dd",{},...n)];if(t&&t.right!==null){let s=t.right===e.choice,p=s?" ✓":" ≠ yours";o.push(a("dt",{},"The truth"),a("dd",{class:s?"hit":"miss"},...this.lettered(t.right),p))}let r=t?.said.split(`
`).map(s=>a("p",{},...f(s)))??[];this.outcome.replaceChildren(a("dl",{},...o),...r)}lettered(e){return[`${z[e]}  `,...f(this.data.choices[e])]}},x=class{constructor(e,t,i){this.changed=i;this.cards=e.map(n=>new k(n,o=>this.give(n,o,t))),this.reveal(this.open??this.cards[0])}changed;element=a("div",{class:"gate"});cards;shown;give(e,t,i){i(e.id,t);let n=e.truth,o=t.choice===null?"Skipped. Go on, and see what happens.":n?.said[t.choice]??"",r=n&&{right:t.choice===null?null:n.right,said:o};this.answer(e.id,t,r??{right:null,said:t.choice===null?o:"Noted. Go on, and see."})}get open(){return this.cards.find(e=>!e.given)}hold(e){let t=this.cards.filter(({given:n,data:o})=>!n&&o.step!==null).map(({data:n})=>n.step),i=Math.min(...t);if(e>i){let n=this.cards.find(({given:o,data:r})=>!o&&r.step===i);this.reveal(n),n?.ask("First answer this question, or skip it; then the way on is free.")}return Math.min(e,i)}answer(e,t,i){this.cards.find(({data:o})=>o.id===e)?.show(t,i),this.reveal(this.shown)}reveal(e){this.shown=e;let t=e?.given&&this.open,i=t?[a("button",{type:"button",class:"next",onclick:()=>this.reveal(t)},"Next question")]:[],n=e&&this.cards.length>1?[a("p",{class:"place"},`question ${this.cards.indexOf(e)+1} of ${this.cards.length}`)]:[];if(e&&this.element.contains(e.element)){for(let o of this.element.querySelectorAll(".next"))o.remove();this.element.append(...i)}else this.element.replaceChildren(...n,...e?[e.element]:[],...i);this.changed(this.open!==void 0&&this.open.data.step!==null)}};var L=`
:host { display: block; container-type: inline-size; }
.player { box-sizing: border-box; display: grid; grid-template-rows: auto minmax(0, 1fr) auto; gap: 8px; height: var(--height, 620px);
  padding: 10px 14px; color: var(--ink); background: var(--paper); font: 14px/1.35 "DejaVu Sans", Verdana, system-ui, sans-serif;
  color-scheme: light; }
:host([data-theme="dark"]) .player { color-scheme: dark; }
.player:focus { outline: none; }
.player * { box-sizing: border-box; }
.player [hidden] { display: none; }
h2, h3, h4, p, ol, dl, dd { margin: 0; padding: 0; }
.title { display: flex; align-items: baseline; gap: 16px; }
.title h2 { font-size: 21px; line-height: 1.3; }
.count { color: var(--quiet); }
.caption { min-height: 2.7em; font-size: 16px; }
.goals { margin-top: 4px; display: flex; flex-wrap: wrap; gap: 4px; list-style: none; }
.goals li { padding: 1px 9px; border: 1px solid var(--hair); border-radius: 10px; color: var(--quiet); font-size: 12px; }
.goals li[aria-current] { border-color: var(--gradient); background: var(--gradient); color: var(--paper); font-weight: bold; }
.stage { display: flex; gap: 10px; min-height: 0; }
.side { display: flex; flex: 0 1 34%; flex-direction: column; gap: 8px; min-width: 0; min-height: 0; max-width: 460px; }
.code { position: relative; flex: 1 1 auto; min-height: 90px; overflow: auto; padding: 4px 0; border-radius: 6px; background: var(--code); }
.file { padding: 4px 10px; color: var(--quiet); font-weight: bold; }
.line { display: grid; grid-template-columns: 44px max-content; width: max-content; min-width: 100%; padding: 0 8px 0 0; border: 1.5px solid transparent; background: none; color: inherit;
  font: 13px/20px "DejaVu Sans Mono", monospace; text-align: left; white-space: pre; }
button.line { cursor: pointer; }
button.line:hover { background: var(--saved); }
.line .number { padding-right: 10px; color: var(--quiet); text-align: right; }
.line.still .text { color: var(--quiet); }
.line .note { grid-column: 2; font: bold 12px/20px "DejaVu Sans", Verdana, sans-serif; }
.line.saved { background: var(--saved); }
.line.overwritten, .line.freed { background: var(--alarm_soft); }
.line.overwritten .note, .line.freed .note { color: var(--alarm); }
.line.now { border-color: var(--glow); background: var(--code_now); }
.line .note:empty { display: none; }
.line.now .number { color: inherit; font-weight: bold; }
.line.now .number::before { content: "▸ "; }
.legend { flex: 0 1 auto; max-height: 45%; overflow: auto; columns: 150px; column-gap: 10px; }
.entry { display: flex; align-items: center; gap: 6px; font-size: 12px; line-height: 1.15; break-inside: avoid; }
.entry svg { flex: none; }
.picture { position: relative; flex: 1 1 60%; min-width: 0; overflow: hidden; border: 1px solid var(--hair); border-radius: 6px; }
svg.graph { display: block; width: 100%; height: 100%; overflow: visible; cursor: grab; touch-action: pan-y; }
svg.graph.dragged { cursor: grabbing; }
svg text { white-space: pre; }
svg.graph [data-part] { cursor: pointer; }
svg .hidden { display: none; }
svg [data-part]:focus { outline: none; }
.ring { fill: none; stroke: var(--leaf_line); stroke-width: 2.5; stroke-dasharray: 7 4; pointer-events: none; }
.traveller { fill: var(--gradient); stroke: var(--paper); stroke-width: 2; pointer-events: none; }
.chip > path { stroke: var(--quiet); }
.camera { position: absolute; right: 6px; bottom: 6px; display: flex; gap: 4px; }
.reason { position: absolute; left: 6px; top: 6px; max-width: calc(100% - 12px); padding: 2px 8px; border: 2px solid var(--alarm); border-radius: 6px; background: var(--paper);
  font-size: 14px; }
.reason:empty { display: none; }
.way { pointer-events: none; }
.way > path, .way > rect { fill: none; stroke: var(--alarm); stroke-width: 5; stroke-opacity: 0.75; stroke-linejoin: round; }
.way circle { fill: var(--paper); stroke: var(--alarm); stroke-width: 2.5; }
.way text { fill: var(--alarm); }
.notice { position: absolute; left: 6px; bottom: 8px; max-width: 60%; padding: 1px 6px; background: var(--paper); color: var(--quiet); font-size: 12px; }
.inspector { flex: 0 0 300px; min-width: 0; overflow: auto; padding: 8px 10px; border: 1px solid var(--hair); border-radius: 6px; font-size: 13px; }
.inspector header { display: flex; justify-content: space-between; gap: 8px; }
.inspector h3 { flex: 1; font-size: 15px; overflow-wrap: anywhere; }
.inspector .buttons { margin: 8px 0 0; }
.inspector h4 { margin: 8px 0 2px; font-size: 13px; }
.now-texts { margin: 6px 0; padding: 4px 8px; border-radius: 4px; background: var(--code); font-family: "DejaVu Sans Mono", monospace;
  font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
.inspector dl, dialog dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 10px; }
.inspector dt, dialog dt { color: var(--quiet); }
.inspector dd { overflow-wrap: anywhere; }
.figures { display: grid; gap: 6px; margin: 6px 0; }
figure { margin: 0; }
figure:not(.block) { display: flex; gap: 8px; align-items: baseline; }
.one { font: 12px "DejaVu Sans Mono", monospace; }
.beside { display: flex; gap: 12px; align-items: flex-start; }
.inspector .beside dl { gap: 0 8px; font-size: 12px; line-height: 1.3; }
.beside dd { white-space: nowrap; }
.now-texts:empty { display: none; }
figcaption { color: var(--gradient); font-weight: bold; font-size: 12px; }
.numbers { overflow: auto; max-height: 200px; }
.numbers table { border-collapse: collapse; font: 12px/18px "DejaVu Sans Mono", monospace; }
.numbers th { padding: 0 8px 0 0; color: var(--quiet); font-weight: normal; text-align: right; }
.numbers td { padding: 0 6px; border: 1px solid var(--hair); text-align: right; white-space: nowrap; }
.histogram svg { display: block; width: 100%; max-width: 280px; }
.bar-of { fill: var(--saved); stroke: var(--saved_line); stroke-width: 1; }
.axis { stroke: var(--quiet); stroke-width: 1.5; }
.histogram text { fill: var(--ink); font-size: 10px; }
.ends { display: flex; justify-content: space-between; max-width: 280px; font: 12px "DejaVu Sans Mono", monospace; }
svg.heat { display: block; margin: 4px 0 0; outline: 1px solid var(--hair); }
.remark { color: var(--quiet); font-size: 12px; }
.life { list-style: none; }
button.jump { width: 100%; min-height: 24px; padding: 2px 4px; border: 0; border-left: 3px solid transparent; border-radius: 0; background: none; color: inherit;
  font: inherit; text-align: left; overflow-wrap: anywhere; }
button.jump:hover { background: var(--code); }
dd button.jump { padding: 0; text-decoration: underline; }
button.jump.future { color: var(--quiet); }
button.jump[aria-current] { border-color: var(--glow); background: var(--code_now); }
.stack { display: flex; flex-direction: column; height: var(--height, 760px); color: var(--ink); background: var(--paper);
  font: 14px/1.4 "DejaVu Sans", Verdana, system-ui, sans-serif; color-scheme: light; }
:host([data-theme="dark"]) .stack { color-scheme: dark; }
.stack.alone { height: auto; }
.stack > .player { flex: 1 1 0; height: auto; min-height: 0; }
.stack * { box-sizing: border-box; }
.stack [hidden] { display: none; }
.gate, .stack > .card { flex: 0 0 auto; max-height: 50%; overflow: auto; padding: 8px 14px 0; }
.alone .gate { max-height: none; padding-bottom: 8px; }
.card { border-left: 5px solid var(--leaf_line); padding: 6px 12px; background: var(--code); border-radius: 6px; }
.card form { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 14px; }
.card fieldset { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0; padding: 0; border: 0; }
.card .choices { flex-basis: 100%; }
.card legend { margin-bottom: 4px; padding: 0; font-size: 16px; }
.card .sure legend { float: left; margin: 0 14px 0 0; font-size: 14px; }
.card label { display: flex; align-items: baseline; gap: 6px; min-height: 26px; cursor: pointer; }
.card code { padding: 0 3px; border-radius: 3px; background: var(--paper); font-family: "DejaVu Sans Mono", monospace; font-size: 0.95em; }
.card .note { flex-basis: 100%; color: var(--quiet); }
.card .asked { font-size: 16px; }
.card .picked { display: flex; flex-wrap: wrap; gap: 4px 22px; min-height: 22px; margin: 4px 0; padding-left: 22px; font-family: "DejaVu Sans Mono", monospace; }
.card .outcome:empty { display: none; }
.card .outcome { margin-top: 4px; padding: 2px 6px; border-radius: 4px; }
.card .outcome:focus-visible { outline: 2px solid var(--leaf_line); }
.card .outcome dl { display: inline-grid; grid-template-columns: max-content max-content; gap: 2px 10px; }
.card .outcome dt { color: var(--quiet); }
.card .outcome dd { font-weight: bold; }
.card .outcome .miss { color: var(--alarm); }
.gate .place { color: var(--quiet); font-size: 12px; }
.stack :is(.card, .gate) button { min-height: 30px; margin: 2px 4px 2px 0; padding: 0 12px; border: 1px solid var(--quiet); border-radius: 5px; background: var(--made); color: var(--ink); font: inherit; cursor: pointer; }
.stack :is(button, input):focus-visible { outline: 3px solid var(--leaf_line); outline-offset: 1px; }
.locked .inspector :is(dl, .future), .picking .inspector { display: none; }
.foot { display: grid; gap: 6px; }
.timeline { position: relative; }
.phases, .marks, .held { margin: 0 8px; }
.phases { position: relative; height: 18px; overflow: hidden; border-radius: 4px; background: var(--code); }
.phase { position: absolute; top: 0; bottom: 0; overflow: hidden; padding: 0 5px; border-right: 2px solid var(--paper); background: var(--code);
  color: var(--ink); font-size: 11px; line-height: 18px; text-overflow: ellipsis; white-space: nowrap; }
.phase-forward { background: var(--saved); }
.phase-backward { background: var(--gradient_soft); }
.phase-stopped { background: var(--alarm_soft); }
svg.marks { display: block; width: calc(100% - 16px); height: 12px; margin-top: 2px; overflow: visible; }
.mark { fill: none; stroke: var(--quiet); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.mark-save { fill: var(--saved_line); stroke: var(--saved_line); }
.mark-free { stroke: var(--saved_line); }
.mark-write, .mark-error { fill: var(--alarm); stroke: var(--alarm); }
.mark-error { stroke-width: 3; }
.mark-store { fill: var(--gradient); stroke: var(--gradient); }
.mark-visit, .mark-backward { stroke: var(--gradient); }
.mark-backward { stroke-width: 3; }
.cursor { stroke: var(--ink); stroke-width: 2.5; vector-effect: non-scaling-stroke; }
.timeline input { display: block; width: 100%; height: 22px; margin: 0; accent-color: var(--gradient); }
.held { position: relative; height: 24px; }
.held svg { display: block; width: 100%; height: 100%; }
.area { fill: var(--saved); stroke: var(--saved_line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.held-now { position: absolute; right: 4px; top: 3px; padding: 0 4px; border-radius: 3px; background: var(--paper); font-size: 12px; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px; }
.buttons { display: flex; align-items: center; gap: 4px; }
.bar label { display: flex; align-items: center; gap: 5px; color: var(--ink); font-size: 13px; }
.player button:not(.line, .jump) { display: inline-flex; align-items: center; justify-content: center; min-width: 34px; min-height: 30px; padding: 0 8px;
  border: 1px solid var(--quiet); border-radius: 5px; background: var(--made); color: var(--ink); font: inherit; font-size: 13px; cursor: pointer; }
.player button[aria-pressed="true"] { border-color: var(--leaf_line); background: var(--leaf); }
.inspector header button { min-width: 26px; min-height: 26px; }
.icon { fill: currentColor; }
.player select, .player input[type="search"] { min-height: 30px; border: 1px solid var(--quiet); border-radius: 5px; background: var(--paper); color: var(--ink); font: inherit; font-size: 13px; }
.player input[type="search"] { width: 120px; padding: 0 6px; }
.player input[aria-invalid="true"] { border-color: var(--alarm); }
.player :is(button, select, input):focus-visible, .player :is(.code, .legend):focus-visible { outline: 3px solid var(--leaf_line); outline-offset: 1px; }
dialog { max-width: 520px; border: 1px solid var(--quiet); border-radius: 8px; background: var(--paper); color: var(--ink); }
dialog > * { margin: 8px 0; }
dialog dt { font-family: "DejaVu Sans Mono", monospace; }
@media (prefers-reduced-motion: no-preference) {
  svg.graph :is(.shape, .tab, .line) { transition: fill 0.3s, stroke 0.3s, stroke-width 0.3s; }
}
@container (max-width: 900px) {
  .inspector { position: absolute; right: 18px; width: 300px; max-height: 60%; background: var(--paper); }
  .side { flex-basis: 30%; }
}
@container (max-width: 620px) {
  .stage { flex-direction: column; }
  .side { flex: 0 0 auto; max-width: none; max-height: 34%; }
  .legend { display: none; }
}
@media print {
  .foot, .camera { display: none; }
  .player { display: block; height: auto; }
  .stage, .words { margin-bottom: 8px; }
  .stage { flex-direction: column; }
  .picture { order: -1; flex: none; height: 420px; break-inside: avoid; }
  .side { flex: none; max-width: none; }
  .code { overflow: visible; }
  .legend { max-height: none; overflow: visible; break-inside: avoid; }
  .inspector { flex: none; overflow: visible; }
}
`;var M=class{element;step=0;steps=0;alone=!0;gate;constructor(e,t,i,n,o){this.gate=new x(t.questions,(s,p)=>o?.given(s,p),()=>{}),this.element=a("div",{class:"stack alone"},this.gate.element);let r=a("style");r.textContent=i+L,e.append(r,this.element)}answer(e,t,i){this.gate.answer(e,t,i)}seek(){}select(){}turnTo(){}key(){}onPaper(){}destroy(){}},A=E(M);export{A as default};
