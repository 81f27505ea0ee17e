// ES modules for JupyterLab and for stand-alone pages, small enough to be committed: for one trace, for two, for questions, for a wall.
import { build } from "esbuild";

const source = (name) => new URL(`src/${name}.ts`, import.meta.url).pathname;

await build({
  entryPoints: { player: source("index"), both: source("both"), cards: source("cards"), presenter: source("presenting") },
  outdir: process.argv[2] ?? new URL("../autograd_lab/view/static", import.meta.url).pathname,
  bundle: true,
  format: "esm",
  minify: true,
  charset: "utf8",
  target: "es2022",
  legalComments: "none",
});
