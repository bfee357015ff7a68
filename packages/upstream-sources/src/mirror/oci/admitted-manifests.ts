import type { Digest, ManifestCatalog } from "@sealhouse/oci-distribution";
import { isUpstreamUnavailable } from "../calls/upstream-error.ts";
import type { SubjectAtSource } from "./attachments.ts";
import type { ImageDocuments } from "./image-documents.ts";
import { refusedImage } from "./image-policy.ts";
import type { ImageMirrorParts, SharedParts } from "./image-parts.ts";
import type { ManifestKeeper, WantedManifest } from "./manifest-keeper.ts";
import { createTagMoves } from "./tag-moves.ts";

type AdmissionParts = Pick<SharedParts, "kept" | "policy" | "now"> & {
  readonly local: { readonly manifests: Pick<ManifestCatalog, "find"> };
  readonly mirrored: {
    readonly lookup: Pick<ImageMirrorParts["mirrored"]["lookup"], "indexesWith">;
  };
  readonly documents: Pick<ImageDocuments, "manifest">;
  readonly subjectAtSource: SubjectAtSource;
};

type WantedTag = WantedManifest & { readonly tag: string };

/**
 * Fetches only manifests that the rules and the age of their source allow. Allowed are manifests
 * that are here, those that an index here lists, signatures and other attachments of an image that
 * is here, and the first manifest of a tag unless `FirstContact` is `Hold`. A tag that moves to a
 * held manifest answers with an older one. Throws `DENIED` for all others.
 */
export function admittedManifests(keeper: ManifestKeeper, parts: AdmissionParts): ManifestKeeper {
  const { local, mirrored, documents, policy } = parts;
  const { manifests } = local;
  const moves = createTagMoves({ documents: parts.kept, now: parts.now });
  const exists = async ({ image, digest }: WantedManifest) =>
    typeof (await documents.manifest(image, digest)) !== "string";
  const isListed = async ({ repository, digest }: WantedManifest) =>
    (await mirrored.lookup.indexesWith(repository, digest)).length > 0;
  const isAttached = async (wanted: WantedManifest) => {
    const subject = await parts.subjectAtSource(wanted);
    return (
      subject !== undefined && (await manifests.find(wanted.repository, subject)) !== undefined
    );
  };

  /** Returns the newest older manifest of a tag that is allowed. */
  const older = async (wanted: WantedTag, current: Digest) => {
    const { repository, tag, digest } = wanted;
    const moved = await moves.note({ ...wanted, current });
    for (const candidate of moved.filter((other) => other !== digest).toReversed()) {
      const before = { ...wanted, digest: candidate };
      const decision = await policy.judge({ ...before, isKept: false });
      if (decision.status !== "allowed" || !(await exists(before))) continue;
      const kept = await keeper.tagged(before);
      if (kept) return kept;
    }
    return manifests.find(repository, tag);
  };

  return {
    async fetch(wanted) {
      const { repository, source } = wanted;
      if (!(await policy.mayRefuse(repository, source))) return keeper.fetch(wanted);
      const isKept = source.settings.minimumReleaseAgeMs <= 0 || (await isListed(wanted));
      // Only what exists counts as seen.
      if (!isKept && !(await exists(wanted))) return undefined;
      const decision = await policy.judge({ ...wanted, isKept });
      const isAllowed =
        decision.status === "allowed" || (decision.status === "held" && (await isAttached(wanted)));
      if (!isAllowed) throw refusedImage(decision, wanted);
      return keeper.fetch(wanted);
    },
    async tagged(wanted) {
      const { repository, source, digest, tag } = wanted;
      if (!(await policy.mayRefuse(repository, source))) return keeper.tagged(wanted);
      if (await manifests.find(repository, digest)) return keeper.tagged(wanted);
      const current = await manifests.find(repository, tag);
      const isKept = !current && source.settings.firstContact === "Allow";
      const decision = await policy.judge({ ...wanted, isKept });
      if (decision.status === "allowed") return keeper.tagged(wanted);
      if (decision.status === "denied" || !current) throw refusedImage(decision, wanted);
      const served = await older(wanted, current.digest).catch((error: unknown) => {
        if (isUpstreamUnavailable(error)) return current;
        throw error;
      });
      return served && { ...served, held: decision.moved };
    },
  };
}
