import { OID } from "../der/oid.ts";
import type { Der } from "../der/reader.ts";
import { childrenOf, DerError, readDer, sequenceOf, smallIntegerOf } from "../der/reader.ts";
import { SignatureError, TimestampError } from "../errors.ts";
import type { HashName } from "../hash.ts";
import { HASH_OID, sameBytes } from "../hash.ts";
import type { Certificate } from "../x509/certificate.ts";
import { isValidThroughout } from "../x509/certificate.ts";
import { buildChain } from "../x509/chain.ts";
import type { TimestampToken } from "./token.ts";
import { parseTimestampToken, timestampFaults } from "./token.ts";

export type ValidityPeriod = Pick<Certificate, "notBefore" | "notAfter">;

/** The request, for comparison with the answer. */
export type ExpectedToken = {
  readonly signature: Uint8Array;
  readonly nonce: Uint8Array;
  readonly hash: HashName;
  readonly within: ValidityPeriod | undefined;
  readonly now: Date;
  /** As the subject of a sentence. */
  readonly server: string;
};

const GRANTED_WITH_CHANGES = 1;
/** Two clocks that are further apart than this cannot both be right. */
const CLOCKS_APART_MAX_MS = 5 * 60 * 1000;

/**
 * The token of a reply, DER, once it has passed every check.
 *
 * TimeStampResp ::= SEQUENCE { status PKIStatusInfo, timeStampToken ContentInfo OPTIONAL }
 * @throws {TimestampError}
 */
export function checkedToken(reply: Uint8Array, expected: ExpectedToken): Uint8Array {
  const { server } = expected;
  try {
    const [status, token] = sequenceOf(readDer(reply), "timestamp reply");
    const code = smallIntegerOf(sequenceOf(status, "status")[0], "status");
    if (code > GRANTED_WITH_CHANGES || !token) {
      const why = statusText(status) ?? `status ${code}`;
      throw new TimestampError("rejected", `${server} refused to stamp: ${why}.`);
    }
    checkToken(parseTimestampToken(token.raw), expected);
    return Uint8Array.from(token.raw);
  } catch (error) {
    if (error instanceof DerError) {
      const message = `${server} did not answer with a timestamp.`;
      throw new TimestampError("malformed", message, { cause: error });
    }
    if (!(error instanceof SignatureError)) throw error;
    const { code, message } = error;
    throw new TimestampError("invalid", `${server}: ${message}`, { nugetCode: code, cause: error });
  }
}

function checkToken(token: TimestampToken, expected: ExpectedToken): void {
  const [fault] = timestampFaults(token, expected.signature, expected.now);
  if (fault) throw new SignatureError(fault.code, `The timestamp is invalid: ${fault.message}.`);
  if (token.imprint.oid !== HASH_OID[expected.hash]) {
    throw new SignatureError("NU3019", "The timestamp covers another digest.");
  }
  if (!token.nonce || !sameBytes(token.nonce, expected.nonce)) {
    throw new SignatureError("NU3026", "The timestamp belongs to another request.");
  }
  checkCertificate(token);
  checkTime(token, expected);
}

function checkCertificate({ certificate, certificates }: TimestampToken): void {
  if (certificate.extendedKeyUsage?.includes(OID.timeStamping) !== true) {
    throw new SignatureError(
      "NU3028",
      "The timestamp's certificate is not valid for timestamping.",
    );
  }
  const { faults } = buildChain(certificate, certificates, {
    roots: "any",
    purpose: OID.timeStamping,
  });
  const [fault] = faults;
  if (fault !== undefined) {
    throw new SignatureError("NU3028", `The timestamp is invalid: ${fault}.`);
  }
}

function checkTime(token: TimestampToken, { within, now, server }: ExpectedToken): void {
  const stated = token.time.toISOString();
  const apartMs = Math.abs(token.time.getTime() - now.getTime());
  if (apartMs > CLOCKS_APART_MAX_MS) {
    const minutes = Math.round(apartMs / 60_000);
    throw new TimestampError(
      "invalid",
      `${server} says that it is ${stated}, ${minutes} minutes from this host's clock. ` +
        "One of the two clocks is wrong.",
    );
  }
  if (within && !isValidThroughout(within, token)) {
    throw new SignatureError(
      "NU3037",
      `The timestamp is from ${token.from.toISOString()} to ${token.to.toISOString()}, when the ` +
        "signing certificate is not valid.",
    );
  }
}

/** PKIStatusInfo ::= SEQUENCE { status, statusString SEQUENCE OF UTF8String OPTIONAL, … } */
function statusText(status: Der | undefined): string | undefined {
  const text = status && childrenOf(status).find((field) => field.tag === 0x30);
  const words = text && childrenOf(text).map((der) => Buffer.from(der.body).toString("utf8"));
  return words?.join(", ").slice(0, 200);
}
