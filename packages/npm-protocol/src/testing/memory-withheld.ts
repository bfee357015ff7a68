import { NAME_HOLD_MS } from "../lifecycle/ports.ts";
import type { Caller, NamedBlob, NewNpmVersion } from "../ports.ts";
import type { MemoryShelf } from "./memory-shelf.ts";

/** What was unpublished, and so stands in the way of a publish. */
export function withheldIn(shelf: MemoryShelf, version: NewNpmVersion, { actor }: Caller) {
  const { name, recordedAt = version.publishedAt } = version;
  if (shelf.burnt.has(`${name}@${version.version}`)) return { status: "burnt" } as const;
  const held = shelf.removedNames.get(name);
  const until = new Date((held?.at.getTime() ?? 0) + NAME_HOLD_MS);
  if (!held || held.by === actor || recordedAt >= until) return undefined;
  return { status: "held", until } as const;
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
