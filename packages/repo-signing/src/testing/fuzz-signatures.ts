import { readArchive } from "../archive/archive.ts";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { locateSignatureEntry, readSignatureEntry } from "../archive/signature-entry.ts";
import { ArchiveError, SignatureError } from "../errors.ts";
import { readSignature } from "../sign/read-signature.ts";
import { planReplace } from "../splice/edit-signature.ts";
import { spliced } from "../splice/splice-plan.ts";
import { verifyPackage } from "../verify/verify-package.ts";
import type { DerMutation } from "./mutate-der.ts";
import { DER_MUTATIONS, derNodes, mutateDer } from "./mutate-der.ts";
import { bytesOf } from "./sign-as-author.ts";

/** A signed package, with the roots that it is valid under. */
export type SignatureSeed = {
  readonly bytes: Uint8Array;
  readonly roots: readonly Uint8Array[];
};

export type SignatureFuzzOptions = {
  readonly seeds: readonly SignatureSeed[];
  readonly durationMs: number;
  /** Default: as many as there is time for. */
  readonly casesMax?: number;
  /** The same number gives the same cases. */
  readonly seed: number;
  /** Default: ours. */
  readonly verify?: typeof verifyPackage;
};

export type SignatureFuzzReport = {
  readonly cases: number;
  /** Still valid: the changed part is not signed. */
  readonly valid: number;
  /** Limit of one case, in CPU time. */
  readonly slowestMs: number;
  readonly failures: readonly SignatureFuzzFailure[];
};

/** A violation, with the bytes that caused it. */
export type SignatureFuzzFailure = {
  /** Run again with this number, and it is the first case, if the seeds are the same: forged
   * packages have new keys in each process, so keep the bytes. */
  readonly seed: number;
  readonly what: string;
  readonly bytes: Uint8Array;
};

const CASE_MS_MAX = 2_000;
const FAILURES_MAX = 20;
const CHANGES_MAX = 4;

/**
 * Verifies and reads mutated packages. Nothing may be thrown but the typed errors of
 * `readSignature`, nothing may take long, and a package that is still valid has the content it had.
 */
export async function fuzzSignatures(options: SignatureFuzzOptions): Promise<SignatureFuzzReport> {
  const end = performance.now() + options.durationMs;
  const { casesMax = Number.POSITIVE_INFINITY, seeds } = options;
  const failures: SignatureFuzzFailure[] = [];
  const totals = { cases: 0, valid: 0, slowestMs: 0 };
  const openedSeeds = await Promise.all(seeds.map(opened));
  while (performance.now() < end && totals.cases < casesMax && failures.length < FAILURES_MAX) {
    const seed = options.seed + totals.cases;
    const random = createRandom(seed);
    const openedSeed = openedSeeds[random(openedSeeds.length)];
    if (!openedSeed) throw new RangeError("There are no packages to begin with.");
    const bytes = await mutated(openedSeed, random);
    const outcome = await tryCase(bytes, openedSeed, options.verify ?? verifyPackage);
    totals.cases += 1;
    totals.slowestMs = Math.max(totals.slowestMs, outcome.cpuMs);
    if (outcome.isValid) totals.valid += 1;
    const slow = outcome.cpuMs > CASE_MS_MAX ? `took ${outcome.cpuMs} ms` : undefined;
    const what = outcome.trouble ?? slow;
    if (what !== undefined) failures.push({ seed, what, bytes });
  }
  return { ...totals, failures };
}

type Opened = SignatureSeed & {
  readonly contentHash: string | undefined;
  readonly signature: Uint8Array | undefined;
};

async function opened(seed: SignatureSeed): Promise<Opened> {
  const file = packageBytesOf(seed.bytes);
  const { contentHash } = await verifyPackage(file, optionsFor(seed));
  try {
    const entry = locateSignatureEntry(await readArchive(file));
    return { ...seed, contentHash, signature: entry && (await readSignatureEntry(file, entry)) };
  } catch (error) {
    if (!isTyped(error)) throw error;
    return { ...seed, contentHash, signature: undefined };
  }
}

function optionsFor({ roots }: SignatureSeed) {
  return { roots, timestampRoots: roots, now: new Date() };
}

async function tryCase(
  bytes: Uint8Array,
  openedSeed: Opened,
  verify: typeof verifyPackage,
): Promise<{ isValid: boolean; cpuMs: number; trouble: string | undefined }> {
  const before = process.cpuUsage();
  let isValid = false;
  let trouble: string | undefined;
  try {
    const packageVerification = await verify(packageBytesOf(bytes), optionsFor(openedSeed));
    isValid = packageVerification.valid;
    if (isValid && packageVerification.contentHash !== openedSeed.contentHash)
      trouble = "valid, with other contents";
    if (!isValid && packageVerification.issues.length === 0 && !packageVerification.archiveProblem)
      trouble = "no reason given";
    await readSignature(packageBytesOf(bytes));
  } catch (error) {
    if (!isTyped(error)) trouble = error instanceof Error ? error.stack : String(error);
  }
  const { user, system } = process.cpuUsage(before);
  return { isValid, cpuMs: (user + system) / 1000, trouble };
}

function isTyped(error: unknown): boolean {
  return error instanceof SignatureError || error instanceof ArchiveError;
}

type Random = (end: number) => number;

/** Half of the cases change the signature and keep the archive right; the others change bytes. */
async function mutated(openedSeed: Opened, random: Random): Promise<Uint8Array> {
  const { bytes, signature } = openedSeed;
  const whole = packageBytesOf(bytes);
  if (!signature || random(2) === 0) return changedBytes(bytes, random);
  const changed = random(3) === 0 ? changedBytes(signature, random) : changedDer(signature, random);
  try {
    const plan = planReplace(await readArchive(whole), changed, new Date(0));
    return await bytesOf(spliced(whole, plan));
  } catch (error) {
    if (isTyped(error)) return changedBytes(bytes, random);
    throw error;
  }
}

function changedDer(document: Uint8Array, random: Random): Uint8Array {
  let changed = document;
  for (let left = 1 + random(CHANGES_MAX); left > 0; left--) {
    try {
      const nodes = derNodes(changed);
      const node = nodes[random(nodes.length)];
      const mutation: DerMutation = DER_MUTATIONS[random(DER_MUTATIONS.length)] ?? "drop";
      changed = (node && mutateDer(changed, node.path, mutation)) ?? changed;
    } catch {
      // The last change left nothing that can be taken apart again.
      return changed;
    }
  }
  return changed;
}

/** The end of an archive is where its structure is: half of the changes go there. */
function changedBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const copy = Buffer.from(bytes);
  for (let left = 1 + random(CHANGES_MAX); left > 0; left--) {
    const near = Math.min(copy.length, 400);
    const offset = random(2) === 0 ? random(copy.length) : copy.length - 1 - random(near);
    switch (random(4)) {
      case 0:
        copy[offset] = random(256);
        break;
      case 1:
        copy[offset] = (copy[offset] ?? 0) ^ (1 << random(8));
        break;
      case 2:
        copy.fill(
          random(2) === 0 ? 0xff : 0,
          offset,
          Math.min(copy.length, offset + 1 + random(8)),
        );
        break;
      default:
        return copy.subarray(0, offset);
    }
  }
  return copy;
}

/** Mulberry32. */
function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (end) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return end <= 0 ? 0 : ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  };
}
