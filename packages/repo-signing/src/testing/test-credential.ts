import type { KeyObject } from "node:crypto";
import { createPrivateKey, createPublicKey } from "node:crypto";
import { OID } from "../der/oid.ts";
import { digest } from "../hash.ts";
import { signPkcs1 } from "../keys/key-signer.ts";
import { encodeName, parseName } from "../x509/distinguished-name.ts";
import { issueCertificate } from "../x509/issue-certificate.ts";
import { TEST_KEYS } from "./test-keys.ts";
import { pemOf, testRoot, testRootCertificate } from "./test-signer.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const ISSUER = "CN=Sealhouse Test Issuer, O=Sealhouse Test";

/** A key with its certificate, as an operator has them in files. */
export type TestCredential = {
  readonly key: KeyObject;
  /** DER: the certificate, its issuer, the test root. */
  readonly chain: readonly Uint8Array[];
  readonly keyPem: string;
  readonly certificatePem: string;
  /** The issuer and the root. */
  readonly issuersPem: string;
};

/** A fixed key with a certificate of a test issuer below the test root. */
export async function createTestCredential(
  options: {
    readonly subject?: string;
    /** Default: the day before now. */
    readonly notBefore?: Date;
    /** Default: a year from now. */
    readonly notAfter?: Date;
    /** Extended key usage, dotted; default code signing. */
    readonly usage?: string;
  } = {},
): Promise<TestCredential> {
  const now = Date.now();
  const { subject = "CN=Sealhouse Test Feed, O=Sealhouse Test", usage = OID.codeSigning } = options;
  const { notBefore = new Date(now - DAY_MS), notAfter = new Date(now + 365 * DAY_MS) } = options;
  const [key, issuerKey] = [privateKeyOf("repository"), privateKeyOf("author")];
  const issuer = {
    name: encodeName(parseName(ISSUER)),
    publicKey: publicKeyOf(issuerKey),
    hash: "SHA256",
    sign: (data: Uint8Array) => signPkcs1(data, issuerKey, "SHA256"),
  } as const;
  const certificate = await issueCertificate(
    {
      subject: encodeName(parseName(subject)),
      notBefore,
      notAfter,
      serial: digest("SHA256", Buffer.from(`${subject} ${notAfter.toISOString()}`)).subarray(0, 16),
      publicKey: publicKeyOf(key),
      purpose: { type: "end-entity", usage, critical: false },
    },
    issuer,
  );
  const issuerCertificate = await issueCertificate(
    {
      subject: issuer.name,
      notBefore: new Date("2025-01-01T00:00:00Z"),
      notAfter: new Date("2049-12-31T00:00:00Z"),
      serial: digest("SHA256", issuer.publicKey).subarray(0, 16),
      publicKey: issuer.publicKey,
      purpose: { type: "authority" },
    },
    testRoot(),
  );
  const issuers = [issuerCertificate, await testRootCertificate()];
  return {
    key,
    chain: [certificate, ...issuers],
    keyPem: String(key.export({ format: "pem", type: "pkcs8" })),
    certificatePem: pemOf(certificate),
    issuersPem: issuers.map(pemOf).join(""),
  };
}

function privateKeyOf(name: keyof typeof TEST_KEYS): KeyObject {
  const key = Buffer.from(TEST_KEYS[name], "base64");
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}

function publicKeyOf(key: KeyObject): Uint8Array {
  return createPublicKey(key).export({ format: "der", type: "spki" });
}
