// Writes the JavaScript of packages: `node tools/bundle.ts [folder…]`, without a folder those of all
// packages whose sources are newer than their `dist`. A package becomes one file for each export and
// a few that these share, because loading hundreds of small modules takes most of the CPU of a start
// (docs/decisions/0036-bundled-packages.md). Types are written by `tsc --build`.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import { rolldown } from "rolldown";
import type { Plugin } from "rolldown";

const ROOT = dirname(import.meta.dirname);
/** Programs of a package that write a further file of `dist`. */
const OWN_PROGRAMS = [
  { path: "bundle-kysely.mjs", writes: "kysely.js" },
  { path: "bundle-empty-file.mjs", writes: "empty.sqlite.br" },
];
const MODULE_URL = "import.meta.url";
const PLACEHOLDER = /__moduleUrl\("([^"]+)"\)/g;

type Manifest = {
  readonly name: string;
  readonly engines?: { readonly node: string };
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
};

/** The folders of all packages that are published. */
export function bundledPackages(): readonly string[] {
  return globSync("{packages,hosts}/*/package.json", { cwd: ROOT })
    .filter((manifest) => manifestOf(join(ROOT, dirname(manifest))).private !== true)
    .map((manifest) => join(ROOT, dirname(manifest)))
    .toSorted();
}

/** Whether a source, the manifest or this program is newer than the bundle. */
export function isStale(folder: string): boolean {
  const names = Object.keys(entriesOf(folder)).map((name) => `${name}.js`);
  const own = ownProgramsOf(folder);
  const built = [...names, ...own.map(({ writes }) => writes)].map((name) =>
    join(folder, "dist", name),
  );
  if (!built.every((path) => existsSync(path))) return true;
  const times = (paths: readonly string[]) => paths.map((path) => statSync(path).mtimeMs);
  const programs = [import.meta.filename, ...own.map(({ path }) => join(folder, path))];
  const sources = [...programs, join(folder, "package.json"), ...sourcesOf(folder)];
  return Math.max(...times(sources)) > Math.min(...times(built));
}

export async function bundlePackage(folder: string): Promise<void> {
  const src = join(folder, "src");
  const dist = join(folder, "dist");
  await using bundle = await rolldown({
    input: entriesOf(folder),
    cwd: folder,
    platform: "node",
    checks: { ineffectiveDynamicImport: false },
    transform: { target: "es2024" },
    external: (id) => !/^[./]|^@oxc-project\/runtime\//.test(id),
    plugins: [ownAddresses(src), nodeCheck(manifestOf(folder)), narrowText()],
  });
  const { output } = await bundle.write({
    dir: dist,
    format: "esm",
    chunkFileNames: "chunks/[name]-[hash].js",
    minify: false,
    // The types have the documentation.
    comments: { legal: true, annotation: true, jsdoc: false },
  });
  const own = ownProgramsOf(folder);
  const written = new Set([
    ...output.map(({ fileName }) => fileName),
    ...own.map(({ writes }) => writes),
  ]);
  for (const file of globSync("**/*.js", { cwd: dist })) {
    if (!written.has(file)) rmSync(join(dist, file));
  }
  for (const { path } of own) {
    // The packages that the sources import may have no `dist` yet.
    execFileSync(process.execPath, ["--conditions=@sealhouse/source", path], { cwd: folder });
  }
}

function ownProgramsOf(folder: string): typeof OWN_PROGRAMS {
  return OWN_PROGRAMS.filter(({ path }) => existsSync(join(folder, path)));
}

/** Exports, programs, and the files of threads and child processes, under their names in `dist`. */
function entriesOf(folder: string): Record<string, string> {
  const { bin = {}, exports = {} } = manifestOf(folder);
  const built = [
    ...Object.values(exports).map((value) =>
      typeof value === "string" ? value : value["default"],
    ),
    ...Object.values(bin),
    ...globSync("src/**/*{worker,child}.ts", { cwd: folder }).map(
      (path) => `./dist/${relative("src", path).replace(/\.ts$/, ".js")}`,
    ),
  ].filter((path) => path?.endsWith(".js") === true);
  return Object.fromEntries(
    built.map((path) => {
      const name = relative("dist", path ?? "").replace(/\.js$/, "");
      return [name, join(folder, "src", `${name}.ts`)];
    }),
  );
}

/** A module that asks for its own address gets the one that it would have without the bundle. */
function ownAddresses(src: string): Plugin {
  return {
    name: "own-addresses",
    transform(code, id) {
      if (!code.includes("import.meta.")) return undefined;
      const path = relative(src, id).replace(/\.tsx?$/, ".js");
      const rewritten = code.replaceAll(MODULE_URL, `__moduleUrl("${path}")`);
      if (!/import\.meta\.(?:dir|file)name/.test(rewritten)) return rewritten;
      throw new Error(`${id}: write fileURLToPath(import.meta.url), which the bundle can rewrite`);
    },
    renderChunk(code, { fileName }) {
      return code.replaceAll(PLACEHOLDER, (_, path: string) => {
        const from = posix.relative(posix.dirname(fileName), path);
        return `new URL("${from}", ${MODULE_URL}).href`;
      });
    },
  };
}

/**
 * Begins each export with a comparison of Node's version, because an older one fails with an error
 * that does not name the cause. Programs compare it themselves, before they import anything.
 */
function nodeCheck({ name, engines, bin = {} }: Manifest): Plugin {
  const programs = new Set(Object.values(bin).map((path) => posix.normalize(path)));
  const oldest = engines?.node.replace(/^>=/, "") ?? "0";
  const [major = "0", minor = "0"] = oldest.split(".");
  const check = [
    "{",
    `const [major, minor] = (globalThis.process?.versions?.node ?? "${oldest}").split(".").map(Number);`,
    `if (major < ${major} || (major === ${major} && minor < ${minor})) {`,
    `throw new Error(\`${name} needs Node ${oldest} or newer; this is Node \${process.versions.node}.\`);`,
    "}",
    "}",
  ].join("\n");
  return {
    name: "node-check",
    renderChunk(code, { fileName, isEntry }) {
      if (!isEntry || programs.has(posix.join("dist", fileName))) return undefined;
      return `${check}\n${code}`;
    },
  };
}

/**
 * Escapes the characters above U+00FF. V8 keeps a module's text as long as the module, with two
 * bytes for each character as soon as one of them needs it.
 */
function narrowText(): Plugin {
  return {
    name: "narrow-text",
    renderChunk: (code) =>
      code.replaceAll(
        /[^\0-\u00ff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
  };
}

function sourcesOf(folder: string): readonly string[] {
  return globSync("src/**/*.{ts,tsx}", { cwd: folder })
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .map((path) => join(folder, path));
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

if (import.meta.main) {
  const named = process.argv.slice(2).map((path) => resolve(path));
  const folders = named.length > 0 ? named : bundledPackages().filter(isStale);
  for (const folder of folders) await bundlePackage(folder);
}
