import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { expect, onTestFinished, test } from "vitest";

const home = join(import.meta.dirname, "..");

test("the README's example imports the packages of a folder", async () => {
  const readme = await readFile(join(home, "README.md"), "utf8");
  const [, example = ""] = /```ts\n(.+?)```/s.exec(readme) ?? [];
  // Below the package, so that the example's imports resolve.
  const folder = await mkdtemp(join(home, "example-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "packages/nested"), { recursive: true });
  const nupkg = buildNupkg({ id: "Acme.Widgets", version: "1.0.0" });
  await writeFile(join(folder, "packages/nested/acme.nupkg"), nupkg);
  await writeFile(join(folder, "packages/broken.nupkg"), "not a ZIP archive");
  await writeFile(join(folder, "example.mts"), example);
  const run = promisify(execFile)(
    process.execPath,
    ["--conditions=@sealhouse/source", "example.mts"],
    { cwd: folder },
  );
  expect((await run).stdout).toBe("1 imported, 1 refused, 0 failed\n");
});
