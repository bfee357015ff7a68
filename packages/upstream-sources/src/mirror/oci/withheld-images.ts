import type { Refusal } from "../../policy/wanted-version.ts";
import { contentKeyOf } from "../../sources/package-source.ts";
import { digestIn } from "./image-documents.ts";
import { nameAt } from "./image-locator.ts";
import type { SharedParts } from "./image-parts.ts";
import type { ShownImage } from "./image-policy.ts";

/**
 * Returns why a rule denies an image that is here, or why its tag answers with it although the
 * source has a newer one. Decides by the kept documents, without a call to a source.
 */
export function withheldImages({
  local,
  locator,
  kept,
  policy,
}: Pick<SharedParts, "local" | "locator" | "kept" | "policy">): (
  shown: ShownImage,
) => Promise<Refusal | undefined> {
  const newest = async ({ repository, tag = "" }: ShownImage) => {
    const image = await locator.wanted(repository);
    const located = image && (await locator.locate(image));
    if (!image || located?.status !== "sources" || !located.isClaimed) return undefined;
    const [source] = located.sources;
    if (!source || source.settings.minimumReleaseAgeMs <= 0) return undefined;
    const from = { source: contentKeyOf(source), name: nameAt(source, image) };
    const bytes = await kept.bytes({ protocol: "oci", kind: "tag", part: tag, ...from });
    return bytes && { image, source, digest: await digestIn({ bytes: async () => bytes }) };
  };
  return async (shown) => {
    const denial = await policy.denial(shown);
    if (denial || shown.tag === undefined) return denial;
    const found = await newest(shown);
    if (!found || found.digest === shown.digest) return undefined;
    if (await local.manifests.find(shown.repository, found.digest)) return undefined;
    const decision = await policy.judge({ ...shown, ...found, isKept: false });
    if (decision.status !== "held") return undefined;
    const { moved, ...refusal } = decision;
    return { ...refusal, text: moved };
  };
}
