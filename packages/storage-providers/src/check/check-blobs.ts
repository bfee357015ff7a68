import { setImmediate as breathe, setTimeout as wait } from "node:timers/promises";
import { StorageError } from "../storage-error.ts";
import type { BlobObjects, BlobProblem, BlobRecord, BlobRecords } from "./ports.ts";
import { createBrake, verifyBytes } from "./verify-bytes.ts";
import type { Brake } from "./verify-bytes.ts";

export type CheckPorts = { readonly records: BlobRecords; readonly objects: BlobObjects };

export type CheckRun = {
  /** Reads every object that was not verified since then. Undefined: compares existence and sizes
   * only. */
  readonly verifyBefore?: Date | undefined;
  /** Looks for another object with the bytes of a damaged blob, and names that one. */
  readonly repair?: boolean;
  /** Limit of what is read. Undefined: no limit. */
  readonly bytesPerSecond?: number | undefined;
  readonly onProgress?: (summary: CheckSummary) => void;
  readonly signal?: AbortSignal;
};

export type BlobFinding = {
  readonly digest: string;
  readonly key: string;
  readonly size: number;
  /** `unreadable`: the storage did not give the object; that may pass, so nothing is marked. */
  readonly problem: BlobProblem | "unreadable";
  /** What contains the blob, at most 20 names. */
  readonly namedBy: readonly string[];
  readonly repaired: boolean;
  /** What the storage answered. */
  readonly error?: unknown;
};

/** Blobs and their bytes. */
export type Counted = { readonly count: number; readonly bytes: number };

export type CheckSummary = {
  /** Live blobs, as their rows say. */
  readonly named: Counted;
  /** Their objects, as they are. */
  readonly stored: Counted;
  /** What was read, and is sound. */
  readonly verified: Counted;
  /** Blobs that are not what they should be, and were not repaired. */
  readonly damaged: number;
  /** Blobs that were damaged and are sound again. */
  readonly restored: number;
};

const PAGE_ROWS = 256;
const ASKED_AT_ONCE = 16;
/** So many in a row are not the objects' fault. */
const UNREADABLE_MAX = 20;

/**
 * Compares the rows of blobs with their objects, and yields what is wrong. Safe while the registry
 * serves requests; never deletes anything.
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
  readonly brake: Brake;
  readonly named: Count;
  readonly stored: Count;
  readonly verified: Count;
  damaged: number;
  restored: number;
  /** Unreadable objects in a row. */
  unreadable: number;
  /** Rows of all unreadable objects. */
  readonly told: Set<number>;
};

function newCheck(ports: CheckPorts, run: CheckRun): Check {
  const { bytesPerSecond, signal } = run;
  const pause = (ms: number) => wait(ms, undefined, { ...(signal && { signal }) });
  const brake = createBrake(bytesPerSecond, { now: Date.now, wait: pause });
  const none = (): Count => ({ count: 0, bytes: 0 });
  const counts = { named: none(), stored: none(), verified: none() };
  const zero = { damaged: 0, restored: 0, unreadable: 0 };
  return { ...ports, run, brake, ...counts, ...zero, told: new Set() };
}

function summaryOf({ named, stored, verified, damaged, restored }: Check): CheckSummary {
  return structuredClone({ named, stored, verified, damaged, restored });
}

/** Between two pages: lets other work run, and reports progress. */
async function turn(check: Check): Promise<void> {
  await breathe();
  check.run.onProgress?.(summaryOf(check));
  check.run.signal?.throwIfAborted();
}

/** Gives the id of the last row. */
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
  // A row that went since it was read, its object with it, does not count.
  if (problem && !(yield* tell(check, row, problem))) return;
  add(check.named, row.size);
  if (size !== undefined) add(check.stored, size);
  // What was damaged is whole only when its bytes say so.
  if (!problem && row.damagedAt) yield* verify(check, row);
}

async function* verifyObjects(
  check: Check,
  asked: { readonly before: Date; readonly upTo: number },
): AsyncGenerator<BlobFinding, void, undefined> {
  for (let after: BlobRecord | undefined; ;) {
    await turn(check);
    const page = { ...asked, limit: PAGE_ROWS, ...(after && { after }) };
    const rows = await check.records.unverified(page);
    after = rows.at(-1);
    if (!after) return;
    // Damaged ones have been looked at with the others, and what could not be has been told.
    const open = rows.filter(({ id, damagedAt }) => !damagedAt && !check.told.has(id));
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
    problem = await verifyBytes(objects, row, { brake: check.brake, signal: run.signal });
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

/** Rejects when the storage gives nothing at all any more. */
function unreadable(
  check: Check,
  { id, digest, key, size }: BlobRecord,
  error: unknown,
): BlobFinding {
  check.told.add(id);
  check.unreadable += 1;
  if (check.unreadable === UNREADABLE_MAX) throw error;
  check.damaged += 1;
  return { digest, key, size, problem: "unreadable", namedBy: [], repaired: false, error };
}

/** False: the row went, or got another object, since it was read. */
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

/** Copies that cannot be read or moved are no help, but neither are they in the way of others. */
async function repair(check: Check, row: BlobRecord): Promise<boolean> {
  const { objects, records } = check;
  for await (const other of objects.others(row.key)) {
    if (other === row.key) continue;
    const key = await broughtBack(check, { ...row, key: other });
    if (key !== undefined) return records.replaceKey(row, key);
  }
  return false;
}

/** Undefined when the copy is not whole, or the storage does not give it. */
async function broughtBack(
  { objects, run: { signal }, brake }: Check,
  copy: BlobRecord,
): Promise<string | undefined> {
  try {
    const problem = await verifyBytes(objects, copy, { brake, signal });
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
