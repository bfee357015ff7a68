import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spawnHost } from "../../src/testing/index.ts";
import type { Artifact } from "../artifacts.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "../artifacts.ts";
import { openFolder } from "../clients/client.ts";

/** One round in CI; `pnpm test:extended` sets more. */
const ROUNDS = Number(process.env["SEALHOUSE_FAULT_ROUNDS"] ?? "1");
const UPLOADS_EACH = 20;
const SIZE = 400_000;

const cleanUp = new AsyncDisposableStack();
let folder: string;

beforeAll(async () => {
  folder = cleanUp.use(await openFolder()).path;
});
afterAll(() => cleanUp.disposeAsync());

for (let round = 1; round <= ROUNDS; round += 1) {
  test(`a kill amid uploads loses nothing that was acknowledged, round ${round}`, async () => {
    const artifacts = manyArtifacts(round);
    const acknowledged = new Set<Artifact>();
    {
      const host = await spawnHost({ folder });
      const token = await host.makeToken({ scopes: "read,write" });
      const pushes = artifacts.map(async (artifact) => {
        const done = await artifact.push(host, token).catch(() => false);
        if (done) acknowledged.add(artifact);
      });
      await someAcknowledged(acknowledged, round);
      await host.kill();
      await Promise.all(pushes);
    }
    await using host = await spawnHost({ folder });
    const states = await Promise.all(artifacts.map((artifact) => artifact.check(host)));
    const lost = artifacts.filter(
      (artifact, index) => acknowledged.has(artifact) && states[index] !== "whole",
    );
    expect(lost.map((artifact) => artifact.name)).toEqual([]);
    expect(states.filter((state) => state === "broken")).toEqual([]);
    expect(acknowledged.size).toBeGreaterThan(0);
  }, 180_000);
}

function manyArtifacts(round: number): readonly Artifact[] {
  const all: Artifact[] = [];
  for (let n = 0; n < UPLOADS_EACH; n += 1) {
    const content = randomBytes(SIZE);
    all.push(nugetArtifact(`Fault.R${round}.N${n}`, content));
    all.push(npmArtifact(`fault-r${round}-n${n}`, content));
    all.push(ociArtifact(`fault/r${round}-n${n}`, content));
  }
  return all;
}

/** The kill falls amid the work: some uploads are done, most are not, and never at one same point. */
async function someAcknowledged(acknowledged: ReadonlySet<Artifact>, round: number): Promise<void> {
  const enough = 5 + ((round * 7) % 30);
  for (let waited = 0; waited < 20_000 && acknowledged.size < enough; waited += 5) await delay(5);
}
