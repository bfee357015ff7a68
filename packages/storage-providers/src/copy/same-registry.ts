import { readMark } from "../store-marker.ts";
import type { StorePair } from "./same-store.ts";
import { StoreCopyError } from "./store-copy-error.ts";

/** Stores of a copy, and the registry whose database knows the digests of the source. */
export type OwnedPair = StorePair & {
  /** Default: that of the source's marker. */
  readonly registryId?: string | undefined;
};

/**
 * Refuses stores of another registry. Markers of older releases have no id and are accepted.
 *
 * @throws StoreCopyError `storage-copy-foreign-source`, `storage-copy-foreign-target`
 */
export async function requireSameRegistry({ from, to, registryId }: OwnedPair): Promise<void> {
  const sourceId = (await readMark(from))?.registryId;
  const ownId = registryId ?? sourceId;
  if (sourceId !== undefined && sourceId !== ownId) {
    throw new StoreCopyError(
      "storage-copy-foreign-source",
      `The source belongs to another registry (${sourceId}) than the configured database ` +
        `(${ownId}), which must know its digests. Use the database of the source. If that was ` +
        'replaced on purpose, run "sealhouse storage adopt" with the settings of the source.',
    );
  }
  const targetId = (await readMark(to))?.registryId;
  if (targetId === undefined || ownId === undefined || targetId === ownId) return;
  throw new StoreCopyError(
    "storage-copy-foreign-target",
    `The target belongs to another registry (${targetId}) than the source (${ownId}). ` +
      "Use another folder, bucket or prefix.",
  );
}
