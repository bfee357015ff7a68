import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { checkBlobs } from "./check-blobs.ts";
import type { BlobFinding, CheckRun, CheckSummary } from "./check-blobs.ts";
import type { BlobObjects, BlobRecord, BlobRecords } from "./ports.ts";
import { createRateLimit } from "./verify-bytes.ts";

const SCRUB = { verifyBefore: new Date() };

type Row = { -readonly [Key in keyof BlobRecord]: BlobRecord[Key] };

/** Rows in memory. `events` has a line for each damage and each repair. */
function openRows() {
  const rows = new Map<number, Row>();
  const events: string[] = [];
  const seen = ({ id, key }: BlobRecord) => {
    const row = rows.get(id);
    return row?.key === key ? row : undefined;
  };
  const restore = (row: Row) => {
    if (row.damagedAt) events.push(`restored ${row.digest}`);
    delete row.damagedAt;
    row.verifiedAt = new Date();
  };
  const records: BlobRecords = {
    async blobs({ limit, after = 0 }) {
      const rest = [...rows.values()].filter(({ id }) => id > after);
      return rest.slice(0, limit).map((row) => ({ ...row }));
    },
    async unverified({ before, upTo, limit, after }) {
      const open = [...rows.values()].filter(
        ({ id, verifiedAt }) =>
          id <= upTo && id > (after?.id ?? 0) && (!verifiedAt || verifiedAt < before),
      );
      return open.slice(0, limit).map((row) => ({ ...row }));
    },
    async markVerified(blob) {
      const row = seen(blob);
      if (row) restore(row);
    },
    async markDamaged(blob, problem) {
      const row = seen(blob);
      if (!row) return undefined;
      if (!row.damagedAt) events.push(`damaged ${row.digest} ${problem}`);
      row.damagedAt ??= new Date();
      return ["app"];
    },
    async replaceKey(blob, key) {
      const row = seen(blob);
      if (!row) return false;
      row.key = key;
      restore(row);
      return true;
    },
  };
  return { rows, events, records };
}

/** Blobs with rows, and their objects in a map that tests break. */
function openStored(contents: Readonly<Record<string, "sha256" | "sha512">>) {
  const { rows, events, records } = openRows();
  const objects = new Map<string, Buffer | Error>();
  const reads: string[] = [];
  const digests: Record<string, string> = {};
  const store = { isMounted: true };
  for (const [content, algorithm] of Object.entries(contents)) {
    const bytes = Buffer.from(content);
    const digest = `${algorithm}:${createHash(algorithm).update(bytes).digest("hex")}`;
    const id = rows.size + 1;
    rows.set(id, { id, digest, key: `${content}.1`, size: bytes.length });
    objects.set(`${content}.1`, bytes);
    digests[content] = digest;
  }
  const ports: BlobObjects = {
    async sizeOf(key) {
      const object = objects.get(key);
      if (object instanceof RangeError) throw object;
      return object instanceof Error ? object.message.length : object?.length;
    },
    async *read(key) {
      reads.push(key);
      const object = objects.get(key);
      if (object === undefined || object instanceof Error) throw object ?? new Error("not found");
      for (let offset = 0; offset < object.length; offset += 2)
        yield object.subarray(offset, offset + 2);
    },
    isMounted: async () => store.isMounted,
    async *others(key) {
      const address = key.slice(0, key.lastIndexOf("."));
      const knownKeys = [...rows.values()].map((row) => row.key);
      for (const other of objects.keys()) {
        if (other.startsWith(`${address}.`) && !knownKeys.includes(other)) yield other;
      }
    },
    async bringBack(key) {
      const home = key.replace("aside", "home");
      const bytes = objects.get(key);
      if (bytes && home !== key) objects.set(home, bytes);
      return home;
    },
  };
  const check = async (run: CheckRun = {}) => {
    const running = checkBlobs({ records, objects: ports }, run);
    const findings: BlobFinding[] = [];
    for (;;) {
      const next = await running.next();
      if (next.done) return { findings, summary: next.value };
      findings.push(next.value);
    }
  };
  return { rows, events, records, objects, store, reads, digests, check };
}

const WELL: Partial<CheckSummary> = { damaged: 0, restored: 0 };

test("finds no damage in an intact storage, and reads objects only on request", async () => {
  const { check, reads } = openStored({ one: "sha256", three: "sha512" });
  const both = { count: 2, bytes: 8 };
  const none = { count: 0, bytes: 0 };
  const plain = await check();
  expect(plain).toEqual({
    findings: [],
    summary: { ...WELL, named: both, stored: both, verified: none },
  });
  expect(reads).toEqual([]);
  const scrubbed = await check(SCRUB);
  expect(scrubbed.summary).toMatchObject({ ...WELL, verified: both });
});

test("reports missing, longer, shorter and changed objects, with one event each", async () => {
  const { events, objects, digests, check } = openStored({
    gone: "sha256",
    longer: "sha256",
    shorter: "sha512",
    changed: "sha512",
    whole: "sha256",
  });
  objects.delete("gone.1");
  objects.set("longer.1", Buffer.from("longer!"));
  objects.set("shorter.1", Buffer.from("short"));
  objects.set("changed.1", Buffer.from("chanGed"));
  const { findings, summary } = await check(SCRUB);
  const problems = findings.map(({ digest, problem }) => [digest, problem]);
  expect(problems).toEqual([
    [digests["gone"], "missing"],
    [digests["longer"], "size"],
    [digests["shorter"], "size"],
    [digests["changed"], "digest"],
  ]);
  expect(findings[0]).toMatchObject({ namedBy: ["app"], repaired: false });
  expect(summary).toMatchObject({
    damaged: 4,
    named: { count: 5, bytes: 29 },
    stored: { count: 4, bytes: 24 },
    verified: { count: 1, bytes: 5 },
  });
  const again = await check(SCRUB);
  expect(again.summary.damaged).toBe(4);
  expect(events.filter((line) => line.startsWith("damaged"))).toHaveLength(4);
});

test("ends the damage when the object is back with the right bytes", async () => {
  const { objects, check } = openStored({ lost: "sha256" });
  const bytes = objects.get("lost.1") ?? Buffer.of();
  objects.delete("lost.1");
  expect((await check()).summary.damaged).toBe(1);
  objects.set("lost.1", Buffer.from("tsol"));
  expect((await check()).findings).toMatchObject([{ problem: "digest" }]);
  objects.set("lost.1", bytes);
  expect((await check()).summary).toMatchObject({ damaged: 0, restored: 1 });
  expect((await check()).summary).toMatchObject(WELL);
});

test("reports nothing about a blob that the collector deletes during the check", async () => {
  const {
    rows: all,
    records,
    objects,
    check,
  } = openStored({
    going: "sha256",
    stays: "sha256",
  });
  const listed = records.blobs.bind(records);
  Object.assign(records, {
    async blobs(page: Parameters<typeof listed>[0]) {
      const rows = await listed(page);
      objects.delete("going.1");
      all.delete(1);
      return rows;
    },
  });
  const { findings, summary } = await check(SCRUB);
  const total = { count: 1, bytes: 5 };
  expect(findings).toEqual([]);
  expect(summary).toMatchObject({ damaged: 0, named: total, stored: total, verified: total });
});

test("continues where an earlier scrub stopped", async () => {
  const { check, reads } = openStored({ a: "sha256", b: "sha256", c: "sha256" });
  const stop = new AbortController();
  const onProgress = ({ verified }: CheckSummary) => {
    if (verified.count > 0) stop.abort(new Error("stop"));
  };
  await expect(check({ ...SCRUB, onProgress, signal: stop.signal })).rejects.toThrow("stop");
  expect(reads).toHaveLength(3);
  reads.length = 0;
  await check({ ...SCRUB, verifyBefore: new Date(Date.now() - 60_000) });
  expect(reads).toEqual([]);
});

test("replaces a damaged object with another copy, also from quarantine", async () => {
  const { rows, objects, digests, check } = openStored({ one: "sha256", two: "sha256" });
  objects.set("one.1", Buffer.from("ONE"));
  objects.set("one.2", Buffer.from("0ne"));
  objects.set("one.aside", Buffer.from("one"));
  objects.delete("two.1");
  const { findings, summary } = await check({ ...SCRUB, repair: true });
  expect(findings).toMatchObject([
    { problem: "missing", digest: digests["two"], repaired: false },
    { problem: "digest", digest: digests["one"], repaired: true },
  ]);
  expect(summary).toMatchObject({ damaged: 1, restored: 1 });
  expect(rows.get(1)).toMatchObject({ key: "one.home" });
  expect(rows.get(1)?.damagedAt).toBeUndefined();
});

test("marks nothing when the storage temporarily fails", async () => {
  const { rows, objects, check } = openStored({ a: "sha256", b: "sha256" });
  objects.set("a.1", new Error("!"));
  const { findings, summary } = await check(SCRUB);
  expect(findings).toMatchObject([{ problem: "unreadable" }]);
  expect(summary).toMatchObject({ damaged: 1, verified: { count: 1 } });
  expect(rows.get(1)?.damagedAt).toBeUndefined();
});

test("continues after an unreadable object and reports it once", async () => {
  const { objects, check } = openStored({ a: "sha256", b: "sha256", c: "sha256" });
  objects.set("a.1", new RangeError("closed"));
  objects.delete("b.1");
  const { findings, summary } = await check(SCRUB);
  expect(findings).toMatchObject([{ problem: "unreadable" }, { problem: "missing" }]);
  expect(summary).toMatchObject({ damaged: 2, named: { count: 3 }, verified: { count: 1 } });
});

test("skips an unreadable copy during repair", async () => {
  const { objects, check } = openStored({ one: "sha256", two: "sha256" });
  objects.delete("one.1");
  objects.set("one.2", new Error("!"));
  objects.set("one.3", Buffer.from("one"));
  objects.delete("two.1");
  objects.set("two.2", new Error("!"));
  const { findings } = await check({ repair: true });
  expect(findings).toMatchObject([
    { problem: "missing", repaired: true },
    { problem: "missing", repaired: false },
  ]);
});

test("aborts when the storage returns no object at all", async () => {
  const contents = Array.from({ length: 30 }, (_, index) => `blob ${index}`);
  const { objects, reads, check } = openStored(
    Object.fromEntries(contents.map((content) => [content, "sha256" as const])),
  );
  for (const content of contents)
    objects.set(`${content}.1`, new Error("x".repeat(content.length)));
  await expect(check(SCRUB)).rejects.toThrow(/^x+$/);
  expect(reads).toHaveLength(20);
});

test.each([
  ["missing", undefined],
  ["longer", "another"],
  ["changed", "b"],
])("an unmounted store causes no damage: %s", async (_, content) => {
  const { objects, store, events, check } = openStored({ a: "sha256" });
  objects.clear();
  if (content !== undefined) objects.set("a.1", Buffer.from(content));
  store.isMounted = false;
  await expect(check(SCRUB)).rejects.toMatchObject({ code: "storage-unavailable" });
  expect(events).toEqual([]);
});

test("keeps the maximum rate, without credit for idle time", async () => {
  const waits: number[] = [];
  let timeMs = 0;
  const wait = async (ms: number) => {
    waits.push(ms);
    timeMs += ms;
  };
  const rateLimit = createRateLimit(1000, { now: () => timeMs, wait });
  await rateLimit(500);
  await rateLimit(100);
  timeMs += 10_000;
  await rateLimit(250);
  expect(waits).toEqual([500, 100, 250]);
  await createRateLimit(undefined, { now: () => 0, wait })(1e9);
  expect(waits).toHaveLength(3);
});
