import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  openTestPlace,
  openWriteSessions,
  leaveTestServers,
  testableDatabases,
} from "@sealhouse/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import { databaseSettings, spawnHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import type { Artifact } from "../artifacts.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "../artifacts.ts";

/** 20 sessions in CI; `pnpm test:extended` ends 200. */
const SESSIONS_ENDED = 20 * Number(process.env["SEALHOUSE_FAULT_ROUNDS"] ?? "1");
const PUSHES_AT_ONCE = 12;
/** More than the pool has: one lost connection each would leave none. */
const ENDED_AT_ONCE = 4;

const servers = testableDatabases().filter((type) => type !== "Sqlite");

describe.each(servers)("%s", (type) => {
  test(`keeps serving after ${SESSIONS_ENDED} sessions were ended amid their transactions`, async () => {
    await using place = await openTestPlace(type);
    await using host = await spawnHost({ env: databaseSettings(place.config) });
    await using sessions = await openWriteSessions(place.config);
    const token = await host.makeToken({ scopes: "read,write" });
    const acknowledged: Artifact[] = [];
    const load = pushUntilAborted(host, token, acknowledged);
    let ended = 0;
    while (ended < SESSIONS_ENDED) {
      ended += await sessions.end(ENDED_AT_ONCE);
      await delay(20);
    }
    await load.stop();
    expect(ended).toBeGreaterThanOrEqual(SESSIONS_ENDED);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect((await host.fetch("/health/ready")).status).toBe(200);
    expect(await statesOf(acknowledged, host)).toEqual(new Set(["whole"]));
    const after = await Promise.all(
      manyArtifacts("After", 2 * PUSHES_AT_ONCE).map((artifact) => artifact.push(host, token)),
    );
    expect(new Set(after)).toEqual(new Set([true]));
    expect(await host.stop()).toBe(0);
  }, 600_000);
});

afterAll(leaveTestServers);

/** Pushes new artifacts of all protocols, several at a time. */
function pushUntilAborted(host: TestHost, token: string, acknowledged: Artifact[]) {
  const stopping = new AbortController();
  const pushing = Array.from({ length: PUSHES_AT_ONCE }, async (_, worker) => {
    for (let round = 0; !stopping.signal.aborted; round += 1) {
      for (const artifact of manyArtifacts(`W${worker}R${round}`, 3)) {
        if (await artifact.push(host, token).catch(() => false)) acknowledged.push(artifact);
      }
    }
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(pushing);
    },
  };
}

function manyArtifacts(label: string, count: number): readonly Artifact[] {
  return Array.from({ length: count }, (_, n) => {
    const content = randomBytes(500);
    const name = `${label}-n${n}`.toLowerCase();
    if (n % 3 === 0) return nugetArtifact(`Fault.${label}.N${n}`, content);
    return n % 3 === 1 ? npmArtifact(name, content) : ociArtifact(`fault/${name}`, content);
  });
}

async function statesOf(artifacts: readonly Artifact[], host: TestHost) {
  const states = new Set<string>();
  for (const artifact of artifacts) states.add(await artifact.check(host));
  return states;
}
