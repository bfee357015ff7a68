import { OID } from "../der/oid.ts";
import type { Der } from "../der/reader.ts";
import {
  childrenOf,
  DerError,
  expectTag,
  fieldsOf,
  integerOf,
  octetsOf,
  oidOf,
  onlyChildOf,
  readAll,
  readDer,
  sequenceOf,
  setOf,
  smallIntegerOf,
  TAG,
} from "../der/reader.ts";
import { encode } from "../der/writer.ts";
import { sameBytes } from "../hash.ts";
import type { Certificate } from "../x509/certificate.ts";
import { parseCertificate } from "../x509/certificate.ts";

export type Attribute = {
  readonly oid: string;
  readonly values: readonly Der[];
  readonly raw: Uint8Array;
};

export type SignerIdentifier =
  | { readonly kind: "key-identifier"; readonly keyIdentifier: Uint8Array }
  | {
      readonly kind: "issuer-and-serial";
      readonly issuer: Uint8Array;
      readonly serial: Uint8Array;
    };

/** One SignerInfo, with what is needed to check it and to write it back unchanged. */
export type SignerInfo = {
  readonly identifier: SignerIdentifier;
  readonly digestOid: string;
  /** The signed attributes as a SET, in the order they came; undefined when there are none. */
  readonly signedBytes: Uint8Array | undefined;
  readonly signedAttributes: readonly Attribute[];
  readonly algorithm: { readonly oid: string; readonly parameters: Der | undefined };
  readonly signature: Uint8Array;
  readonly unsignedAttributes: readonly Attribute[];
  /** All fields but the unsigned attributes, raw and in order. */
  readonly signedFields: readonly Uint8Array[];
};

export type SignedData = {
  readonly contentType: string;
  readonly content: Uint8Array;
  readonly certificates: readonly Certificate[];
  readonly signers: readonly SignerInfo[];
  /** version, digestAlgorithms and encapContentInfo, raw. */
  readonly leadingFields: readonly Uint8Array[];
};

const MAX_BYTES = 1024 * 1024;
const MAX_CERTIFICATES = 100;

/**
 * ContentInfo ::= SEQUENCE { contentType signedData, [0] EXPLICIT SignedData }
 * SignedData ::= SEQUENCE { version, digestAlgorithms SET OF, encapContentInfo,
 *   [0] IMPLICIT certificates OPTIONAL, [1] IMPLICIT crls OPTIONAL, signerInfos SET OF }
 * (RFC 5652 3 and 5.1). Throws a DerError.
 */
export function parseSignedData(bytes: Uint8Array): SignedData {
  if (bytes.length > MAX_BYTES) throw new DerError("the signature is larger than 1 MiB");
  const [type, content] = fieldsOf(readDer(bytes), "content info", { min: 2 });
  if (oidOf(type, "content type") !== OID.signedData) throw new DerError("this is not signed data");
  const data = onlyChildOf(expectTag(content, 0xa0, "content"), "content");
  const [version, digests, encapsulated, ...rest] = fieldsOf(data, "signed data", {
    min: 4,
    max: 6,
  });
  smallIntegerOf(version, "version");
  for (const der of setOf(digests, "digest algorithms")) algorithmOf(der, "digest algorithm");
  const leading = [version, digests, encapsulated].flatMap((field) => (field ? [field.raw] : []));
  const [contentType, wrapped] = fieldsOf(encapsulated, "encapsulated content", {
    min: 1,
    max: 2,
  });
  const certificates = rest[0]?.tag === 0xa0 ? rest.shift() : undefined;
  if (rest[0]?.tag === 0xa1) rest.shift();
  const [signers, ...surplus] = rest;
  if (surplus.length > 0) throw new DerError("the signed data has surplus fields");
  return {
    contentType: oidOf(contentType, "encapsulated content type"),
    content: wrapped
      ? octetsOf(onlyChildOf(expectTag(wrapped, 0xa0, "content"), "content"), "content")
      : new Uint8Array(),
    certificates: certificatesOf(certificates),
    signers: setOf(signers, "signer infos").map(parseSignerInfo),
    leadingFields: leading,
  };
}

/**
 * SignerInfo ::= SEQUENCE { version, sid, digestAlgorithm, [0] IMPLICIT signedAttrs OPTIONAL,
 *   signatureAlgorithm, signature OCTET STRING, [1] IMPLICIT unsignedAttrs OPTIONAL }
 */
export function parseSignerInfo(der: Der): SignerInfo {
  const fields = sequenceOf(der, "signer info");
  const [version, identifier, digestAlgorithm, ...rest] = fields;
  smallIntegerOf(version, "signer version");
  const signed = rest[0]?.tag === 0xa0 ? rest.shift() : undefined;
  const [algorithm, signature, unsigned, ...surplus] = rest;
  if (surplus.length > 0) throw new DerError("the signer info has surplus fields");
  return {
    identifier: identifierOf(identifier),
    digestOid: algorithmOf(digestAlgorithm, "digest algorithm").oid,
    signedBytes: signed && encode(TAG.set, signed.body),
    signedAttributes: signed ? childrenOf(signed).map(attributeOf) : [],
    algorithm: algorithmOf(algorithm, "signature algorithm"),
    signature: octetsOf(signature, "signature"),
    unsignedAttributes: unsigned
      ? childrenOf(expectTag(unsigned, 0xa1, "unsigned attributes")).map(attributeOf)
      : [],
    signedFields: fields.filter((field) => field !== unsigned).map((field) => field.raw),
  };
}

/** The certificate a signer names, from those that came along. */
export function certificateOf(
  signer: SignerInfo,
  certificates: readonly Certificate[],
): Certificate | undefined {
  const { identifier } = signer;
  return certificates.find((certificate) =>
    identifier.kind === "issuer-and-serial"
      ? sameBytes(certificate.issuerDer, identifier.issuer) &&
        sameBytes(certificate.serialDer, identifier.serial)
      : certificate.subjectKeyIdentifier !== undefined &&
        sameBytes(certificate.subjectKeyIdentifier, identifier.keyIdentifier),
  );
}

export function attributesOf(attributes: readonly Attribute[], oid: string): readonly Attribute[] {
  return attributes.filter((attribute) => attribute.oid === oid);
}

/** AlgorithmIdentifier ::= SEQUENCE { algorithm OBJECT IDENTIFIER, parameters ANY OPTIONAL } */
function algorithmOf(
  der: Der | undefined,
  what: string,
): { readonly oid: string; readonly parameters: Der | undefined } {
  const [type, parameters] = fieldsOf(der, what, { min: 1, max: 2 });
  return { oid: oidOf(type, what), parameters };
}

/** Attribute ::= SEQUENCE { attrType OBJECT IDENTIFIER, attrValues SET OF AttributeValue } */
function attributeOf(der: Der): Attribute {
  const [type, values] = fieldsOf(der, "attribute", { min: 2 });
  return {
    oid: oidOf(type, "attribute type"),
    values: setOf(values, "attribute values"),
    raw: der.raw,
  };
}

function identifierOf(der: Der | undefined): SignerIdentifier {
  if (der?.tag === 0x80) return { kind: "key-identifier", keyIdentifier: der.body };
  const [issuer, serial] = fieldsOf(der, "signer identifier", { min: 2 });
  return {
    kind: "issuer-and-serial",
    issuer: expectTag(issuer, TAG.sequence, "issuer").raw,
    serial: integerOf(serial, "serial number").raw,
  };
}

function certificatesOf(field: Der | undefined): readonly Certificate[] {
  if (!field) return [];
  const all = readAll(field.body);
  if (all.length > MAX_CERTIFICATES) throw new DerError("there are too many certificates");
  // Other choices of CertificateSet (attribute certificates) are of no use here.
  return all.filter((der) => der.tag === TAG.sequence).map((der) => parseCertificate(der.raw));
}
