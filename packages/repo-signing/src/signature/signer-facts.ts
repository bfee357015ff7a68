import { attributesOf } from "../cms/signed-data.ts";
import { OID } from "../der/oid.ts";
import type { HashName } from "../hash.ts";
import { hashOf } from "../hash.ts";
import type { TimestampToken } from "../timestamp/token.ts";
import { parseTimestampToken } from "../timestamp/token.ts";
import type { ParsedSigner } from "./parse-signature.ts";
import { asSignatureError } from "./parse-signature.ts";

/** What one signer states. */
export type SignerFacts = {
  /** DER; undefined, as the four that come from it, when it did not come along. */
  readonly certificate: Uint8Array | undefined;
  /** SHA-256, lower-case hex. */
  readonly fingerprint: string | undefined;
  readonly subject: string | undefined;
  readonly issuer: string | undefined;
  /** How long the certificate is valid. */
  readonly validity: { readonly from: Date; readonly to: Date } | undefined;
  readonly hash: HashName | "SHA1" | undefined;
  /** The signer's own word; only a time-stamp proves it. */
  readonly signingTime: Date | undefined;
  /** On repository signatures. */
  readonly serviceIndexUrl: string | undefined;
  readonly packageOwners: readonly string[];
  readonly timestamps: readonly TimestampFacts[];
};

/** What one time-stamp token states. */
export type TimestampFacts = {
  readonly time: Date;
  /** The true time is at most so far from `time`. */
  readonly accuracyMs: number;
  /** Subject of the authority's certificate. */
  readonly authority: string;
  /** Of that certificate: SHA-256, lower-case hex. */
  readonly fingerprint: string;
};

/** Throws a SignatureError for a time-stamp that cannot be read. */
export function signerFacts(parsed: ParsedSigner): SignerFacts {
  const { certificate, signer, signingTime, serviceIndexUrl, packageOwners } = parsed;
  return {
    certificate: certificate?.der,
    fingerprint: certificate?.fingerprint,
    subject: certificate?.subject,
    issuer: certificate?.issuer,
    validity: certificate && { from: certificate.notBefore, to: certificate.notAfter },
    hash: hashOf(signer.digestOid),
    signingTime,
    serviceIndexUrl,
    packageOwners,
    timestamps: asSignatureError(() =>
      attributesOf(signer.unsignedAttributes, OID.timestampToken)
        .flatMap((attribute) => attribute.values)
        .map((value) => timestampFacts(parseTimestampToken(value.raw))),
    ),
  };
}

function timestampFacts({ time, to, certificate }: TimestampToken): TimestampFacts {
  return {
    time,
    accuracyMs: to.getTime() - time.getTime(),
    authority: certificate.subject,
    fingerprint: certificate.fingerprint,
  };
}
