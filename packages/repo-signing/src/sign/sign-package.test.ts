import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readArchive } from "../archive/archive.ts";
import { contentHash } from "../splice/content-hash.ts";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { readSignatureEntry, signatureEntryOf } from "../archive/signature-entry.ts";
import type { PackageBytes, Signer } from "../ports.ts";
import { readSignature } from "./read-signature.ts";
import type { SignOutcome, SignRequest } from "./sign-package.ts";
import { signPackage } from "./sign-package.ts";
import { planReplace } from "../splice/edit-signature.ts";
import { spliced } from "../splice/splice-plan.ts";
import { buildTestArchive } from "@sealhouse/zip-archive/testing";
import { buildTestPackage } from "../testing/test-package.ts";
import { bytesOf } from "../testing/sign-as-author.ts";
import { createTestSigner, testRootCertificate } from "../testing/test-signer.ts";
import { createTestStampServer } from "../testing/test-timestamper.ts";
import { createTimestamper } from "../timestamp/client.ts";
import { verifyPackage } from "../verify/verify-package.ts";

const folder = new URL("../../../../vectors/nuget-signatures/packages/", import.meta.url);
const vector = (name: string) => readFileSync(new URL(`${name}.nupkg`, folder));
const now = new Date("2026-11-21T12:00:00Z");
const signer = await createTestSigner({ now });
const anyRoot = { roots: "any", timestampRoots: "any" } as const;

function sign(bytes: Uint8Array, changes: Partial<SignRequest> = {}): Promise<SignOutcome> {
  return signPackage({
    file: packageBytesOf(bytes),
    sha256: createHash("sha256").update(bytes).digest("hex"),
    signer,
    serviceIndexUrl: "https://feed.test/v3/index.json",
    now,
    policy: "ReSign",
    moment: "upload",
    ...changes,
  });
}

async function signed(bytes: Uint8Array, changes: Partial<SignRequest> = {}): Promise<Buffer> {
  const outcome = await sign(bytes, changes);
  if (outcome.status !== "sealed") throw new Error(`${outcome.status}: ${outcome.reason}`);
  const result = spliced(packageBytesOf(bytes), outcome.plan);
  expect(result.size).toBe(outcome.size);
  return bytesOf(result);
}

test("an unsigned package gets a repository signature with our facts", async () => {
  const signature = await readSignature(packageBytesOf(await signed(vector("unsigned"))));
  expect(signature).toMatchObject({
    kind: "repository",
    countersignature: undefined,
    signer: {
      subject: "CN=Sealhouse Test Repository, O=Sealhouse Test",
      hash: "SHA256",
      signingTime: now,
      serviceIndexUrl: "https://feed.test/v3/index.json",
      packageOwners: [],
      timestamps: [],
    },
  });
});

test.each([
  ["unsigned", "repository", false],
  ["repo", "repository", false],
  ["repo-512", "repository", false],
  ["c-expired", "repository", false],
  ["author", "author", true],
  ["author-counter", "author", true],
  ["author-counter-ts", "author", true],
  ["nuget-counter", "author", true],
  ["untyped", "unknown", true],
])(
  "%s leaves as %s, countersigned: %s, and its content hash stays",
  async (name, kind, counter) => {
    const before = vector(name);
    const after = packageBytesOf(await signed(before));
    const signature = await readSignature(after);
    expect(signature.kind).toBe(kind);
    const ours =
      signature.kind !== "none" && (counter ? signature.countersignature : signature.signer);
    expect(ours).toMatchObject({ serviceIndexUrl: "https://feed.test/v3/index.json" });
    expect(await contentHash(after, "SHA512")).toEqual(
      await contentHash(packageBytesOf(before), "SHA512"),
    );
    const { valid, issues } = await verifyPackage(after, { ...anyRoot, now });
    expect({ valid, issues: issues.filter((issue) => issue.level === "error") }).toEqual({
      valid: true,
      issues: [],
    });
  },
);

test("keeps an author's signature and timestamps when it countersigns", async () => {
  const before = await readSignature(packageBytesOf(vector("author-counter-ts")));
  const after = await readSignature(packageBytesOf(await signed(vector("author-counter-ts"))));
  if (before.kind === "none" || after.kind === "none") throw new Error("a signature is missing");
  expect(after.signer).toEqual(before.signer);
  expect(after.signer.timestamps).toHaveLength(1);
  expect(after.countersignature?.fingerprint).not.toBe(before.countersignature?.fingerprint);
});

test("signing again gives a package with our newest signature only", async () => {
  const other = await createTestSigner({ now: new Date("2026-11-20T00:00:00Z") });
  const twice = await signed(await signed(vector("author"), { signer: other }));
  const once = await readSignature(packageBytesOf(twice));
  expect(once).toMatchObject({ kind: "author", countersignature: { signingTime: now } });
});

test("packages need not contain roots, neither the certificate's nor a timestamp's", async () => {
  const rootless = { ...signer, chain: signer.chain.slice(0, 1) };
  const stamp = createTimestamper({
    url: "http://time.test/",
    fetch: await createTestStampServer({ now: () => now, withRoot: false }),
    randomBytes: (count) => new Uint8Array(count).fill(7),
    now: () => now,
  });
  const timestamp = { stamp, onFailure: "fail" } as const;
  const bytes = await signed(vector("unsigned"), { signer: rootless, timestamp });
  const root = [await testRootCertificate()];
  const trusted = { roots: root, timestampRoots: root, now };
  expect(await verifyPackage(packageBytesOf(bytes), trusted)).toMatchObject({
    valid: true,
    issues: [],
  });
});

test("a renewed certificate of the same key signs what the old one countersigned", async () => {
  const old = await createTestSigner({ now: new Date("2026-11-20T00:00:00Z") });
  const renewed = await signed(await signed(vector("author"), { signer: old }));
  const verified = await verifyPackage(packageBytesOf(renewed), {
    roots: "any",
    timestampRoots: "any",
    now,
  });
  expect(verified).toMatchObject({ valid: true, countersignature: { signingTime: now } });
});

test.each(["SHA256", "SHA384", "SHA512"] as const)("signs with %s", async (hash) => {
  const own = await createTestSigner({ now, hash });
  const signature = await readSignature(
    packageBytesOf(await signed(vector("unsigned"), { signer: own })),
  );
  expect(signature).toMatchObject({ signer: { hash } });
});

test.each([
  ["repo", "ReSign", "upload", "sealed"],
  ["repo", "Reject", "upload", "refused"],
  ["repo", "Reject", "download", "as-is"],
  ["author-counter", "Reject", "upload", "refused"],
  ["author", "Reject", "upload", "sealed"],
  ["unsigned", "Reject", "upload", "sealed"],
] as const)("%s under %s at %s is %s", async (name, policy, moment, status) => {
  const outcome = await sign(vector(name), { policy, moment });
  expect(outcome.status).toBe(status);
  if (outcome.status === "refused") {
    expect(outcome.reason).toBe("package already has a repository signature");
  }
});

test.each([
  ["repo-tampered", "NU3008"],
  ["bad-hash", "NU3008"],
  ["md-wrong", "NU3012"],
  ["repo-flags", "NU3005"],
  ["two-sigfiles", "NU3005"],
  ["repo-v2content", "NU3007"],
  ["sha1-content", "NU3000"],
  ["repo-nocert", "NU3010"],
  ["repo-noissuer", "NU3011"],
  ["counter-corrupt", "NU3012"],
  ["c-ec", "NU3013"],
])("%s is refused at upload and served unchanged at download: %s", async (name, code) => {
  const outcome = await sign(vector(name));
  expect(outcome).toMatchObject({ status: "refused", code });
  expect(outcome).toMatchObject({ reason: expect.stringContaining(code) });
  expect(await sign(vector(name), { moment: "download" })).toMatchObject({ status: "as-is" });
});

test("an archive that cannot be signed is refused", async () => {
  expect(await sign(vector("gap"))).toMatchObject({ status: "refused" });
  expect(await sign(Buffer.from("no zip"))).toMatchObject({ status: "refused" });
  const prefixed = buildTestArchive([{ name: "a", data: "b" }], { prefix: Buffer.from("MZ") });
  expect(await sign(prefixed)).toMatchObject({ status: "refused", code: "NU3008" });
});

test("an unsigned package is not read beyond its directory", async () => {
  const bytes = buildTestPackage("Large", "1.0.0", {
    files: [{ name: "large.bin", data: Buffer.alloc(1_000_000, 7), stored: true }],
  });
  const whole = packageBytesOf(bytes);
  const reads: number[] = [];
  const file: PackageBytes = {
    size: whole.size,
    read(range) {
      reads.push(range?.start ?? 0);
      return whole.read(range);
    },
  };
  expect(await sign(bytes, { file })).toMatchObject({ status: "sealed" });
  expect(reads).toEqual([bytes.length - 65_557]);
});

const expired = new Date("2027-11-20T11:57:00Z");
const illegal: Signer = {
  chain: [readFileSync(new URL("../certs/root.crt", folder))].map((pem) =>
    pemToDer(pem.toString()),
  ),
  hash: "SHA256",
  sign: (data) => signer.sign(data),
};
const author = await createTestSigner({ as: "author", now });
const wrongKey: Signer = { ...signer, sign: (data) => author.sign(data) };
const broken = { ...signer, sign: () => Promise.reject(new Error("the key service is away")) };

test.each<[string, Partial<SignRequest>, boolean, RegExp]>([
  ["the certificate ends within five minutes", { now: expired }, false, /ends on 2027-11-20/],
  ["the certificate has not begun", { now: new Date("2026-11-19T00:00:00Z") }, false, /NU3017/],
  ["another key signs", { signer: wrongKey }, false, /failed its own check/],
  ["the certificate belongs to another key", { signer: illegal }, false, /failed its own check/],
  ["the key service is away", { signer: broken }, true, /the key service is away/],
  ["there is no certificate", { signer: { ...signer, chain: [] } }, false, /without a certificate/],
  [
    "the address is not https",
    { serviceIndexUrl: "http://a.test/" },
    false,
    /only an https address/,
  ],
])("signing fails when %s", async (_what, changes, retryable, reason) => {
  const outcome = await sign(vector("unsigned"), changes);
  expect(outcome).toMatchObject({ status: "failed", retryable });
  expect(outcome).toMatchObject({ reason: expect.stringMatching(reason) });
});

test("a timestamp keeps the signature valid after the end of its certificate", async () => {
  const stamp = createTimestamper({
    url: "http://time.test/",
    fetch: await createTestStampServer({ now: () => now }),
    randomBytes: (count) => new Uint8Array(count).fill(7),
    now: () => now,
  });
  const later = new Date("2030-01-01T00:00:00Z");
  const verify = async (bytes: Uint8Array) =>
    (await verifyPackage(packageBytesOf(bytes), { ...anyRoot, now: later })).valid;
  const timestamp = { stamp, onFailure: "fail" } as const;
  expect(await verify(await signed(vector("unsigned"), { timestamp }))).toBe(true);
  expect(await verify(await signed(vector("unsigned")))).toBe(false);
});

test("an unavailable timestamp server fails the signing, or costs the timestamp", async () => {
  const stamp = createTimestamper({
    url: "http://time.test/",
    fetch: await createTestStampServer({ now: () => now, misbehaves: "http-error" }),
    randomBytes: (count) => new Uint8Array(count),
    now: () => now,
  });
  const strict = await sign(vector("unsigned"), { timestamp: { stamp, onFailure: "fail" } });
  expect(strict).toMatchObject({ status: "failed", retryable: true });
  const lenient = await sign(vector("author"), { timestamp: { stamp, onFailure: "sign-without" } });
  expect(lenient).toMatchObject({
    status: "sealed",
    warning: expect.stringContaining("answered 500"),
  });
});

test("no changed byte of a signature goes unnoticed or changes what it says", async () => {
  const whole = await signed(vector("unsigned"));
  const archive = await readArchive(packageBytesOf(whole));
  const entry = signatureEntryOf(archive);
  if (!entry) throw new Error("the signature is missing");
  const signature = await readSignatureEntry(packageBytesOf(whole), entry);
  const facts = await readSignature(packageBytesOf(whole));
  if (facts.kind === "none") throw new Error("the signature is missing");
  for (let offset = 0; offset < signature.length; offset++) {
    const changed = Buffer.from(signature);
    changed[offset] = (changed[offset] ?? 0) ^ 0x04;
    const file = spliced(packageBytesOf(whole), planReplace(archive, changed, now));
    const verdict = await verifyPackage(file, { ...anyRoot, now });
    if (!verdict.valid) continue;
    const parsedSignature = await readSignature(file);
    expect(parsedSignature.kind === "none" ? undefined : parsedSignature.signer).toEqual(
      facts.signer,
    );
  }
});

function pemToDer(pem: string): Uint8Array {
  return Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ""), "base64");
}
