import { signedAttributes } from "../cms/signed-attributes.ts";
import {
  withCountersignature,
  withoutCountersignatures,
  writeSignedData,
  writeSignerInfo,
} from "../cms/write-signed-data.ts";
import { OID } from "../der/oid.ts";
import { sameBytes } from "../hash.ts";
import type { Signer } from "../ports.ts";
import type { Certificate } from "../x509/certificate.ts";
import type { ParsedSignature } from "./parse-signature.ts";
import { isRepositoryCountersignature } from "./parse-signature.ts";
import type { SignatureContent } from "./signature-content.ts";
import { writeContent } from "./signature-content.ts";

export type SigningInput = {
  readonly signer: Signer;
  /** The first of the signer's chain, parsed. */
  readonly certificate: Certificate;
  readonly signedAt: Date;
  readonly kind: "author" | "repository";
  /** For repositories only: an absolute https address. */
  readonly serviceIndexUrl: string | undefined;
  /** Left out when empty. */
  readonly packageOwners: readonly string[];
  /** Gives the token over a signature of the certificate's key; none = signed without one. */
  readonly timestamp: Stamp | undefined;
};

export type Stamp = (
  signature: Uint8Array,
  certificate: Certificate,
) => Promise<Uint8Array | undefined>;

/** A primary signature over the hash of an unsigned package: the bytes of `.signature.p7s`. */
export async function createPrimarySignature(
  content: SignatureContent,
  input: SigningInput,
): Promise<Uint8Array> {
  const bytes = writeContent(content);
  const { hash, chain } = input.signer;
  const contentType = OID.data;
  const signerInfo = await createSignerInfo(bytes, { contentType, namedBy: "key" }, input);
  return writeSignedData({ contentType, content: bytes, hash, certificates: chain, signerInfo });
}

/**
 * A repository countersignature over the primary signature, which replaces earlier ones. The signed
 * bytes of the first signer, and its timestamps, stay unchanged.
 */
export async function createCountersignature(
  signature: ParsedSignature,
  input: SigningInput,
): Promise<Uint8Array> {
  const { signer, data } = signature;
  const namedBy = hasTwin(input.certificate, data.certificates) ? "issuer" : "key";
  const how = { contentType: undefined, namedBy } as const;
  const signerInfo = await createSignerInfo(signer.signature, how, input);
  return withCountersignature(data, signer, {
    signerInfo,
    certificates: input.signer.chain,
    isDropped: isRepositoryCountersignature,
  });
}

/** The signature without its repository countersignatures. */
export function removeCountersignatures(signature: ParsedSignature): Uint8Array {
  return withoutCountersignatures(signature.data, signature.signer, isRepositoryCountersignature);
}

/** Whether another certificate of the same key is there, which would be taken for this one: that of
 * an earlier signature of ours, from before the certificate was renewed. */
function hasTwin(certificate: Certificate, present: readonly Certificate[]): boolean {
  const { subjectKeyIdentifier: key, fingerprint } = certificate;
  return present.some(
    (other) =>
      other.fingerprint !== fingerprint &&
      other.subjectKeyIdentifier !== undefined &&
      key !== undefined &&
      sameBytes(other.subjectKeyIdentifier, key),
  );
}

async function createSignerInfo(
  content: Uint8Array,
  how: { readonly contentType: string | undefined; readonly namedBy: "key" | "issuer" },
  input: SigningInput,
): Promise<Uint8Array> {
  const { signer, certificate, signedAt, serviceIndexUrl, packageOwners } = input;
  const attributes = signedAttributes({
    content,
    certificate,
    hash: signer.hash,
    signedAt,
    contentType: how.contentType,
    commitment: input.kind,
    serviceIndexUrl,
    packageOwners,
  });
  const signature = await signer.sign(attributes);
  return writeSignerInfo({
    certificate,
    hash: signer.hash,
    scheme: signer.scheme ?? "pkcs1",
    namedBy: how.namedBy,
    signedAttributes: attributes,
    signature,
    timestampToken: await input.timestamp?.(signature, certificate),
  });
}
