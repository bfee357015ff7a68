import type { Caller } from "@sealhouse/request-types";
import { NAME_HOLD_MS } from "../lifecycle/ports.ts";
import type { NamedBlob, NewNpmVersion } from "../npm-version.ts";
import type { MemoryShelf } from "./memory-shelf.ts";

/** The reservation of an unpublished version or package that prevents a publish. */
export function reservationIn(shelf: MemoryShelf, version: NewNpmVersion, { actor }: Caller) {
  const { name, recordedAt = version.publishedAt } = version;
  if (shelf.deletedVersions.has(`${name}@${version.version}`))
    return { status: "deleted" } as const;
  const removed = shelf.removedNames.get(name);
  const until = new Date((removed?.removedAt.getTime() ?? 0) + NAME_HOLD_MS);
  if (!removed || removed.by === actor || recordedAt >= until) return undefined;
  return { status: "reserved", until } as const;
}

/** The copy of these bytes that a version has, published or staged. */
export function blobWith(
  { packages, waiting }: MemoryShelf,
  sha256: string,
): NamedBlob | undefined {
  const published = [...packages.values()].flatMap(({ versions }) => [...versions.values()]);
  const staged = [...waiting.values()].map(({ version }) => version);
  return [...published, ...staged].find(({ blob }) => blob.sha256 === sha256)?.blob;
}
