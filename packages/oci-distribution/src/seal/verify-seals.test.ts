import { expect, test } from "vitest";
import { parseManifest } from "../manifest/manifest.ts";
import { allReferrers } from "../referrers.ts";
import { parseRepositoryName } from "../repository-name.ts";
import { buildImage } from "../testing/build-image.ts";
import { createMemoryOciPorts } from "../testing/memory-ports.ts";
import { storeBlob } from "../upload/upload.ts";
import { sealImage } from "./seal-image.ts";
import { createTestSealKeys } from "./seal-keys.test.support.ts";
import { verifiedSeals } from "./verify-seals.ts";

const repository = parseRepositoryName("team/app");
const caller = { actor: "system" };
const now = () => new Date("2026-11-22T10:00:00Z");

test("tells the formats that are there by the keys of now, and signs nothing", async () => {
  const stores = createMemoryOciPorts();
  const image = buildImage();
  for (const { digest, bytes } of image.blobs) {
    const body = (async function* () {
      yield bytes;
    })();
    await storeBlob({ ...stores, maxBlobBytes: 2 ** 20 }, repository, { body }, digest);
  }
  const { kind: _, ...parsed } = parseManifest(image.bytes, image.mediaType);
  await stores.manifests.record({ ...parsed, ...image, repository, tags: ["1.0"] }, caller);
  const keys = createTestSealKeys();
  const ports = { ...stores, keys, now };
  const options = { registry: "", agent: "test/1", caller };
  const seals = (by = keys) => verifiedSeals({ ...ports, keys: by }, repository, image);
  expect(await seals()).toEqual([]);
  await sealImage(ports, repository, image, { ...options, formats: ["cosign"] });
  expect(await seals()).toEqual(["cosign"]);
  await sealImage(ports, repository, image, { ...options, formats: ["bundle", "notation"] });
  expect(await seals()).toEqual(["cosign", "bundle", "notation"]);
  expect(await seals(createTestSealKeys(true))).toEqual(["notation"]);
  expect(keys.signatures()).toBe(3);
  const referrers = allReferrers(stores.manifests, repository, image.digest);
  expect(await Array.fromAsync(referrers)).toHaveLength(3);
});
