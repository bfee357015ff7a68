import type { Digest } from "../digest.ts";
import { isObject } from "../manifest/descriptor.ts";
import type { StoredManifest } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";
import { isSealedForCosign, sealForCosign } from "./cosign-image.ts";
import { listIn, parseJson, textIn } from "./json.ts";
import { isSealedForNotation, sealForNotation } from "./notation-signature.ts";
import type { SealFormat, SealOptions, SealPorts, SealSubject } from "./ports.ts";
import { isSignature } from "./sealable.ts";
import { BUNDLE, hasOurBundle, sealWithBundle } from "./sigstore-bundle.ts";

export type SealedImage = {
  readonly digest: Digest;
  /** The formats that were missing; empty when all were there. */
  readonly addedFormats: readonly SealFormat[];
};

const MAKERS: Readonly<
  Record<
    SealFormat,
    (ports: SealPorts, subject: SealSubject, options: SealOptions) => Promise<"sealed" | "there">
  >
> = { cosign: sealForCosign, bundle: sealWithBundle, notation: sealForNotation };

const CHECKS: Readonly<
  Record<SealFormat, (ports: SealPorts, subject: SealSubject) => Promise<boolean>>
> = { cosign: isSealedForCosign, bundle: hasOurBundle, notation: isSealedForNotation };

/**
 * Signs a manifest in every format that a signature of the keys of the moment is missing in. Each
 * signature is a referrer, so it is found, listed, copied and collected as its subject is.
 */
export async function sealImage(
  ports: SealPorts,
  repository: RepositoryName,
  manifest: StoredManifest,
  options: SealOptions,
): Promise<SealedImage> {
  const { digest, mediaType, bytes } = manifest;
  const subject = { repository, digest, mediaType, size: bytes.length };
  const made: SealFormat[] = [];
  for (const format of await formatsOf(ports, subject, options)) {
    if ((await MAKERS[format](ports, subject, options)) === "sealed") made.push(format);
  }
  return { digest, addedFormats: made };
}

/**
 * Cosign 3 reads only bundles as soon as there is one, of any signer. So when another signer has
 * added a bundle, ours must be among them; otherwise our bundle would hide signatures of an older
 * cosign.
 */
async function formatsOf(
  { manifests }: SealPorts,
  { repository, digest }: SealSubject,
  { formats }: SealOptions,
): Promise<readonly SealFormat[]> {
  if (!formats.includes("cosign") || formats.includes("bundle")) return formats;
  const query = { artifactType: BUNDLE, limit: 1, maxBytes: 0 };
  const { referrers } = await manifests.referrers(repository, digest, query);
  for await (const _ of referrers) return [...formats, "bundle"];
  return formats;
}

/**
 * Whether the active keys have signed a manifest in one of the formats. Annotations of a signature
 * do not count.
 */
export async function isSealed(
  ports: SealPorts,
  repository: RepositoryName,
  manifest: StoredManifest,
  formats: readonly SealFormat[],
): Promise<boolean> {
  const { digest, mediaType, bytes } = manifest;
  const subject = { repository, digest, mediaType, size: bytes.length };
  for (const format of formats) if (await CHECKS[format](ports, subject)) return true;
  return false;
}

/** The manifests that an index lists, in its order, signatures left out. */
export async function platformsOf(
  { manifests }: Pick<SealPorts, "manifests">,
  repository: RepositoryName,
  index: StoredManifest,
): Promise<readonly StoredManifest[]> {
  const storedManifests: StoredManifest[] = [];
  for (const child of listIn(parseJson(index.bytes), "manifests").filter(isObject)) {
    const manifest = await manifests.find(repository, textIn(child, "digest") ?? "");
    if (manifest && !isSignature(manifest)) storedManifests.push(manifest);
  }
  return storedManifests;
}
