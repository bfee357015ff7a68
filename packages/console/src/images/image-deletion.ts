import type { Caller } from "@sealhouse/request-types";
import type { DeletionAnswer, DeletionPreview, DeletionPreviewAnswer } from "./model.ts";
import type { From } from "../kit/page/shown-page.ts";
import type { ImageNamed } from "../kit/links/image-address.ts";
import type { ImagesPorts } from "./images-app.ts";
import type { ShownManifest } from "@sealhouse/oci-distribution";
import { createPackageAuthorize } from "@sealhouse/identity";
import type { ImageSources } from "./image-sources.ts";
import { attachedTo, findShown, nearNames, refusalOf } from "./image-views.ts";

const COUNTED_MAX = 100;

type ImageReference = Required<ImageNamed>;
type ReadProof = Parameters<ImagesPorts["remove"]>[2];

/**
 * Deletes in two steps. Other sites can send requests with the browser's cookies. The
 * confirmation page therefore contains a code, which other sites cannot read. The code is valid for
 * one hour, for the same sign-in and the same manifest.
 */
export function imageDeletion(
  sources: ImageSources,
): Pick<ImagesPorts, "previewDeletion" | "remove"> {
  return {
    previewDeletion: async (from, image) =>
      (await refusalOf(sources, from, "delete", image.repository)) ??
      previewAnswer(sources, from, image),
    remove: (from, image, readProof) => removalAnswer(sources, from, { image, readProof }),
  };
}

async function previewAnswer(
  sources: ImageSources,
  from: From,
  image: ImageReference,
): Promise<DeletionPreviewAnswer> {
  const shownImage = await findShown(sources, image);
  if (!shownImage) return absent(sources, from, image);
  const { name, manifest } = shownImage;
  const { browsing } = sources.oci;
  const { digest, tags, tagCount } = manifest;
  const attached = await attachedTo(sources, name, digest);
  const parents = await browsing.parents(name, digest, COUNTED_MAX);
  const caller = await callerOf(sources, from, image);
  const preview: DeletionPreview = {
    repository: name,
    digest,
    tag: image.reference === digest ? undefined : image.reference,
    tags: { total: tagCount, names: tags },
    attachedTotal: attached.total,
    parentCount: parents.length,
    proof: sources.forms.make(from, fieldsOf({ caller, image, manifest })),
  };
  return { status: "found", preview };
}

async function removalAnswer(
  sources: ImageSources,
  from: From,
  { image, readProof }: { readonly image: ImageReference; readonly readProof: ReadProof },
): Promise<DeletionAnswer> {
  const refusal = await refusalOf(sources, from, "delete", image.repository);
  const unconfirmed = refusal?.status === "denied" ? refusal.unconfirmed : undefined;
  if (refusal && !unconfirmed) return refusal;
  const shownImage = await findShown(sources, image);
  if (!shownImage) return absent(sources, from, image);
  const { name, manifest } = shownImage;
  const caller = unconfirmed ?? (await callerOf(sources, from, image));
  const proof = await readProof();
  const fields = fieldsOf({ caller, image, manifest });
  if (sources.forms.check(from, fields, proof) !== "valid") return { status: "stale" };
  // After all that refuses an unknown image, so that a hidden one does not differ.
  if (refusal) return refusal;
  const { manifests } = sources.oci;
  const { digest } = manifest;
  const outcome =
    image.reference === digest
      ? await manifests.deleteManifest(name, digest, caller)
      : await manifests.deleteTag(name, image.reference, caller);
  if (typeof outcome === "object") return outcome;
  return outcome === "absent" ? absent(sources, from, image) : { status: outcome };
}

async function absent(sources: ImageSources, from: From, { repository }: ImageReference) {
  return { status: "absent", near: await nearNames(sources, from, repository) } as const;
}

/** The caller with its token id, for the audit event. */
async function callerOf(
  { rules }: ImageSources,
  { request, env }: From,
  { repository }: ImageReference,
): Promise<Caller> {
  const packageRequest = { action: "delete", name: repository } as const;
  const verdict = await createPackageAuthorize(rules, "oci")(request, env, packageRequest);
  if (verdict.status !== "granted") throw new Error(`deletion is ${verdict.status} by now`);
  return verdict.caller;
}

type Proven = {
  readonly caller: Caller;
  readonly image: ImageReference;
  readonly manifest: Pick<ShownManifest, "digest">;
};

/** The facts that the code of a form is for. */
function fieldsOf({ caller, image, manifest }: Proven): readonly string[] {
  const { actor, tokenId = "" } = caller;
  const { repository, reference } = image;
  return ["image-deletion", actor, tokenId, repository, reference, manifest.digest];
}
