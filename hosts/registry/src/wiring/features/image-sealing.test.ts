import { generateKeyPairSync, sign } from "node:crypto";
import { openTestDatabase } from "@sealhouse/database/testing";
import type { RegistryEvent } from "@sealhouse/events";
import { allReferrers, parseManifest, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { CosignKey, SealKeys } from "@sealhouse/oci-distribution/seal";
import { buildImage, buildIndex } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { createBlobStore } from "@sealhouse/storage-providers";
import { createMemoryStore } from "@sealhouse/storage-providers/memory";
import { expect, test } from "vitest";
import { createLog } from "../../log.ts";
import { imageFiles } from "@sealhouse/feed";
import { openSealConsumer } from "@sealhouse/oci-distribution/seal";

const REPOSITORY = parseRepositoryName("team/app");
const ALICE = { actor: "alice" };
const INDEX = buildIndex([]);

async function openParts() {
  const database = await openTestDatabase({});
  const files = imageFiles(createBlobStore(createMemoryStore(), { prefix: "oci" }));
  const lines: string[] = [];
  let signed = 0;
  let outage: Error | undefined;
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const cosign = async (): Promise<CosignKey> => ({
    publicKey,
    async sign(data) {
      if (outage) throw outage;
      signed += 1;
      return sign("sha256", data, privateKey);
    },
  });
  const notation = () => Promise.reject(new Error("not asked for"));
  const keys: SealKeys = { cosign, notation };
  const open = () =>
    openSealConsumer({
      catalog: database.oci,
      leases: database.leases,
      files,
      keys,
      options: { formats: ["cosign"], registry: "", agent: "test", caller: { actor: "system" } },
      platforms: false,
      now: () => new Date(),
      log: createLog({ level: "Information", format: "Json" }, (line) => lines.push(line)),
    });
  const push = async (image: TestManifest, tags: readonly string[]) => {
    const { kind: _, ...parsed } = parseManifest(image.bytes, image.mediaType);
    const { digest, bytes } = image;
    const manifest = { ...parsed, digest, bytes, repository: REPOSITORY, tags };
    const outcome = await database.oci.manifests.record(manifest, ALICE);
    expect(outcome.status).toBe("recorded");
  };
  const pending = () => database.events.outbox.pending("oci-seal", 100);
  const referrers = () =>
    Array.fromAsync(allReferrers(database.oci.manifests, REPOSITORY, INDEX.digest));
  return {
    database,
    lines,
    open,
    push,
    pending,
    referrers,
    signatures: () => signed,
    fail: (error: Error | undefined) => (outage = error),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

test("one of several instances with the event of a tag signs", async () => {
  await using parts = await openParts();
  await parts.push(INDEX, ["1.0", "latest"]);
  const events = await parts.pending();
  expect(events).toHaveLength(2);
  await Promise.all([1, 2, 3].map(() => parts.open().handle(events)));
  expect(parts.signatures()).toBe(1);
  expect(await parts.referrers()).toHaveLength(1);
});

test("retries an unavailable key, and leaves nothing half done", async () => {
  await using parts = await openParts();
  await parts.push(INDEX, ["1.0"]);
  const events = await parts.pending();
  parts.fail(new Error("the key service is out"));
  using consumer = parts.open();
  await expect(consumer.handle(events)).rejects.toThrow("the key service is out");
  expect(await parts.referrers()).toEqual([]);
  parts.fail(undefined);
  await consumer.handle(events);
  expect(await parts.referrers()).toHaveLength(1);
});

test("reports a failed image, and continues with the next", async () => {
  await using parts = await openParts();
  const other = buildIndex([], { annotations: { other: "yes" } });
  await parts.push(INDEX, ["1.0"]);
  await parts.push(other, ["2.0"]);
  // A manifest of signatures whose bytes do not exist.
  const { digest } = buildImage();
  const layers = [{ mediaType: "application/octet-stream", digest, size: 1 }];
  const place = buildIndex([], { fields: { layers } });
  const tags = [`${INDEX.digest.replace(":", "-")}.sig`];
  const { database } = parts;
  const taken = { ...place, repository: REPOSITORY, edges: [], tags };
  await database.oci.manifests.record(taken, ALICE);
  using consumer = parts.open();
  await consumer.handle(await parts.pending());
  expect(parts.lines.join("\n")).toContain("could not sign an image");
  expect(await parts.referrers()).toEqual([]);
  const sealed = await Array.fromAsync(
    allReferrers(database.oci.manifests, REPOSITORY, other.digest),
  );
  expect(sealed).toHaveLength(1);
});

test("ignores events of other types", async () => {
  await using parts = await openParts();
  await parts.push(INDEX, ["1.0"]);
  const [event] = await parts.pending();
  const like = (fields: Partial<RegistryEvent>) => ({ ...(event as RegistryEvent), ...fields });
  using consumer = parts.open();
  await consumer.handle([
    like({ subject: "nuget/Acme@1.0.0" }),
    like({ type: "package.deleted" }),
    like({ subject: "oci/team/app:other" }),
    like({ subject: "oci/Team/App:1.0" }),
    like({ detail: { digest: "sha256:none" } }),
    like({ detail: {} }),
    like({ subject: `oci/team/app@${INDEX.digest}` }),
  ]);
  expect(parts.signatures()).toBe(0);
});
