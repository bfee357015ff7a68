import { createPublicKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { bufferOf, runInThread } from "../certificate-thread/thread.ts";
import { OID } from "../der/oid.ts";
import { VALIDITY_DAYS_MAX } from "../keys/own-certificate.ts";
import { encodeName, parseName } from "../x509/distinguished-name.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const SERIAL_BYTES = 20;

/**
 * A self-signed certificate of an ECDSA key over P-256, for uses other than NuGet, whose clients
 * refuse it.
 *
 * @returns DER
 * @throws RangeError when the subject is not a valid name
 */
export async function selfIssueP256(
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
  const der = await runInThread("issueP256", {
    key,
    request: {
      subject: name,
      notBefore,
      notAfter: new Date(notBefore.getTime() + VALIDITY_DAYS_MAX * DAY_MS),
      serial: Uint8Array.from(options.randomBytes(SERIAL_BYTES)),
      publicKey: Uint8Array.from(publicKey),
      purpose: { type: "end-entity", usage: OID.codeSigning, critical: false },
    },
  });
  return bufferOf(der);
}
