import { createPublicKey, verify } from "node:crypto";
import { packageBytesOf, verifyPackage } from "@sealhouse/repo-signing";
import type { Signer } from "@sealhouse/repo-signing";
import { signedTestPackage, testRootCertificate } from "@sealhouse/repo-signing/testing";
import { expect, test } from "vitest";
import { certificateOf, modeWith, openMode, openStandIn } from "./testing/google-mode.ts";
import { TEST_KEY, testVersion } from "./testing/kms-answers.ts";
import type { KmsStatus, Misbehaviour } from "./testing/kms-answers.ts";

const DATA = Buffer.from("signed attributes");

async function isSignedAndVerified(signer: Signer): Promise<boolean> {
  const { valid } = await verifyPackage(packageBytesOf(await signedTestPackage(signer)), {
    roots: [await testRootCertificate()],
    timestampRoots: [],
    now: new Date(),
  });
  return valid;
}

test.each([
  ["RSA_SIGN_PKCS1_2048_SHA256", "grpc", "SHA256", "pkcs1"],
  ["RSA_SIGN_PKCS1_4096_SHA512", "grpc", "SHA512", "pkcs1"],
  ["RSA_SIGN_PSS_2048_SHA256", "grpc", "SHA256", "pss"],
  ["RSA_SIGN_PKCS1_3072_SHA256", "rest", "SHA256", "pkcs1"],
  ["RSA_SIGN_PSS_4096_SHA512", "rest", "SHA512", "pss"],
] as const)(
  "a package signed by %s over %s verifies",
  async (algorithm, transport, hash, scheme) => {
    const version = testVersion({ algorithm });
    await using kms = await openStandIn({ transport, versions: [version] });
    const { opening, warnings } = openMode("GcpKms", {
      ...kms.settings,
      CertificatePem: await certificateOf(version),
    });
    const signer = await opening;
    expect(signer).toMatchObject({ hash, scheme });
    expect(signer.chain).toHaveLength(2);
    expect(await isSignedAndVerified(signer)).toBe(true);
    expect(kms.calls.map(({ method }) => method)).toEqual([
      "listCryptoKeyVersions",
      "getPublicKey",
      "asymmetricSign",
      "asymmetricSign",
    ]);
    const pss = [
      expect.stringMatching(/RSASSA-PSS signatures, which some NuGet clients may refuse/),
    ];
    expect(warnings).toEqual(scheme === "pss" ? pss : []);
    await signer[Symbol.asyncDispose]?.();
    await expect(signer.sign(DATA)).rejects.toThrow(/already been closed/);
  },
);

test("the newest version that is enabled and signs with RSA is used", async () => {
  const keyVersion = testVersion();
  await using kms = await openStandIn({
    versions: [
      testVersion(),
      ...Array.from({ length: 7 }, () => testVersion({ state: "DESTROYED" })),
      testVersion(),
      keyVersion,
      testVersion({ state: "DISABLED" }),
      testVersion({ algorithm: "EC_SIGN_P256_SHA256" }),
    ],
  });
  const settings = { ...kms.settings, CertificatePem: await certificateOf(keyVersion) };
  const signer = await openMode("GcpKms", settings).opening;
  const signature = await signer.sign(DATA);
  expect(verify("sha256", DATA, createPublicKey(keyVersion.key), signature)).toBe(true);
  expect(kms.calls.at(-1)?.request.name).toBe(`${TEST_KEY}/cryptoKeyVersions/10`);
  await signer[Symbol.asyncDispose]?.();
});

test("a version that the settings name is used without listing", async () => {
  const [old, newer] = [testVersion({ protectionLevel: "SOFTWARE" }), testVersion()];
  await using kms = await openStandIn({ versions: [old, newer] });
  const signer = await openMode("GcpKms", {
    ...kms.settings,
    KeyVersion: "1",
    ProtectionLevel: "Software",
    CertificatePem: await certificateOf(old),
  }).opening;
  expect(verify("sha256", DATA, createPublicKey(old.key), await signer.sign(DATA))).toBe(true);
  expect(new Set(kms.calls.map(({ method }) => method))).toEqual(
    new Set(["getPublicKey", "asymmetricSign"]),
  );
  await signer[Symbol.asyncDispose]?.();
});

test.each([
  ["no version is enabled", [testVersion({ state: "DISABLED" })], {}, /has no enabled version;/],
  [
    "the key is for elliptic curves",
    [testVersion({ algorithm: "EC_SIGN_P256_SHA256" })],
    {},
    /no enabled version that will do, only EC_SIGN_P256_SHA256; NuGet clients need RSA_SIGN_PKCS1/,
  ],
  [
    "a named version is for elliptic curves",
    [testVersion({ algorithm: "EC_SIGN_P256_SHA256" })],
    { KeyVersion: "1" },
    /cryptoKeyVersions\/1 signs with EC_SIGN_P256_SHA256; NuGet clients need RSA_SIGN_PKCS1/,
  ],
  [
    "a named version signs raw",
    [testVersion({ algorithm: "RSA_SIGN_RAW_PKCS1_2048" })],
    { KeyVersion: "1" },
    /signs with RSA_SIGN_RAW_PKCS1_2048/,
  ],
  [
    "the key is in software",
    [testVersion({ protectionLevel: "SOFTWARE" })],
    {},
    /cryptoKeyVersions\/1 has the protection level SOFTWARE, not HSM/,
  ],
  [
    "the key is in hardware, and software was asked for",
    [testVersion()],
    { ProtectionLevel: "Software" },
    /has the protection level HSM, not SOFTWARE/,
  ],
  [
    "a named version is disabled",
    [testVersion({ state: "DISABLED" })],
    { KeyVersion: "1" },
    /is not enabled, current state is: DISABLED \(FAILED_PRECONDITION\)\. Enable the key version/,
  ],
  ["a version is missing", [testVersion()], { KeyVersion: "7" }, /not found \(NOT_FOUND\)\. Check/],
])("the host does not start when %s", async (_case, versions, settings, message) => {
  await using kms = await openStandIn({ versions });
  const { opening } = openMode("GcpKms", {
    ...kms.settings,
    CertificatePem: await certificateOf(testVersion()),
    ...settings,
  });
  await expect(opening).rejects.toThrow(message);
});

test("a certificate of another key is refused, with the way out while a key rotates", async () => {
  const [old, newer] = [testVersion(), testVersion()];
  await using kms = await openStandIn({ versions: [old, newer] });
  const settings = { ...kms.settings, CertificatePem: await certificateOf(old) };
  const { opening } = openMode("GcpKms", settings);
  await expect(opening).rejects.toMatchObject({ key: "Signing__GcpKms__CertificatePem" });
  await expect(opening).rejects.toThrow(
    /not belong to the key version .*\/2: .* Signing__GcpKms__KeyVersion can name an older one/,
  );
  const pinned = openMode("GcpKms", { ...settings, KeyVersion: "2" }).opening;
  await expect(pinned).rejects.toThrow(/public keys differ\.$/);
  await (
    await openMode("GcpKms", { ...settings, KeyVersion: "1" }).opening
  )[Symbol.asyncDispose]?.();
});

type How = Misbehaviour["how"];
const refusing = (status: KmsStatus): How => ({ status, message: "because" });

test.each<[string, How, RegExp]>([
  ["damages what comes back", "damages-the-answer", /changed on its way \(CRC32C\)/],
  ["gets a damaged digest", "damages-the-request", /digest_crc32c did not match/],
  ["gets no checksum", "ignores-the-checksum", /checksum of the digest did not get there/],
  ["sends no checksum", "leaves-checksums-out", /the answer has no checksum/],
  ["uses another key", "answers-for-another-key", /it answered for .*nuget-2/],
  ["is out", refusing("UNAVAILABLE"), /because \(UNAVAILABLE\)/],
  ["fails", refusing("INTERNAL"), /because \(INTERNAL\)/],
  ["aborts", refusing("ABORTED"), /because \(ABORTED\)/],
])("a service that %s is asked three times, then waiting may help", async (_case, how, message) => {
  const version = testVersion();
  await using kms = await openStandIn({ versions: [version] });
  const settings = { ...kms.settings, CertificatePem: await certificateOf(version) };
  const signer = await openMode("GcpKms", settings).opening;
  kms.misbehaviour = { on: "asymmetricSign", how, times: 2 };
  expect(verify("sha256", DATA, createPublicKey(version.key), await signer.sign(DATA))).toBe(true);
  kms.misbehaviour = { on: "asymmetricSign", how };
  const before = kms.calls.length;
  const signing = signer.sign(DATA);
  await expect(signing).rejects.toThrow(message);
  await expect(signing).rejects.toMatchObject({ problem: "signer", retryable: true });
  expect(kms.calls.length - before).toBe(3);
  await signer[Symbol.asyncDispose]?.();
});

test.each<[KmsStatus, boolean, RegExp]>([
  ["PERMISSION_DENIED", false, /Grant the account roles/],
  ["NOT_FOUND", false, /Check project, location/],
  ["FAILED_PRECONDITION", false, /Enable the key/],
  ["UNAUTHENTICATED", false, /Check the service account/],
  ["INVALID_ARGUMENT", false, /Check the names/],
  ["RESOURCE_EXHAUSTED", true, /larger quota/],
  ["DEADLINE_EXCEEDED", true, /DEADLINE_EXCEEDED/],
  ["UNKNOWN", true, /because \(UNKNOWN\)/],
])("%s says at once what to do", async (status, retryable, advice) => {
  const version = testVersion();
  await using kms = await openStandIn({ versions: [version] });
  const settings = { ...kms.settings, CertificatePem: await certificateOf(version) };
  const signer = await openMode("GcpKms", settings).opening;
  kms.misbehaviour = { on: "asymmetricSign", how: refusing(status) };
  const before = kms.calls.length;
  const signing = signer.sign(DATA);
  await expect(signing).rejects.toThrow(advice);
  await expect(signing).rejects.toThrow(`because (${status}).`);
  await expect(signing).rejects.toMatchObject({ problem: "signer", retryable });
  expect(kms.calls.length - before).toBe(1);
  await signer[Symbol.asyncDispose]?.();
});

test("who may read the key but not sign with it hears of it at start", async () => {
  const version = testVersion();
  await using kms = await openStandIn({ versions: [version] });
  kms.misbehaviour = { on: "asymmetricSign", how: refusing("PERMISSION_DENIED") };
  const settings = { ...kms.settings, CertificatePem: await certificateOf(version) };
  await expect(openMode("GcpKms", settings).opening).rejects.toThrow(/Grant the account roles/);
});

test("the key opens alone, to ask for a certificate", async () => {
  const version = testVersion({ algorithm: "RSA_SIGN_PKCS1_4096_SHA512" });
  await using kms = await openStandIn({ versions: [version] });
  const { mode, context } = modeWith("GcpKms", kms.settings);
  const key = await mode.openKey?.(context);
  if (!key) throw new Error("the mode opens no key");
  const publicKey = createPublicKey(version.key).export({ format: "der", type: "spki" });
  expect(Buffer.from(key.publicKey)).toEqual(publicKey);
  expect(key).toMatchObject({ hash: "SHA512", scheme: "pkcs1" });
  expect(verify("sha512", DATA, createPublicKey(version.key), await key.sign(DATA))).toBe(true);
  await key[Symbol.asyncDispose]?.();
  await expect(key.sign(DATA)).rejects.toThrow(/already been closed/);
});

test("a signature of another key is never used, even with all checksums right", async () => {
  const version = testVersion();
  await using kms = await openStandIn({ versions: [version] });
  const settings = { ...kms.settings, CertificatePem: await certificateOf(version) };
  const signer = await openMode("GcpKms", settings).opening;
  kms.misbehaviour = { on: "asymmetricSign", how: "signs-with-another-key" };
  await expect(signer.sign(DATA)).rejects.toThrow(/gave a signature that is not its own/);
  await signer[Symbol.asyncDispose]?.();
});

test.each(["grpc", "rest"] as const)("a service that hangs is given up, over %s", async (wire) => {
  const version = testVersion();
  await using kms = await openStandIn({ transport: wire, versions: [version] });
  const settings = {
    ...kms.settings,
    CertificatePem: await certificateOf(version),
  };
  const signer = await openMode("GcpKms", settings, { callTimeoutMs: 300 }).opening;
  kms.misbehaviour = { on: "asymmetricSign", how: "hangs" };
  const signing = signer.sign(DATA);
  await expect(signing).rejects.toThrow(/DEADLINE_EXCEEDED/);
  await expect(signing).rejects.toMatchObject({ retryable: true });
  kms.misbehaviour = { on: "getPublicKey", how: "hangs" };
  const { opening } = openMode("GcpKms", settings, { callTimeoutMs: 300 });
  await expect(opening).rejects.toThrow(/did not give the public key .*DEADLINE_EXCEEDED/);
  await signer[Symbol.asyncDispose]?.();
});

test.each<[string, How]>([
  ["is damaged", "damages-the-answer"],
  ["has no checksum", "leaves-checksums-out"],
  ["is of another key", "answers-for-another-key"],
])("a public key that %s is not believed", async (_case, how) => {
  const version = testVersion();
  await using kms = await openStandIn({ versions: [version] });
  kms.misbehaviour = { on: "getPublicKey", how };
  const settings = { ...kms.settings, CertificatePem: await certificateOf(version) };
  await expect(openMode("GcpKms", settings).opening).rejects.toMatchObject({ retryable: true });
});
