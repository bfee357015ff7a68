import { isAttachedTag, subjectOfTag } from "../attached-tag.ts";
import type { Digest } from "../digest.ts";
import { parseManifest } from "../manifest/manifest.ts";
import type { StoredManifest } from "../ports.ts";
import { COSIGN_ARTIFACT, SIMPLE_SIGNING } from "./cosign-image.ts";
import { listIn, parseJson, textIn } from "./json.ts";
import { isObject } from "../manifest/descriptor.ts";
import { NOTATION_ARTIFACT } from "./notation-signature.ts";

const BUNDLES = "application/vnd.dev.sigstore.bundle";
const SIGNATURES: ReadonlySet<string> = new Set([
  COSIGN_ARTIFACT,
  SIMPLE_SIGNING,
  NOTATION_ARTIFACT,
]);

/**
 * Whether a manifest is sealed when it is tagged: not under a tag that belongs to another digest
 * (`sha256-<hex>`, `.sig`, `.att`, `.sbom`), and not when it is itself a signature, whatever its
 * tag. SBOMs, charts and other artifacts are sealed where people give them a tag.
 */
export function isSealable(
  manifest: Pick<StoredManifest, "bytes" | "mediaType">,
  tag: string,
): boolean {
  return !isAttachedTag(tag) && !isSignature(manifest);
}

export function isSignature({ bytes, mediaType }: Pick<StoredManifest, "bytes" | "mediaType">) {
  const { artifactType = "" } = parseManifest(bytes, mediaType);
  const layers = listIn(parseJson(bytes), "layers").filter(isObject);
  const types = [artifactType, ...layers.map((layer) => textIn(layer, "mediaType") ?? "")];
  return types.some((type) => SIGNATURES.has(type) || type.startsWith(BUNDLES));
}

/** The digest that a client's tag or manifest is about, if it is about another. */
export function attachedTo(
  manifest: Pick<StoredManifest, "bytes" | "mediaType">,
  tag: string | undefined,
): Digest | undefined {
  return subjectOfTag(tag ?? "") ?? parseManifest(manifest.bytes, manifest.mediaType).subject;
}
