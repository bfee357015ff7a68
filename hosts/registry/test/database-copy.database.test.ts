import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestPlace, leaveTestServers, testableDatabases } from "@sealhouse/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import { databaseSettings, isExtended, spawnHost, startHost } from "../src/testing/index.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "./artifacts.ts";

// The steps of docs/database.md, "From SQLite to PostgreSQL".

const servers = testableDatabases().filter((type) => type !== "Sqlite");
const CONTENT = new Uint8Array(200_000).map((_, index) => index % 251);

const SCHEMES = { PostgreSQL: "postgres://", MySql: "mysql://", SqlServer: "mssql://" };
const TRUST = { PostgreSQL: "", MySql: "", SqlServer: "?trustServerCertificate=true" };

describe.each(isExtended ? servers : servers.slice(0, 1))("%s", (type) => {
  test("a feed moves from SQLite with its packages, tokens and history", async () => {
    await using cleanUp = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "sealhouse-moves-"));
    cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
    const { config } = cleanUp.use(await openTestPlace(type));
    if (config.type === "Sqlite") throw new TypeError("The target is a server.");
    const { user, password = "", host, port, database } = config;
    const account = `${user}:${encodeURIComponent(password)}`;
    const target = `${SCHEMES[config.type]}${account}@${host}:${port}/${database}${TRUST[config.type]}`;
    const artifacts = [
      nugetArtifact("Moved.Large", CONTENT),
      npmArtifact("moved-large", CONTENT),
      ociArtifact("moved/large", CONTENT),
      npmArtifact("moved-small", CONTENT.subarray(0, 100)),
      ociArtifact("moved/small", CONTENT.subarray(0, 100)),
    ];

    await using before = await spawnHost({ folder, env: { TARGET: target } });
    const token = await before.makeToken({ scopes: "read,write" });
    for (const artifact of artifacts) expect(await artifact.push(before, token)).toBe(true);
    const history = (await before.cli("history", "moved-large", "--json")).stdout;
    await before.stop();
    const copied = await before.cli("db", "copy", "--to-env", "TARGET");
    expect([copied.code, copied.stderr]).toEqual([0, ""]);
    expect(copied.stdout).toMatch(/copied 1 rows of nuget_packages[^]*copied \d+ rows; set Data/);
    const again = await before.cli("db", "copy", "--to-env", "TARGET");
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("has rows in the table");

    await using after = await spawnHost({ folder, env: databaseSettings(config) });
    for (const artifact of artifacts) expect(await artifact.check(after)).toBe("whole");
    expect((await after.cli("history", "moved-large", "--json")).stdout).toBe(history);
    const later = npmArtifact("moved-later", CONTENT);
    expect(await later.push(after, token)).toBe(true);
    expect((await after.cli("check")).code).toBe(0);
  }, 240_000);
});

test.each([
  [["--from", "feed.db", "--to", "sqlite:b.db"], /A database URL begins with sqlite:/],
  [["--from", "sqlite:a.db"], /Name the target with --to or --to-env/],
  [["--to-env", "MISSING"], /variable MISSING is not set/],
])("db copy %j is refused", async (words, message) => {
  await using host = await startHost();
  const refused = await host.cli("db", "copy", ...words);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(message);
});

afterAll(leaveTestServers);
