import { isSignatureOf } from "../cms/check-signer.ts";
import type { SignerInfo } from "../cms/signed-data.ts";
import { certificateOf, parseSignedData } from "../cms/signed-data.ts";
import { bindingFault } from "../cms/signing-certificate.ts";
import { OID } from "../der/oid.ts";
import type { Der } from "../der/reader.ts";
import {
  expectTag,
  fieldsOf,
  integerOf,
  octetsOf,
  oidOf,
  readDer,
  sequenceOf,
  smallIntegerOf,
  TAG,
  timeOf,
} from "../der/reader.ts";
import type { NuGetCode } from "../errors.ts";
import { SignatureError } from "../errors.ts";
import { acceptedHashOf, digest, sameBytes } from "../hash.ts";
import type { Certificate } from "../x509/certificate.ts";
import { hasAcceptedAlgorithm, hasLongEnoughKey } from "../x509/certificate-rules.ts";

/** A timestamp token with a valid signature. */
export type TimestampToken = {
  readonly certificate: Certificate;
  readonly certificates: readonly Certificate[];
  readonly time: Date;
  /** The time with its accuracy on both sides. */
  readonly from: Date;
  readonly to: Date;
  readonly nonce: Uint8Array | undefined;
  readonly imprint: { readonly oid: string; readonly value: Uint8Array };
  readonly digestOid: string;
};

/**
 * Reads a token (ContentInfo) and checks its signature and its bond to its certificate. Throws a
 * SignatureError NU3020 or NU3021, or a DerError.
 */
export function parseTimestampToken(bytes: Uint8Array): TimestampToken {
  const data = parseSignedData(bytes);
  const [signer, ...others] = data.signers;
  if (!signer || others.length > 0) throw invalid("must have exactly one signer");
  const certificate = certificateOf(signer, data.certificates);
  if (!certificate) {
    throw new SignatureError("NU3020", "The timestamp does not contain its certificate.");
  }
  const fault = bindingFault(signer, certificate, { requires: "either" });
  if (fault !== undefined) throw invalid(`is not bound to its certificate: ${fault}`);
  if (data.contentType !== OID.tstInfo) throw invalid("has another content");
  if (!isSignatureOf(signer, data.content, certificate)) throw invalid("has a wrong signature");
  return {
    ...parseTstInfo(data.content),
    ...signedBy(signer, certificate),
    certificates: data.certificates,
  };
}

const BASELINE_ACCURACY_MS = 1000;

export type TimestampFault = { readonly code: NuGetCode; readonly message: string };

/** The client's checks of a token against its signature. */
export function timestampFaults(
  token: TimestampToken,
  signature: Uint8Array,
  now: Date,
): readonly TimestampFault[] {
  const { certificate, imprint } = token;
  const hash = acceptedHashOf(imprint.oid);
  const checks: [isWrong: boolean, code: NuGetCode, message: string][] = [
    [!hasAcceptedAlgorithm(certificate), "NU3022", "its certificate has an unsupported algorithm"],
    [!hasLongEnoughKey(certificate), "NU3023", "its certificate's key is too short"],
    [!acceptedHashOf(token.digestOid), "NU3024", "it was signed with an unsupported digest"],
    [!hash, "NU3030", "it was made over an unsupported digest"],
    [
      hash !== undefined && !sameBytes(imprint.value, digest(hash, signature)),
      "NU3019",
      "it belongs to another signature",
    ],
    [certificate.notBefore > now, "NU3025", "its certificate is not valid yet"],
    [
      token.time < certificate.notBefore || token.time > certificate.notAfter,
      "NU3036",
      "its time is outside the validity of its certificate",
    ],
  ];
  return checks.filter(([isWrong]) => isWrong).map(([, code, message]) => ({ code, message }));
}

function signedBy(
  signer: SignerInfo,
  certificate: Certificate,
): Pick<TimestampToken, "certificate" | "digestOid"> {
  return { certificate, digestOid: signer.digestOid };
}

/**
 * TSTInfo ::= SEQUENCE { version, policy, messageImprint, serialNumber, genTime,
 *   accuracy OPTIONAL, ordering BOOLEAN DEFAULT FALSE, nonce INTEGER OPTIONAL, [0] tsa, [1] … }
 * (RFC 3161 2.4.2)
 */
function parseTstInfo(
  content: Uint8Array,
): Pick<TimestampToken, "time" | "from" | "to" | "nonce" | "imprint"> {
  const [version, policy, imprint, serial, generalized, ...rest] = fieldsOf(
    readDer(content),
    "time-stamp",
    { min: 5, max: 10 },
  );
  if (smallIntegerOf(version, "timestamp version") !== 1) throw invalid("has another version");
  integerOf(serial, "timestamp serial");
  const [algorithm, value] = fieldsOf(imprint, "message imprint", { min: 2 });
  const [algorithmOid] = fieldsOf(algorithm, "imprint algorithm", { min: 1, max: 2 });
  const time = timeOf(expectTag(generalized, TAG.generalizedTime, "time"), "time");
  const policyOid = oidOf(policy, "policy");
  const { accuracy, nonce } = optionalFields(rest);
  const assumedMs = policyOid === OID.baselineTimestampPolicy ? BASELINE_ACCURACY_MS : 0;
  const milliseconds = accuracy ? accuracyOf(accuracy) : assumedMs;
  return {
    time,
    from: new Date(time.getTime() - milliseconds),
    to: new Date(time.getTime() + milliseconds),
    nonce: nonce?.body,
    imprint: {
      oid: oidOf(algorithmOid, "imprint algorithm"),
      value: octetsOf(value, "imprint"),
    },
  };
}

/** Fields after genTime, each at most once and in this order; the last two have no effect. */
function optionalFields(fields: readonly Der[]): {
  readonly accuracy: Der | undefined;
  readonly nonce: Der | undefined;
} {
  const rest = [...fields];
  const next = (tag: number) => (rest[0]?.tag === tag ? rest.shift() : undefined);
  const accuracy = next(TAG.sequence);
  next(TAG.boolean);
  const nonce = next(TAG.integer);
  next(0xa0);
  next(0xa1);
  if (rest.length > 0) throw invalid("has surplus fields");
  return { accuracy, nonce: nonce && integerOf(nonce, "nonce") };
}

/** Accuracy ::= SEQUENCE { seconds INTEGER, [0] millis, [1] micros }, all optional. */
function accuracyOf(accuracy: Der): number {
  let milliseconds = 0;
  for (const field of sequenceOf(accuracy, "accuracy")) {
    const value = field.body.reduce((sum, byte) => sum * 256 + byte, 0);
    const unit = field.tag === TAG.integer ? 1000 : field.tag === 0x80 ? 1 : 0.001;
    milliseconds += value * unit;
  }
  return Math.ceil(Math.min(milliseconds, 1e12));
}

function invalid(what: string): SignatureError {
  return new SignatureError("NU3021", `The timestamp ${what}.`);
}
