import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { once } from "node:events";
import { expect, test } from "vitest";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { createKeySigner, PADDING } from "../keys/key-signer.ts";
import type { SignatureScheme, Signer } from "../ports.ts";
import { createRemoteSigner } from "./remote-signer.ts";
import { spliced } from "../splice/splice-plan.ts";
import { bytesOf, buildTestPackage, createTestSigner } from "../testing/index.ts";
import { TEST_KEYS } from "../testing/test-keys.ts";
import { digest } from "../hash.ts";
import { signPackage } from "../sign/sign-package.ts";
import { verifyPackage } from "../verify/verify-package.ts";

const KEY = createPrivateKey({
  key: Buffer.from(TEST_KEYS.repository, "base64"),
  format: "der",
  type: "pkcs8",
});
const PUBLIC_KEY = createPublicKey(KEY).export({ type: "spki", format: "pem" }).toString();
const DATA = Buffer.from("signed attributes");

async function remote(
  options: Partial<Parameters<typeof createRemoteSigner>[0]> = {},
): Promise<Signer> {
  const { chain } = await createTestSigner();
  return createRemoteSigner({
    chain,
    hash: "SHA256",
    publicKey: PUBLIC_KEY,
    keyName: "key feed of the test vault",
    signDigest: async () => sign("sha256", DATA, KEY),
    ...options,
  });
}

test("only the digest goes to the service", async () => {
  const seen: string[] = [];
  const signer = await remote({
    async signDigest(hash) {
      seen.push(Buffer.from(hash).toString("hex"));
      return sign("sha256", DATA, KEY);
    },
  });
  expect(Buffer.from(await signer.sign(DATA))).toEqual(sign("sha256", DATA, KEY));
  expect(seen).toEqual([digest("SHA256", DATA).toString("hex")]);
});

test("a certificate of another key is refused before anything is signed", async () => {
  const { chain } = await createTestSigner({ as: "author" });
  await expect(remote({ chain })).rejects.toThrow(
    /certificate CN=Sealhouse Test Author.* does not belong to the key feed of the test vault/,
  );
});

test("a signature that is not the key's own is never used", async () => {
  const signer = await remote({ signDigest: async () => sign("sha256", Buffer.of(1), KEY) });
  await expect(signer.sign(DATA)).rejects.toMatchObject({ problem: "signer", retryable: true });
});

test("a service that does not answer is given up", async () => {
  const signer = await remote({
    timeoutMs: 20,
    async signDigest(_, signal) {
      await once(signal, "abort");
      throw signal.reason;
    },
  });
  await expect(signer.sign(DATA)).rejects.toThrow(/timeout/);
});

test("a service that does not mind the signal is given up, too", async () => {
  const signer = await remote({
    timeoutMs: 20,
    signDigest: () => Promise.withResolvers<never>().promise,
  });
  await expect(signer.sign(DATA)).rejects.toMatchObject({
    problem: "signer",
    retryable: true,
    message: "The key feed of the test vault did not sign within 0.02 seconds.",
  });
});

test.each([
  ["pkcs1", "SHA256"],
  ["pkcs1", "SHA512"],
  ["pss", "SHA256"],
  ["pss", "SHA384"],
] as const)("a package signed with %s and %s verifies", async (scheme, hash) => {
  const { chain } = await createTestSigner();
  const local = createKeySigner({ chain, key: KEY, hash, scheme });
  expect(local.scheme).toBe<SignatureScheme>(scheme);
  expect(sign("sha256", DATA, { key: KEY, ...PADDING[scheme] })).toHaveLength(256);
  const file = packageBytesOf(buildTestPackage("Acme", "1.0.0"));
  const outcome = await signPackage({
    file,
    sha256: digest("SHA256", await bytesOf(file)).toString("hex"),
    signer: local,
    serviceIndexUrl: "https://feed.example/v3/index.json",
    now: new Date(),
    policy: "ReSign",
    moment: "upload",
  });
  if (outcome.status !== "sealed") throw new Error(JSON.stringify(outcome));
  const verified = await verifyPackage(spliced(file, outcome.plan), {
    policy: "verify",
    roots: "any",
    timestampRoots: "any",
    now: new Date(),
  });
  expect(verified.valid).toBe(true);
});
