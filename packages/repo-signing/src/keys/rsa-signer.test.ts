import { X509Certificate, constants, generateKeyPairSync, randomBytes, verify } from "node:crypto";
import { expect, test } from "vitest";
import type { RsaSignature, Signer } from "../ports.ts";
import { rsaSigner } from "./rsa-signer.ts";
import { selfIssueP256 } from "../certificates/self-issue-p256.ts";
import { createTestSigner } from "../testing/test-signer.ts";

const DATA = Buffer.from("not a package");
const PSS: RsaSignature = { hash: "SHA512", scheme: "pss" };

function isPssOf({ chain }: Signer, signature: Uint8Array): boolean {
  const { publicKey } = new X509Certificate(chain[0] ?? Buffer.alloc(0));
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  return verify("sha512", DATA, { key: publicKey, padding, saltLength }, signature);
}

test("a key of this process signs in other ways than packages are signed", async () => {
  const signer = await createTestSigner();
  const made = await rsaSigner(signer, PSS)?.(DATA);
  expect(isPssOf(signer, made ?? Buffer.alloc(0))).toBe(true);
  expect(isPssOf(signer, await signer.sign(DATA))).toBe(false);
});

test("a key service that makes one kind of signature makes that one", async () => {
  const signed: Uint8Array[] = [];
  const service: Signer = {
    chain: [],
    hash: "SHA256",
    async sign(data) {
      signed.push(data);
      return data;
    },
  };
  expect(rsaSigner(service, PSS)).toBeUndefined();
  expect(rsaSigner(service, { hash: "SHA256", scheme: "pss" })).toBeUndefined();
  expect(rsaSigner({ ...service, scheme: "pss" }, { hash: "SHA256", scheme: "pkcs1" })).toBe(
    undefined,
  );
  await rsaSigner(service, { hash: "SHA256", scheme: "pkcs1" })?.(DATA);
  expect(signed).toEqual([DATA]);
});

test("a certificate of a P-256 key is signed by it, for ten years and for code", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const now = new Date("2026-11-22T10:00:00Z");
  const der = await selfIssueP256(privateKey, { subject: 'CN="A, B"', now, randomBytes });
  const certificate = new X509Certificate(der);
  expect(certificate.verify(publicKey)).toBe(true);
  expect(certificate.subject).toBe(String.raw`CN=A\, B`);
  expect(certificate.issuer).toBe(certificate.subject);
  expect(certificate.ca).toBe(false);
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.3"]);
  const years = (certificate.validToDate.getTime() - now.getTime()) / (365 * 86_400_000);
  expect(years).toBeCloseTo(10, 1);
});
