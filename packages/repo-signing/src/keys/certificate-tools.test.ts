import { spawnSync } from "node:child_process";
import { generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { HashName } from "../hash.ts";
import { digest } from "../hash.ts";
import { createKeySigner } from "./key-signer.ts";
import type { SignatureScheme } from "../ports.ts";
import { createRemoteKey, keyOfSigner } from "./remote-key.ts";
import { selfIssue } from "./self-issue.ts";
import { createTestCredential } from "../testing/test-credential.ts";
import { pemOf } from "../testing/test-signer.ts";
import { certificateProblems } from "../x509/certificate-rules.ts";
import { createCertificateRequest } from "./certificate-request.ts";

const folder = mkdtempSync(join(tmpdir(), "sealhouse-request-"));
afterAll(() => rmSync(folder, { recursive: true }));
const credential = await createTestCredential();

/** A key of which only signatures come out. */
function keyWith(hash: HashName = "SHA256", scheme: SignatureScheme = "pkcs1") {
  return keyOfSigner(createKeySigner({ ...credential, hash, scheme }));
}

function openssl(line: string): string {
  const { stdout, stderr, status } = spawnSync("openssl", line.split(" "), {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout + stderr;
}

test.each([
  ["SHA256", "pkcs1", "sha256WithRSAEncryption"],
  ["SHA384", "pkcs1", "sha384WithRSAEncryption"],
  ["SHA512", "pss", "rsassaPss"],
] as const)("openssl accepts a request with %s and %s", async (hash, scheme, algorithm) => {
  const subject = 'CN=Feed, O="Acme, Inc.", C=DE';
  const request = await createCertificateRequest(keyWith(hash, scheme), subject);
  writeFileSync(join(folder, "a.csr"), request);
  const text = openssl("req -in a.csr -inform DER -verify -noout -text");
  expect(text).toContain("self-signature verify OK");
  expect(text).toContain('Subject: C = DE, O = "Acme, Inc.", CN = Feed');
  expect(text).toContain(`Signature Algorithm: ${algorithm}`);
  expect(text).toMatch(/Key Usage: critical\s+Digital Signature/);
  expect(text).toMatch(/Extended Key Usage:\s+Code Signing/);
});

test("a certificate that openssl issues from the request is one that clients accept", async () => {
  const request = await createCertificateRequest(keyWith(), "CN=Feed, O=Acme");
  writeFileSync(join(folder, "b.csr"), request);
  openssl("req -x509 -newkey rsa:2048 -nodes -subj /CN=CA -keyout ca.key -out ca.pem");
  const issue = "x509 -req -inform DER -in b.csr -days 20 -copy_extensions copy -out b.pem";
  openssl(`${issue} -CA ca.pem -CAkey ca.key -CAcreateserial`);
  const issued = new X509Certificate(readFileSync(join(folder, "b.pem")));
  expect(issued.checkPrivateKey(credential.key)).toBe(true);
  expect(issued.keyUsage).toEqual(["1.3.6.1.5.5.7.3.3"]);
  expect(certificateProblems(issued.raw, new Date())).toEqual([]);
});

const certificateRequest = { subject: "CN=Try", validityInDays: 30, now: new Date(), randomBytes };

test("a self-issued certificate verifies, and is one that clients accept", async () => {
  const der = await selfIssue(keyWith("SHA384"), certificateRequest);
  writeFileSync(join(folder, "self.pem"), pemOf(der));
  expect(openssl("verify -CAfile self.pem self.pem")).toContain("self.pem: OK");
  const certificate = new X509Certificate(der);
  const days = (certificate.validToDate.getTime() - certificateRequest.now.getTime()) / 86_400_000;
  expect(days).toBeCloseTo(30, 2);
  expect(certificateProblems(der, certificateRequest.now)).toEqual([]);
});

test.each([
  [{ validityInDays: 0 }, "pkcs1", /1 to 3650 days/],
  [{ validityInDays: 3651 }, "pkcs1", /1 to 3650 days/],
  [{ subject: "Feed" }, "pkcs1", /not a part of a name/],
  [{}, "pss", /RSASSA-PSS, and clients refuse certificates that are signed so \(NU3013\)/],
] as const)("what cannot be is refused: %j with %s", async (changes, scheme, words) => {
  const issued = selfIssue(keyWith("SHA256", scheme), { ...certificateRequest, ...changes });
  await expect(issued).rejects.toThrow(words);
});

test("a key that is too short gives no certificate", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const signer = createKeySigner({ chain: [], key: privateKey, hash: "SHA256" });
  const short = { ...signer, publicKey: publicKey.export({ format: "der", type: "spki" }) };
  const issued = selfIssue(short, certificateRequest);
  await expect(issued).rejects.toThrow(/2048 bits.*NU3014/);
});

test("a key that signs something else is found out", async () => {
  const key = { ...keyWith(), sign: async () => Buffer.alloc(256) };
  const words = /signature that is not its own/;
  await expect(createCertificateRequest(key, "CN=Feed")).rejects.toThrow(words);
  await expect(selfIssue(key, certificateRequest)).rejects.toThrow(words);
});

test("a remote key is asked for digests only", async () => {
  const seen: string[] = [];
  const local = createKeySigner({ ...credential, hash: "SHA256" });
  const { publicKey } = keyOfSigner(local);
  const data = Buffer.from("data");
  const key = createRemoteKey({
    publicKey,
    hash: "SHA256",
    keyName: "key",
    async signDigest(hash) {
      seen.push(Buffer.from(hash).toString("hex"));
      return local.sign(data);
    },
  });
  expect(await key.sign(data)).toEqual(await local.sign(data));
  expect(seen).toEqual([digest("SHA256", data).toString("hex")]);
});
