import type {
  Candidate,
  GarbageMarks,
  ManifestCandidate,
  RepositoryToMark,
  Surface,
  WalkStep,
} from "../gc/ports.ts";
import { useLimits } from "../gc/reachability.ts";
import type { RepositoryName } from "../repository-name.ts";
import { nameOf, runOf, totalsOf } from "./memory-runs.ts";
import { holeIn, isKept, isRoot, lacksSubject, reachedFrom } from "./memory-reachability.ts";
import type { RunRow, State } from "./memory-state.ts";

export function createMemoryMarks(state: State): GarbageMarks {
  return {
    async repositories(surface, { limit, after = "" }) {
      const names = [...state.repositories.keys()].filter((name) => isUnder(surface, name));
      return names
        .filter((name) => name > after)
        .toSorted()
        .slice(0, limit);
    },
    async mark(run, target) {
      return mark(state, runOf(state, run), target);
    },
    async markLinks(run, surface, limit) {
      return markLinks(state, runOf(state, run), { surface, limit });
    },
    async markBlobs(run, limit) {
      return markBlobs(state, runOf(state, run), limit);
    },
  };
}

export function isUnder(surface: Surface, name: RepositoryName): boolean {
  if ("segment" in surface) return name.startsWith(`${surface.segment}/`);
  return !surface.notUnder.some((segment) => name.startsWith(`${segment}/`));
}

function mark(
  state: State,
  row: RunRow,
  { repository: name, untaggedSince }: RepositoryToMark,
): Awaited<ReturnType<GarbageMarks["mark"]>> {
  const repository = state.repositories.get(name);
  if (!repository) return { status: "marked", count: 0, bytes: 0 };
  const limits = useLimits(row.run, untaggedSince);
  const rows = [...repository.manifests.values()];
  const roots = rows.filter((entry) => isRoot(state, repository, entry, limits));
  const reached = reachedFrom(
    repository,
    roots.map(({ manifest }) => manifest.digest),
  );
  for (const manifestRow of rows) {
    const { digest } = manifestRow.manifest;
    const missing = reached.has(digest) ? holeIn(state, repository, manifestRow) : undefined;
    if (missing !== undefined) return { status: "broken", manifest: digest, missing };
  }
  const unreached = rows.filter(({ manifest }) => !reached.has(manifest.digest));
  // Clients push children before parents: the newest first means that few removals are blocked.
  const added = unreached
    .toSorted((a, b) => b.id - a.id)
    .map((unreachedRow): ManifestCandidate => ({
      kind: "manifest",
      repository: name,
      position: state.newId(),
      digest: unreachedRow.manifest.digest,
      size: unreachedRow.manifest.bytes.length,
      reason: lacksSubject(repository, unreachedRow.manifest.digest) ? "subject-gone" : "untagged",
      lastUsedAt: new Date(unreachedRow.touchedAt),
    }));
  row.manifests.push(...added);
  return { status: "marked", ...totalsOf(added) };
}

function markLinks(
  state: State,
  row: RunRow,
  { surface, limit }: { readonly surface: Surface; readonly limit: number },
): WalkStep {
  const knownLinks = new Set(row.links.map(nameOf));
  const candidates = new Set(row.manifests.map(nameOf));
  const added: Candidate[] = [];
  for (const [name, repository] of state.repositories) {
    if (!isUnder(surface, name)) continue;
    const staying = [...repository.manifests.values()].filter(({ manifest: { digest } }) => {
      return !candidates.has(`manifest ${name}@${digest}`);
    });
    const needed = new Set(staying.flatMap(({ edges }) => edges.map(({ digest }) => digest)));
    for (const [digest, linkedAt] of repository.links) {
      if (added.length === limit) break;
      if (knownLinks.has(`link ${name}@${digest}`)) continue;
      const blob = state.blobs.get(digest);
      const clocks = { link: linkedAt, ...(blob && { blob: blob.touchedAt }) };
      const link = { digest, clocks, isNamedBy: { edges: () => needed.has(digest) } };
      if (isKept(state, "link", link, useLimits(row.run))) continue;
      added.push({
        kind: "link",
        repository: name,
        digest,
        position: state.newId(),
        size: blob?.size ?? 0,
        reason: "unneeded",
        lastUsedAt: new Date(Math.max(linkedAt, blob?.touchedAt ?? 0)),
      });
    }
  }
  row.links.push(...added.filter((candidate) => candidate.kind === "link"));
  return { ...totalsOf(added), more: added.length === limit };
}

function markBlobs(state: State, row: RunRow, limit: number): WalkStep {
  const knownDigests = new Set(row.blobs.map(({ digest }) => digest));
  const candidates = new Set(row.links.map(nameOf));
  const unlinked = [...state.blobs.values()].filter((blob) => {
    const { digest, touchedAt } = blob;
    if (blob.state !== "live" || knownDigests.has(digest)) return false;
    const links = () =>
      [...state.repositories].some(
        ([name, repository]) =>
          repository.links.has(digest) && !candidates.has(`link ${name}@${digest}`),
      );
    const blobRow = { digest, clocks: { blob: touchedAt }, isNamedBy: { links } };
    return !isKept(state, "blob", blobRow, useLimits(row.run));
  });
  const added = unlinked.slice(0, limit).map(({ digest, size, touchedAt }) => ({
    kind: "blob" as const,
    position: state.newId(),
    digest,
    size,
    reason: "unlinked" as const,
    lastUsedAt: new Date(touchedAt),
  }));
  row.blobs.push(...added);
  return { ...totalsOf(added), more: added.length === limit };
}
