import { spawnSync } from "node:child_process";
import { createHash, createPublicKey, generateKeyPairSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  createCertificateRequest,
  createRefreshingSigner,
  packageBytesOf,
  signPackage,
  verifyPackage,
} from "@sealhouse/repo-signing";
import type { ModeContext, Signer, SignOutcome } from "@sealhouse/repo-signing";
import {
  buildTestPackage,
  issueTestCertificate,
  pemOf,
  signedTestPackage,
  testModeContext,
  testRootCertificate,
} from "@sealhouse/repo-signing/testing";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { awsKms } from "./aws-kms.ts";
import type { KmsFault, KmsOperation } from "./testing/aws-kms-stand-in.ts";
import { startKmsStandIn } from "./testing/aws-kms-stand-in.ts";
import { kmsSettings } from "./testing/stand-in-settings.ts";

const rsa = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const KEY = rsa().privateKey;
const CERTIFICATE = pemOf(await certificateFor(KEY));
const kms = await startKmsStandIn({ key: KEY });
const mode = awsKms();
const TRIAL_CALLS = [`GetPublicKey ${kms.keyId}`, `Sign ${kms.keyArn}`];

beforeEach(() => kms.recover());
afterAll(() => kms[Symbol.asyncDispose]());

describe("a whole package", () => {
  test.each([
    ["RSASSA_PKCS1_V1_5_SHA_256", "SHA256", "pkcs1"],
    ["RSASSA_PKCS1_V1_5_SHA_384", "SHA384", "pkcs1"],
    ["RSASSA_PKCS1_V1_5_SHA_512", "SHA512", "pkcs1"],
    ["RSASSA_PSS_SHA_256", "SHA256", "pss"],
    ["RSASSA_PSS_SHA_384", "SHA384", "pss"],
    ["RSASSA_PSS_SHA_512", "SHA512", "pss"],
  ])("signed with %s verifies", async (algorithm, hash, scheme) => {
    await using signer = await open({ Signing__AwsKms__SigningAlgorithm: algorithm });
    expect(signer).toMatchObject({ hash, scheme });
    const root = await testRootCertificate();
    const verified = await verifyPackage(packageBytesOf(await signedTestPackage(signer)), {
      roots: [root],
      timestampRoots: [root],
      now: new Date(),
    });
    expect(verified).toMatchObject({ valid: true, signatureType: "Repository" });
  });
});

test("without a word about it the key signs with PKCS#1 v1.5 and SHA-256", async () => {
  const context = contextWith({});
  await using signer = await openIn(context);
  expect(signer).toMatchObject({ hash: "SHA256", scheme: "pkcs1" });
  expect(context.warnings).toEqual([]);
});

test("the key alone opens without a certificate, to ask for one", async () => {
  const context = contextWith({ Signing__AwsKms__CertificatePem: "" });
  await expect(openIn(context)).rejects.toThrow(/A key service has no certificates/);
  const key = await mode.openKey?.(context);
  if (!key) throw new Error("the mode has no openKey");
  const publicKey = createPublicKey(KEY);
  expect(Buffer.from(key.publicKey)).toEqual(publicKey.export({ format: "der", type: "spki" }));
  const request = await createCertificateRequest(key, "CN=Feed");
  expect(verifiedRequest(request)).toMatch(/self-signature verify OK/);
  await key[Symbol.asyncDispose]?.();
});

test("PSS is warned about once, however often the mode is opened", async () => {
  const context = contextWith({ Signing__AwsKms__SigningAlgorithm: "RSASSA_PSS_SHA_256" });
  await using first = await openIn(context);
  await using again = await openIn(context);
  expect([first.scheme, again.scheme]).toEqual(["pss", "pss"]);
  expect(context.warnings).toEqual([
    expect.stringMatching(
      /^The key alias\/feed .* which some NuGet clients may refuse\. Signing__/,
    ),
  ]);
});

test("the key signs before the mode is open; from then on it is called by its ARN", async () => {
  const before = kms.calls.length;
  await using signer = await open();
  expect(kms.calls.slice(before)).toEqual(TRIAL_CALLS);
  await signer.sign(Buffer.from("attributes"));
  expect(kms.calls.at(-1)).toBe(`Sign ${kms.keyArn}`);
});

test("an alias moves to a new key without a gap: the old one signs until both fit", async () => {
  await using standIn = await startKmsStandIn({ key: KEY });
  const next = rsa().privateKey;
  const path = join(await mkdtemp(join(tmpdir(), "aws-kms-")), "feed.pem");
  const settings = { Signing__AwsKms__CertificatePem: "", Signing__AwsKms__CertificatePath: path };
  const context = contextWith({ ...kmsSettings(standIn), ...settings });
  await writeFile(path, CERTIFICATE);
  let now = 0;
  const reports = Promise.withResolvers<unknown>();
  await using keptSigner = createRefreshingSigner({
    open: () => openIn(context),
    reopenEveryMs: 1,
    now: () => new Date(now),
    report: reports.resolve,
  });
  const signedBy = async () => {
    const signer = await keptSigner.signer();
    expect(await sign(signer)).toMatchObject({ status: "sealed" });
    return pemOf(signer.chain[0] ?? new Uint8Array());
  };
  expect(await signedBy()).toBe(CERTIFICATE);
  standIn.moveAlias(next);
  now += 1;
  expect(await signedBy()).toBe(CERTIFICATE);
  expect(await reports.promise).toMatchObject({ key: "Signing__AwsKms__CertificatePath" });
  expect(await signedBy()).toBe(CERTIFICATE);
  const renewed = pemOf(await certificateFor(next));
  await writeFile(path, renewed);
  now += 1;
  await vi.waitFor(async () => expect(await signedBy()).toBe(renewed));
  await rm(dirname(path), { recursive: true });
});

describe("the certificate", () => {
  test("comes from a file, with its issuers in any order", async () => {
    const folder = await mkdtemp(join(tmpdir(), "aws-kms-"));
    const path = join(folder, "feed.pem");
    const root = await testRootCertificate();
    await writeFile(path, `${pemOf(root)}${CERTIFICATE}`);
    await using signer = await open({
      Signing__AwsKms__CertificatePem: "",
      Signing__AwsKms__CertificatePath: path,
    });
    expect(signer.chain.map(pemOf)).toEqual([CERTIFICATE, pemOf(root)]);
    await rm(folder, { recursive: true });
  });

  test("has to belong to the key", async () => {
    const other = pemOf(await certificateFor(rsa().privateKey));
    const opening = open({ Signing__AwsKms__CertificatePem: other });
    await expect(opening).rejects.toMatchObject({
      name: "ModeSettingError",
      key: "Signing__AwsKms__CertificatePem",
      message: expect.stringMatching(
        /does not belong to the key alias\/feed of AWS KMS in eu-west-1/,
      ),
    });
  });
});

describe("credentials", () => {
  test("the secret may be kept under another name, and that one goes first", async () => {
    const { secretAccessKey } = kms.account;
    const context = contextWith(
      {
        Signing__AwsKms__SecretAccessKey: "old",
        Signing__AwsKms__SecretAccessKeyConfigurationKey: "KMS_SECRET",
      },
      { KMS_SECRET: secretAccessKey },
    );
    await using signer = await openIn(context);
    expect(signer.chain).toHaveLength(1);
  });

  test("a session token is sent along", async () => {
    const account = { ...kms.account, sessionToken: "token" };
    await using standIn = await startKmsStandIn({ key: KEY, account });
    const settings = { ...kmsSettings(standIn), Signing__AwsKms__SessionToken: "token" };
    await using signer = await open(settings);
    expect(signer.chain).toHaveLength(1);
  });

  test("without any, the default chain finds those of the environment", async () => {
    const before = { ...process.env };
    process.env["AWS_ACCESS_KEY_ID"] = kms.account.accessKeyId;
    process.env["AWS_SECRET_ACCESS_KEY"] = kms.account.secretAccessKey;
    try {
      await using signer = await open(inSection({ AccessKeyId: "", SecretAccessKey: "" }));
      expect(signer.chain).toHaveLength(1);
    } finally {
      process.env = before;
    }
  });

  test.each([
    ["SecretAccessKey", { SecretAccessKey: "" }],
    ["AccessKeyId", { AccessKeyId: "" }],
    ["AccessKeyId", { AccessKeyId: "", SecretAccessKey: "", SessionToken: "token" }],
    ["SecretAccessKeyConfigurationKey", { SecretAccessKeyConfigurationKey: "NOWHERE" }],
    ["Region", { Region: "eu-west-1.evil.example/" }],
    ["SigningAlgorithm", { SigningAlgorithm: "ECDSA_SHA_256" }],
  ])("%s is corrected when %j", async (key, settings) => {
    await expect(open(inSection(settings))).rejects.toMatchObject({
      name: "ModeSettingError",
      key: `Signing__AwsKms__${key}`,
    });
  });

  test.each([
    [{ AccessKeyId: "AKIAOTHER" }, /UnrecognizedClientException.*correct .*__AccessKeyId/],
    [{ SecretAccessKey: "wrong" }, /InvalidSignatureException.*Correct .*__SecretAccessKey/],
    [{ KeyId: "alias/other" }, /key alias\/other .*NotFoundException.*correct .*__KeyId/],
  ])("what AWS refuses of %j is explained", async (settings, message) => {
    await expect(open(inSection(settings))).rejects.toMatchObject({
      problem: "signer",
      retryable: false,
      message: expect.stringMatching(message),
    });
  });
});

describe("a key of the wrong kind", () => {
  test.each([
    ["KeyId", { usage: "ENCRYPT_DECRYPT" as const }, /usage of this key is ENCRYPT_DECRYPT/],
    ["KeyId", { key: generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey }, /RSA_1024/],
    ["KeyId", { key: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey }, /ECC_NIST/],
    [
      "SigningAlgorithm",
      { algorithms: ["RSASSA_PSS_SHA_256"] },
      /cannot do RSASSA_PKCS1_V1_5_SHA_256; it can do RSASSA_PSS_SHA_256/,
    ],
  ])("is refused at %s (%#)", async (setting, kind, message) => {
    await using standIn = await startKmsStandIn({ key: KEY, ...kind });
    await expect(open(kmsSettings(standIn))).rejects.toMatchObject({
      name: "ModeSettingError",
      key: `Signing__AwsKms__${setting}`,
      message: expect.stringMatching(message),
    });
  });
});

describe("what AWS KMS says no to", () => {
  const NO: readonly [string, number, boolean, RegExp][] = [
    ["AccessDeniedException", 400, false, /Allow kms:Sign for the host's AWS identity/],
    ["DisabledException", 400, false, /Enable the key/],
    ["KMSInvalidStateException", 400, false, /state of the key/],
    ["NotFoundException", 400, false, /correct Signing__AwsKms__KeyId/],
    ["InvalidKeyUsageException", 400, false, /SIGN_VERIFY/],
    ["ExpiredTokenException", 400, false, /Replace Signing__AwsKms__SessionToken/],
    ["ValidationException", 400, false, /Correct the settings Signing__AwsKms__/],
    ["ThrottlingException", 400, true, /too many requests/],
    ["KeyUnavailableException", 500, true, /may be out/],
    ["KMSInternalException", 500, true, /may be out/],
    ["DependencyTimeoutException", 503, true, /may be out/],
  ];

  test.each(NO)("%s (%i) leaves retryable %j", async (name, status, retryable, advice) => {
    await using signer = await open();
    kms.fail("Sign", { type: "error", name, status });
    const outcome = await sign(signer);
    expect(outcome).toMatchObject({ status: "failed", retryable });
    expect(outcome).toMatchObject({ reason: expect.stringMatching(advice) });
    expect(outcome).toMatchObject({ reason: expect.stringContaining(`(${name})`) });
    expect(JSON.stringify(outcome)).not.toContain("by the test");
  });

  test("at start AWS's own words are there, too", async () => {
    kms.fail("Sign", { type: "error", name: "AccessDeniedException" });
    await expect(open()).rejects.toMatchObject({
      message: expect.stringMatching(/Allow kms:Sign .*target.s\.$/) as string,
      details: "It says: by the test",
    });
    kms.fail("GetPublicKey", { type: "error", name: "AccessDeniedException" });
    await expect(open()).rejects.toMatchObject({
      message: expect.stringMatching(/Allow kms:GetPublicKey .*target.s\.$/) as string,
      details: "It says: by the test",
    });
  });

  test("a digest that does not fit is refused by the stand-in as by AWS", async () => {
    const { openKmsKey } = await import("./kms-key.ts");
    const { account, keyId, url } = kms;
    using key = await openKmsKey({
      account: { region: account.region, credentials: account, serviceUrl: url },
      keyId,
      algorithm: "RSASSA_PKCS1_V1_5_SHA_256",
      section: "Signing__AwsKms",
      timeoutMs: 10_000,
    });
    const signing = key.signDigest(Buffer.alloc(48), AbortSignal.timeout(10_000));
    await expect(signing).rejects.toMatchObject({ retryable: false });
    await expect(signing).rejects.toThrow(/ValidationException/);
  });
});

describe("when AWS KMS has trouble", () => {
  const throttled: KmsFault = { type: "error", name: "ThrottlingException" };

  test.each<[KmsOperation, KmsFault]>([
    ["GetPublicKey", throttled],
    ["Sign", throttled],
    ["Sign", { type: "page", status: 502 }],
  ])("two failures of %s are waited out (%j)", async (operation, fault) => {
    kms.fail(operation, fault, 2);
    await using signer = await open();
    expect(await sign(signer)).toMatchObject({ status: "sealed" });
  });

  test("the signature of another key is never used", async () => {
    await using signer = await open();
    kms.fail("Sign", { type: "other-key", key: rsa().privateKey });
    expect(await sign(signer)).toMatchObject({
      status: "failed",
      reason: expect.stringMatching(/key alias\/feed .* gave a signature that is not its own/),
    });
  });

  test.each<KmsOperation>(["GetPublicKey", "Sign"])("%s is not waited for", async (operation) => {
    kms.fail(operation, { type: "silence" });
    const opening = awsKms({ timeoutMs: 300 }).open(contextWith({}));
    await expect(opening).rejects.toMatchObject({ problem: "signer", retryable: true });
    await expect(opening).rejects.toThrow(/kms:(GetPublicKey|Sign) .*\(TimeoutError\).*may be out/);
  });

  test("one that is not there is called unreachable", async () => {
    const gone = await startKmsStandIn({ key: KEY });
    await using signer = await open(kmsSettings(gone));
    await gone[Symbol.asyncDispose]();
    expect(await sign(signer)).toMatchObject({
      status: "failed",
      retryable: true,
      reason: expect.stringMatching(/ECONNREFUSED.*Signing__AwsKms__Region/),
    });
    await expect(open(kmsSettings(gone))).rejects.toThrow(/kms:GetPublicKey .*ECONNREFUSED/);
  });
});

test("no secret is in a message", async () => {
  kms.fail("GetPublicKey", { type: "error", name: "InvalidSignatureException" });
  const error: unknown = await open().catch((caught: unknown) => caught);
  if (!(error instanceof Error)) throw new Error("it opened");
  expect(`${error.message} ${String(error.stack)}`).not.toContain(kms.account.secretAccessKey);
});

function inSection(settings: Readonly<Record<string, string | undefined>>) {
  const entries = Object.entries(settings).filter(([, text]) => text !== undefined);
  return Object.fromEntries(
    entries.map(([name, text]) => [`Signing__AwsKms__${name}`, String(text)]),
  );
}

function verifiedRequest(request: Uint8Array): string {
  const options = "req -inform DER -verify -noout".split(" ");
  return String(spawnSync("openssl", options, { input: request }).stderr);
}

function contextWith(
  settings: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
) {
  const usual = { ...kmsSettings(kms), Signing__AwsKms__CertificatePem: CERTIFICATE };
  return testModeContext(mode, { ...usual, ...settings }, variables);
}

function open(settings: Readonly<Record<string, string>> = {}) {
  return openIn(contextWith(settings));
}

async function openIn(context: ModeContext): Promise<Signer & AsyncDisposable> {
  const signer = await mode.open(context);
  return { [Symbol.asyncDispose]: async () => undefined, ...signer };
}

async function sign(signer: Signer): Promise<SignOutcome> {
  const bytes = buildTestPackage("Acme.Kms", "1.0.0");
  return signPackage({
    file: packageBytesOf(bytes),
    sha256: createHash("sha256").update(bytes).digest("hex"),
    signer,
    serviceIndexUrl: "https://feed.example/v3/index.json",
    now: new Date(),
    policy: "ReSign",
    moment: "upload",
  });
}

function certificateFor(key: KeyObject): Promise<Uint8Array> {
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  return issueTestCertificate({ publicKey });
}
