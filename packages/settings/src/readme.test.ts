import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, onTestFinished, test } from "vitest";

const home = join(import.meta.dirname, "..");
const run = promisify(execFile);
let examples: readonly string[] = [];

beforeAll(async () => {
  const readme = await readFile(join(home, "README.md"), "utf8");
  examples = [...readme.matchAll(/```ts\n(.+?)```/gs)].map(([, code = ""]) => code);
});

test.each([
  [0, "reads the settings of a program"],
  [1, "types the settings of an extension"],
])(
  "README example %i compiles, and prints what its comments say: it %s",
  async (index) => {
    const example = examples[index] ?? "";
    // Below the package, so that the example's imports resolve.
    const folder = await mkdtemp(join(home, "example-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "example.mts"), example);
    const compilerOptions = { noEmit: true, composite: false, rootDir: "../../.." };
    const config = { extends: "../../../tsconfig.base.json", compilerOptions, include: ["."] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    await run(join(home, "../../node_modules/.bin/tsc"), ["--project", "."], { cwd: folder });
    const { stdout } = await run(
      process.execPath,
      ["--conditions=@sealhouse/source", "example.mts"],
      { cwd: folder },
    );
    const comments = [...example.matchAll(/^\/\/ (.+)$/gm)].map(([, text]) => text);
    expect(comments.length).toBeGreaterThan(0);
    expect(stdout.trimEnd().split("\n")).toEqual(comments);
  },
  60_000,
);
