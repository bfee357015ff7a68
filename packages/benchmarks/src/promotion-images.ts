import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { writeNoise } from "./artifacts.ts";
import { MANIFEST_TYPE, openImageClient } from "./image-client.ts";
import { pushImage } from "./image-push.ts";

export type SourceImage = { readonly repository: string; readonly tag: string };

type Feed = { readonly folder: string; readonly url: string; readonly token: string };

const MIB = 1024 * 1024;
/** Parts of an image that its layers have: most bytes of real images are in the large ones. */
const LAYER_PARTS = [0.02, 0.08, 0.3, 0.6];

/** Pushes images of four layers, each into its own repository. */
export async function fillWithImages(
  { folder, url, token }: Feed,
  { images, mib }: { readonly images: number; readonly mib: number },
): Promise<readonly SourceImage[]> {
  const authorization = `Basic ${Buffer.from(`bench:${token}`).toString("base64")}`;
  using client = openImageClient(url, authorization);
  const filled: SourceImage[] = [];
  for (let index = 0; index < images; index += 1) {
    const image = { repository: `bench/image-${index}`, tag: "1.0.0" };
    const layers = await Promise.all(
      LAYER_PARTS.map(async (part, layer) => {
        const path = join(folder, `layer-${layer}.bin`);
        const bytes = Math.ceil((part * mib * MIB) / images);
        const digest = `sha256:${await writeNoise(path, bytes)}`;
        return { path, digest, size: (await stat(path)).size };
      }),
    );
    await pushImage(client, { ...image, layers });
    await Promise.all(layers.map(({ path }) => rm(path)));
    filled.push(image);
  }
  return filled;
}

/** Copies all images in one run of `skopeo sync`. Resolves to its seconds; undefined where the
 * machine has no skopeo. */
export async function syncWithSkopeo(
  { folder, from, to }: { readonly folder: string; readonly from: string; readonly to: string },
  images: readonly SourceImage[],
): Promise<number | undefined> {
  const list = join(folder, "skopeo.yml");
  const lines = images.map(({ repository, tag }) => `    ${repository}: ["${tag}"]\n`);
  const registry = new URL(from).host;
  await writeFile(list, `${registry}:\n  tls-verify: false\n  images:\n${lines.join("")}`);
  const words = ["--insecure-policy", "sync", "--all", "--dest-tls-verify=false"];
  const places = ["--src", "yaml", "--dest", "docker", list, `${new URL(to).host}/bench`];
  const startMs = performance.now();
  const child = spawn("skopeo", [...words, ...places], { stdio: ["ignore", "ignore", "pipe"] });
  const missing = once(child, "error").then(() => true);
  const ended = once(child, "exit").then(() => false);
  const wrote = Array.fromAsync(child.stderr);
  if (await Promise.race([missing, ended])) return undefined;
  const seconds = (performance.now() - startMs) / 1000;
  if (child.exitCode === 0) return seconds;
  throw new Error(`skopeo ended with ${child.exitCode}: ${Buffer.concat(await wrote).toString()}`);
}

const POINTED_WITHIN_MS = 300_000;

/** Waits until a registry shows all images under their tags. */
export async function untilPointed(url: string, images: readonly SourceImage[]): Promise<void> {
  const giveUpAt = performance.now() + POINTED_WITHIN_MS;
  for (const { repository, tag } of images) {
    const address = `${url}/v2/${repository}/manifests/${tag}`;
    const headers = { accept: MANIFEST_TYPE };
    while (!(await fetch(address, { method: "HEAD", headers })).ok) {
      if (performance.now() > giveUpAt) throw new Error(`${address} does not appear`);
      await delay(500);
    }
  }
}
