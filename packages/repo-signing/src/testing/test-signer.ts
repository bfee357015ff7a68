import { createPrivateKey, createPublicKey } from "node:crypto";
import { OID } from "../der/oid.ts";
import type { HashName } from "../hash.ts";
import { digest } from "../hash.ts";
import { createKeySigner, signPkcs1 } from "../keys/key-signer.ts";
import type { Signer } from "../ports.ts";
import { encodeName, parseName } from "../x509/distinguished-name.ts";
import type { CertificateIssuer } from "../x509/issue-certificate.ts";
import { issueCertificate } from "../x509/issue-certificate.ts";
import { TEST_KEYS } from "./test-keys.ts";
import { encodePem } from "../x509/pem.ts";

export type TestIdentity = "repository" | "author" | "timestamping";

const DAY_MS = 24 * 60 * 60 * 1000;
const NAMES = {
  root: "CN=Sealhouse Test Root, O=Sealhouse Test",
  repository: "CN=Sealhouse Test Repository, O=Sealhouse Test",
  author: "CN=Sealhouse Test Author, O=Sealhouse Test",
  timestamping: "CN=Sealhouse Test Time, O=Sealhouse Test",
} as const;

/**
 * A signer with a fixed key and a certificate from the test root, valid from the day before
 * `now` for a year. The same `now` gives the same certificate.
 */
export async function createTestSigner(
  options: {
    readonly as?: TestIdentity;
    readonly hash?: HashName;
    readonly now?: Date;
    readonly validityInDays?: number;
  } = {},
): Promise<Signer> {
  const { as = "repository", hash = "SHA256" } = options;
  const certificate = await issueTestCertificate({ ...options, publicKey: publicKeyOf(as) });
  const chain = [certificate, await testRootCertificate()];
  return createKeySigner({ chain, key: privateKeyOf(as), hash });
}

/** A certificate from the test root, DER, for a key that lives elsewhere, such as in a stand-in. */
export async function issueTestCertificate(options: {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array;
  readonly as?: TestIdentity;
  readonly now?: Date;
  readonly validityInDays?: number;
}): Promise<Uint8Array> {
  const { publicKey, as = "repository", now = new Date(), validityInDays = 365 } = options;
  const notBefore = new Date(now.getTime() - DAY_MS);
  const isStamp = as === "timestamping";
  return issueCertificate(
    {
      subject: encodeName(parseName(NAMES[as])),
      notBefore,
      notAfter: new Date(notBefore.getTime() + validityInDays * DAY_MS),
      serial: digest("SHA256", Buffer.from(as + now.toISOString())).subarray(0, 16),
      publicKey,
      purpose: {
        type: "end-entity",
        usage: isStamp ? OID.timeStamping : OID.codeSigning,
        critical: isStamp,
      },
    },
    testRoot(),
  );
}

/** The root of all test signers, DER. Always the same bytes. */
export async function testRootCertificate(): Promise<Uint8Array> {
  const root = testRoot();
  const { name, publicKey } = root;
  return issueCertificate(
    {
      subject: name,
      notBefore: new Date("2025-01-01T00:00:00Z"),
      notAfter: new Date("2049-12-31T00:00:00Z"),
      serial: digest("SHA256", publicKey).subarray(0, 16),
      publicKey,
      purpose: { type: "authority" },
    },
    root,
  );
}

/** PEM of a certificate, as trust lists want it. */
export function pemOf(der: Uint8Array): string {
  return encodePem("CERTIFICATE", der);
}

export function testRoot(): CertificateIssuer {
  const key = privateKeyOf("root");
  return {
    name: encodeName(parseName(NAMES.root)),
    publicKey: publicKeyOf("root"),
    hash: "SHA256",
    sign: (data) => signPkcs1(data, key, "SHA256"),
  };
}

function privateKeyOf(name: keyof typeof TEST_KEYS) {
  const key = Buffer.from(TEST_KEYS[name], "base64");
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}

function publicKeyOf(name: keyof typeof TEST_KEYS): Uint8Array {
  return createPublicKey(privateKeyOf(name)).export({ format: "der", type: "spki" });
}
