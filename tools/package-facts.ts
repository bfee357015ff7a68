// What every published package must have, and no tool checks: metadata, an install line, declared
// imports, no source maps, a docstring for each export of its root. Needs `dist`.
import { existsSync, globSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";

type Manifest = {
  readonly name: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly homepage?: string;
  readonly bugs?: unknown;
  readonly license?: string;
  readonly repository?: { readonly directory?: string };
  readonly files?: readonly string[];
  readonly dependencies?: object;
  readonly peerDependencies?: object;
  readonly imports?: object;
  readonly engines?: { readonly node?: string };
};

/** Faults of the package in this folder. */
export function packageFaults(folder: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const published = publishedFiles(folder, manifest);
  return [
    ...metadataFaults(folder, manifest),
    ...installFaults(folder, manifest),
    ...importFaults(published, manifest),
    ...mapFaults(published),
    ...documentationFaults(folder),
  ];
}

function documentationFaults(folder: string): readonly string[] {
  const names = undocumentedExports(join(folder, "dist/index.d.ts"));
  return names.length > 0 ? [`exports without a docstring: ${names.join(", ")}`] : [];
}

function metadataFaults(folder: string, manifest: Manifest): readonly string[] {
  const { description, keywords = [], homepage, bugs, license, repository, engines } = manifest;
  const has = { description, homepage, bugs, license, "engines.node": engines?.node };
  return [
    ...Object.entries(has).flatMap(([field, value]) => (value ? [] : [`${field} is missing`])),
    ...(keywords.length < 2 ? ["keywords are missing"] : []),
    ...(repository?.directory === folder ? [] : [`repository.directory is not ${folder}`]),
  ];
}

function installFaults(folder: string, { name }: Manifest): readonly string[] {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const line = new RegExp(`^(?:.* )?(?:npm install|npx) (?:.* )?${name}(?: .*)?$`, "m");
  return [
    ...(line.test(readme) ? [] : [`README.md has no line "npm install ${name}"`]),
    ...(/^```(?:ts|js|tsx)$/m.test(readme) ? [] : ["README.md has no example"]),
  ];
}

const IMPORTED =
  /^(?:(?:import|export)\b[^"';]*?\bfrom |import )["']([^."'][^"']*)["']|\bimport\(["']([^."'][^"']*)["']\)/gm;

function importFaults(files: readonly string[], manifest: Manifest): readonly string[] {
  const declared = new Set([
    manifest.name,
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
    ...Object.keys(manifest.imports ?? {}),
  ]);
  const missing = new Map<string, string>();
  for (const file of files.filter((path) => /\.(?:d\.ts|js)$/.test(path))) {
    for (const [, first, second] of readFileSync(file, "utf8").matchAll(IMPORTED)) {
      const from = first ?? second ?? "";
      const name = from.split("/", from.startsWith("@") ? 2 : 1).join("/");
      const isKnown =
        from.startsWith("node:") || builtinModules.includes(name) || declared.has(name);
      if (!isKnown) missing.set(name, file);
    }
  }
  return [...missing].map(([name, file]) => `${file} imports ${name}, which is not declared`);
}

function mapFaults(files: readonly string[]): readonly string[] {
  return files
    .filter((file) => file.endsWith(".map") || /^\/\/# sourceMappingURL=/m.test(textOf(file)))
    .map((file) => `${file}: is a source map, or names one, and sources are not published`);
}

function textOf(file: string): string {
  return readFileSync(file, "utf8");
}

/** The files below `dist` that `files` publishes. */
function publishedFiles(folder: string, { files = [] }: Manifest): readonly string[] {
  const left = files
    .filter((pattern) => pattern.startsWith("!"))
    .map((pattern) => join(folder, pattern.slice(1)));
  const leftOut = new Set(left.flatMap((pattern) => globSync([pattern, `${pattern}/**`])));
  const all = globSync(join(folder, "dist/**/*.{js,ts,map}"));
  return all.filter((file) => !leftOut.has(file)).toSorted();
}

/** The names that a declaration file exports without a docstring. */
export function undocumentedExports(index: string): readonly string[] {
  const text = readFileSync(index, "utf8");
  const names: string[] = [];
  for (const [, list = "", from] of text.matchAll(
    /^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?;/gm,
  )) {
    for (const entry of list.split(",")) {
      const [name = "", alias = name] = entry
        .trim()
        .replace(/^type /, "")
        .split(" as ");
      if (name === "" || from?.startsWith(".") === false) continue;
      const file = from === undefined ? index : declarationOf(index, from);
      if (!isDocumented(file, name)) names.push(alias);
    }
  }
  for (const [, name = ""] of text.matchAll(DECLARED)) {
    if (!isDocumented(index, name)) names.push(name);
  }
  return [...new Set(names)];
}

const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:function|const|let|class|interface|type|enum) (\w+)/gm;

function declarationOf(importer: string, from: string): string {
  const file = join(dirname(importer), from.replace(/\.(?:js|ts|tsx)$/, ".d.ts"));
  if (!existsSync(file)) throw new Error(`${importer} exports from ${from}, which is not built`);
  return file;
}

/** Whether there is a docstring before the declaration; the first overload counts. */
function isDocumented(file: string, name: string): boolean {
  const text = readFileSync(file, "utf8");
  const declared = new RegExp(
    `(\\*/\\s*)?^(?:export )?(?:declare )?(?:abstract )?` +
      `(?:function|const|let|class|interface|type|enum) ${name.replaceAll("$", "\\$")}\\b`,
    "m",
  ).exec(text);
  if (declared) return declared[1] !== undefined;
  const exported = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from "(\.[^"]+)";/gm)];
  for (const [, list = "", from = ""] of exported) {
    for (const entry of list.split(",")) {
      const [local = "", alias = local] = entry
        .trim()
        .replace(/^type /, "")
        .split(" as ");
      if (alias === name) return isDocumented(declarationOf(file, from), local);
    }
  }
  // What another package declares is documented there.
  return true;
}
