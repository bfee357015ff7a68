import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeNupkg } from "./artifacts.ts";
import { expectStatus } from "./expect-status.ts";
import { makeToken, openHost } from "./host-process.ts";
import type { HostProcess } from "./host-process.ts";
import { publishNpmVersion } from "./npm-packages.ts";
import { addGroup, addTarget, promote } from "./promotion-run.ts";
import type { Result } from "./result.ts";

type Sizes = { readonly folder: string; readonly count: number };

const PACKAGE_BYTES = 10_000;
const BUDGET_PER_SECOND = 20;

/** Releases of small packages to a second host, which has none of them. */
export async function measurePackages(
  host: HostProcess,
  token: string,
  { folder, count }: Sizes,
): Promise<readonly Result[]> {
  const data = join(folder, "data");
  const targetData = join(folder, "second");
  const targetToken = await makeToken(targetData);
  await using target = await openHost(targetData, { logTo: join(folder, "second.log") });
  for (let index = 0; index < count; index += 1) {
    const name = `bench-${index}`;
    const npm = { url: `${host.url}/npm`, token };
    await publishNpmVersion(npm, { name, version: "1.0.0", bytes: PACKAGE_BYTES });
    await pushPackage(host, token, { folder, id: `Bench.P${index}` });
  }
  const results: Result[] = [];
  for (const [protocol, members, path] of [
    ["npm", "npm:bench-*", "/npm/"],
    ["nuget", "nuget:Bench.*", "/v3/index.json"],
  ] as const) {
    const endpoint = `${target.url}${path}`;
    await addTarget(data, { name: protocol, protocol, endpoint, token: targetToken });
    await addGroup(data, { name: protocol, members: [members], target: protocol });
    const first = await promote(data, protocol);
    const again = await promote(data, protocol);
    results.push({
      what: `promotion: ${count} ${protocol} packages of 10 KB to a second host`,
      figure: count / first.seconds,
      unit: "packages/s",
      budget: BUDGET_PER_SECOND,
      bound: "at least",
      remark: `${first.seconds.toFixed(1)} s, again ${again.seconds.toFixed(1)} s`,
    });
  }
  return results;
}

async function pushPackage(
  { url }: HostProcess,
  token: string,
  { folder, id }: { readonly folder: string; readonly id: string },
): Promise<void> {
  const path = await writeNupkg(folder, { id, version: "1.0.0" }, PACKAGE_BYTES);
  const answer = await fetch(`${url}/api/v2/package/`, {
    method: "PUT",
    headers: { "x-nuget-apikey": token, "content-type": "application/octet-stream" },
    body: new Uint8Array(await readFile(path)),
  });
  await expectStatus(answer, 201);
  await rm(path);
}
