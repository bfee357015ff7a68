import { randomBytes, randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "@sealhouse/database";
import { sweepJob } from "@sealhouse/feed";
import { createBlobStore } from "@sealhouse/storage-providers";
import type { Fault, FaultProxy } from "@sealhouse/storage-providers/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../../../packages/storage-aws-s3/src/testing/index.ts";
import { extendedTest } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import type { Artifact } from "../artifacts.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "../artifacts.ts";
import { expectUnavailable, pushAll } from "../unavailable-answers.ts";
import { openFolder } from "./client.ts";
import type { Push, Users } from "./instance-clients.ts";
import { openUsers, pushOf, pushUntilStored } from "./instance-clients.ts";
import type { InstanceParts, Instances } from "./instances.ts";
import { ALL } from "./instances.ts";

/** One round in CI; `pnpm test:extended` sets more. */
const ROUNDS = Number(process.env["SEALHOUSE_FAULT_ROUNDS"] ?? "1");
const MIB = 1024 * 1024;
const ATTEMPTS_MAX = 10;
/** In one round. */
const KILLS_MAX = 3;
const DAY_MS = 24 * 60 * 60_000;
/** A result of the readiness probe is valid for ten seconds. */
const SOON = { timeout: 60_000, interval: 250 };

const AWAY: Fault = { type: "reset" };
const BUSY = xmlError(503, "SlowDown");
const REFUSED = xmlError(403, "InvalidAccessKeyId");

/** Kills instances under load, and makes their store fail. */
export function describeFaults(parts: () => InstanceParts): void {
  describe("lose nothing that was acknowledged", () => {
    const opened = new AsyncDisposableStack();
    let all: Instances;
    let store: FaultProxy;
    let token: string;
    let users: Users;
    /** The balancer, for pushes that are made for one host. */
    let front: TestHost;

    beforeAll(async () => {
      ({ all, store, token } = parts());
      const { path: folder } = opened.use(await openFolder());
      users = opened.use(await openUsers({ folder, url: all.front.url, token }));
      front = { ...all.at(0), url: all.front.url, fetch: all.front.fetch };
    });
    afterAll(() => opened.disposeAsync());

    const expectWholeEverywhere = async (pushes: readonly Push[]) => {
      for (const index of ALL) {
        for (const push of pushes) {
          const isWhole = await push.isWhole(all.at(index)).catch(() => false);
          expect([index, push.name, isWhole]).toEqual([index, push.name, true]);
        }
      }
    };

    for (let round = 1; round <= ROUNDS; round += 1) {
      test(`when instances are killed under real clients, round ${round}`, async () => {
        const artifacts = artifactsOf(`round${round}`, 4, 400_000);
        const pushes = [
          ...artifacts.map((artifact) => pushOf(artifact, front, token)),
          ...(await users.pushes(`round${round}-a`)),
          ...(await users.pushes(`round${round}-b`)),
        ];
        const running = new Set(pushes);
        const work = Promise.all(
          pushes.map(async (push) => {
            const failures = await pushUntilStored(push, ATTEMPTS_MAX);
            running.delete(push);
            return failures.length;
          }),
        );
        const killing = (async () => {
          let kills = 0;
          while (running.size > 0 && kills < KILLS_MAX) {
            await delay(randomInt(200, 1_500));
            const index = ALL[randomInt(3)] ?? 0;
            await all.kill(index);
            kills += 1;
            await all.restart(index);
          }
          return kills;
        })();
        const [failures, kills] = await Promise.all([work, killing]);
        expect(kills).toBeGreaterThan(0);
        const repeated = failures.reduce((sum, count) => sum + count, 0);
        process.stderr.write(
          `round ${round}: ${kills} kills, ${pushes.length} pushes, ${repeated} repeated\n`,
        );
        await expectWholeEverywhere(pushes);
      }, 300_000);
    }

    extendedTest(
      "answer 503 while the store fails, report it, and recover",
      async () => {
        const stored = artifactsOf("before", 1, 9 * MIB).map((one) => pushOf(one, front, token));
        for (const push of stored) expect(await push.attempt()).toBeUndefined();
        const ready = () =>
          Promise.all(
            ALL.map(async (index) => (await all.at(index).fetch("/health/ready")).status),
          );
        try {
          for (const fault of [REFUSED, BUSY, AWAY]) {
            store.faultOf = () => fault;
            const answers = await Promise.all(
              ALL.map((index) => pushAll(all.at(index), token, 2 * MIB)),
            );
            for (const answer of answers) expectUnavailable(answer, "storage");
          }
          await expect.poll(ready, SOON).toEqual([503, 503, 503]);
        } finally {
          store.faultOf = () => undefined;
        }
        await expect.poll(ready, SOON).toEqual([200, 200, 200]);
        await expectWholeEverywhere(stored);
      },
      240_000,
    );

    extendedTest(
      "store a push when the store loses connections in the middle of parts",
      async () => {
        let cuts = 0;
        store.faultOf = ({ method, url }) => {
          if (method !== "PUT" || !/partNumber=/.test(url) || cuts >= 3) return undefined;
          cuts += 1;
          return { type: "cut-request", afterBytes: 100_000 };
        };
        const pushes = artifactsOf("cut", 1, 9 * MIB).map((one) => pushOf(one, front, token));
        for (const push of pushes) await pushUntilStored(push, ATTEMPTS_MAX);
        store.faultOf = () => undefined;
        expect(cuts).toBe(3);
        await expectWholeEverywhere(pushes);
      },
      240_000,
    );

    extendedTest(
      "and leave no parts of a push that was killed before its commit after a sweep",
      async () => {
        await using s3 = await openBucket();
        const objects = async () => (await Array.fromAsync(s3.list(""))).length;
        const uploads = async () => (await Array.fromAsync(s3.unfinished?.list() ?? [])).length;
        // The copies of signed packages are made again, so they are deleted first.
        await sweepInDays(30);
        const before = await objects();
        for (const type of ["silence", "stall-answer"] as const) {
          const reached = Promise.withResolvers<void>();
          store.faultOf = ({ method, url }) => {
            if (method !== "POST" || !/uploadId=/.test(url)) return undefined;
            reached.resolve();
            return type === "silence" ? { type } : { type, afterBytes: 0 };
          };
          const push = npmArtifact(`lost-${type}`, randomBytes(9 * MIB)).push(all.at(1), token);
          const lost = push.catch(() => false);
          await reached.promise;
          if (type === "stall-answer") await expect.poll(objects, SOON).toBeGreaterThan(before);
          await all.kill(1);
          expect(await lost).toBe(false);
          store.faultOf = () => undefined;
          await all.restart(1);
        }
        expect((await uploads()) + (await objects())).toBeGreaterThan(before);
        await sweepInDays(2);
        expect(await uploads()).toBe(0);
        expect(await objects()).toBe(before);
      },
      240_000,
    );

    /** Opens the bucket of the instances, without the faults. */
    function openBucket(): ReturnType<typeof openStore> {
      const names = Object.entries(all.settings).filter(([name]) => name.startsWith("Storage__"));
      const settings = Object.fromEntries(names);
      return openStore({ ...settings, Storage__ServiceUrl: all.radosgw.url });
    }

    /** Runs the sweep as if it was later. */
    async function sweepInDays(days: number): Promise<void> {
      await using s3 = await openBucket();
      await using database = await openDatabase(all.database, { migrate: false });
      const now = () => new Date(Date.now() + days * DAY_MS);
      const ociUploads = createBlobStore(s3, { prefix: "oci" }).uploads;
      const log = { info: () => undefined };
      const job = sweepJob({ database, store: s3, ociUploads, log, now });
      await job.run(new AbortController().signal);
    }

    function artifactsOf(name: string, count: number, bytes: number): readonly Artifact[] {
      return Array.from({ length: count }, (_, n): readonly Artifact[] => [
        nugetArtifact(`Faults.${name}.N${n}`, randomBytes(bytes)),
        npmArtifact(`faults-${name}-n${n}`, randomBytes(bytes)),
        ociArtifact(`faults/${name}-n${n}`, randomBytes(bytes)),
      ]).flat();
    }
  });
}

function xmlError(status: number, code: string): Fault {
  return {
    type: "answer",
    status,
    headers: { "content-type": "application/xml" },
    body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`,
  };
}
