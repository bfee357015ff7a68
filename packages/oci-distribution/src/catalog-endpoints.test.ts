import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { catalogSource, catalogTarget } from "./catalog-endpoints.ts";
import { createCopier } from "./client/copy/copier.ts";
import { registrySource } from "./client/copy/registry-source.ts";
import { openMemoryRegistry } from "./client/memory-registry.test.support.ts";
import { OciError } from "./errors.ts";
import { parseRepositoryName } from "./repository-name.ts";
import { OCI_INDEX, buildImage, buildRaw } from "./testing/build-image.ts";
import type { TestManifest } from "./testing/build-image.ts";
import { createMemoryTags } from "./testing/memory-tags.ts";

const caller = { actor: "operator" };
const name = parseRepositoryName("mirror/app");

async function openPushed(image: TestManifest) {
  const { client, ports } = openMemoryRegistry({ host: "source.test" });
  const place = client.repository("team/app");
  for (const { digest, bytes } of image.blobs) {
    await place.pushBlob({ digest, size: bytes.length, read: () => readOf(bytes) });
  }
  await place.putManifest("1", image);
  return { client, ports, source: registrySource(client, "team/app") };
}

type Ports = ReturnType<typeof openMemoryRegistry>["ports"];

function withTags(ports: Ports) {
  return { ...ports, tags: createMemoryTags(ports.manifests).tags };
}

async function* readOf(bytes: Uint8Array) {
  yield bytes;
}

test("what is copied here goes the way of a push, with its event", async () => {
  const image = buildImage({ layers: [randomBytes(1_000)] });
  const { source } = await openPushed(image);
  const { ports, client } = openMemoryRegistry();
  const target = catalogTarget(withTags(ports), name, { caller });
  await createCopier(source, target).copy("1", ["1", "latest"]);
  expect(ports.events).toEqual([
    `pushed mirror/app@${image.digest}`,
    `pushed mirror/app@${image.digest} 1`,
    `pushed mirror/app@${image.digest} latest`,
  ]);
  const pulled = await client.repository(name).manifest("latest");
  expect(Buffer.from(pulled?.bytes ?? [])).toEqual(Buffer.from(image.bytes));
  const again = await createCopier(source, target).copy("1", ["1", "latest"]);
  expect(again.bytes.moved).toBe(0);
  expect(ports.events).toHaveLength(3);
});

test("a check whether a tag exists is not a pull", async () => {
  const image = buildImage({ layers: [randomBytes(1_000)] });
  const { source } = await openPushed(image);
  const { ports } = openMemoryRegistry();
  const references: string[] = [];
  const manifests: typeof ports.manifests = {
    ...ports.manifests,
    find(repository, reference) {
      references.push(reference);
      return ports.manifests.find(repository, reference);
    },
  };
  const target = catalogTarget({ ...withTags(ports), manifests }, name, { caller });
  for (const outcome of ["moved", "skipped"]) {
    const { items } = await createCopier(source, target).copy("1", ["1"]);
    expect(items.find(({ kind }) => kind === "tag")).toMatchObject({ tag: "1", outcome });
  }
  expect(new Set(references)).toEqual(new Set([image.digest]));
});

test("copies from one repository to another by links", async () => {
  const image = buildImage({ layers: [randomBytes(1_000)] });
  const { ports } = await openPushed(image);
  const source = catalogSource(ports, parseRepositoryName("team/app"));
  const copier = createCopier(source, catalogTarget(withTags(ports), name, { caller }));
  const { bytes } = await copier.copy("1", ["1"]);
  expect(bytes.mounted).toBe(1_002);
  expect(await Array.fromAsync(source.tags({}))).toEqual(["1"]);
});

test("copies to a remote target, byte for byte", async () => {
  const image = buildImage({ layers: [randomBytes(1_000)] });
  const { ports } = await openPushed(image);
  const far = openMemoryRegistry();
  const source = catalogSource(ports, parseRepositoryName("team/app"));
  const { home: _, ...target } = catalogTarget(withTags(far.ports), name, { caller });
  await createCopier(source, target).copy("1", ["1"]);
  for (const { digest, bytes } of image.blobs) {
    expect(await far.client.repository(name).findBlob(digest)).toBe(bytes.length);
  }
});

test("refuses too large blobs and invalid manifests, as in a push", async () => {
  const image = buildImage({ layers: [randomBytes(1_000)] });
  const { source } = await openPushed(image);
  const { ports } = openMemoryRegistry();
  const small = catalogTarget(withTags(ports), name, { caller, maxBlobBytes: 999 });
  await expect(createCopier(source, small).copy("1", ["1"])).rejects.toThrow(/999|larger/);
  const broken = buildRaw(OCI_INDEX, '{"schemaVersion":2}');
  const target = catalogTarget(withTags(ports), name, { caller });
  await expect(target.putManifest(broken, {})).rejects.toBeInstanceOf(OciError);
});
