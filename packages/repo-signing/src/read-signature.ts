import { readArchive } from "./archive/archive.ts";
import { readSignatureEntry, signatureEntryOf } from "./archive/signature-entry.ts";
import { attributesOf } from "./cms/signed-data.ts";
import { OID } from "./der/oid.ts";
import type { HashName } from "./hash.ts";
import { hashOf } from "./hash.ts";
import type { PackageBytes } from "./ports.ts";
import type { SignatureKind } from "./signature/nuget-attributes.ts";
import type { ParsedSigner } from "./signature/parse-signature.ts";
import {
  asSignatureError,
  countersignatureOf,
  parseSignature,
} from "./signature/parse-signature.ts";
import { parseTimestampToken } from "./timestamp/token.ts";

/** What one signer states. Nothing here is verified yet. */
export type SignerFacts = {
  /** DER; undefined when it did not come along. */
  readonly certificate: Uint8Array | undefined;
  /** SHA-256, lower-case hex. */
  readonly fingerprint: string | undefined;
  readonly subject: string | undefined;
  readonly hash: HashName | "SHA1" | undefined;
  readonly signingTime: Date | undefined;
  readonly serviceIndexUrl: string | undefined;
  readonly packageOwners: readonly string[];
  readonly timestamps: readonly { readonly time: Date; readonly authority: string }[];
};

export type PackageSignature =
  | { readonly kind: "none" }
  | {
      readonly kind: SignatureKind;
      readonly signer: SignerFacts;
      /** Of a repository, on what somebody else signed first. */
      readonly countersignature: SignerFacts | undefined;
      /** All certificates in the signature, DER. */
      readonly certificates: readonly Uint8Array[];
      /** The package hash that was signed. */
      readonly contentHash: { readonly hash: HashName; readonly value: Uint8Array };
    };

/**
 * Reads a package's signature without verifying it; `verifySignature` does that. Throws a
 * SignatureError with NuGet's code for a malformed one and an ArchiveError for a bad archive.
 */
export async function readSignature(file: PackageBytes): Promise<PackageSignature> {
  const archive = await readArchive(file);
  const entry = signatureEntryOf(archive);
  if (!entry) return { kind: "none" };
  const signature = parseSignature(await readSignatureEntry(file, entry));
  const countersigner = countersignatureOf(signature);
  return {
    kind: signature.kind,
    signer: factsOf(signature),
    countersignature: countersigner && factsOf(countersigner),
    certificates: signature.data.certificates.map((one) => one.der),
    contentHash: signature.content,
  };
}

function factsOf(parsed: ParsedSigner): SignerFacts {
  const { certificate, signer, signingTime, serviceIndexUrl, packageOwners } = parsed;
  return {
    certificate: certificate?.der,
    fingerprint: certificate?.fingerprint,
    subject: certificate?.subject,
    hash: hashOf(signer.digestOid),
    signingTime,
    serviceIndexUrl,
    packageOwners,
    timestamps: asSignatureError(() =>
      attributesOf(signer.unsignedAttributes, OID.timestampToken)
        .flatMap((attribute) => attribute.values)
        .map((value) => parseTimestampToken(value.raw))
        .map((token) => ({ time: token.time, authority: token.certificate.subject })),
    ),
  };
}
