import { createPublicKey, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { OID } from "./der/oid.ts";
import { VALIDITY_DAYS_MAX } from "./own-certificate.ts";
import { encodeName, parseName } from "./x509/distinguished-name.ts";
import { issueCertificate } from "./x509/issue-certificate.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const SERIAL_BYTES = 20;

/**
 * A self-signed certificate of an ECDSA key over P-256, for uses other than NuGet, whose clients
 * refuse it.
 *
 * @returns DER
 * @throws RangeError when the subject is not a valid name
 */
export function selfIssueP256(
  key: KeyObject,
  options: {
    /** Most specific part first: `CN=Example, O=Acme, C=DE`. */
    readonly subject: string;
    readonly now: Date;
    readonly randomBytes: (count: number) => Uint8Array;
  },
): Promise<Uint8Array> {
  const name = encodeName(parseName(options.subject));
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" });
  // Clocks differ.
  const notBefore = new Date(Math.floor(options.now.getTime() / 1000) * 1000 - DAY_MS);
  return issueCertificate(
    {
      subject: name,
      notBefore,
      notAfter: new Date(notBefore.getTime() + VALIDITY_DAYS_MAX * DAY_MS),
      serial: options.randomBytes(SERIAL_BYTES),
      publicKey,
      purpose: { type: "end-entity", usage: OID.codeSigning, critical: false },
    },
    {
      name,
      publicKey,
      hash: "SHA256",
      scheme: "ecdsa-p256",
      sign: async (data) => sign("sha256", data, { key, dsaEncoding: "ieee-p1363" }),
    },
  );
}
