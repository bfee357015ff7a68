import type { Counted } from "../check/check-blobs.ts";
import { isCopied } from "./copied-keys.ts";
import type { CopyJournal } from "./copy-journal.ts";
import { requireSameRegistry } from "./same-registry.ts";
import type { OwnedPair } from "./same-registry.ts";

/** Totals of a copy before it runs. */
export type CopyPlan = {
  /** Objects that the target lacks, or has with another size. */
  readonly missing: Counted;
  /** Objects of the same size, which a copy would read to compare their digests. */
  readonly unverified: Counted;
  /** Objects of the journal, which are unchanged since. */
  readonly known: Counted;
};

/**
 * Compares the sizes of all objects that a copy would contain. Writes nothing.
 *
 * @throws StoreCopyError `storage-copy-foreign-source`, `storage-copy-foreign-target`
 */
export async function planCopy({
  from,
  to,
  registryId,
  journal,
  signal,
}: OwnedPair & {
  readonly journal: Pick<CopyJournal, "has">;
  readonly signal?: AbortSignal | undefined;
}): Promise<CopyPlan> {
  await requireSameRegistry({ from, to, registryId });
  const none = () => ({ count: 0, bytes: 0 });
  const plan = { missing: none(), unverified: none(), known: none() };
  for await (const source of from.list("")) {
    signal?.throwIfAborted();
    if (!isCopied(source.key)) continue;
    const target = await to.stat(source.key);
    const isSameSize = target?.size === source.size;
    const state = !isSameSize
      ? "missing"
      : journal.has({ source, target })
        ? "known"
        : "unverified";
    plan[state].count += 1;
    plan[state].bytes += source.size;
  }
  return plan;
}
