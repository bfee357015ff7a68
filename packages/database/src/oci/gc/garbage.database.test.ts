import { garbageContract } from "@sealhouse/oci-distribution/testing";
import type { GarbageSubject } from "@sealhouse/oci-distribution/testing";
import { afterAll, describe, test } from "vitest";
import type { DatabaseConfig } from "../../connection-string.ts";
import { openDatabase } from "../../open-database.ts";
import { closeConnections, openConnections } from "../../transactions/connections.ts";
import { openMigratedPlace } from "../../testing/open-test-database.ts";
import { leaveTestServers, testableDatabases } from "../../testing/index.ts";

describe.each(testableDatabases())("%s", (type) => {
  test.each(garbageContract)("garbage: $name", async ({ run }) => {
    await using subject = await openSubject(type);
    await run(subject);
  });
});

afterAll(leaveTestServers);

const START = Date.UTC(2026, 0, 2);

async function openSubject(
  type: DatabaseConfig["type"],
): Promise<GarbageSubject & AsyncDisposable> {
  const place = await openMigratedPlace(type);
  let time = START;
  const now = () => new Date(time);
  const database = await openDatabase(place.config, { now, clockThresholdMs: 0 });
  const connections = await openConnections(place.config);
  const { blobs, manifests, garbage, holds } = database.oci;
  return {
    blobs,
    manifests,
    garbage,
    holds,
    leases: database.leases,
    clock: {
      now,
      advance: (ms) => {
        time += ms;
      },
    },
    async lose(repository, digest) {
      const { port } = connections;
      for (const sql of LOSE) await port.run({ sql }, [digest, repository]);
    },
    async [Symbol.asyncDispose]() {
      await closeConnections(connections);
      await database[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Manifests take their edges along. */
const LOSE = [
  `delete from oci_manifests where digest = ?
    and repository_id = (select id from oci_repositories where name = ?)`,
  `delete from oci_repository_blobs
    where blob_id = (select id from blobs where protocol = 'oci' and digest = ?)
    and repository_id = (select id from oci_repositories where name = ?)`,
];
