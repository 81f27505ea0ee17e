// ES modules for JupyterLab and for stand-alone pages, small enough to be committed: for one trace, for two, for questions, for a wall,
// for many runs of a program.
import { readFile, writeFile } from "node:fs/promises";
import { build, transform } from "esbuild";
import { minify } from "rolldown/utils";
import { shortened } from "./short.mjs";

const source = (name) => new URL(`src/${name}.ts`, import.meta.url).pathname;

/** Style sheets become texts, as small as the code around them. */
const sheets = {
  name: "sheets",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true, charset: "utf8" });
      return { contents: code.trim(), loader: "text" };
    });
  },
};

const { outputFiles } = await build({
  entryPoints: { player: source("index"), page: source("alone"), plain: source("plain"), both: source("both"), cards: source("cards"), presenter: source("presenting"), vary: source("varying") },
  outdir: process.argv[2] ?? new URL("../autograd_lab/view/pages/static", import.meta.url).pathname,
  bundle: true,
  format: "esm",
  minify: true,
  mangleProps: await shortened(),
  charset: "utf8",
  target: "es2022",
  legalComments: "none",
  plugins: [sheets],
  write: false,
});

// Once more by another hand: the pages that carry this along become smaller by a kilobyte.
for (const { path, text } of outputFiles) {
  const { code, errors } = await minify(path, text, { module: true, compress: { target: "es2022" }, mangle: { toplevel: true } });
  if (errors.length) throw errors[0];
  await writeFile(path, `${code.trim()}\n`);
}
