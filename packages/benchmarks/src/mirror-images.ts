import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { writeNoise } from "./artifacts.ts";
import { openDockerRegistry } from "./docker-registry.ts";
import { makeToken, openHost } from "./host-process.ts";
import { MANIFEST_TYPE, openImageClient } from "./image-client.ts";
import type { ImageClient } from "./image-client.ts";
import { pushImage } from "./image-push.ts";
import { openMirrorOf } from "./mirror-first-byte.ts";
import { cpuSeconds, peakMib, resetPeak } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";

type Sizes = { readonly images: number; readonly rounds: number };

type Image = { readonly repository: string; readonly blobs: readonly string[] };

type Cost = { readonly cpuSeconds: number; readonly seconds: number; readonly peakMib: number };

type Pulls = { readonly cold: Cost[]; readonly warm: Cost[] };

const KIB = 1024;
/** Most layers of real images are small, and most bytes are in the large ones. */
const LAYER_BYTES = [2 * KIB, 64 * KIB, 1024 * KIB, 6 * 1024 * KIB];
const IMAGES_AT_ONCE = 4;

/** Pulls of images that the mirror does not have yet, and of the same ones again, by turns with
 * docker-registry as a proxy of the same source. The first round is for code that loads. */
export async function measureMirroredImages(
  folder: string,
  sizes: Sizes,
): Promise<readonly Result[]> {
  const data = join(folder, "source");
  const token = await makeToken(data);
  await using source = await openHost(data);
  await using mirror = await openMirrorOf(join(folder, "mirror"), source.url);
  await using proxy = await openDockerRegistry(join(folder, "proxy"), { remote: source.url });
  if (!proxy) return [];
  const place = { folder, url: source.url, token };
  await pullTwice([mirror, proxy], await fill(place, { round: 0, ...sizes }), [pulls(), pulls()]);
  const [ours, theirs] = [pulls(), pulls()];
  for (let round = 1; round <= sizes.rounds; round += 1) {
    await pullTwice([mirror, proxy], await fill(place, { round, ...sizes }), [ours, theirs]);
  }
  return (["cold", "warm"] as const).flatMap((state) =>
    resultsOf(`images: ${sizes.images} images of ${LAYER_BYTES.length} layers, ${state} mirror`, {
      ours: ours[state],
      theirs: theirs[state],
    }),
  );
}

function pulls(): Pulls {
  return { cold: [], warm: [] };
}

/** Pushes images to the source. */
async function fill(
  { folder, url, token }: { readonly folder: string; readonly url: string; readonly token: string },
  { images, round }: { readonly images: number; readonly round: number },
): Promise<readonly Image[]> {
  const authorization = `Basic ${Buffer.from(`bench:${token}`).toString("base64")}`;
  using client = openImageClient(url, authorization);
  const filled: Image[] = [];
  for (let index = 0; index < images; index += 1) {
    const repository = `bench/image-${round}-${index}`;
    const layers = await Promise.all(
      LAYER_BYTES.map(async (bytes, layer) => {
        const path = join(folder, `layer-${layer}.bin`);
        const digest = `sha256:${await writeNoise(path, bytes)}`;
        return { path, digest, size: (await stat(path)).size };
      }),
    );
    const blobs = await pushImage(client, { repository, tag: "1.0", layers });
    await Promise.all(layers.map(({ path }) => rm(path)));
    filled.push({ repository, blobs });
  }
  return filled;
}

type Side = { readonly url: string; readonly pid: number };

async function pullTwice(
  sides: readonly [Side, Side],
  images: readonly Image[],
  costs: readonly [Pulls, Pulls],
): Promise<void> {
  for (const state of ["cold", "warm"] as const) {
    for (const [index, side] of sides.entries()) {
      costs[index]?.[state].push(await costOf(side, images));
    }
  }
}

async function costOf({ url, pid }: Side, images: readonly Image[]): Promise<Cost> {
  using client = openImageClient(url);
  const waiting = images.values();
  const work = async () => {
    for (const image of waiting) await pull(client, image);
  };
  resetPeak(pid);
  const before = cpuSeconds(pid);
  const startMs = performance.now();
  await Promise.all(Array.from({ length: IMAGES_AT_ONCE }, work));
  const seconds = (performance.now() - startMs) / 1000;
  return { seconds, cpuSeconds: cpuSeconds(pid) - before, peakMib: peakMib(pid) };
}

/** As docker does: the digest of the tag, the manifest, then all blobs at once. */
async function pull(client: ImageClient, { repository, blobs }: Image): Promise<void> {
  const manifests = `/v2/${repository}/manifests`;
  const headers = { accept: MANIFEST_TYPE };
  const asked = { path: `${manifests}/1.0`, status: 200, headers };
  const head = await client.ask({ ...asked, method: "HEAD" });
  const path = `${manifests}/${String(head.headers["docker-content-digest"])}`;
  await client.ask({ method: "GET", path, status: 200, headers });
  await Promise.all(
    blobs.map((digest) =>
      client.ask({ method: "GET", path: `/v2/${repository}/blobs/${digest}`, status: 200 }),
    ),
  );
}

function resultsOf(
  what: string,
  { ours, theirs }: { readonly ours: readonly Cost[]; readonly theirs: readonly Cost[] },
): readonly Result[] {
  const figure = (name: keyof Cost, unit: string): Result => {
    const [own, other] = [ours, theirs].map((costs) => median(costs.map((cost) => cost[name])));
    return {
      what: `${what}, ${unit}`,
      figure: (own ?? 0) / (other ?? Number.NaN),
      unit: "times that of docker-registry",
      budget: 1,
      bound: "at most",
      remark: `${own?.toFixed(2)} against ${other?.toFixed(2)}`,
    };
  };
  return [
    figure("cpuSeconds", "CPU s"),
    figure("peakMib", "peak memory in MiB"),
    figure("seconds", "seconds"),
  ];
}
