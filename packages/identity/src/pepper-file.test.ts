import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openPepper } from "./pepper-file.ts";

const folder = await mkdtemp(join(tmpdir(), "sealhouse-pepper-"));
afterAll(() => rm(folder, { recursive: true }));

test("uses a configured pepper unchanged", async () => {
  expect(await openPepper({ type: "given", value: "x" })).toBe("x");
});

test("concurrent starts create one pepper that only its owner can read", async () => {
  const path = join(folder, "data", "token-hash-pepper");
  const opened = await Promise.all(
    Array.from({ length: 20 }, () => openPepper({ type: "generated", path })),
  );
  expect(new Set(opened).size).toBe(1);
  expect(opened[0]).toMatch(/^[\w-]{64}$/);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, "data"))).toEqual(["token-hash-pepper"]);
  expect(await openPepper({ type: "generated", path })).toBe(opened[0]);
});

test("an empty pepper file is an error, not a new pepper", async () => {
  const path = join(folder, "empty");
  await writeFile(path, "\n");
  await expect(openPepper({ type: "generated", path })).rejects.toThrow(/is empty/);
});
