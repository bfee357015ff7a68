import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { refuseRetired } from "./active-signer.ts";
import { contentHash } from "../splice/content-hash.ts";
import { packageBytesOf } from "../archive/package-bytes.ts";
import type { CertificateRecord, Signer } from "../ports.ts";
import { openSealed } from "../sealer/sealed-content.ts";
import { createSealer } from "../sealer/sealer.ts";
import { refusedUntil, withSuccessor } from "./rotation.ts";
import { createSelfSigned, openSelfSigned, rotateSelfSigned } from "../certificates/self-signed.ts";
import type { SelfSignedOptions } from "../certificates/self-signed.ts";
import { createMemoryCertificateFile, createMemoryLedger } from "../testing/memory-ports.ts";
import { bytesOf } from "../testing/sign-as-author.ts";
import { buildTestPackage } from "../testing/test-package.ts";
import { createTestSigner } from "../testing/test-signer.ts";
import { verifyPackage } from "../verify/verify-package.ts";
import { certificateRecordOf } from "../x509/certificate-record.ts";

const start = new Date("2026-11-21T12:00:00Z");
const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;

/** State that all instances of one feed share. */
function createShared() {
  return {
    file: createMemoryCertificateFile(),
    next: createMemoryCertificateFile(),
    ledger: createMemoryLedger(),
  };
}

type Shared = Pick<SelfSignedOptions, "file" | "next" | "ledger">;

function optionsFor(shared: Shared, now: () => Date = () => start): SelfSignedOptions {
  return {
    ...shared,
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

/** Two instances that have the old certificate open, and a clock. */
async function openInstances() {
  const shared = createShared();
  const clock = { ms: start.getTime() };
  const options = optionsFor(shared, () => new Date(clock.ms));
  const instances = [1, 2].map(() => createSelfSigned(options));
  const inUse = async () => (await Promise.all(instances.map((open) => open()))).map(fingerprintOf);
  const [old = ""] = await inUse();
  return { shared, clock, options, inUse, old };
}

test("a successor is listed for an hour, then every instance signs with it", async () => {
  const { clock, options, inUse, old, shared } = await openInstances();
  const { signer, status, signsFrom } = await rotateSelfSigned(options);
  const next = fingerprintOf(signer);
  expect([status, signsFrom]).toEqual(["prepared", new Date(start.getTime() + HOUR_MS)]);
  expect(await shared.ledger.find(next)).toMatchObject({ listedAt: start, active: true });
  expect(await inUse()).toEqual([old, old]);
  clock.ms += HOUR_MS - 1;
  expect(await inUse()).toEqual([old, old]);
  expect(fingerprintOf(await createSelfSigned(options)())).toBe(old);
  const again = await rotateSelfSigned(options);
  expect([fingerprintOf(again.signer), again.status, again.signsFrom]).toEqual([
    next,
    "waiting",
    signsFrom,
  ]);
  clock.ms += 1;
  expect(await inUse()).toEqual([next, next]);
  expect(fingerprintOf(await createSelfSigned(options)())).toBe(next);
});

test("a new certificate that is wanted at once signs a minute on, everywhere", async () => {
  const { clock, options, inUse, old } = await openInstances();
  const { signer, status } = await rotateSelfSigned(options, { atOnce: true });
  expect(status).toBe("at-once");
  clock.ms += MINUTE_MS - 1;
  expect(await inUse()).toEqual([old, old]);
  clock.ms += 1;
  expect(await inUse()).toEqual([fingerprintOf(signer), fingerprintOf(signer)]);
});

test("a replaced certificate does not become active again", async () => {
  const { clock, options, inUse } = await openInstances();
  const second = fingerprintOf((await rotateSelfSigned(options)).signer);
  clock.ms += HOUR_MS;
  expect(await inUse()).toEqual([second, second]);
  clock.ms += MINUTE_MS;
  await inUse();
  const third = await rotateSelfSigned(options, { atOnce: true });
  expect(third.status).toBe("at-once");
  for (const waitMs of [MINUTE_MS, 2 * HOUR_MS]) {
    clock.ms += waitMs;
    expect(new Set(await inUse())).toEqual(new Set([fingerprintOf(third.signer)]));
  }
});

test("of two that want it at once, and of a prepared one, one certificate comes", async () => {
  const { clock, options, inUse, old } = await openInstances();
  const prepared = fingerprintOf((await rotateSelfSigned(options)).signer);
  const rotations = await Promise.all(
    [1, 2].map(() => rotateSelfSigned(options, { atOnce: true })),
  );
  const [fingerprint = "", other = ""] = rotations.map(({ signer }) => fingerprintOf(signer));
  expect([fingerprint, other]).toContain(prepared);
  clock.ms += MINUTE_MS;
  const [now = ""] = await inUse();
  expect([fingerprint, other]).toContain(now);
  expect(now).not.toBe(old);
  expect(await inUse()).toEqual([now, now]);
});

test.each([
  ["was deleted", async ({ shared }: Instances) => shared.file.remove()],
  [
    "was retired",
    async ({ shared, old }: Instances) => {
      await rotateSelfSigned(optionsFor(shared), { atOnce: true });
      shared.ledger.retire(old);
      const [, newer] = await shared.ledger.list();
      shared.ledger.retire(newer?.fingerprint ?? "");
    },
  ],
])("where the certificate in use %s, its successor signs at once", async (_what, lose) => {
  const instances = await openInstances();
  await lose(instances);
  const { signer, status } = await rotateSelfSigned(instances.options);
  expect(status).toBe("at-once");
  instances.clock.ms += MINUTE_MS;
  expect(new Set(await instances.inUse())).toEqual(new Set([fingerprintOf(signer)]));
});

type Instances = Awaited<ReturnType<typeof openInstances>>;

test("a successor that was retired never signs, and the next rotation makes another", async () => {
  const { clock, options, inUse, old, shared } = await openInstances();
  const dropped = fingerprintOf((await rotateSelfSigned(options)).signer);
  shared.ledger.retire(dropped);
  clock.ms += 2 * HOUR_MS;
  expect(await inUse()).toEqual([old, old]);
  const { signer, status } = await rotateSelfSigned(options);
  expect(status).toBe("prepared");
  expect(fingerprintOf(signer)).not.toBe(dropped);
});

test("a successor that its maker did not list any more is listed by others", async () => {
  const { clock, options, inUse, old, shared } = await openInstances();
  const killed = {
    announce: () => Promise.reject(new Error("killed")),
    find: async () => undefined,
  };
  await expect(rotateSelfSigned({ ...options, ledger: killed })).rejects.toThrow("killed");
  clock.ms += MINUTE_MS;
  expect(await inUse()).toEqual([old, old]);
  const listed = await shared.ledger.list();
  expect(listed.at(-1)?.firstUsedAt).toEqual(new Date(clock.ms + HOUR_MS));
  clock.ms += HOUR_MS;
  expect(new Set(await inUse())).toEqual(new Set([listed.at(-1)?.fingerprint]));
});

test("a file that these settings cannot open is not replaced", async () => {
  const shared = createShared();
  await openSelfSigned(optionsFor(shared));
  await rotateSelfSigned(optionsFor(shared));
  const files = () => Promise.all([shared.file.read(), shared.next.read()]);
  const filesBefore = await files();
  const other = { ...optionsFor(shared), password: "another" };
  for (const atOnce of [false, true]) {
    await expect(rotateSelfSigned(other, { atOnce })).rejects.toMatchObject({
      problem: "certificate-file",
    });
  }
  expect(await files()).toEqual(filesBefore);
  // Another password for the successor only: the active certificate signs.
  const mixed = { ...optionsFor(shared), next: { ...shared.next, read: async () => Buffer.of(1) } };
  expect(fingerprintOf(await openSelfSigned(mixed))).toHaveLength(64);
  await expect(rotateSelfSigned(mixed)).rejects.toMatchObject({ problem: "certificate-file" });
});

test("says until when clients may refuse what a new certificate signs", async () => {
  const { clock, options, shared } = await openInstances();
  clock.ms += 1;
  const first = (await shared.ledger.list())[0];
  const listed = async (signer: Signer) => {
    const record = await shared.ledger.find(fingerprintOf(signer));
    return record && refusedUntil(record, await shared.ledger.list(), start);
  };
  if (!first) throw new Error("nothing is listed");
  expect(refusedUntil(first, [first], start)).toBeUndefined();
  const prepared = await rotateSelfSigned(options);
  expect(await listed(prepared.signer)).toBeUndefined();
  const forced = await rotateSelfSigned(options, { atOnce: true });
  expect(await listed(forced.signer)).toEqual(new Date(start.getTime() + 1 + HOUR_MS));
});

test("a package of the old certificate stays valid, and signed again keeps its hash", async () => {
  const options = optionsFor(createShared());
  const [before, after] = [await openSelfSigned(options), (await rotateSelfSigned(options)).signer];
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

test("the next certificate of the operator becomes active without a restart", async () => {
  const clock = { ms: start.getTime() };
  const now = () => new Date(clock.ms);
  const ledger = createMemoryLedger();
  const [old, next] = [
    await createTestSigner({ now: start }),
    await createTestSigner({ now: new Date(start.getTime() - 24 * HOUR_MS) }),
  ];
  const fault: { current?: Error; next?: Error } = {};
  const reports: unknown[] = [];
  const openPair = () =>
    withSuccessor(
      {
        current: async () => (fault.current ? Promise.reject(fault.current) : old),
        next: async () => (fault.next ? Promise.reject(fault.next) : next),
        report: (error) => reports.push(error),
      },
      { ledger, now },
    );
  const [openFirst, other] = [openPair(), openPair()];
  expect(await Promise.all([openFirst(), other()])).toEqual([old, old]);
  expect(await ledger.list()).toMatchObject([
    { listedAt: start, firstUsedAt: new Date(start.getTime() + HOUR_MS) },
  ]);
  clock.ms += HOUR_MS - 1;
  expect(await openFirst()).toBe(old);
  // Where the old one cannot sign, the new one does.
  fault.current = new Error("expired");
  expect(await openFirst()).toBe(next);
  delete fault.current;
  fault.next = new Error("half written");
  expect(await openFirst()).toBe(old);
  expect(reports).toEqual([new Error("expired"), new Error("half written")]);
  delete fault.next;
  clock.ms += 1;
  expect(await Promise.all([openFirst(), other(), openPair()()])).toEqual([next, next, next]);
  ledger.retire(fingerprintOf(next));
  clock.ms += MINUTE_MS;
  expect(await openFirst()).toBe(old);
});
