import { OID } from "../der/oid.ts";
import type { Der } from "../der/reader.ts";
import { childrenOf, expectTag, octetsOf, oidOf, readDer, sequenceOf, TAG } from "../der/reader.ts";
import { acceptedHashOf, digest, sameBytes } from "../hash.ts";
import type { Certificate } from "../x509/certificate.ts";
import { formatName } from "../x509/distinguished-name.ts";
import type { SignerInfo } from "./signed-data.ts";
import { attributesOf } from "./signed-data.ts";

const SHA1_BYTES = 20;

/** Requirements of a kind of signature on the attributes that bind it to a certificate. */
export type BindingRule = {
  /** Only version 2 with issuerSerial; at least one of both versions; or whatever is there. */
  readonly requires: "v2-with-serial" | "either" | "nothing";
};

/**
 * Checks signing-certificate (RFC 2634) and signing-certificate-v2 (RFC 5035) against the signer's
 * certificate. Returns what is wrong, or undefined.
 */
export function bindingFault(
  signer: SignerInfo,
  certificate: Certificate,
  rule: BindingRule,
): string | undefined {
  const first = attributesOf(signer.signedAttributes, OID.signingCertificate);
  const second = attributesOf(signer.signedAttributes, OID.signingCertificateV2);
  for (const attributes of [first, second]) {
    if (attributes.length > 1 || attributes.some((attribute) => attribute.values.length !== 1)) {
      return "a signing-certificate attribute appears more than once";
    }
  }
  const unmet = unmetRequirement(rule, first.length, second.length);
  if (unmet !== undefined) return unmet;
  const withSerial = rule.requires === "v2-with-serial";
  const [v1] = first[0]?.values ?? [];
  const [v2] = second[0]?.values ?? [];
  return (
    (v2 && secondVersionFault(v2, certificate, withSerial)) ??
    (v1 && firstVersionFault(v1, certificate))
  );
}

function unmetRequirement(
  { requires }: BindingRule,
  first: number,
  second: number,
): string | undefined {
  if (requires === "v2-with-serial") {
    if (first > 0) return "signing-certificate must not be present";
    if (second === 0) return "signing-certificate-v2 is missing";
  }
  return requires === "either" && first + second === 0
    ? "signing-certificate and signing-certificate-v2 are missing"
    : undefined;
}

/** ESSCertIDv2 ::= SEQUENCE { hashAlgorithm DEFAULT sha256, certHash, issuerSerial OPTIONAL } */
function secondVersionFault(
  value: Der,
  certificate: Certificate,
  withSerial: boolean,
): string | undefined {
  const [list] = sequenceOf(value, "signing-certificate-v2");
  const identifiers = sequenceOf(list, "certificate identifiers").map((identifier) => {
    const fields = sequenceOf(identifier, "certificate identifier");
    const explicit = fields[0]?.tag === TAG.sequence;
    return {
      hash: explicit
        ? acceptedHashOf(oidOf(sequenceOf(fields[0], "hash")[0], "hash"))
        : ("SHA256" as const),
      value: octetsOf(fields[explicit ? 1 : 0], "certificate hash"),
      issuerSerial: fields[explicit ? 2 : 1],
    };
  });
  const [own] = identifiers;
  if (!own?.hash || identifiers.some((identifier) => !identifier.hash)) {
    return "signing-certificate-v2 uses a hash that is not accepted";
  }
  if (withSerial && !own.issuerSerial) return "signing-certificate-v2 has no issuer and serial";
  if (own.issuerSerial && !namesCertificate(own.issuerSerial, certificate, withSerial)) {
    return "signing-certificate-v2 names another certificate";
  }
  return sameBytes(own.value, digest(own.hash, certificate.der))
    ? undefined
    : "signing-certificate-v2 is about another certificate";
}

/** ESSCertID ::= SEQUENCE { certHash OCTET STRING (SHA-1), issuerSerial OPTIONAL } */
function firstVersionFault(value: Der, certificate: Certificate): string | undefined {
  const [list] = sequenceOf(value, "signing-certificate");
  const [identifier] = sequenceOf(list, "certificate identifiers");
  const [hash, issuerSerial] = sequenceOf(identifier, "certificate identifier");
  if (issuerSerial && !namesCertificate(issuerSerial, certificate, false)) {
    return "signing-certificate names another certificate";
  }
  return octetsOf(hash, "certificate hash").length === SHA1_BYTES
    ? undefined
    : "signing-certificate has a hash of the wrong length";
}

/** IssuerSerial ::= SEQUENCE { issuer GeneralNames, serialNumber INTEGER } */
function namesCertificate(issuerSerial: Der, certificate: Certificate, strict: boolean): boolean {
  const [names, serial] = sequenceOf(issuerSerial, "issuer and serial");
  const [name] = sequenceOf(names, "issuer names");
  if (!name && strict) return false;
  if (!sameBytes(expectTag(serial, TAG.integer, "serial").raw, certificate.serialDer)) return false;
  const directoryName = 0xa4;
  if (name?.tag !== directoryName) return true;
  const [directory] = childrenOf(name);
  return directory !== undefined && formatName(readDer(directory.raw)) === certificate.issuer;
}
