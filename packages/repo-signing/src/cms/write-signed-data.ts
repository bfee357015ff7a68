import { OID } from "../der/oid.ts";
import { TAG } from "../der/reader.ts";
import {
  algorithm,
  context,
  contextPrimitive,
  derNull,
  integer,
  octetString,
  oid,
  retag,
  sequence,
  sortedSet,
} from "../der/writer.ts";
import type { HashName } from "../hash.ts";
import { HASH_OID } from "../hash.ts";
import type { SignatureScheme } from "../ports.ts";
import type { Certificate } from "../x509/certificate.ts";
import { pssAlgorithm } from "../x509/signature-algorithm.ts";
import { attribute } from "./signed-attributes.ts";
import type { SignedData, SignerInfo } from "./signed-data.ts";

export type SignerInput = {
  readonly certificate: Certificate;
  readonly hash: HashName;
  readonly scheme: SignatureScheme;
  /** As `signedAttributes` returned them. */
  readonly signedAttributes: Uint8Array;
  readonly signature: Uint8Array;
  /**
   * NuGet identifies the key where it can; timestamps identify the issuer, as RFC 3161 readers
   * expect.
   */
  readonly namedBy: "key" | "issuer";
  /** A timestamp token over `signature`. */
  readonly timestampToken: Uint8Array | undefined;
};

/**
 * SignerInfo ::= SEQUENCE { version, sid, digestAlgorithm, [0] signedAttrs, signatureAlgorithm,
 *   signature, [1] unsignedAttrs }; version 3 with a key identifier, else 1 (RFC 5652 5.3).
 */
export function writeSignerInfo(input: SignerInput): Uint8Array {
  const { certificate, timestampToken } = input;
  const keyIdentifier = input.namedBy === "key" ? certificate.subjectKeyIdentifier : undefined;
  return sequence(
    integer(keyIdentifier ? 3 : 1),
    keyIdentifier
      ? contextPrimitive(0, keyIdentifier)
      : sequence(certificate.issuerDer, certificate.serialDer),
    algorithm(HASH_OID[input.hash]),
    retag(input.signedAttributes, 0xa0),
    signatureAlgorithm(input),
    octetString(input.signature),
    ...(timestampToken ? [sortedSet(0xa1, [attribute(OID.timestampToken, timestampToken)])] : []),
  );
}

/** `rsaEncryption`, as NuGet writes it, or RSASSA-PSS. */
function signatureAlgorithm({ scheme, hash }: SignerInput): Uint8Array {
  return scheme === "pkcs1" ? algorithm(OID.rsaEncryption, derNull) : pssAlgorithm(hash);
}

/** SignedData around one signer, with the content inside. */
export function writeSignedData(input: {
  readonly contentType: string;
  readonly content: Uint8Array;
  readonly hash: HashName;
  readonly certificates: readonly Uint8Array[];
  readonly signerInfo: Uint8Array;
}): Uint8Array {
  const { contentType, content, hash } = input;
  const version = contentType === OID.data ? 1 : 3;
  return contentInfo(
    [
      integer(version),
      sortedSet(TAG.set, [algorithm(HASH_OID[hash])]),
      sequence(oid(contentType), context(0, octetString(content))),
    ],
    input.certificates,
    input.signerInfo,
  );
}

/**
 * Adds a countersignature to the one signer of `data`, with its certificates, and removes earlier
 * ones in `dropped`. The bytes that the first signer signed stay unchanged.
 */
export function withCountersignature(
  data: SignedData,
  signer: SignerInfo,
  added: {
    readonly signerInfo: Uint8Array;
    readonly certificates: readonly Uint8Array[];
    readonly isDropped: (countersignature: Uint8Array) => boolean;
  },
): Uint8Array {
  const attributes = keptAttributes(signer, added.isDropped);
  const updated = sequence(
    ...signer.signedFields,
    sortedSet(0xa1, [...attributes, attribute(OID.countersignature, added.signerInfo)]),
  );
  const present = data.certificates.map((certificate) => certificate.der);
  const missing = added.certificates.filter(
    (der) => !present.some((bytes) => Buffer.compare(bytes, der) === 0),
  );
  return contentInfo(data.leadingFields, [...present, ...missing], updated);
}

/** The same signature without the countersignatures in `isDropped`; timestamps stay. */
export function withoutCountersignatures(
  data: SignedData,
  signer: SignerInfo,
  isDropped: (countersignature: Uint8Array) => boolean,
): Uint8Array {
  const attributes = keptAttributes(signer, isDropped);
  const updated = sequence(
    ...signer.signedFields,
    ...(attributes.length > 0 ? [sortedSet(0xa1, attributes)] : []),
  );
  return contentInfo(
    data.leadingFields,
    data.certificates.map((certificate) => certificate.der),
    updated,
  );
}

function keptAttributes(
  signer: SignerInfo,
  isDropped: (countersignature: Uint8Array) => boolean,
): Uint8Array[] {
  return signer.unsignedAttributes.flatMap((unsignedAttribute) => {
    if (unsignedAttribute.oid !== OID.countersignature) return [unsignedAttribute.raw];
    const values = unsignedAttribute.values
      .map((value) => value.raw)
      .filter((value) => !isDropped(value));
    return values.length > 0 ? [attribute(OID.countersignature, ...values)] : [];
  });
}

function contentInfo(
  leadingFields: readonly Uint8Array[],
  certificates: readonly Uint8Array[],
  signerInfo: Uint8Array,
): Uint8Array {
  const signedData = sequence(
    ...leadingFields,
    sortedSet(0xa0, certificates),
    sortedSet(TAG.set, [signerInfo]),
  );
  return sequence(oid(OID.signedData), context(0, signedData));
}
