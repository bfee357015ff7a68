import { Readable } from "node:stream";
import type {
  Digest,
  ManifestCatalog,
  Referrer,
  ReferrerPage,
  ReferrerQuery,
} from "@sealhouse/oci-distribution";
import { referrerWeight } from "@sealhouse/oci-distribution";
import type { ContentDescriptor } from "@sealhouse/oci-distribution/client";
import type { Located } from "../mirror.ts";
import { referrersIn } from "./image-documents.ts";
import type { WantedImage } from "./image-locator.ts";
import type { SharedParts } from "./image-parts.ts";
import { stalenessOf } from "./staleness.ts";

/** Lists the referrers that the source of a repository has, from its kept list. */
export function mirroredReferrers({
  local,
  locator,
  documents,
}: Pick<SharedParts, "local" | "locator" | "documents">): ManifestCatalog["referrers"] {
  /** Returns the source of the repository. Before its first pull, that is the first one that has
   * the subject: clients verify signatures by digest before they pull. */
  const sourceOf = async ({ image, located, subject }: Subject) => {
    if (located.status !== "sources") return undefined;
    if (located.isClaimed) return located.sources[0];
    const first = await documents.manifest(image, subject);
    return typeof first === "string" ? undefined : first.source;
  };
  return async (repository, subject, query) => {
    const image = await locator.wanted(repository);
    const located = image && (await locator.locate(image));
    const source = image && located && (await sourceOf({ image, located, subject }));
    if (!image || !source) return local.manifests.referrers(repository, subject, query);
    const answer = await documents.referrers(image, source, subject);
    if (answer.status === "absent") return pageOf([], query);
    const referrers = (await referrersIn(answer)).map(referrerOf);
    const stale = stalenessOf({ source, answer });
    return { ...pageOf(referrers, query), ...(stale && { stale }) };
  };
}

type Subject = {
  readonly image: WantedImage;
  readonly located: Located;
  readonly subject: Digest;
};

function referrerOf({ annotations, ...descriptor }: ContentDescriptor): Referrer {
  return { ...descriptor, ...(annotations && { annotations: JSON.stringify(annotations) }) };
}

/** Positions are those in the list of the source. */
function pageOf(
  listed: readonly Referrer[],
  { artifactType, after = 0, limit, maxBytes }: ReferrerQuery,
): ReferrerPage {
  const page: Referrer[] = [];
  let bytes = 0;
  for (let position = after; position < listed.length; position += 1) {
    const referrer = listed[position];
    if (!referrer || (artifactType ?? referrer.artifactType) !== referrer.artifactType) continue;
    bytes += referrerWeight(referrer);
    const isFull = page.length >= limit || bytes > maxBytes;
    if (isFull && page.length > 0) return { referrers: Readable.from(page), next: position };
    page.push(referrer);
  }
  return { referrers: Readable.from(page) };
}
