import type { Digest } from "./digest.ts";
import type { ManifestCatalog, Referrer } from "./ports.ts";
import type { RepositoryName } from "./repository-name.ts";

/** Bytes of a descriptor without its artifact type and annotations, rounded up. */
export const DESCRIPTOR_BYTES = 300;
/** Bytes that one byte of text can take in JSON. */
export const ESCAPED_BYTES = 6;

const PAGE_REFERRERS = 1_000;
const PAGE_BYTES = 1024 * 1024;

/** An upper limit for the bytes of a referrer's descriptor in JSON. */
export function referrerWeight({
  artifactType = "",
  annotations = "",
}: Pick<Referrer, "artifactType" | "annotations">): number {
  const typeBytes = ESCAPED_BYTES * Buffer.byteLength(artifactType);
  return DESCRIPTOR_BYTES + typeBytes + Buffer.byteLength(annotations);
}

/** All referrers, whatever their number: one batch is in memory at a time. */
export async function* allReferrers(
  { referrers }: Pick<ManifestCatalog, "referrers">,
  repository: RepositoryName,
  subject: Digest,
  filter: { readonly artifactType?: string } = {},
): AsyncGenerator<Referrer, void, undefined> {
  let after: number | undefined;
  do {
    const query = { ...filter, limit: PAGE_REFERRERS, maxBytes: PAGE_BYTES };
    const page = await referrers(repository, subject, {
      ...query,
      ...(after !== undefined && { after }),
    });
    yield* page.referrers;
    after = page.next;
  } while (after !== undefined);
}
