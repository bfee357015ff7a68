import type { Digest } from "./digest.ts";
import type { ManifestCatalog, Referrer } from "./ports.ts";
import type { RepositoryName } from "./repository-name.ts";

/** Size of a descriptor in bytes without artifact type and annotations, rounded up. */
export const DESCRIPTOR_BYTES = 300;
/** Maximum bytes of JSON for one byte of text. */
export const ESCAPED_BYTES = 6;

const PAGE_REFERRERS = 1_000;
const PAGE_BYTES = 1024 * 1024;

/** Returns an upper limit for the size of a referrer's descriptor in JSON, in bytes. */
export function referrerWeight({
  artifactType = "",
  annotations = "",
}: Pick<Referrer, "artifactType" | "annotations">): number {
  const typeBytes = ESCAPED_BYTES * Buffer.byteLength(artifactType);
  return DESCRIPTOR_BYTES + typeBytes + Buffer.byteLength(annotations);
}

/** Yields all referrers of a manifest. Holds one batch in memory at a time. */
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
