// One ES module for JupyterLab and for the stand-alone page, small enough to be committed and read.
import { build } from "esbuild";

const out = process.argv[2] ?? new URL("../autograd_lab/view/static/player.js", import.meta.url).pathname;

await build({
  entryPoints: [new URL("src/index.ts", import.meta.url).pathname],
  outfile: out,
  bundle: true,
  format: "esm",
  minify: true,
  charset: "utf8",
  target: "es2022",
  legalComments: "none",
});
