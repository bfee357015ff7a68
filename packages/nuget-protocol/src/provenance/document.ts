import { certificateUrl, contentUrl } from "../addresses.ts";
import type { FileDigests } from "../stored-package.ts";
import type { Provenance, SignedFile } from "./ports.ts";

/**
 * Digests to verify a statement about one of the files, in hex, as statements have them. An unknown
 * digest is null, with `pending` next to it.
 */
export function provenanceDocument(
  base: string,
  provenance: Provenance,
  { signingEnabled }: { readonly signingEnabled: boolean },
): object {
  const { id, version, received, contentHash, signed } = provenance;
  const [lowerId, lowerVersion] = [id.toLowerCase(), version.toLowerCase()];
  const isSigned = signingEnabled && signed.some(({ replacedAt }) => replacedAt === undefined);
  return {
    id,
    version,
    packageContent: contentUrl(base, lowerId, lowerVersion),
    contentHash: contentHash ?? null,
    contentHashAlgorithm: "SHA512",
    contentHashStatus: contentHash === undefined ? "pending" : "known",
    served: isSigned ? "signed" : "received",
    received: { size: received.size, digest: digestOf(received) },
    signed: signed.map((file) => signedFile(base, file)),
  };
}

function signedFile(base: string, file: SignedFile): object {
  const { fingerprint, size, signedAt, replacedAt, digests } = file;
  return {
    size,
    digest: digests ? digestOf(digests) : null,
    digestStatus: digests ? "known" : "pending",
    certificate: { fingerprint, contentUrl: certificateUrl(base, fingerprint) },
    signedAt: signedAt.toISOString(),
    replacedAt: replacedAt?.toISOString() ?? null,
  };
}

function digestOf({ sha256, sha512 }: FileDigests): object {
  return { sha256, sha512: Buffer.from(sha512, "base64").toString("hex") };
}
