import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { refuseRetired } from "./active-signer.ts";
import { contentHash } from "./archive/content-hash.ts";
import { packageBytesOf } from "./archive/package-bytes.ts";
import type { CertificateFile, CertificateRecord, Signer } from "./ports.ts";
import { openSealed } from "./sealed-content.ts";
import { createSealer } from "./sealer.ts";
import { createSelfSigned, rotateSelfSigned } from "./self-signed.ts";
import type { SelfSignedOptions } from "./self-signed.ts";
import { createMemoryCertificateFile, createMemoryLedger } from "./testing/memory-ports.ts";
import { bytesOf } from "./testing/sign-as-author.ts";
import { buildTestPackage } from "./testing/test-archive.ts";
import { createTestSigner } from "./testing/test-signer.ts";
import { verifyPackage } from "./verify/verify-package.ts";
import { certificateRecordOf } from "./x509/certificate-record.ts";

const start = new Date("2026-11-21T12:00:00Z");
const MINUTE_MS = 60 * 1000;

function optionsFor(file: CertificateFile, now: () => Date = () => start): SelfSignedOptions {
  return {
    file,
    password: "secret",
    subject: { serverName: "Sealhouse" },
    keySize: 2048,
    validityInDays: 3650,
    hash: "SHA256",
    now,
    randomBytes,
  };
}

function derOf({ chain }: Signer): Uint8Array {
  return chain[0] ?? new Uint8Array();
}

function fingerprintOf(signer: Signer): string {
  return certificateRecordOf(derOf(signer)).fingerprint;
}

test("instances that have the old certificate open sign with the new one a minute on", async () => {
  const file = createMemoryCertificateFile();
  const clock = { ms: start.getTime() };
  const now = () => new Date(clock.ms);
  const instances = [1, 2].map(() => createSelfSigned(optionsFor(file, now)));
  const [old = ""] = (await Promise.all(instances.map((open) => open()))).map(fingerprintOf);
  const rotated = fingerprintOf(await rotateSelfSigned(optionsFor(file, now)));
  expect(rotated).not.toBe(old);
  const inUse = () => Promise.all(instances.map(async (open) => fingerprintOf(await open())));
  clock.ms += MINUTE_MS - 1;
  expect(await inUse()).toEqual([old, old]);
  clock.ms += 1;
  expect(await inUse()).toEqual([rotated, rotated]);
});

test("a file that these settings cannot open is not replaced", async () => {
  const file = createMemoryCertificateFile();
  await rotateSelfSigned(optionsFor(file));
  const kept = await file.read();
  const other = { ...optionsFor(file), password: "another" };
  await expect(rotateSelfSigned(other)).rejects.toMatchObject({ problem: "certificate-file" });
  expect(await file.read()).toBe(kept);
});

test("a package of the old certificate stays valid, and signed again keeps its hash", async () => {
  const file = createMemoryCertificateFile();
  const [before, after] = [
    await rotateSelfSigned(optionsFor(file)),
    await rotateSelfSigned(optionsFor(file)),
  ];
  const bytes = buildTestPackage("Acme.Widgets", "1.0.0");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const received = { ...packageBytesOf(bytes), sha256 };
  const old = await signedBy(before, received);
  const renewed = await signedBy(after, received);
  const trust = { roots: [derOf(before), derOf(after)], timestampRoots: [], now: start };
  for (const [signed, signer] of [
    [old, before],
    [renewed, after],
  ] as const) {
    expect(await verifyPackage(packageBytesOf(signed), trust)).toMatchObject({
      valid: true,
      signer: { fingerprint: fingerprintOf(signer) },
    });
    const hash = await contentHash(packageBytesOf(signed), "SHA512");
    expect(hash).toEqual(createHash("sha512").update(bytes).digest());
  }
  expect(old.equals(renewed)).toBe(false);
});

async function signedBy(
  signer: Signer,
  received: ReturnType<typeof packageBytesOf> & { readonly sha256: string },
): Promise<Buffer> {
  const sealer = createSealer({
    signer: async () => signer,
    ledger: createMemoryLedger(),
    serviceIndexUrl: "https://feed.test/v3/index.json",
    policy: "ReSign",
    onFailure: "fail",
    now: () => start,
  });
  const outcome = await sealer.sealOnDownload(received, { id: "Acme.Widgets", version: "1.0.0" });
  if (outcome.status !== "sealed") throw new Error(outcome.status);
  return bytesOf(openSealed(received, outcome.seal));
}

test("a retired certificate is refused within a minute, with words that help", async () => {
  const signer = await createTestSigner({ now: start });
  const clock = { ms: start.getTime() };
  const ledger = createMemoryLedger();
  await ledger.used(certificateRecordOf(derOf(signer)), start);
  const records = { active: true };
  const find = async (fingerprint: string): Promise<CertificateRecord | undefined> => {
    const record = await ledger.find(fingerprint);
    return record && { ...record, ...records };
  };
  const open = refuseRetired(async () => signer, {
    ledger: { find },
    now: () => new Date(clock.ms),
  });
  expect(await open()).toBe(signer);
  records.active = false;
  expect(await open()).toBe(signer);
  clock.ms += MINUTE_MS;
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(open()).rejects.toMatchObject({
      problem: "certificate-unusable",
      retryable: false,
      message: expect.stringMatching(
        /CN=Sealhouse Test Repository.*was retired.*signing rotate/,
      ) as string,
    });
  }
});

test("a certificate that has not signed yet is not a retired one", async () => {
  const signer = await createTestSigner({ now: start });
  const find = async () => undefined;
  expect(await refuseRetired(async () => signer, { ledger: { find }, now: () => start })()).toBe(
    signer,
  );
});
