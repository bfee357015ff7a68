import { attributesOf } from "../cms/signed-data.ts";
import { OID } from "../der/oid.ts";
import type { HashName } from "../hash.ts";
import { hashOf } from "../hash.ts";
import type { TimestampToken } from "../timestamp/token.ts";
import { parseTimestampToken } from "../timestamp/token.ts";
import type { ParsedSigner } from "./parse-signature.ts";
import { asSignatureError } from "./parse-signature.ts";

/** Facts of one signer. */
export type SignerFacts = {
  /** DER; undefined, as the four that come from it, when it did not come along. */
  readonly certificate: Uint8Array | undefined;
  /** SHA-256, lower-case hex. */
  readonly fingerprint: string | undefined;
  readonly subject: string | undefined;
  readonly issuer: string | undefined;
  /** Validity of the certificate. */
  readonly validity: { readonly from: Date; readonly to: Date } | undefined;
  readonly hash: HashName | "SHA1" | undefined;
  /** Claimed by the signer; only a timestamp proves it. */
  readonly signingTime: Date | undefined;
  /** On repository signatures. */
  readonly serviceIndexUrl: string | undefined;
  readonly packageOwners: readonly string[];
  readonly timestamps: readonly TimestampFacts[];
};

/** Facts of one timestamp token. */
export type TimestampFacts = {
  readonly time: Date;
  /** The true time is at most so far from `time`. */
  readonly accuracyMs: number;
  /** Subject of the authority's certificate. */
  readonly authority: string;
  /** SHA-256 of that certificate, lower-case hex. */
  readonly fingerprint: string;
};

/** @throws SignatureError for an unreadable timestamp */
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
