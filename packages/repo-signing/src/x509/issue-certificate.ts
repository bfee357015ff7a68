import { OID } from "../der/oid.ts";
import { TAG } from "../der/reader.ts";
import {
  bitString,
  boolean,
  context,
  contextPrimitive,
  encode,
  integer,
  octetString,
  oid,
  sequence,
  time,
} from "../der/writer.ts";
import type { HashName } from "../hash.ts";
import { keyIdentifierFor } from "./certificate.ts";
import { pkcs1Algorithm } from "./signature-algorithm.ts";

export type CertificateRequest = {
  /** Name, as `encodeName` writes it or as copied from another certificate. */
  readonly subject: Uint8Array;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** 16 to 20 random bytes, big-endian; made positive here. */
  readonly serial: Uint8Array;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array;
  readonly purpose:
    | { readonly type: "authority" }
    | { readonly type: "end-entity"; readonly usage: string; readonly critical: boolean };
};

export type CertificateIssuer = {
  readonly name: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly hash: HashName;
  /** AlgorithmIdentifier, DER. Default: RSASSA-PKCS1-v1_5 with `hash`. */
  readonly algorithm?: Uint8Array;
  /** Over the bytes, as the algorithm says; the key may live elsewhere. */
  sign(data: Uint8Array): Promise<Uint8Array>;
};

/**
 * Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signatureValue BIT STRING }
 * TBSCertificate ::= SEQUENCE { [0] version v3, serialNumber, signature, issuer, validity,
 *   subject, subjectPublicKeyInfo, [3] extensions } (RFC 5280 4.1)
 */
export async function issueCertificate(
  request: CertificateRequest,
  issuer: CertificateIssuer,
): Promise<Uint8Array> {
  const signature = issuer.algorithm ?? pkcs1Algorithm(issuer.hash);
  const serial = Uint8Array.from(request.serial);
  // Positive and of full length, whatever the random bytes are.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const tbs = sequence(
    context(0, integer(2)),
    integer(serial),
    signature,
    issuer.name,
    sequence(time(request.notBefore), time(request.notAfter)),
    request.subject,
    request.publicKey,
    context(3, sequence(...extensionsOf(request, issuer))),
  );
  return sequence(tbs, signature, bitString(await issuer.sign(tbs)));
}

function extensionsOf(request: CertificateRequest, issuer: CertificateIssuer): Uint8Array[] {
  const { purpose } = request;
  const authority = purpose.type === "authority";
  const digitalSignature = bitString(Uint8Array.of(0x80), 7);
  const certificateSign = bitString(Uint8Array.of(0x06), 1);
  const own = keyIdentifierFor(request.publicKey);
  return [
    extension(OID.basicConstraints, sequence(...(authority ? [boolean(true)] : [])), true),
    extension(OID.keyUsage, authority ? certificateSign : digitalSignature, true),
    ...(purpose.type === "end-entity"
      ? [extension(OID.extendedKeyUsage, sequence(oid(purpose.usage)), purpose.critical)]
      : []),
    extension(OID.subjectKeyIdentifier, octetString(own), false),
    extension(
      OID.authorityKeyIdentifier,
      sequence(contextPrimitive(0, keyIdentifierFor(issuer.publicKey))),
      false,
    ),
  ];
}

/** Extension ::= SEQUENCE { extnID, critical BOOLEAN DEFAULT FALSE, extnValue OCTET STRING } */
export function extension(dotted: string, value: Uint8Array, critical: boolean): Uint8Array {
  return sequence(
    oid(dotted),
    ...(critical ? [boolean(true)] : []),
    encode(TAG.octetString, value),
  );
}
