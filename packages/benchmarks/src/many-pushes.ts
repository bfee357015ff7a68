import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { readFile } from "node:fs/promises";
import { writeNupkg } from "./artifacts.ts";
import { makeToken, openHost } from "./host-process.ts";
import { cpuSeconds } from "./process-figures.ts";
import { expectStatus } from "./expect-status.ts";
import type { Result } from "./result.ts";

const PACKAGE_BYTES = 50_000;
const PUSHERS = 8;

/** Small packages, one after the other on a few connections, with signing off. */
export async function measureManyPushes(
  folder: string,
  { packages }: { readonly packages: number },
): Promise<readonly Result[]> {
  const data = join(folder, "many-pushes");
  const env = { Signing__Mode: "" };
  const token = await makeToken(data, env);
  await using host = await openHost(data, { env });
  const bodies = await packagesOf(folder, packages + 1);
  await put(host.url, token, bodies.pop());

  const cpuBefore = cpuSeconds(host.pid);
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: PUSHERS }, async () => {
      for (let body = bodies.pop(); body; body = bodies.pop()) await put(host.url, token, body);
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuMs = ((cpuSeconds(host.pid) - cpuBefore) / packages) * 1000;
  return [
    {
      what: "pushes of 50 KB packages, signing off",
      figure: packages / seconds,
      unit: "packages/s",
      budget: 60,
      bound: "at least",
      remark: `${packages} packages on ${PUSHERS} connections, ${cpuMs.toFixed(1)} ms CPU each`,
    },
  ];
}

/** Different ids and bytes; written before the clock runs. */
async function packagesOf(folder: string, count: number): Promise<Buffer[]> {
  const bodies: Buffer[] = [];
  const run = createHash("sha256").update(randomBytes(8)).digest("hex").slice(0, 6);
  for (let index = 0; index < count; index += 1) {
    const namedPackage = { id: `Bench.Many.${run}.P${index}`, version: "1.0.0" };
    bodies.push(await readFile(await writeNupkg(folder, namedPackage, PACKAGE_BYTES)));
  }
  return bodies;
}

async function put(url: string, token: string, body: Buffer | undefined): Promise<void> {
  if (!body) throw new RangeError("there is no package left");
  const answer = await fetch(`${url}/api/v2/package/`, {
    method: "PUT",
    headers: { "x-nuget-apikey": token, "content-type": "application/octet-stream" },
    body: new Uint8Array(body),
  });
  await expectStatus(answer, 201);
}
