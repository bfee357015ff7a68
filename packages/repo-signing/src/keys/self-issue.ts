import { OID } from "../der/oid.ts";
import { SigningError } from "../errors.ts";
import type { RemoteKey } from "./remote-key.ts";
import { VALIDITY_DAYS_MAX } from "./own-certificate.ts";
import { problemsOf } from "../x509/certificate-rules.ts";
import { parseCertificate } from "../x509/certificate.ts";
import { checkedSignature } from "./certificate-request.ts";
import { encodeName, parseName } from "../x509/distinguished-name.ts";
import { issueCertificate } from "../x509/issue-certificate.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const SERIAL_BYTES = 20;

/**
 * A self-signed certificate for a key that may be in another service, with the properties of
 * `createSelfSigned`: for a trial of a key service before an authority has issued a certificate.
 *
 * @returns DER
 * @throws RangeError when the subject is not a valid name, or the days are not 1 to 3650
 * @throws SigningError `certificate-unusable` when no client would accept the certificate: the key
 *   signs with RSASSA-PSS, or is too short
 */
export async function selfIssue(
  key: RemoteKey,
  options: {
    /** Most specific part first: `CN=Example, O=Acme, C=DE`. */
    readonly subject: string;
    readonly validityInDays: number;
    readonly now: Date;
    readonly randomBytes: (count: number) => Uint8Array;
  },
): Promise<Uint8Array> {
  const { validityInDays, now } = options;
  const isWhole = Number.isInteger(validityInDays);
  if (!isWhole || validityInDays < 1 || validityInDays > VALIDITY_DAYS_MAX) {
    throw new RangeError(`The validity must be 1 to ${VALIDITY_DAYS_MAX} days.`);
  }
  if (key.scheme === "pss") {
    throw new SigningError(
      "certificate-unusable",
      "The key is set up for RSASSA-PSS, and clients refuse certificates that are signed so " +
        "(NU3013). Set it up for RSASSA-PKCS1-v1_5, or ask an authority for a certificate.",
    );
  }
  const name = encodeName(parseName(options.subject));
  const { publicKey, hash } = key;
  // Clients refuse a certificate that begins in their future, and clocks differ.
  const notBefore = new Date(Math.floor(now.getTime() / 1000) * 1000 - DAY_MS);
  const days = Math.min(validityInDays + 1, VALIDITY_DAYS_MAX);
  const der = await issueCertificate(
    {
      subject: name,
      notBefore,
      notAfter: new Date(notBefore.getTime() + days * DAY_MS),
      serial: options.randomBytes(SERIAL_BYTES),
      publicKey,
      purpose: { type: "end-entity", usage: OID.codeSigning, critical: false },
    },
    { name, publicKey, hash, sign: (data) => checkedSignature(key, data) },
  );
  const [problem] = problemsOf(parseCertificate(der), now);
  if (!problem) return der;
  throw new SigningError(
    "certificate-unusable",
    `No client accepts a certificate of this key: ${problem.message} (${problem.code}).`,
  );
}
