import { readFile } from "node:fs/promises";
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { run } from "./clients/client.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const MAIN = join(ROOT, "hosts/registry/dist/main.js");
/** Gives this Node the version of an older one. */
const OLD_NODE =
  "data:text/javascript,Object.defineProperty(process,'versions'," +
  "{value:{...process.versions,node:'20.20.2'}})";

type Manifest = {
  readonly name: string;
  readonly private?: boolean;
  readonly engines: { readonly node: string };
  readonly exports?: Readonly<Record<string, string | { readonly default: string }>>;
};

async function manifestOf(path: string): Promise<Manifest> {
  return JSON.parse(await readFile(path, "utf8")) as Manifest;
}

const oldest = (await manifestOf(join(ROOT, "hosts/registry/package.json"))).engines.node;
const needed = oldest.replace(">=", "");

test("the program tells an older Node which one it needs, in one sentence", async () => {
  const ran = await run(process.execPath, [`--import=${OLD_NODE}`, MAIN, "--version"], {});
  expect([ran.code, ran.output]).toEqual([
    1,
    `Sealhouse needs Node ${needed} or newer; this is Node 20.20.2.\n`,
  ]);
  // An import runs before the comparison.
  expect(await readFile(MAIN, "utf8")).not.toMatch(/^import\b(?!\()/m);
});

const manifests = globSync("packages/*/package.json", { cwd: ROOT });

test("the import of each package tells an older Node which one it needs", async () => {
  const entries: (readonly [string, string])[] = [];
  for (const path of manifests) {
    const { name, private: isPrivate, engines, exports = {} } = await manifestOf(join(ROOT, path));
    if (isPrivate) continue;
    expect([name, engines.node]).toEqual([name, oldest]);
    for (const target of Object.values(exports)) {
      const file = typeof target === "string" ? target : target.default;
      const url = pathToFileURL(join(ROOT, dirname(path), file)).href;
      if (file.endsWith(".js")) entries.push([name, url]);
    }
  }
  const code =
    `for (const [name, url] of ${JSON.stringify(entries)}) ` +
    "await import(url).then(() => console.log(name, url), ({ message }) => console.log(message))";
  const words = [`--import=${OLD_NODE}`, "--input-type=module", "--eval", code];
  const { stdout } = await run(process.execPath, words, {});
  const lines = stdout.trim().split("\n");
  expect(lines.length).toBe(entries.length);
  const sentence = `needs Node ${needed} or newer; this is Node 20.20.2.`;
  const others = lines.filter(
    (line) => !line.startsWith("@sealhouse/") || !line.endsWith(sentence),
  );
  expect(others).toEqual([]);
});

test("no package imports by name what an older Node does not have", () => {
  const files = globSync("packages/*/dist/**/*.js", { cwd: ROOT });
  expect(files.length).toBeGreaterThan(50);
  const missing = /^import \{[^}]*\b(?:zstd\w*|enableCompileCache)\b[^}]*\} from "node:/m;
  return Promise.all(
    files.map(async (file) => {
      const code = await readFile(join(ROOT, file), "utf8");
      expect([file, missing.exec(code)?.[0]]).toEqual([file, undefined]);
    }),
  );
});
