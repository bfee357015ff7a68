import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdvisoryHealth, refreshAdvisories } from "@sealhouse/advisories/refresh";
import { osvDocument } from "@sealhouse/advisories/testing";
import { readNpmOsv } from "@sealhouse/npm-protocol";
import { afterAll, expect, test } from "vitest";
import { openDatabase } from "../../open-database.ts";
import { leaveTestServers, testableDatabases } from "../../testing/index.ts";
import { openMigratedPlace } from "../../testing/open-test-database.ts";

afterAll(leaveTestServers);

const { signal } = new AbortController();

async function loadReaders() {
  const { readNuGetOsv, ...index } = await import("@sealhouse/nuget-protocol/advisories");
  return { readNuGetOsv, readNpmOsv, index };
}

test.each(testableDatabases())(
  "%s: an instance forgets the failure of a source that another one has read",
  async (type) => {
    await using opened = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "sealhouse-advisories-"));
    opened.defer(() => rm(folder, { recursive: true }));
    const location = join(folder, "own.json");
    const place = opened.use(await openMigratedPlace(type));
    const instances = [];
    for (let count = 0; count < 2; count++) {
      const { nuget, npm, leases } = opened.use(await openDatabase(place.config));
      const health = createAdvisoryHealth();
      const refresh = () =>
        refreshAdvisories(
          {
            sources: [{ name: "own", location, setting: "Sources__0__Path" }],
            refreshIntervalMs: 60_000,
            recorders: { nuget: nuget.advisories, npm: npm.advisories },
            loadReaders,
            leases,
            fetch,
            log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
            health,
            now: () => new Date(),
          },
          signal,
        );
      instances.push({ refresh, problems: () => health.problems() });
    }
    const [here, there] = instances;
    await here?.refresh();
    await there?.refresh();
    const failed = { "advisories:own": "cannot be read: Sources__0__Path" };
    expect([here?.problems(), there?.problems()]).toEqual([failed, failed]);

    await writeFile(location, JSON.stringify(osvDocument({ id: "OWN-1", package: "Acme.Json" })));
    await there?.refresh();
    expect([here?.problems(), there?.problems()]).toEqual([failed, {}]);
    await here?.refresh();
    expect([here?.problems(), there?.problems()]).toEqual([{}, {}]);
  },
);
