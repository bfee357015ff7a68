import { mkdir, mkdtemp, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openImportProgress } from "./progress.ts";

const options = { source: "https://feed.example/", now: () => new Date(), fromStart: false };

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "import-progress-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test("progress continues for the same source only", async () => {
  const path = join(await openFolder(), "progress.json");
  const first = await openImportProgress(path, options);
  first.markDone("acme");
  await first.save();
  expect((await openImportProgress(path, options)).isDone("acme")).toBe(true);
  const other = { ...options, source: "https://other.example/" };
  expect((await openImportProgress(path, other)).isDone("acme")).toBe(false);
  await first.finish("2026-01-02");
  const next = await openImportProgress(path, options);
  expect([next.cursor, next.isDone("acme")]).toEqual(["2026-01-02", false]);
});

test("progress is saved after an earlier write failed", async () => {
  const path = join(await openFolder(), "progress.json");
  const progress = await openImportProgress(path, options);
  progress.markDone("acme");
  await mkdir(path);
  await expect(progress.save()).rejects.toThrow("progress.json");
  await rmdir(path);
  await progress.save();
  expect((await openImportProgress(path, options)).isDone("acme")).toBe(true);
});
