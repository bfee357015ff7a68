import { isDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { Digest, RepositoryName } from "@sealhouse/oci-distribution";
import {
  createMemoryFiles,
  describeViolation,
  firstViolation,
} from "@sealhouse/oci-distribution/testing";
import type { Inventory, SimulatedRegistry, Simulation } from "@sealhouse/oci-distribution/testing";
import { afterAll, expect, test } from "vitest";
import type { Database } from "../../database.ts";
import { openDatabase } from "../../open-database.ts";
import { closeConnections, openConnections } from "../../orm/connections.ts";
import type { Connections } from "../../orm/connections.ts";
import type { Row } from "../../raw/query-port.ts";
import { textOf } from "../../raw/row.ts";
import { openMigratedPlace } from "../../testing/open-test-database.ts";

/** One seed alone, to look at: `SEALHOUSE_GC_SEED=7 vitest run <this file>`. The library runs ten
 * thousand in memory, by the same schedule. */
const wanted = process.env["SEALHOUSE_GC_SEED"];
const range = wanted === undefined ? { first: 1000, seeds: 500 } : { first: Number(wanted), seeds: 1 };

const opened: AsyncDisposable[] = [];

async function closeAll(): Promise<void> {
  for (const one of opened.splice(0).toReversed()) await one[Symbol.asyncDispose]();
}

afterAll(closeAll);

test(
  "keeps every promise on SQLite however clients and collections interleave",
  {
    timeout: 300_000,
  },
  async () => {
    expect(describeViolation(await firstViolation(openSqlite, range))).toBeUndefined();
  },
);

async function openSqlite(simulation: Simulation): Promise<SimulatedRegistry> {
  await closeAll();
  const place = await openMigratedPlace("Sqlite");
  opened.push(place);
  const { clockThresholdMs } = simulation;
  const now = () => new Date(simulation.now());
  const database: Database = await openDatabase(place.config, { now, clockThresholdMs });
  opened.push(database);
  const connections = await openConnections(place.config);
  opened.push({ [Symbol.asyncDispose]: () => closeConnections(connections) });
  const { blobs, manifests, uploads, garbage, holds } = database.oci;
  const files = createMemoryFiles();
  const look = async () => ({ ...(await rowsOf(connections)), objects: files.objects });
  return { blobs, manifests, uploads, garbage, holds, leases: database.leases, files, look };
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
