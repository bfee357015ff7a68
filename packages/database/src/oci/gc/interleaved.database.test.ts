import { isDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { Digest, RepositoryName } from "@sealhouse/oci-distribution";
import {
  createMemoryFiles,
  describeViolation,
  firstViolation,
  runStorm,
} from "@sealhouse/oci-distribution/testing";
import type { Inventory, SimulatedRegistry, Simulation } from "@sealhouse/oci-distribution/testing";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { DatabaseConfig } from "../../connection-string.ts";
import type { Database } from "../../database.ts";
import { openDatabase } from "../../open-database.ts";
import { closeConnections, openConnections } from "../../transactions/connections.ts";
import type { Connections } from "../../transactions/connections.ts";
import type { Row } from "../../raw/query-port.ts";
import { bytesOf, textOf } from "../../raw/row.ts";
import { leaveTestServers, testableDatabases } from "../../testing/index.ts";
import { openMigratedPlace } from "../../testing/open-test-database.ts";

/** One seed alone, to look at: `SEALHOUSE_GC_SEED=7 vitest run <this file>`. The library runs ten
 * thousand in memory, by the same schedule. */
const wantedSeed = process.env["SEALHOUSE_GC_SEED"];
const SEEDS =
  process.env["SEALHOUSE_EXTENDED_TESTS"] === undefined
    ? ({ Sqlite: 6, PostgreSQL: 2, MySql: 2, SqlServer: 2 } as const)
    : ({ Sqlite: 20, PostgreSQL: 3, MySql: 3, SqlServer: 3 } as const);
const STORM = { seed: 1, clients: 6, operations: 40 } as const;
const TIMEOUT_MS = 300_000;
/** Deadlocks of 240 operations. Dozens mean that a statement locks rows that it does not need. */
const DEADLOCKS_MAX = 10;
const opened: AsyncDisposable[] = [];

async function closeAll(): Promise<void> {
  for (const resource of opened.splice(0).toReversed()) await resource[Symbol.asyncDispose]();
}

afterEach(closeAll);
afterAll(leaveTestServers);

const KEPT = ["as objects", "with their rows"] as const;
const CASES = testableDatabases().flatMap((type) => KEPT.map((kept) => ({ type, kept })));

describe.each(CASES)("$type, bytes $kept", ({ type, kept }) => {
  test(
    "keeps all guarantees in any interleaving of clients and collections",
    {
      timeout: TIMEOUT_MS,
    },
    async () => {
      const range =
        wantedSeed === undefined ? { seeds: SEEDS[type] } : { first: Number(wantedSeed), seeds: 1 };
      const violation = await firstViolation(
        (simulation) => openRegistry(type, kept, simulation),
        range,
      );
      expect(describeViolation(violation)).toBeUndefined();
    },
  );

  test(
    "leaves no holes after concurrent clients and collections",
    {
      timeout: TIMEOUT_MS,
    },
    async () => {
      let timeMs = Date.UTC(2026, 0, 1);
      const now = () => timeMs;
      const registry = await openRegistry(type, kept, { now, clockThresholdMs: 0 });
      const deadlocksBefore = await registry.deadlocks();
      await runStorm(registry, { ...STORM, now, advance: (ms) => void (timeMs += ms) });
      expect((await registry.deadlocks()) - deadlocksBefore).toBeLessThan(DEADLOCKS_MAX);
      const { blobs, objects } = await registry.look();
      expect(await registry.holes()).toEqual([]);
      for (const { key, state } of blobs.values()) {
        expect(state === "live" && !objects.has(key)).toBe(false);
      }
    },
  );
});

type TestRegistry = SimulatedRegistry & {
  readonly holes: () => Promise<readonly Row[]>;
  /** Deadlocks of the server since its start; 0 on databases that do not count them. */
  readonly deadlocks: () => Promise<number>;
};

async function openRegistry(
  type: DatabaseConfig["type"],
  storage: (typeof KEPT)[number],
  simulation: Pick<Simulation, "now" | "clockThresholdMs">,
): Promise<TestRegistry> {
  await closeAll();
  const place = await openMigratedPlace(type);
  opened.push(place);
  const { clockThresholdMs } = simulation;
  const now = () => new Date(simulation.now());
  const database: Database = await openDatabase(place.config, { now, clockThresholdMs });
  opened.push(database);
  const connections = await openConnections(place.config);
  opened.push({ [Symbol.asyncDispose]: () => closeConnections(connections) });
  const { blobs, manifests, uploads, garbage, holds } = database.oci;
  const { leases } = database;
  const inRows = storage === "with their rows";
  const files = createMemoryFiles(inRows ? database.smallBlobs : undefined);
  const look = async () => {
    const objects = inRows ? await contentsOf(connections) : files.objects;
    return { ...(await rowsOf(connections)), objects };
  };
  const holes = () => connections.port.all({ sql: HOLES }, []);
  const deadlocks = async () => {
    if (connections.type !== "MySql") return 0;
    const rows = await connections.port.all({ sql: DEADLOCKS }, []);
    return Number(rows.map((row) => textOf(row, "Value"))[0] ?? 0);
  };
  return { blobs, manifests, uploads, garbage, holds, leases, files, look, holes, deadlocks };
}

/** Parents are deleted before children, so every remaining manifest is complete. */
const HOLES = `select r.name, m.digest, e.child from oci_manifest_edges e
  join oci_manifests m on m.id = e.manifest_id
  join oci_repositories r on r.id = e.repository_id
  where e.kind <> 'foreign'
  and not exists (select 1 from blobs b
    join oci_repository_blobs l on l.blob_id = b.id and l.repository_id = e.repository_id
    where b.protocol = 'oci' and b.digest = e.child and b.state = 'live')
  and (e.kind <> 'child' or not exists (select 1 from oci_manifests c
    where c.repository_id = e.repository_id and c.digest = e.child))`;

/** MySQL 8 has no such counter. */
const DEADLOCKS = "show global status like 'Innodb_deadlocks'";

const CONTENTS = `select b.storage_key, c.bytes from blob_contents c
  join blobs b on b.id = c.blob_id`;

async function contentsOf({ port }: Connections): Promise<Inventory["objects"]> {
  const rows = await port.all({ sql: CONTENTS }, []);
  return new Map(rows.map((row) => [textOf(row, "storage_key"), bytesOf(row, "bytes")] as const));
}

type Repository = { readonly manifests: Set<Digest>; readonly links: Set<Digest> };

const REPOSITORIES = "select name from oci_repositories";
const MANIFESTS = `select r.name, m.digest from oci_manifests m
  join oci_repositories r on r.id = m.repository_id`;
const LINKS = `select r.name, b.digest from oci_repository_blobs l
  join oci_repositories r on r.id = l.repository_id join blobs b on b.id = l.blob_id`;
const BLOBS = "select digest, storage_key, state from blobs where protocol = 'oci'";

async function rowsOf({ port }: Connections): Promise<Omit<Inventory, "objects">> {
  const repositories = new Map<RepositoryName, Repository>();
  for (const row of await port.all({ sql: REPOSITORIES }, [])) {
    repositories.set(nameOf(row), { manifests: new Set(), links: new Set() });
  }
  for (const row of await port.all({ sql: MANIFESTS }, [])) {
    repositories.get(nameOf(row))?.manifests.add(digestOf(row));
  }
  for (const row of await port.all({ sql: LINKS }, [])) {
    repositories.get(nameOf(row))?.links.add(digestOf(row));
  }
  const blobs = (await port.all({ sql: BLOBS }, [])).map((row) => {
    return [
      digestOf(row),
      { key: textOf(row, "storage_key"), state: textOf(row, "state") },
    ] as const;
  });
  return { repositories, blobs: new Map(blobs) };
}

function nameOf(row: Row): RepositoryName {
  return parseRepositoryName(textOf(row, "name"));
}

function digestOf(row: Row): Digest {
  const digest = textOf(row, "digest");
  if (!isDigest(digest)) throw new Error(`${digest} is no digest`);
  return digest;
}
