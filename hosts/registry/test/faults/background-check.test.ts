import { glob, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { spawnHost } from "../../src/testing/index.ts";
import { ociArtifact } from "../artifacts.ts";

/** The shortest time before the first check. */
const INTERVAL = { Feed__Operations__Check__Interval: "00:01:00" };
const SOON = { timeout: 150_000, interval: 1_000 };

test("a host with default settings checks its storage in the background", async () => {
  await using host = await spawnHost({ env: INTERVAL });
  const token = await host.makeToken({ scopes: "read,write" });
  const content = new Uint8Array(200_000).map((_, index) => index % 251);
  expect(await ociArtifact("lost/app", content).push(host, token)).toBe(true);
  const objects = await Array.fromAsync(glob("packages/oci/blobs/**/*.*", { cwd: host.folder }));
  expect(objects).toHaveLength(1);
  await rm(join(host.folder, objects[0] ?? ""));

  await expect.poll(() => host.output(), SOON).toContain("the storage check has ended");
  expect(host.output()).toContain("a stored object is missing or changed; push the image again");
  const metrics = await (await host.fetch("/metrics")).text();
  expect(metrics).toMatch(/^storage_check_compared_blobs\{feed="\w+",type="oci"\} 2$/m);
}, 240_000);
