import { OID } from "../der/oid.ts";
import { TAG } from "../der/reader.ts";
import {
  algorithm,
  context,
  ia5String,
  octetString,
  oid,
  sequence,
  sortedSet,
  time,
  utf8String,
} from "../der/writer.ts";
import type { HashName } from "../hash.ts";
import { digest, HASH_OID } from "../hash.ts";
import type { Certificate } from "../x509/certificate.ts";

export type AttributeInput = {
  /** The signed content: the signature content, or the countersigned signature. */
  readonly content: Uint8Array;
  readonly certificate: Certificate;
  readonly hash: HashName;
  readonly signedAt: Date;
  /** Left out on countersignatures (RFC 5652 11.4). */
  readonly contentType: string | undefined;
  /** Absent on timestamp tokens. */
  readonly commitment: "author" | "repository" | undefined;
  readonly serviceIndexUrl: string | undefined;
  readonly packageOwners: readonly string[];
};

/**
 * SignedAttributes ::= SET SIZE (1..MAX) OF Attribute, in DER order, under the tag that is signed
 * (SET, 0x31). In the SignerInfo the same bytes have the tag [0].
 */
export function signedAttributes(input: AttributeInput): Uint8Array {
  const { certificate, hash } = input;
  const attributes = [
    attribute(OID.messageDigest, octetString(digest(hash, input.content))),
    attribute(OID.signingTime, time(input.signedAt)),
    attribute(OID.signingCertificateV2, signingCertificateV2(certificate, hash)),
  ];
  if (input.contentType !== undefined) {
    attributes.push(attribute(OID.contentType, oid(input.contentType)));
  }
  if (input.commitment !== undefined) {
    const kind = input.commitment === "author" ? OID.proofOfOrigin : OID.proofOfReceipt;
    // CommitmentTypeIndication ::= SEQUENCE { commitmentTypeId, qualifiers OPTIONAL }
    attributes.push(attribute(OID.commitmentType, sequence(oid(kind))));
  }
  if (input.serviceIndexUrl !== undefined) {
    // NuGetV3ServiceIndexUrl ::= IA5String
    attributes.push(attribute(OID.serviceIndexUrl, ia5String(input.serviceIndexUrl)));
  }
  if (input.packageOwners.length > 0) {
    // NuGetPackageOwners ::= SEQUENCE SIZE (1..MAX) OF UTF8String; an empty one breaks the package.
    const owners = sequence(...input.packageOwners.map(utf8String));
    attributes.push(attribute(OID.packageOwners, owners));
  }
  return sortedSet(TAG.set, attributes);
}

/** Attribute ::= SEQUENCE { attrType, attrValues SET OF } */
export function attribute(type: string, ...values: readonly Uint8Array[]): Uint8Array {
  return sequence(oid(type), sortedSet(TAG.set, values));
}

/**
 * SigningCertificateV2 ::= SEQUENCE { certs SEQUENCE OF ESSCertIDv2 } (RFC 5035)
 * ESSCertIDv2 ::= SEQUENCE { hashAlgorithm DEFAULT sha256, certHash OCTET STRING,
 *   issuerSerial SEQUENCE { GeneralNames, serialNumber } }
 * Issuer and serial are the certificate's own bytes: clients compare them.
 */
function signingCertificateV2(certificate: Certificate, hash: HashName): Uint8Array {
  const issuerSerial = sequence(sequence(context(4, certificate.issuerDer)), certificate.serialDer);
  const identifier = sequence(
    ...(hash === "SHA256" ? [] : [algorithm(HASH_OID[hash])]),
    octetString(digest(hash, certificate.der)),
    issuerSerial,
  );
  return sequence(sequence(identifier));
}
