import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const home = join(import.meta.dirname, "..");

test("the README's example lists the entries of an archive", async () => {
  const readme = await readFile(join(home, "README.md"), "utf8");
  const [, example = ""] = /```ts\n(.+?)```/s.exec(readme) ?? [];
  // Below the package, so that the example's imports resolve.
  const folder = await mkdtemp(join(home, "example-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "example.mts"), example);
  const run = await promisify(execFile)(
    process.execPath,
    ["--conditions=@sealhouse/source", "example.mts"],
    { cwd: folder },
  );
  expect(run.stdout).toBe("a.txt at 0 to 40\n");
});
