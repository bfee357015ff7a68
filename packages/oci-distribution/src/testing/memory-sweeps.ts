import type { ClaimedBlob, GarbageSweeps, ManifestCandidate } from "../gc/ports.ts";
import type { UseLimits } from "../gc/reachability.ts";
import { useLimits } from "../gc/reachability.ts";
import { isReferenced } from "./memory-blobs.ts";
import { isUnder } from "./memory-marks.ts";
import { requireFence } from "./memory-runs.ts";
import { hasRootAbove, isBlocked, isKept, isRoot } from "./memory-reachability.ts";
import type { BlobRow, State } from "./memory-state.ts";

export function createMemorySweeps(state: State): GarbageSweeps {
  const checks = state.flaw !== "no-recheck";
  return {
    async removeManifest(run, candidate, untaggedSince, { stuck = false } = {}) {
      requireFence(state);
      return removeManifest(state, candidate, { limits: useLimits(run, untaggedSince), stuck });
    },
    async removeLink(run, { repository: name, digest }) {
      requireFence(state);
      const repository = state.repositories.get(name);
      const linkedAt = repository?.links.get(digest);
      if (!repository || linkedAt === undefined) return "kept";
      const blob = state.blobs.get(digest);
      const clocks = { link: linkedAt, ...(blob && { blob: blob.touchedAt }) };
      const link = { digest, clocks, isNamedBy: { edges: () => isReferenced(repository, digest) } };
      if (checks && isKept(state, "link", link, useLimits(run))) return "kept";
      repository.links.delete(digest);
      return "removed";
    },
    async claimBlob(run, { digest }) {
      requireFence(state);
      const blob = state.blobs.get(digest);
      if (blob?.state !== "live") return "kept";
      const links = () =>
        state.repositories.values().some((repository) => repository.links.has(digest));
      const row = { digest, clocks: { blob: blob.touchedAt }, isNamedBy: { links } };
      if (checks && isKept(state, "blob", row, useLimits(run))) return "kept";
      blob.state = "deleting";
      return claimedOf(blob);
    },
    async claimed(limit, after) {
      return [...state.blobs.values()]
        .filter(({ state: is, id }) => is !== "live" && id > (after?.id ?? 0))
        .toSorted((a, b) => a.id - b.id)
        .slice(0, limit)
        .map(claimedOf);
    },
    async forgetBlob(run, blob) {
      requireFence(state);
      if (claimedRow(state, blob)) state.blobs.delete(blob.digest);
    },
    async forgetEmpty(_run, surface) {
      requireFence(state);
      const empty = [...state.repositories].filter(
        ([name, { isPublished, links }]) =>
          isUnder(surface, name) && !isPublished && links.size === 0,
      );
      for (const [name] of empty) state.repositories.delete(name);
      return empty.length;
    },
    async failBlob(run, blob) {
      requireFence(state);
      const row = claimedRow(state, blob);
      if (row) row.state = "delete-failed";
    },
  };
}

function removeManifest(
  state: State,
  { repository: name, digest }: ManifestCandidate,
  { limits, stuck }: { readonly limits: UseLimits; readonly stuck: boolean },
): "removed" | "kept" | "blocked" {
  const repository = state.repositories.get(name);
  const row = repository?.manifests.get(digest);
  if (!repository || !row) return "kept";
  if (state.flaw !== "no-recheck") {
    if (isRoot(state, repository, row, limits)) return "kept";
    if (isBlocked(repository, digest, "always")) return "blocked";
    if (isBlocked(repository, digest, "if-reached")) {
      if (!stuck) return "blocked";
      if (hasRootAbove(state, repository, row, limits)) return "kept";
    }
  }
  for (const [tag, target] of repository.tags) {
    if (target.digest === digest) repository.tags.delete(tag);
  }
  repository.manifests.delete(digest);
  return "removed";
}

function claimedOf({ id, digest, key }: BlobRow): ClaimedBlob {
  return { id, digest, key };
}

/** The row, while it still names the generation that was claimed. */
function claimedRow(state: State, { id, digest, key }: ClaimedBlob): BlobRow | undefined {
  const row = state.blobs.get(digest);
  return row?.id === id && row.key === key && row.state !== "live" ? row : undefined;
}
