import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expectStatus } from "./expect-status.ts";
import { makeToken, openHost } from "./host-process.ts";
import {
  MANIFEST_TYPE,
  beginUpload,
  digestOf,
  openImageClient,
  withDigest,
} from "./image-client.ts";
import type { ImageClient } from "./image-client.ts";
import { publishNpmVersion } from "./npm-packages.ts";
import { packageOf, pushForm } from "./nuget-work.ts";
import { peakMib, residentMib, resetPeak, untilIdle } from "./process-figures.ts";
import type { Result } from "./result.ts";

type Host = { readonly url: string; readonly token: string; readonly images: ImageClient };
/** One push, and reads of what it and earlier ones have pushed. */
type Kind = (host: Host, push: { readonly index: number; readonly bytes: number }) => Promise<void>;

const BUDGET_MIB = 250;
const SMALL_BYTES = 10_000;
const LARGE_BYTES = 5_000_000;
/** One push in this number is large. */
const LARGE_EVERY = 20;
/** Names of each protocol, which get new versions in turn. */
const NAMES = 200;
const READS = 8;
const PAUSE_MS = 50;
const SAMPLE_MS = 5_000;

/**
 * Resident memory of a host that gets pushes and reads of all protocols at once for this time. Each
 * protocol has two clients, which push and then read what was pushed.
 */
export async function measureMixedLoad(
  folder: string,
  { minutes }: { readonly minutes: number },
): Promise<readonly Result[]> {
  const data = join(folder, "data");
  const token = await makeToken(data);
  await using host = await openHost(data, { logTo: join(folder, "host.log") });
  using images = openImageClient(host.url, `Bearer ${token}`);
  resetPeak(host.pid);
  const endsAt = performance.now() + minutes * 60_000;
  const samples: number[] = [];
  let pushes = 0;
  const client = async (kind: Kind, first: number) => {
    for (let index = first; performance.now() < endsAt; index += 2) {
      const bytes = index % LARGE_EVERY === 0 ? LARGE_BYTES : SMALL_BYTES;
      await kind({ url: host.url, token, images }, { index, bytes });
      pushes += 1;
      await delay(PAUSE_MS);
    }
  };
  const sample = async () => {
    while (performance.now() < endsAt) {
      samples.push(residentMib(host.pid));
      await delay(SAMPLE_MS);
    }
  };
  const kinds = [nugetKind(folder), npmKind, imageKind];
  await Promise.all([sample(), ...kinds.flatMap((kind) => [client(kind, 0), client(kind, 1)])]);
  const peak = peakMib(host.pid);
  await untilIdle(host.pid);
  const figure = (what: string, mib: number, remark: string): Result => ({
    what: `${minutes} minutes of reads and pushes of all protocols: ${what}`,
    figure: mib,
    unit: "MiB",
    budget: BUDGET_MIB,
    bound: "at most",
    remark,
  });
  const median = samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? Number.NaN;
  return [
    figure(
      "peak memory",
      peak,
      `${pushes} pushes; median of ${samples.length}: ${median.toFixed(0)}`,
    ),
    figure("memory after them", residentMib(host.pid), "at rest again"),
  ];
}

function nugetKind(folder: string): Kind {
  return async ({ url, token }, { index, bytes }) => {
    const id = `Bench.Mixed.P${index % NAMES}`;
    const version = `1.${index}.0`;
    await pushForm({ url, token, pid: 0 }, await packageOf(folder, id, version, bytes));
    const lower = id.toLowerCase();
    await readAll(url, [
      `/v3/package/${lower}/index.json`,
      `/v3/registration-gz-semver2/${lower}/index.json`,
      `/v3/package/${lower}/${version}/${lower}.${version}.nupkg`,
      `/v3/search?q=mixed&skip=${index % NAMES}`,
    ]);
  };
}

const npmKind: Kind = async ({ url, token }, { index, bytes }) => {
  const name = `bench-mixed-${index % NAMES}`;
  const version = `1.${index}.0`;
  await publishNpmVersion({ url: `${url}/npm`, token }, { name, version, bytes });
  await readAll(url, [
    `/npm/${name}`,
    `/npm/${name}/${version}`,
    `/npm/${name}/-/${name}-${version}.tgz`,
    `/npm/-/v1/search?text=bench&from=${index % NAMES}`,
  ]);
};

const imageKind: Kind = async ({ images }, { index, bytes }) => {
  const repository = `bench/mixed-${index % NAMES}`;
  const layer = randomBytes(bytes);
  const digest = digestOf(layer);
  const path = withDigest(await beginUpload(images, repository), digest);
  await images.ask({
    method: "PUT",
    path,
    status: 201,
    headers: { "content-type": "application/octet-stream", "content-length": layer.length },
    body: layer,
  });
  const descriptor = { digest, size: layer.length };
  const body = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      config: { mediaType: "application/vnd.oci.image.config.v1+json", ...descriptor },
      layers: [{ mediaType: "application/vnd.oci.image.layer.v1.tar+gzip", ...descriptor }],
    }),
  );
  const manifests = `/v2/${repository}/manifests`;
  const headers = { "content-type": MANIFEST_TYPE, "content-length": body.length };
  await images.ask({ method: "PUT", path: `${manifests}/v${index}`, status: 201, headers, body });
  const accept = { accept: MANIFEST_TYPE };
  const get = (target: string) =>
    images.ask({ method: "GET", path: target, status: 200, headers: accept });
  await Promise.all(
    [
      `${manifests}/v${index}`,
      `${manifests}/${digestOf(body)}`,
      `/v2/${repository}/blobs/${digest}`,
      `/v2/${repository}/tags/list`,
    ].map(get),
  );
};

/** Reads each of the paths several times, as many clients do. */
async function readAll(url: string, paths: readonly string[]): Promise<void> {
  for (let round = 0; round < READS / paths.length; round += 1) {
    for (const path of paths) {
      const answer = await fetch(`${url}${path}`);
      await expectStatus(answer, 200);
    }
  }
}
