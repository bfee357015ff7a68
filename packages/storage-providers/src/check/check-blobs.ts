import { setImmediate as yieldToEventLoop, setTimeout as wait } from "node:timers/promises";
import { StorageError } from "../storage-error.ts";
import type { BlobObjects, BlobProblem, BlobRecord, BlobRecords } from "./ports.ts";
import { createRateLimit, verifyBytes } from "./verify-bytes.ts";
import type { RateLimit } from "./verify-bytes.ts";

/** The rows and the objects that a check compares. */
export type CheckPorts = { readonly records: BlobRecords; readonly objects: BlobObjects };

/** Options of a check. */
export type CheckRun = {
  /**
   * Verifies every object that was last verified before this time. Undefined compares only
   * existence and sizes.
   */
  readonly verifyBefore?: Date | undefined;
  /** Searches another object with the bytes of a damaged blob, and references it instead. */
  readonly repair?: boolean;
  /** Maximum read rate; undefined for no limit. */
  readonly bytesPerSecond?: number | undefined;
  readonly onProgress?: (summary: CheckSummary) => void;
  readonly signal?: AbortSignal;
};

/** A damaged or unreadable blob. */
export type BlobFinding = {
  readonly digest: string;
  readonly key: string;
  readonly size: number;
  /**
   * `unreadable`: the storage did not return the object. This may be temporary, so the row is not
   * marked.
   */
  readonly problem: BlobProblem | "unreadable";
  /** Up to 20 names of packages or images that contain the blob. */
  readonly namedBy: readonly string[];
  readonly repaired: boolean;
  /** Error of the storage. */
  readonly error?: unknown;
};

/** Blobs and their bytes. */
export type Counted = { readonly count: number; readonly bytes: number };

/** Totals of a check. */
export type CheckSummary = {
  /** Live blobs according to their rows. */
  readonly named: Counted;
  /** Existing objects of these blobs, with their actual sizes. */
  readonly stored: Counted;
  /** Blobs that were read and have the right digest. */
  readonly verified: Counted;
  /** Damaged blobs that were not repaired. */
  readonly damaged: number;
  /** Formerly damaged blobs that are intact again. */
  readonly restored: number;
};

const PAGE_ROWS = 256;
const ASKED_AT_ONCE = 16;
/** After this many unreadable objects in a row, the storage itself has failed. */
const UNREADABLE_MAX = 20;

/**
 * Compares the rows of blobs with their objects, and yields damage. Safe while the registry serves
 * requests; never deletes anything.
 *
 * @throws StorageError of code `storage-unavailable` when the storage is not mounted or is empty
 */
export async function* checkBlobs(
  ports: CheckPorts,
  run: CheckRun,
): AsyncGenerator<BlobFinding, CheckSummary, undefined> {
  const check = newCheck(ports, run);
  const upTo = yield* compareObjects(check);
  const { verifyBefore: before } = run;
  if (before !== undefined) yield* verifyObjects(check, { before, upTo });
  return summaryOf(check);
}

type Count = { count: number; bytes: number };
type Check = CheckPorts & {
  readonly run: CheckRun;
  readonly rateLimit: RateLimit;
  readonly named: Count;
  readonly stored: Count;
  readonly verified: Count;
  damaged: number;
  restored: number;
  /** Unreadable objects in a row. */
  unreadable: number;
  /** Ids of the rows with unreadable objects. */
  readonly reportedIds: Set<number>;
};

function newCheck(ports: CheckPorts, run: CheckRun): Check {
  const { bytesPerSecond, signal } = run;
  const pause = (ms: number) => wait(ms, undefined, { ...(signal && { signal }) });
  const rateLimit = createRateLimit(bytesPerSecond, { now: Date.now, wait: pause });
  const none = (): Count => ({ count: 0, bytes: 0 });
  const counts = { named: none(), stored: none(), verified: none() };
  const zero = { damaged: 0, restored: 0, unreadable: 0 };
  return { ...ports, run, rateLimit, ...counts, ...zero, reportedIds: new Set() };
}

function summaryOf({ named, stored, verified, damaged, restored }: Check): CheckSummary {
  return structuredClone({ named, stored, verified, damaged, restored });
}

/** Yields to other work between two pages, and reports progress. */
async function turn(check: Check): Promise<void> {
  await yieldToEventLoop();
  check.run.onProgress?.(summaryOf(check));
  check.run.signal?.throwIfAborted();
}

/** Returns the id of the last row. */
async function* compareObjects(check: Check): AsyncGenerator<BlobFinding, number, undefined> {
  for (let after = 0; ;) {
    await turn(check);
    const rows = await check.records.blobs({ limit: PAGE_ROWS, after });
    for (let from = 0; from < rows.length; from += ASKED_AT_ONCE) {
      yield* compareSome(check, rows.slice(from, from + ASKED_AT_ONCE));
    }
    after = rows.at(-1)?.id ?? after;
    if (rows.length < PAGE_ROWS) return after;
  }
}

async function* compareSome(
  check: Check,
  rows: readonly BlobRecord[],
): AsyncGenerator<BlobFinding, void, undefined> {
  const sizes = await Promise.allSettled(rows.map(({ key }) => check.objects.sizeOf(key)));
  for (const [index, row] of rows.entries()) {
    const size = sizes[index];
    if (size?.status === "fulfilled") {
      check.unreadable = 0;
      yield* compare(check, row, size.value);
    } else {
      add(check.named, row.size);
      yield unreadable(check, row, size?.reason);
    }
  }
}

async function* compare(
  check: Check,
  row: BlobRecord,
  size: number | undefined,
): AsyncGenerator<BlobFinding, void, undefined> {
  const problem = size === undefined ? "missing" : size === row.size ? undefined : "size";
  // A row that was deleted since it was read does not count.
  if (problem && !(yield* tell(check, row, problem))) return;
  add(check.named, row.size);
  if (size !== undefined) add(check.stored, size);
  // Damage ends only when the digest matches, not when the size does.
  if (!problem && row.damagedAt) yield* verify(check, row);
}

async function* verifyObjects(
  check: Check,
  range: { readonly before: Date; readonly upTo: number },
): AsyncGenerator<BlobFinding, void, undefined> {
  for (let after: BlobRecord | undefined; ;) {
    await turn(check);
    const page = { ...range, limit: PAGE_ROWS, ...(after && { after }) };
    const rows = await check.records.unverified(page);
    after = rows.at(-1);
    if (!after) return;
    // Comparison has verified damaged blobs and reported unreadable ones already.
    const open = rows.filter(({ id, damagedAt }) => !damagedAt && !check.reportedIds.has(id));
    for (const row of open) yield* verify(check, row);
  }
}

async function* verify(
  check: Check,
  row: BlobRecord,
): AsyncGenerator<BlobFinding, void, undefined> {
  const { objects, records, run } = check;
  let problem: BlobProblem | undefined;
  try {
    problem = await verifyBytes(objects, row, { rateLimit: check.rateLimit, signal: run.signal });
    check.unreadable = 0;
  } catch (error) {
    run.signal?.throwIfAborted();
    if (!(await isGone(objects, row))) {
      yield unreadable(check, row, error);
      return;
    }
    problem = "missing";
  }
  if (problem) {
    yield* tell(check, row, problem);
    return;
  }
  add(check.verified, row.size);
  if (row.damagedAt) check.restored += 1;
  await records.markVerified(row);
}

async function isGone(objects: BlobObjects, { key }: BlobRecord): Promise<boolean> {
  try {
    return (await objects.sizeOf(key)) === undefined;
  } catch {
    return false; // the storage does not even say
  }
}

/** Rejects when the storage returns no object at all. */
function unreadable(
  check: Check,
  { id, digest, key, size }: BlobRecord,
  error: unknown,
): BlobFinding {
  check.reportedIds.add(id);
  check.unreadable += 1;
  if (check.unreadable === UNREADABLE_MAX) throw error;
  check.damaged += 1;
  return { digest, key, size, problem: "unreadable", namedBy: [], repaired: false, error };
}

/** Marks the damage; false when the row was deleted or replaced since it was read. */
async function* tell(
  check: Check,
  row: BlobRecord,
  problem: BlobProblem,
): AsyncGenerator<BlobFinding, boolean, undefined> {
  const { digest, key, size } = row;
  if (!(await check.objects.isMounted())) throw notMounted();
  const namedBy = await check.records.markDamaged(row, problem);
  if (!namedBy) return false;
  const repaired = check.run.repair === true && (await repair(check, row));
  if (repaired) check.restored += 1;
  else check.damaged += 1;
  yield { digest, key, size, problem, namedBy, repaired };
  return true;
}

/** Tries each copy until one is intact and can be restored. */
async function repair(check: Check, row: BlobRecord): Promise<boolean> {
  const { objects, records } = check;
  for await (const other of objects.others(row.key)) {
    if (other === row.key) continue;
    const key = await broughtBack(check, { ...row, key: other });
    if (key !== undefined) return records.replaceKey(row, key);
  }
  return false;
}

/** Undefined when the copy is damaged or unreadable. */
async function broughtBack(
  { objects, run: { signal }, rateLimit }: Check,
  copy: BlobRecord,
): Promise<string | undefined> {
  try {
    const problem = await verifyBytes(objects, copy, { rateLimit, signal });
    return problem ? undefined : await objects.bringBack(copy.key);
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

function notMounted(): StorageError {
  const why = "the storage has lost its marker; it may not be mounted";
  return new StorageError("storage-unavailable", `cannot check the storage: ${why}`);
}

function add(tally: Count, bytes: number): void {
  tally.count += 1;
  tally.bytes += bytes;
}
