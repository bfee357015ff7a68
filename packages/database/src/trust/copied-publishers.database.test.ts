import { afterAll, describe, expect, test } from "vitest";
import { SHARED } from "../migrations/shared/list.ts";
import { statementsFor } from "../migrations/shared/shared-migration.ts";
import { openDatabase } from "../open-database.ts";
import { stopTestCluster, testableDatabases } from "../testing/index.ts";
import { openMigratedPlace } from "../testing/open-test-database.ts";
import { closeConnections, openConnections } from "../transactions/connections.ts";

const ID = "1de6f3db-2ed9-4d72-b3dd-8f0e2b474a2f";
const DRIVERS = {
  Sqlite: "sqlite",
  PostgreSQL: "postgresql",
  MySql: "mysql",
  SqlServer: "mssql",
} as const;
const rows = [
  `insert into trusted_publishers (id, protocol, package_name, provider, claims, permissions,
    created_at, created_by) values ('${ID}', 'npm', '@acme/demo', 'github',
    '{"iss":"https://token.actions.test","repository":"acme/demo","repository_id":"7",
    "workflow_ref":{"file":"publish.yml"}}', '["createPackage","createStagedPackage"]',
    '2026-03-01 10:00:00', 'alice')`,
];

describe.each(testableDatabases())("%s", (type) => {
  test("the migration copies trusted publishers once, with their ids", async () => {
    await using place = await openMigratedPlace(type);
    const connections = await openConnections(place.config);
    const copying = SHARED.identity.find(({ name }) => name.endsWith("_publish_policies"));
    const copies = copying ? statementsFor(DRIVERS[type], copying.up) : [];
    for (const sql of [...rows, ...copies, ...copies]) await connections.port.run({ sql }, []);
    await closeConnections(connections);
    await using database = await openDatabase(place.config);
    const [policy, ...more] = await database.policies.matching("https://token.actions.test", "npm");
    expect(more).toEqual([]);
    expect(policy).toMatchObject({
      id: ID,
      protocols: ["npm"],
      patterns: ["@acme/demo"],
      scopes: ["publish", "stage"],
      mayCreate: true,
      state: "active",
      lifeSeconds: 900,
    });
    expect(await database.npm.trustedPublishers.list("@acme/demo")).toMatchObject([
      {
        id: ID,
        issuer: "https://token.actions.test",
        claims: {
          repository: "acme/demo",
          repository_id: "7",
          workflow_ref: { file: "publish.yml" },
        },
        permissions: ["createPackage", "createStagedPackage"],
        createdBy: "alice",
      },
    ]);
  });
});

afterAll(stopTestCluster);
