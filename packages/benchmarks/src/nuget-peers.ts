import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { openBaGetter } from "./bagetter.ts";
import { compareByTurns } from "./by-turns.ts";
import { makeToken, openHost } from "./host-process.ts";
import { nugetPushes, packageOf, pushForm } from "./nuget-work.ts";
import type { NuGetSide, Work } from "./nuget-work.ts";
import type { Result } from "./result.ts";

export type NuGetPeerSizes = {
  readonly rounds: number;
  readonly versions: number;
  /** Share of the usual number of requests. */
  readonly share: number;
};

const PUSH_BUDGET = 2;
const READ_BUDGET = 1;
const ENV = { Signing__SelfSigned__KeySize: "KeySize4096" };
const LARGE_BYTES = 50_000_000;

/** Pushes, with RSA-4096 signatures, and reads, compared with BaGetter, which signs nothing. */
export async function measureNuGetPeers(
  folder: string,
  { rounds, versions, share }: NuGetPeerSizes,
): Promise<readonly Result[]> {
  await using other = await openBaGetter(join(folder, "bagetter"));
  if (!other) {
    console.log("SKIPPED: SEALHOUSE_BAGETTER does not name the BaGetter.dll of a peer");
    return [];
  }
  const data = join(folder, "nuget-peers");
  const token = await makeToken(data, ENV);
  await using host = await openHost(data, { env: ENV });
  const own = { url: host.url, pid: host.pid, token };
  const sides = { own, other, named: "BaGetter" };
  const results: Result[] = [];
  for (const work of nugetPushes(folder, { rounds, budget: PUSH_BUDGET, share })) {
    results.push(await compareByTurns(sides, work));
  }
  for (const side of [own, other]) await fill(side, folder, versions);
  for (const work of reads({ rounds, versions, share })) {
    results.push(await compareByTurns(sides, work));
  }
  hashingFloor(results);
  return results;
}

/** Hashing the file once with both hashes is the least that any server which signs must do. */
function hashingFloor(results: readonly Result[]): void {
  const bytes = randomBytes(LARGE_BYTES);
  const before = process.cpuUsage();
  for (const name of ["sha256", "sha512"]) createHash(name).update(bytes).digest();
  const { user, system } = process.cpuUsage(before);
  const [, , large] = results;
  console.log(`SHA-256 and SHA-512 of 50 MB: ${((user + system) / 1_000).toFixed(0)} ms`);
  console.log(`the push of 50 MB: ${large?.remark ?? ""}`);
}

async function fill(side: NuGetSide, folder: string, versions: number): Promise<void> {
  for (let index = 0; index < versions; index += 1) {
    await pushForm(side, await packageOf(folder, "Bench.Versions", `1.0.${index}`, 1_000));
  }
  await pushForm(side, await packageOf(folder, "Bench.Download", "1.0.0", LARGE_BYTES));
}

function reads({ rounds, versions, share }: NuGetPeerSizes): readonly Work[] {
  const read = (what: string, count: number, path: string): Work => ({
    what,
    count: Math.max(1, Math.round(count * share)),
    rounds,
    budget: READ_BUDGET,
    async run({ url }) {
      const answer = await fetch(url + path);
      if (answer.status !== 200) throw new Error(`${answer.url} answered ${answer.status}`);
      for await (const chunk of answer.body ?? []) void chunk;
    },
  });
  return [
    read("NuGet service index", 2_000, "/v3/index.json"),
    read(
      `autocompletion of ${versions} versions`,
      200,
      "/v3/autocomplete?id=bench.versions&prerelease=true&semVerLevel=2.0.0",
    ),
    read(
      "NuGet download of 50 MB",
      10,
      "/v3/package/bench.download/1.0.0/bench.download.1.0.0.nupkg",
    ),
  ];
}
