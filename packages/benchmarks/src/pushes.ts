import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { readFileChunks, writeNoise, writeNupkg } from "./artifacts.ts";
import type { HostProcess } from "./host-process.ts";
import { cpuSeconds, peakMib, resetPeak, residentMib } from "./process-figures.ts";
import { expectStatus } from "./expect-status.ts";
import type { Result } from "./result.ts";

const MIB = 1024 * 1024;
const MEMORY_BUDGET_MIB = 64;
const SETTLES_MS = 2_000;

export type PushSizes = { readonly nupkgMib: number; readonly layerMib: number };

/** Peak memory over the memory at rest while one large artifact comes in. A small one of each kind
 * goes first, so that what is loaded at the first write is not taken for growth. */
export async function measurePushes(
  host: HostProcess,
  token: string,
  options: { readonly folder: string; readonly sizes: PushSizes },
): Promise<readonly Result[]> {
  const { folder, sizes } = options;
  await pushSmall(host, token, folder);
  const namedPackage = { id: "Bench.Large", version: "1.0.0" };
  const nupkg = await writeNupkg(folder, namedPackage, sizes.nupkgMib * MIB);
  const nuget = await watched(host, `push of a ${sizes.nupkgMib} MiB nupkg`, sizes.nupkgMib, () =>
    pushNupkg(host.url, token, nupkg),
  );
  await rm(nupkg);
  const layer = join(folder, "layer.bin");
  const digest = await writeNoise(layer, sizes.layerMib * MIB);
  const oci = await watched(host, `push of a ${sizes.layerMib} MiB layer`, sizes.layerMib, () =>
    pushLayer({ url: host.url, token, path: layer, digest }),
  );
  await rm(layer);
  return [nuget, oci];
}

async function watched(
  host: HostProcess,
  what: string,
  sizeMib: number,
  push: () => Promise<void>,
): Promise<Result> {
  const restMib = residentMib(host.pid);
  resetPeak(host.pid);
  const cpuBefore = cpuSeconds(host.pid);
  const startedAt = performance.now();
  await push();
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuPerGib = ((cpuSeconds(host.pid) - cpuBefore) / sizeMib) * 1024;
  return {
    what,
    figure: peakMib(host.pid) - restMib,
    unit: "MiB over rest",
    budget: MEMORY_BUDGET_MIB,
    bound: "at most",
    remark: [
      `${(sizeMib / seconds).toFixed(0)} MiB/s`,
      `${cpuPerGib.toFixed(1)} CPU s/GiB`,
      `${restMib.toFixed(0)} MiB at rest`,
    ].join(", "),
  };
}

async function pushSmall(host: HostProcess, token: string, folder: string): Promise<void> {
  const path = await writeNupkg(folder, { id: "Bench.Small", version: "1.0.0" }, 1_000);
  await pushNupkg(host.url, token, path);
  const layer = join(folder, "small.bin");
  const digest = await writeNoise(layer, 1_000);
  await pushLayer({ url: host.url, token, path: layer, digest });
  await delay(SETTLES_MS);
}

/** Streams a package in. Throws when it is not taken. */
export async function pushNupkg(url: string, token: string, path: string): Promise<void> {
  const answer = await fetch(`${url}/api/v2/package/`, {
    method: "PUT",
    headers: {
      "x-nuget-apikey": token,
      "content-type": "application/octet-stream",
      // While a large package is made, servers close connections that stand open.
      connection: "close",
    },
    ...streamed(path),
  });
  await expectStatus(answer, 201);
}

async function pushLayer(push: {
  readonly url: string;
  readonly token: string;
  readonly path: string;
  readonly digest: string;
}): Promise<void> {
  const authorization = `Basic ${Buffer.from(`bench:${push.token}`).toString("base64")}`;
  const opened = await fetch(`${push.url}/v2/bench/large/blobs/uploads/`, {
    method: "POST",
    headers: { authorization },
  });
  await expectStatus(opened, 202);
  const session = new URL(opened.headers.get("location") ?? "", push.url);
  session.searchParams.set("digest", `sha256:${push.digest}`);
  const answer = await fetch(session, {
    method: "PUT",
    headers: { authorization, "content-type": "application/octet-stream" },
    ...streamed(push.path),
  });
  await expectStatus(answer, 201);
}

/** A request body from a file, in the shape that `fetch` wants a stream. */
function streamed(path: string): RequestInit & { duplex: "half" } {
  return { body: Readable.toWeb(readFileChunks(path)) as ReadableStream, duplex: "half" };
}
