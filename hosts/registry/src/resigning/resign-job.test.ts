import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { openTestDatabase } from "@sealhouse/database/testing";
import { buildNupkg, newPackage, testCaller } from "@sealhouse/nuget-protocol/testing";
import {
  certificateRecordOf,
  createSealer,
  createSelfSigned,
  rotateSelfSigned,
} from "@sealhouse/repo-signing";
import type { SelfSignedOptions, Signer } from "@sealhouse/repo-signing";
import { createMemoryCertificateFile, createMemoryLedger } from "@sealhouse/repo-signing/testing";
import { createBlobStore } from "@sealhouse/storage-providers";
import { createMemoryStore } from "@sealhouse/storage-providers/memory";
import { expect, test } from "vitest";
import { createLog } from "../log.ts";
import { resign, resignOlder } from "@sealhouse/repo-signing/feed";
import type { ResignStep } from "@sealhouse/repo-signing/feed";

const VECTORS = new URL("../../../../vectors/nuget-signatures/packages/", import.meta.url);
const SIGNAL = new AbortController().signal;
const start = new Date("2026-11-21T12:00:00Z");
const DAY_MS = 24 * 60 * 60_000;

/** The signer of a new certificate that the feed has no record of yet. */
async function renewedSigner(options: SelfSignedOptions): Promise<Signer> {
  const own = { ...options, ledger: createMemoryLedger() };
  return (await rotateSelfSigned(own, { atOnce: true })).signer;
}

/** A feed whose packages were signed with its own certificate. */
async function openSigned(count: number, build = buildNupkg) {
  const opened = new AsyncDisposableStack();
  const clock = { ms: start.getTime() };
  const now = () => new Date(clock.ms);
  const database = opened.use(await openTestDatabase({ now }));
  const blobs = createBlobStore(opened.use(createMemoryStore({ now })), { prefix: "nuget" });
  const options: SelfSignedOptions = {
    file: createMemoryCertificateFile(),
    next: createMemoryCertificateFile(),
    ledger: database.certificates,
    password: "",
    subject: { serverName: "Sealhouse" },
    keySize: 2048,
    validityInDays: 3650,
    hash: "SHA256",
    now,
    randomBytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
  };
  const toolsOf = (signer: () => Promise<Signer>, policy: "ReSign" | "Reject" = "ReSign") => {
    const sealer = createSealer({
      signer,
      ledger: database.certificates,
      serviceIndexUrl: "https://feed.test/v3/index.json",
      policy,
      onFailure: "fail",
      now,
    });
    return { signer, sealer, rotate: undefined, successor: undefined };
  };
  const tools = toolsOf(createSelfSigned(options));
  for (let patch = 0; patch < count; patch++) {
    const bytes = build({ id: "Acme", version: `1.0.${patch}` });
    await using staged = await blobs.stage(chunksOf(bytes), { hashes: ["sha256"] });
    const blob = await staged.keep();
    const identity = { id: "Acme", version: `1.0.${patch}` };
    const read = (range?: { start: number; end: number }) => blobs.read(blob.key, range);
    const outcome = await tools.sealer.seal({ ...blob, read }, identity);
    if (outcome.status !== "sealed") throw new Error(outcome.status);
    const { key, size, sha256 } = blob;
    const overrides = { blob: { key, size, sha256 }, seal: outcome.seal };
    await database.nuget.recorder.record(newPackage(identity, overrides), testCaller);
  }
  const log = createLog({ level: "None", format: "Json" }, () => undefined);
  const { certificates: ledger, leases, nuget } = database;
  const parts = { ledger, leases, seals: nuget.seals, blobs, log, now, pauseMs: 0 };
  const signers = async () =>
    Object.fromEntries(await database.nuget.seals.counts()) as Record<string, number>;
  return { opened, clock, database, blobs, parts, options, tools, toolsOf, signers };
}

async function* chunksOf(bytes: Uint8Array) {
  yield bytes;
}

function fingerprintOf({ chain }: Signer): string {
  return createHash("sha256")
    .update(chain[0] ?? "")
    .digest("hex");
}

test("signs again what older certificates have signed, on one instance at a time", async () => {
  const feed = await openSigned(3);
  await using _ = feed.opened;
  const { database, parts, clock } = feed;
  const old = fingerprintOf(await feed.tools.signer());
  clock.ms += DAY_MS;
  const renewed = await renewedSigner(feed.options);
  const today = feed.toolsOf(async () => renewed);
  const signing = { tools: async () => today };
  // The certificate has signed nothing yet, so no version is older.
  await resignOlder({ ...parts, signing }, { signal: SIGNAL });
  expect(await feed.signers()).toEqual({ [old]: 3 });
  await database.certificates.used(
    certificateRecordOf(renewed.chain[0] ?? new Uint8Array()),
    parts.now(),
  );

  await database.leases.acquire("resign", "another instance", 5 * 60_000);
  await resignOlder({ ...parts, signing }, { signal: SIGNAL });
  expect(await feed.signers()).toEqual({ [old]: 3 });
  await database.leases.release("resign", "another instance");

  await resignOlder({ ...parts, signing }, { signal: SIGNAL });
  expect(await feed.signers()).toEqual({ [fingerprintOf(renewed)]: 3 });
});

test("an instance that still has the old certificate signs nothing back", async () => {
  const feed = await openSigned(1);
  await using _ = feed.opened;
  const { parts, clock } = feed;
  const old = feed.toolsOf(
    await (
      async (signer) => async () =>
        signer
    )(await feed.tools.signer()),
  );
  clock.ms += DAY_MS;
  const renewed = await renewedSigner(feed.options);
  const der = renewed.chain[0] ?? new Uint8Array();
  await feed.database.certificates.used(certificateRecordOf(der), parts.now());
  const today = feed.toolsOf(async () => renewed);
  await resignOlder({ ...parts, signing: { tools: async () => today } }, { signal: SIGNAL });
  await resignOlder({ ...parts, signing: { tools: async () => old } }, { signal: SIGNAL });
  expect(await feed.signers()).toEqual({ [fingerprintOf(renewed)]: 1 });
});

test("stops on request, and continues at the next run", async () => {
  const feed = await openSigned(2);
  await using _ = feed.opened;
  const { database, blobs, clock } = feed;
  const old = fingerprintOf(await feed.tools.signer());
  clock.ms += DAY_MS;
  const renewed = await renewedSigner(feed.options);
  const { sealer } = feed.toolsOf(async () => renewed);
  const stop = new AbortController();
  const parts = { seals: database.nuget.seals, blobs, sealer };
  const run = { which: { by: old }, dryRun: false, limit: undefined };
  const steps: ResignStep[] = [];
  await expect(async () => {
    for await (const step of resign(parts, { ...run, signal: stop.signal })) {
      steps.push(step);
      stop.abort();
    }
  }).rejects.toThrow();
  expect(steps).toMatchObject([{ version: "1.0.0", outcome: "signed", signedBefore: old }]);
  const rest = await Array.fromAsync(resign(parts, { ...run, signal: SIGNAL }));
  expect(rest).toMatchObject([{ version: "1.0.1", outcome: "signed" }]);
});

test("continues after lost bytes, and stops when nothing works", async () => {
  const feed = await openSigned(12);
  await using _ = feed.opened;
  const { database, blobs } = feed;
  const old = fingerprintOf(await feed.tools.signer());
  const { seals } = database.nuget;
  const run = { which: { by: old }, dryRun: false, limit: undefined, signal: SIGNAL };
  const [first] = await seals.sealed(run.which, { after: 0, limit: 1 });
  const renewed = await renewedSigner(feed.options);
  const lost = {
    async *read(key: string, range?: { start: number; end: number }) {
      const isLost = key === first?.blob.key;
      yield* blobs.read(isLost ? `${key}0` : key, range);
    },
  };
  const { sealer } = feed.toolsOf(async () => renewed);
  const steps = await Array.fromAsync(resign({ seals, blobs: lost, sealer }, run));
  expect(steps.map(({ outcome }) => outcome)).toEqual(["failed", ...Array(11).fill("signed")]);

  const broken = feed.toolsOf(() => Promise.reject(new Error("the key service is out")));
  const all = { ...run, which: { by: fingerprintOf(renewed) } };
  await expect(Array.fromAsync(resign({ seals, blobs, ...broken }, all))).rejects.toThrow(
    /^Stopped after 10 failures in a row.*the key service is out/,
  );
});

test("skips versions that the current policy would not have signed", async () => {
  const foreign = readFileSync(new URL("repo.nupkg", VECTORS));
  const feed = await openSigned(1, () => foreign);
  await using _ = feed.opened;
  const { seals } = feed.database.nuget;
  const old = fingerprintOf(await feed.tools.signer());
  const renewed = await renewedSigner(feed.options);
  const { sealer } = feed.toolsOf(async () => renewed, "Reject");
  const run = { which: { by: old }, dryRun: false, limit: undefined, signal: SIGNAL };
  const steps = await Array.fromAsync(resign({ seals, blobs: feed.blobs, sealer }, run));
  expect(steps).toMatchObject([
    { outcome: "kept", reason: expect.stringMatching(/has a repository signature/) as string },
  ]);
  expect(await feed.signers()).toEqual({ [old]: 1 });
});
