import type { KeyObject } from "node:crypto";
import { createHash, X509Certificate } from "node:crypto";
import { BoundedCache } from "@sealhouse/bounded-cache";
import { OID } from "../der/oid.ts";
import type { Der } from "../der/reader.ts";
import {
  childrenOf,
  DerError,
  expectTag,
  octetsOf,
  oidOf,
  readDer,
  sequenceOf,
  TAG,
  timeOf,
} from "../der/reader.ts";
import { fingerprintOf } from "../hash.ts";
import { formatName } from "./distinguished-name.ts";

/** Fields of an X.509 certificate that signatures need. Names and serial are unchanged bytes. */
export type Certificate = {
  readonly der: Uint8Array;
  /** SHA-256, lower-case hex. */
  readonly fingerprint: string;
  readonly subject: string;
  readonly issuer: string;
  /** The issuer Name and the serial INTEGER, raw, for copying into signatures. */
  readonly issuerDer: Uint8Array;
  readonly serialDer: Uint8Array;
  readonly subjectDer: Uint8Array;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** The algorithm the issuer signed with. */
  readonly signatureAlgorithm: string;
  readonly subjectKeyIdentifier: Uint8Array | undefined;
  /** Undefined when the extension is absent, which means every purpose. */
  readonly extendedKeyUsage: readonly string[] | undefined;
  readonly extendedKeyUsageCritical: boolean;
  /** From basicConstraints; undefined when the extension is absent. */
  readonly isAuthority: boolean | undefined;
  /** The platform's view: public key, signature checks. */
  readonly x509: X509Certificate;
};

const MAX_BYTES = 64 * 1024;
/** The same few certificates are behind nearly every signature; reading one takes 0.1 ms. */
const REMEMBERED_MAX = 64;
const cached = new BoundedCache<string, Certificate>({ entries: REMEMBERED_MAX });

/**
 * Parses a Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signatureValue } (RFC
 * 5280 4.1).
 * @throws DerError when the bytes are not a certificate
 */
export function parseCertificate(der: Uint8Array): Certificate {
  if (der.length > MAX_BYTES) throw new DerError("the certificate is too large");
  const fingerprint = fingerprintOf(der);
  // A copy: `der` may be a part of something larger, which would have to stay with it.
  return cached.remember(fingerprint, () => readCertificate(Buffer.from(der), fingerprint));
}

/**
 * The subject Name of a certificate, raw, without parsing more of it than is needed.
 *
 * @throws DerError when the bytes are not a certificate
 */
export function subjectOf(der: Uint8Array): Uint8Array {
  if (der.length > MAX_BYTES) throw new DerError("the certificate is too large");
  const fields = sequenceOf(sequenceOf(readDer(der), "certificate")[0], "certificate contents");
  const start = fields[0]?.tag === 0xa0 ? 1 : 0;
  return expectTag(fields[start + 4], TAG.sequence, "subject").raw;
}

/** @throws DerError when the bytes are not a certificate, to us or to the platform */
export function checkReadable(der: Uint8Array): void {
  subjectOf(der);
  platformCertificate(der);
}

function readCertificate(der: Uint8Array, fingerprint: string): Certificate {
  const [tbs, algorithm] = sequenceOf(readDer(der), "certificate");
  const fields = sequenceOf(tbs, "certificate contents");
  const start = fields[0]?.tag === 0xa0 ? 1 : 0;
  const serial = expectTag(fields[start], TAG.integer, "serial number");
  const issuer = expectTag(fields[start + 2], TAG.sequence, "issuer");
  const [notBefore, notAfter] = sequenceOf(fields[start + 3], "validity");
  const subject = expectTag(fields[start + 4], TAG.sequence, "subject");
  const extensions = extensionsOf(fields.slice(start + 6).find((field) => field.tag === 0xa3));
  const usage = extensions.get(OID.extendedKeyUsage);
  return {
    der,
    fingerprint,
    subject: formatName(subject),
    issuer: formatName(issuer),
    issuerDer: issuer.raw,
    serialDer: serial.raw,
    subjectDer: subject.raw,
    notBefore: timeOf(notBefore, "notBefore"),
    notAfter: timeOf(notAfter, "notAfter"),
    signatureAlgorithm: oidOf(sequenceOf(algorithm, "signature algorithm")[0], "algorithm"),
    subjectKeyIdentifier: keyIdentifierOf(extensions.get(OID.subjectKeyIdentifier)),
    extendedKeyUsage:
      usage && sequenceOf(usage.value, "key usage").map((usageOid) => oidOf(usageOid, "usage")),
    extendedKeyUsageCritical: usage?.critical ?? false,
    isAuthority: authorityOf(extensions.get(OID.basicConstraints)),
    x509: platformCertificate(der),
  };
}

/** The public key, or undefined for one of a kind that the platform does not know. */
export function publicKeyOf({ x509 }: Certificate): KeyObject | undefined {
  try {
    return x509.publicKey;
  } catch {
    return undefined;
  }
}

/** SHA-1 of the public key's bit string, as RFC 5280 4.2.1.2 suggests for the identifier. */
export function keyIdentifierFor(publicKeyInfo: Uint8Array): Buffer {
  const bits = expectTag(sequenceOf(readDer(publicKeyInfo), "key")[1], TAG.bitString, "key bits");
  return createHash("sha1").update(bits.body.subarray(1)).digest();
}

/** Strictly inside, as the client compares. */
export function isValidThroughout(
  certificate: Pick<Certificate, "notBefore" | "notAfter">,
  span: { readonly from: Date; readonly to: Date },
): boolean {
  return span.from > certificate.notBefore && span.to < certificate.notAfter;
}

type Extension = { readonly critical: boolean; readonly value: Der };

function extensionsOf(field: Der | undefined): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>();
  if (!field) return extensions;
  for (const extension of sequenceOf(childrenOf(field)[0], "extensions")) {
    const parts = sequenceOf(extension, "extension");
    const critical = parts[1]?.tag === TAG.boolean && parts[1].body[0] !== 0;
    const value = readDer(octetsOf(parts[parts.length - 1], "extension value"));
    extensions.set(oidOf(parts[0], "extension"), { critical, value });
  }
  return extensions;
}

function keyIdentifierOf(extension: Extension | undefined): Uint8Array | undefined {
  return extension && octetsOf(extension.value, "subject key identifier");
}

function authorityOf(extension: Extension | undefined): boolean | undefined {
  if (!extension) return undefined;
  const [authority] = sequenceOf(extension.value, "basic constraints");
  return authority?.tag === TAG.boolean && authority.body[0] !== 0;
}

function platformCertificate(der: Uint8Array): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch (cause) {
    throw new DerError("the certificate cannot be read", { cause });
  }
}
