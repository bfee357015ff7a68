import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase } from "@sealhouse/database/testing";
import { drainAudit } from "@sealhouse/events";
import { openKeyRing, placeWarnings } from "@sealhouse/identity";
import type { KeyRing } from "@sealhouse/identity";
import { expect, test } from "vitest";
import { createLog } from "../../log.ts";
import { keyRingJob } from "@sealhouse/feed";

const DAY_MS = 24 * 60 * 60_000;
const { signal } = new AbortController();

async function openParts() {
  await using opening = new AsyncDisposableStack();
  const path = await mkdtemp(join(tmpdir(), "key-ring-job-"));
  opening.defer(() => rm(path, { recursive: true }));
  const database = opening.use(await openTestDatabase());
  const clock = { ms: Date.now() };
  const ring = () => openKeyRing({ path, random: randomBytes, now: () => new Date(clock.ms) });
  const lines: string[] = [];
  const log = createLog({ level: "Information", format: "Json" }, (line) => lines.push(line));
  const run = (keyRing: Pick<KeyRing, "rotate" | "wrapFiles">) =>
    keyRingJob({ keyRing, database, log }).run(signal);
  const events = async () => {
    await drainAudit(database.events.outbox, database.events.audit);
    const { records } = await database.events.audit.read({ order: "newest-first", limit: 10 });
    return records.map(({ type, subject, detail }) => ({ type, subject, detail }));
  };
  const opened = opening.move();
  return { path, clock, ring, run, events, lines, opened };
}

test("two instances add one key after 90 days, with one event", async () => {
  const { path, clock, ring, run, events, lines, opened } = await openParts();
  await using _ = opened;
  const rings = [await ring(), await ring()];
  await Promise.all(rings.map(run));
  expect([await readdir(path), lines, await events()]).toEqual([["00000001.key"], [], []]);
  clock.ms += 90 * DAY_MS;
  await Promise.all(rings.map(run));
  expect((await readdir(path)).toSorted()).toEqual(["00000001.key", "00000002.key"]);
  const keyId = rings[0]?.keys().at(-1)?.id;
  expect(rings[1]?.keys().at(-1)?.id).toBe(keyId);
  const detail = { change: "rotated", keyId };
  expect(await events()).toEqual([{ type: "settings.changed", subject: "key-ring", detail }]);
  expect(lines).toEqual([expect.stringContaining("added a key to the key ring")]);
});

test("a folder that cannot be written is a warning, and other errors are errors", async () => {
  const { ring, run, events, lines, opened } = await openParts();
  await using _ = opened;
  const keyRing = await ring();
  const failing = (error: Error) => ({ ...keyRing, rotate: () => Promise.reject(error) });
  await run(failing(Object.assign(new Error("read-only"), { code: "EROFS" })));
  expect(lines).toEqual([expect.stringMatching(/"warn".*EROFS.*its keys stay in use/)]);
  await expect(run(failing(new Error("damaged")))).rejects.toThrow("damaged");
  expect(await events()).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "warns in Production about a key ring in memory",
  async () => {
    const path = await mkdtemp("/dev/shm/key-ring-");
    try {
      const keyRing = { path, applicationName: "Sealhouse", isDefault: false };
      const warningsFor = (development: boolean) =>
        placeWarnings({ development, host: { keyRing } });
      expect(await warningsFor(false)).toEqual([expect.stringMatching(/in memory \(tmpfs\)/)]);
      expect(await warningsFor(true)).toEqual([]);
    } finally {
      await rm(path, { recursive: true });
    }
  },
);
