import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { osvDocument } from "@sealhouse/advisories/testing";
import type { Database } from "@sealhouse/database";
import { openTestDatabase } from "@sealhouse/database/testing";
import { retentionPorts, sweepJob, tagRetentionPorts } from "@sealhouse/feed";
import { openKeyRing } from "@sealhouse/identity";
import { LostLeaseError } from "@sealhouse/jobs";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { parseDigest, parseRepositoryName, applyTagRetention } from "@sealhouse/oci-distribution";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import { certificateRecordOf } from "@sealhouse/repo-signing";
import { resignJob } from "@sealhouse/repo-signing/feed";
import { createTestSigner } from "@sealhouse/repo-signing/testing";
import { createMemoryStore } from "@sealhouse/storage-providers/memory";
import { expect, test } from "vitest";
import { createLog } from "../../log.ts";
import { advisoriesJob } from "./advisories.ts";
import type { AdvisoryParts } from "./advisories.ts";
import { createNpmSignatures } from "@sealhouse/feed";
import { applyRetention } from "@sealhouse/nuget-protocol";

// An instance that slept through the end of its lease (a suspended machine, a long pause of the
// process) wakes up while another instance does the work. What it then commits is refused.

const log = createLog({ level: "None", format: "Json" }, () => undefined);
const caller = { actor: "system" };
const { signal } = new AbortController();
const keyRing = await openKeyRing({ random: randomBytes });
const APP = parseRepositoryName("team/app");
const DAY_MS = 24 * 60 * 60_000;

const signer = await createTestSigner();
const current = certificateRecordOf(signer.chain[0] ?? new Uint8Array());
const older = { ...current, fingerprint: "ab".repeat(32) };

function sealBy({ fingerprint }: typeof current) {
  return { fingerprint, plan: Buffer.of(1), size: 1, signedAt: current.notBefore };
}

type Parts = {
  readonly database: Database;
  readonly now: () => Date;
  /** Lets the lease expire and another instance take it. */
  readonly sleep: () => Promise<void>;
};

type Case = {
  readonly lease: string;
  readonly prepare: (database: Database) => Promise<unknown>;
  /** Runs the job, which sleeps before its first change. */
  readonly run: (parts: Parts) => Promise<unknown>;
  readonly state: (database: Database) => Promise<unknown>;
};

/** `port`, which sleeps whenever `method` is called. */
function sleeping<Port extends object>(port: Port, method: keyof Port, { sleep }: Parts): Port {
  const original = port[method] as (...args: unknown[]) => unknown;
  return Object.assign(Object.create(port) as Port, {
    async [method](...values: unknown[]) {
      await sleep();
      return original.apply(port, values);
    },
  });
}

const CASES: Readonly<Record<string, Case>> = {
  "NuGet retention": {
    lease: "retention",
    async prepare({ nuget }) {
      for (const version of ["1.0.0-a", "1.0.0-b"]) {
        await nuget.recorder.record(newPackage({ id: "Acme", version }), caller);
      }
    },
    run(parts) {
      const { nuget, ...rest } = parts.database;
      const retention = sleeping(nuget.retention, "page", parts);
      const database = { ...rest, nuget: { ...nuget, retention } };
      const rules = { versionsMax: 1, excludedIds: [], action: "Delete" } as const;
      const run = { rules, dryRun: false, caller, onStep: () => undefined };
      const { leases } = database;
      return applyRetention({ ports: retentionPorts(database), leases, now: parts.now }, run);
    },
    state: ({ nuget }) => nuget.lookup.versions("acme"),
  },
  "image retention": {
    lease: "oci-retention",
    async prepare({ oci }) {
      for (const tag of ["a", "b"]) {
        const { digest, mediaType, bytes, blobs } = buildImage({ layers: [tag] });
        const edges = blobs.map((blob, index) => {
          const kind = index === 0 ? ("config" as const) : ("layer" as const);
          return { digest: parseDigest(blob.digest), size: blob.bytes.length, kind };
        });
        for (const { digest: child, size } of edges) {
          await oci.blobs.link(APP, { digest: child, size, key: child });
        }
        const manifest = { repository: APP, digest, mediaType, bytes, edges, tags: [tag] };
        await oci.manifests.record(manifest, caller);
      }
    },
    run(parts) {
      const { oci, ...rest } = parts.database;
      const manifests = sleeping(oci.manifests, "repositories", parts);
      const rule = {
        name: "one",
        coversRepository: () => true,
        coversTag: () => true,
        immutable: false,
        keep: { newest: 1, always: () => false },
      };
      const run = { rules: [rule], dryRun: false, caller, onStep: () => undefined };
      const database = { ...rest, oci: { ...oci, manifests } };
      const { leases } = database;
      return applyTagRetention({ ports: tagRetentionPorts(database), leases, now: parts.now }, run);
    },
    state: ({ oci }) => oci.manifests.tags(APP, { limit: 10 }),
  },
  "npm signatures": {
    lease: "npm-signatures",
    prepare: ({ npm }) => npm.recorder.publish(newNpmVersion({}), caller),
    async run(parts) {
      const { npm, ...rest } = parts.database;
      const unsigned = sleeping(npm.unsigned, "between", parts);
      const database = { ...rest, npm: { ...npm, unsigned } };
      const { now } = parts;
      const { job } = createNpmSignatures({ enabled: true, database, keyRing, log, now });
      await job.run(signal);
    },
    state: async ({ npm }) => (await npm.lookup.find("demo"))?.versions[0]?.signatures,
  },
  "signing again": {
    lease: "resign",
    async prepare({ certificates, nuget }) {
      const overrides = { seal: sealBy(older) };
      await nuget.recorder.record(newPackage({ id: "Acme", version: "1.0.0" }, overrides), caller);
      const { notBefore } = current;
      await certificates.used(older, notBefore);
      await certificates.used(current, new Date(notBefore.getTime() + 1000));
    },
    async run(parts) {
      const { certificates: ledger, leases, nuget } = parts.database;
      const seals = sleeping(nuget.seals, "replace", parts);
      const sealer = {
        sealOnDownload: () => Promise.resolve({ status: "sealed" as const, seal: sealBy(current) }),
      };
      const tools = { signer: async () => signer, sealer, rotate: undefined, successor: undefined };
      const signing = { tools: async () => tools };
      const blobs = { read: () => Readable.from([]) };
      const { now } = parts;
      const job = resignJob({ ledger, leases, seals, blobs, signing, log, now, pauseMs: 0 });
      await job.run(signal);
    },
    state: async ({ nuget }) => [...(await nuget.seals.counts())],
  },
  "the sweep": {
    lease: "sweep",
    prepare: ({ oci }) =>
      oci.uploads.create({ id: "upload", repository: APP, owner: "bob", offset: 0 }),
    async run(parts) {
      const { oci, ...rest } = parts.database;
      const uploads = sleeping(oci.uploads, "expire", parts);
      const now = () => new Date(parts.now().getTime() + 2 * DAY_MS);
      const database = { ...rest, oci: { ...oci, uploads } };
      const ociUploads = { drop: () => Promise.resolve() };
      await sweepJob({ database, store: createMemoryStore({ now }), ociUploads, log, now }).run(
        signal,
      );
    },
    state: ({ oci }) => oci.uploads.find("upload"),
  },
  "refresh of NuGet advisories": {
    lease: "vulnerabilities",
    prepare: () => Promise.resolve(),
    run: (parts) => refreshAdvisories(parts, "NuGet"),
    state: async ({ nuget }) => [...(await nuget.advisories.of(["acme.json"]))],
  },
  "refresh of npm advisories": {
    lease: "vulnerabilities",
    prepare: () => Promise.resolve(),
    run(parts) {
      const { npm, ...rest } = parts.database;
      const advisories = sleeping(npm.advisories, "replace", parts);
      const database = { ...rest, npm: { ...npm, advisories } };
      return refreshAdvisories({ ...parts, database, sleep: () => Promise.resolve() }, "npm");
    },
    state: async ({ npm }) => [...(await npm.advisories.of(["acme.json"]))],
  },
};

/** Imports one advisory. Sleeps while it reads the source. */
async function refreshAdvisories(
  { database, now, sleep }: Omit<Parts, "database"> & Pick<AdvisoryParts, "database">,
  ecosystem: string,
): Promise<void> {
  const vulnerabilities = {
    sources: [{ name: "own", location: "https://advisories.test/own.json" }],
    refreshIntervalMs: 1,
  };
  const fetch = async () => {
    await sleep();
    return Response.json([osvDocument({ id: "own-1", package: "acme.json", ecosystem })]);
  };
  await advisoriesJob({ database, vulnerabilities, fetch, log, now }).run(signal);
}

test.each(Object.entries(CASES))(
  "%s changes nothing after another instance has acquired its lease",
  async (_, { lease, prepare, run, state }) => {
    const clock = { ms: Date.now() };
    const now = () => new Date(clock.ms);
    await using database = await openTestDatabase({ now });
    await prepare(database);
    const before = await state(database);
    const sleep = async () => {
      clock.ms += 60 * 60_000;
      expect(await database.leases.acquire(lease, "another instance", 60_000)).toBeDefined();
    };
    await expect(run({ database, now, sleep })).rejects.toThrow(LostLeaseError);
    expect(await state(database)).toEqual(before);

    await database.leases.release(lease, "another instance");
    await run({ database, now, sleep: () => Promise.resolve() });
    expect(await state(database)).not.toEqual(before);
  },
);
