import type { Caller } from "@sealhouse/request-types";
import type { DeletionAnswer, DeletionPreview, DeletionPreviewAnswer } from "./model.ts";
import type { From } from "../kit/page/shown-page.ts";
import type { ImageNamed } from "../kit/links/image-address.ts";
import type { ImagesPorts } from "./images-app.ts";
import type { ShownManifest } from "@sealhouse/oci-distribution";
import { UNCONFIRMED } from "@sealhouse/identity";
import type { PageVerdict } from "@sealhouse/identity";
import type { ImageLookups } from "./image-lookups.ts";
import { attachedTo, findShown, nearNames, verdictOn } from "./image-views.ts";
import { refusalIn } from "../kit/refusals/refusal-page.ts";

const COUNTED_MAX = 100;

type ImageReference = Required<ImageNamed>;
type ReadProof = Parameters<ImagesPorts["remove"]>[2];

/**
 * Deletes in two steps. Other sites can send requests with the browser's cookies. The
 * confirmation page therefore contains a code, which other sites cannot read. The code is valid for
 * one hour, for the same sign-in and the same manifest.
 */
export function imageDeletion(
  lookups: ImageLookups,
): Pick<ImagesPorts, "previewDeletion" | "remove"> {
  return {
    previewDeletion: (from, image) => previewAnswer(lookups, from, image),
    remove: (from, image, readProof) => removalAnswer(lookups, from, { image, readProof }),
  };
}

async function previewAnswer(
  lookups: ImageLookups,
  from: From,
  image: ImageReference,
): Promise<DeletionPreviewAnswer> {
  const verdict = await deletionVerdict(lookups, from, image);
  if (verdict.status !== "granted") return refusalIn(verdict) ?? UNCONFIRMED;
  const { caller } = verdict;
  const shownImage = await findShown(lookups, image);
  if (!shownImage) return absent(lookups, from, image);
  const { name, manifest } = shownImage;
  const { browsing } = lookups.oci;
  const { digest, tags, tagCount } = manifest;
  const attached = await attachedTo(lookups, name, digest);
  const parents = await browsing.parents(name, digest, COUNTED_MAX);
  const preview: DeletionPreview = {
    repository: name,
    digest,
    tag: image.reference === digest ? undefined : image.reference,
    tags: { total: tagCount, names: tags },
    attachedTotal: attached.total,
    parentCount: parents.length,
    proof: lookups.forms.make(from, fieldsOf({ caller, image, manifest })),
  };
  return { status: "found", preview };
}

async function removalAnswer(
  lookups: ImageLookups,
  from: From,
  { image, readProof }: { readonly image: ImageReference; readonly readProof: ReadProof },
): Promise<DeletionAnswer> {
  const verdict = await deletionVerdict(lookups, from, image);
  if (verdict.status !== "granted" && verdict.status !== "step-up") {
    return refusalIn(verdict) ?? UNCONFIRMED;
  }
  const { caller } = verdict;
  const shownImage = await findShown(lookups, image);
  if (!shownImage) return absent(lookups, from, image);
  const { name, manifest } = shownImage;
  const proof = await readProof();
  const fields = fieldsOf({ caller, image, manifest });
  if (lookups.forms.check(from, fields, proof) !== "valid") return { status: "stale" };
  // After all that refuses an unknown image, so that a hidden one does not differ.
  if (verdict.status === "step-up") return { status: "step-up" };
  const { manifests } = lookups.oci;
  const { digest } = manifest;
  const outcome =
    image.reference === digest
      ? await manifests.deleteManifest(name, digest, caller)
      : await manifests.deleteTag(name, image.reference, caller);
  if (typeof outcome === "object") return outcome;
  return outcome === "absent" ? absent(lookups, from, image) : { status: outcome };
}

async function absent(lookups: ImageLookups, from: From, { repository }: ImageReference) {
  return { status: "absent", near: await nearNames(lookups, from, repository) } as const;
}

function deletionVerdict(
  lookups: ImageLookups,
  from: From,
  { repository }: ImageReference,
): Promise<PageVerdict> {
  return verdictOn(lookups, from, { action: "delete", name: repository });
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
