import { generateKeyPairSync, randomBytes } from "node:crypto";
import { encodeName, parseName } from "../x509/distinguished-name.ts";
import { issueCertificate } from "../x509/issue-certificate.ts";
import { pemOf, testRoot } from "./test-signer.ts";

const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
const DAY_MS = 24 * 60 * 60 * 1000;

/** Key and certificate, PEM, for a TLS server that is called by the name `localhost`; clients that
 * trust the test root trust it. */
export async function createTestServerCertificate(): Promise<{
  readonly key: string;
  readonly cert: string;
}> {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const notBefore = new Date(Date.now() - DAY_MS);
  const certificate = await issueCertificate(
    {
      subject: encodeName(parseName("CN=localhost")),
      notBefore,
      notAfter: new Date(notBefore.getTime() + 30 * DAY_MS),
      serial: randomBytes(16),
      publicKey: publicKey.export({ format: "der", type: "spki" }),
      purpose: { type: "end-entity", usage: SERVER_AUTH, critical: false },
    },
    testRoot(),
  );
  return {
    key: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    cert: pemOf(certificate),
  };
}
