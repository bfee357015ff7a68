import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Leases } from "@sealhouse/jobs";
import type { Digest } from "../../digest.ts";
import type {
  Candidate,
  CandidateKind,
  GarbageCatalog,
  Holds,
  ManifestCandidate,
  NewRun,
  RunKey,
  Surface,
} from "../../gc/ports.ts";
import { parseManifest } from "../../manifest/manifest.ts";
import type { BlobCatalog, ManifestCatalog, NewManifest } from "../../ports.ts";
import type { RepositoryName } from "../../repository-name.ts";
import type { ImageOptions, TestManifest } from "../build-image.ts";
import { buildImage } from "../build-image.ts";
import { caller, newBlob, repository } from "./contract-case.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A catalog and its collector, over one clock that a test moves. Every positive answer moves the
 * clocks of rows: no threshold. */
export type GarbageSubject = {
  readonly blobs: BlobCatalog;
  readonly manifests: ManifestCatalog;
  readonly garbage: GarbageCatalog;
  readonly holds: Holds;
  readonly leases: Leases;
  readonly clock: { readonly now: () => Date; readonly advance: (ms: number) => void };
  /** Deletes a manifest, or the link of a blob, behind the registry's back. */
  readonly lose: (repository: RepositoryName, digest: Digest) => Promise<void>;
};

export type GarbageCase = {
  readonly name: string;
  /** Wants an empty catalog; rejects with an `AssertionError` when a promise is broken. */
  readonly run: (subject: GarbageSubject) => Promise<void>;
};

export const EVERYTHING: Surface = { name: "default", notUnder: [] };

/** Opens a live run that collects what was not used for a day. */
export async function begun(
  { garbage, clock }: GarbageSubject,
  options: Partial<NewRun> = {},
): Promise<NewRun> {
  const startedAt = clock.now();
  const unusedSince = new Date(startedAt.getTime() - DAY_MS);
  const run = { id: randomUUID(), unusedSince, startedAt };
  const whole = { ...run, surface: "default", dryRun: false, ...options };
  await garbage.runs.begin(whole);
  return whole;
}

/** Pushes the image's blobs and itself, child after child being there already. */
export async function push(
  { blobs, manifests }: Pick<GarbageSubject, "blobs" | "manifests">,
  name: string,
  pushed: TestManifest,
  ...tags: readonly string[]
): Promise<NewManifest> {
  for (const { bytes } of pushed.blobs) {
    await blobs.link(repository(name), newBlob(bytes.toString(), "1"));
  }
  const { digest, bytes, mediaType } = pushed;
  const { kind: _, ...parsed } = parseManifest(bytes, mediaType);
  const manifest = { ...parsed, repository: repository(name), digest, bytes, tags };
  assert.equal((await manifests.record(manifest, caller)).status, "recorded");
  return manifest;
}

/** A separate image: one unique layer, and a unique config. */
export function image(content: string, options: ImageOptions = {}): TestManifest {
  return buildImage({ layers: [content], config: JSON.stringify({ of: content }), ...options });
}

/** Marks of one repository; no edge is broken. */
export async function marked(
  { garbage }: GarbageSubject,
  run: RunKey,
  name = "app",
  untaggedSince = run.unusedSince,
): Promise<ReadonlySet<Digest>> {
  const before = await garbage.reports.candidates(run, { kind: "manifest", limit: 1_000 });
  const outcome = await garbage.marks.mark(run, { repository: repository(name), untaggedSince });
  assert.equal(outcome.status, "marked");
  const all = await garbage.reports.candidates(run, { kind: "manifest", limit: 1_000 });
  const added = all.slice(before.length);
  const bytes = added.reduce((sum, { size }) => sum + size, 0);
  assert.deepEqual(outcome, { status: "marked", count: added.length, bytes });
  for (const candidate of added)
    assert.equal(candidate.kind === "manifest" && candidate.repository, name);
  return new Set(added.map(({ digest }) => digest));
}

export async function manifestOf(
  { garbage }: GarbageSubject,
  run: RunKey,
  digest: Digest,
): Promise<ManifestCandidate> {
  const all = await garbage.reports.candidates(run, { kind: "manifest", limit: 1_000 });
  const candidate = all.find((entry) => entry.digest === digest);
  assert.ok(candidate?.kind === "manifest");
  return candidate;
}

export async function findCandidates(
  { garbage }: GarbageSubject,
  run: RunKey,
  kind: CandidateKind,
): Promise<readonly Candidate[]> {
  return garbage.reports.candidates(run, { kind, limit: 1_000 });
}

export function digestsOf(all: Iterable<{ readonly digest: Digest }>): ReadonlySet<Digest> {
  return new Set([...all].map(({ digest }) => digest));
}

/** Manifests, links and blobs of the default surface. */
export async function markAll(subject: GarbageSubject, run: RunKey): Promise<void> {
  const { garbage } = subject;
  for (const name of await garbage.marks.repositories(EVERYTHING, { limit: 100 })) {
    await marked(subject, run, name);
  }
  while ((await garbage.marks.markLinks(run, EVERYTHING, 2)).more);
  while ((await garbage.marks.markBlobs(run, 2)).more);
}
