import { join } from "node:path";
import type { HostProcess } from "./host-process.ts";
import { makeToken, openHost } from "./host-process.ts";
import { drive } from "./load.ts";
import { publishNpmVersion } from "./npm-packages.ts";
import { userCpuSeconds } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";

type Sizes = { readonly rounds: number; readonly seconds: number };
type Side = HostProcess & { readonly token: string };

const BUDGET = 1.1;
const SETTLES_SECONDS = 1;
const LINES = [
  { what: "packument with a token", path: "/npm/bench-small" },
  { what: "tarball with a token", path: "/npm/bench-small/-/bench-small-1.0.0.tgz" },
  { what: "unpublished name with a token", path: "/npm/bench-nobodys", refused: true },
] as const;

/**
 * Compares reads that a lookup in the database decides with those of an older host, of which
 * `SEALHOUSE_OLD_HOST` names the built `main.js`. CPU time of the host in user mode, because the
 * kernel's part of a small answer differs more than the hosts do.
 */
export async function measureHotReads(
  folder: string,
  { rounds, seconds }: Sizes,
): Promise<readonly Result[]> {
  const main = process.env["SEALHOUSE_OLD_HOST"];
  if (main === undefined) {
    console.log("SKIPPED: SEALHOUSE_OLD_HOST does not name the main.js of an older host");
    return [];
  }
  await using older = await openSide(join(folder, "older"), main);
  await using own = await openSide(join(folder, "own"));
  const results: Result[] = [];
  for (const { what, path, ...how } of LINES) {
    const cost = async (side: Side): Promise<number> => {
      const headers = { accept: "application/json", authorization: `Bearer ${side.token}` };
      await drive(side.url + path, SETTLES_SECONDS, { headers, ...how });
      const before = userCpuSeconds(side.pid);
      const { requestsPerSecond } = await drive(side.url + path, seconds, { headers, ...how });
      return ((userCpuSeconds(side.pid) - before) / (requestsPerSecond * seconds)) * 1e6;
    };
    const pairs: { readonly own: number; readonly older: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const [first, second] = round % 2 === 0 ? [own, older] : [older, own];
      const costs = [await cost(first), await cost(second)] as const;
      pairs.push({ own: costs[round % 2 === 0 ? 0 : 1], older: costs[round % 2 === 0 ? 1 : 0] });
    }
    const us = (side: "own" | "older") => median(pairs.map((pair) => pair[side])).toFixed(0);
    results.push({
      what: `npm: ${what}, compared with the older host`,
      figure: median(pairs.map((pair) => pair.own / pair.older)),
      unit: "times its CPU in user mode",
      budget: BUDGET,
      bound: "at most",
      remark: `median of ${rounds} pairs; ${us("own")} against ${us("older")} us each`,
    });
  }
  return results;
}

async function openSide(folder: string, main?: string): Promise<Side> {
  const options = main === undefined ? {} : { main };
  const token = await makeToken(folder, {}, options);
  const host = await openHost(folder, options);
  for (const version of ["1.0.0", "1.0.1", "1.0.2"]) {
    const feed = { url: `${host.url}/npm`, token };
    await publishNpmVersion(feed, { name: "bench-small", version, bytes: 9_000 });
  }
  return { ...host, token };
}
