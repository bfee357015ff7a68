import { cp, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openFolder, run } from "./clients/client.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PNPM = join(ROOT, "hosts/registry/test/npm-clients/node_modules/pnpm-12/bin/pnpm.mjs");
/** Without Node itself, which has 189. */
const MEGABYTES_MAX = 176;
const ONLY_FOR_TESTS = /^(?:vitest|typescript|turbo|playwright-core|verdaccio|bun|deno|oxlint)@/;

test("a start from a clone installs what the host needs, and nothing for tests", async () => {
  await using opened = await openFolder();
  const folder = opened.path;
  const tracked = await run("git", ["ls-files", "-z"], { cwd: ROOT });
  for (const file of tracked.stdout.split("\0").filter((path) => path !== "")) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(ROOT, file), join(folder, file));
  }
  const sealhouse = (...args: readonly string[]) =>
    run(process.execPath, [PNPM, "sealhouse", ...args], { cwd: folder });
  const first = await sealhouse("config", "check");
  expect(first.code, first.output).toBe(0);
  expect(first.output).toContain("The configuration for Development is valid.");
  const packages = await readdir(join(folder, "node_modules/.pnpm"));
  expect(packages.filter((name) => ONLY_FOR_TESTS.test(name))).toEqual([]);
  const size = await run("du", ["-sm", "--exclude=node@*", folder]);
  expect(Number.parseInt(size.stdout, 10)).toBeLessThan(MEGABYTES_MAX);

  const token = ["token", "create", "--name", "laptop", "--scopes", "read"];
  const second = await sealhouse(...token);
  expect(second.code, second.output).toBe(0);
  expect(second.output).not.toContain("dependencies:");
});
