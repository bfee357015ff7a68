import { parseRepositoryName } from "@sealhouse/oci-distribution";
import type { Digest } from "@sealhouse/oci-distribution";
import { blobOf, buildImage, buildIndex } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { DatabaseConfig } from "../connection-string.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const START = Date.UTC(2026, 0, 2);
const MINUTE_MS = 60_000;
const caller = { actor: "alice" };
const app = parseRepositoryName("acme/app");
const hexOf = (digest: Digest) => digest.slice("sha256:".length);

/** A registry whose clock moves on by a minute with each push. */
async function openImages(type: DatabaseConfig["type"]) {
  let time = START;
  const database = await openTestDatabase({ type, now: () => new Date(time) });
  const { blobs, manifests, browsing } = database.oci;
  return {
    browsing,
    manifests,
    advance: (ms: number) => {
      time += ms;
    },
    push: async (manifest: TestManifest, tags: readonly string[] = [], repository = app) => {
      time += MINUTE_MS;
      for (const { digest, bytes } of manifest.blobs) {
        const key = `${repository}/${hexOf(digest)}`;
        await blobs.link(repository, { digest, key, size: bytes.length });
      }
      const { parseManifest } = await import("@sealhouse/oci-distribution");
      const { mediaType, digest, bytes } = manifest;
      const { kind: _, ...parsed } = parseManifest(bytes, mediaType);
      const newManifest = { ...parsed, repository, digest, bytes, tags };
      expect(await manifests.record(newManifest, caller)).toEqual({ status: "recorded" });
      return manifest;
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

describe.each(testableDatabases())("%s", (type) => {
  test("lists repositories by part of their name, with their totals", async () => {
    await using images = await openImages(type);
    const { browsing, push } = images;
    const signature = `sha256-${"a".repeat(64)}.sig`;
    await push(buildImage({ layers: ["1"] }), ["1.0", "latest", signature]);
    await push(buildImage({ layers: ["2"] }), ["2.0"]);
    await push(buildImage(), [], parseRepositoryName("acme/a_b"));
    await push(buildImage(), ["x"], parseRepositoryName("other/tool"));
    const names = (text: string, after = "") => browsing.names({ text, after, limit: 2 });
    expect(await names("")).toEqual(["acme/a_b", "acme/app"]);
    expect(await names("", "acme/app")).toEqual(["other/tool"]);
    expect(await names("ACME/A")).toEqual(["acme/a_b", "acme/app"]);
    expect(await names("a_b")).toEqual(["acme/a_b"]);
    expect(await names("%")).toEqual([]);
    const none = parseRepositoryName("none");
    const lines = await browsing.repositories([app, none, parseRepositoryName("acme/a_b")]);
    expect(lines.toSorted((line, other) => line.name.localeCompare(other.name))).toEqual([
      { name: "acme/a_b", createdAt: minute(3), pulls: 0, tagCount: 0 },
      { name: app, createdAt: minute(1), pulls: 0, tagCount: 3, pushedAt: minute(2) },
    ]);
    expect(await browsing.repositories([])).toEqual([]);
  });

  test("lists tags newest first, with their manifests", async () => {
    await using images = await openImages(type);
    const { browsing, manifests, push } = images;
    const image = await push(buildImage({ layers: ["12345", "123"], config: "{ }" }), ["b", "A"]);
    const index = await push(buildIndex([image]), ["multi"]);
    await push(buildImage({ layers: ["s"] }), [`${image.digest.replace(":", "-")}.sig`]);
    const query = { text: "", withAttached: false, from: 0, size: 10 };
    const page = await browsing.tags(app, query);
    expect(page).toEqual({
      total: 3,
      lines: [
        {
          tag: "multi",
          digest: index.digest,
          mediaType: index.mediaType,
          size: index.bytes.length,
          content: { size: 0, children: 1 },
          pushedAt: minute(2),
          isAttached: false,
        },
        expect.objectContaining({ tag: "A", content: { size: 11, children: 0 } }),
        expect.objectContaining({ tag: "b", digest: image.digest }),
      ],
    });
    const tagsOf = async (more: Partial<typeof query>) => {
      const tagPage = await browsing.tags(app, { ...query, ...more });
      return [tagPage?.total, tagPage?.lines.map(({ tag }) => tag)];
    };
    expect(await tagsOf({ from: 1, size: 1 })).toEqual([3, ["A"]]);
    expect(await tagsOf({ text: "a" })).toEqual([1, ["A"]]);
    expect(await tagsOf({ text: "_" })).toEqual([0, []]);
    expect(await tagsOf({ text: "SIG" })).toEqual([0, []]);
    expect(await tagsOf({ text: "SIG", withAttached: true })).toEqual([
      1,
      [expect.stringMatching(/^sha256-/)],
    ]);
    expect(await browsing.tags(parseRepositoryName("none"), query)).toBeUndefined();

    await manifests.find(app, "b");
    const [, , pulled] = (await browsing.tags(app, query))?.lines ?? [];
    expect(pulled).toMatchObject({ tag: "b", pulledAt: minute(3) });
  });

  test("returns a manifest with tags, blobs, children and referrers", async () => {
    await using images = await openImages(type);
    const { browsing, push } = images;
    const image = await push(buildImage({ layers: ["123"] }), ["1.0", "latest"]);
    const index = await push(buildIndex([image]), ["multi"]);
    const subject = image.descriptor;
    const sbom = await push(
      buildImage({ layers: ["s"], subject, annotations: { by: "me" }, artifactType: "a/sbom" }),
    );
    const signatureTag = `sha256-${hexOf(image.digest)}.sig`;
    const signature = await push(buildImage({ layers: ["sig"], subject }), [signatureTag]);

    expect(await browsing.manifest(app, "1.0")).toMatchObject({
      digest: image.digest,
      mediaType: image.mediaType,
      pushedAt: minute(1),
      tags: ["1.0", "latest"],
      tagCount: 2,
    });
    const shownManifest = await browsing.manifest(app, image.digest);
    expect(Buffer.from(shownManifest?.bytes ?? [])).toEqual(Buffer.from(image.bytes));
    expect((await browsing.manifest(app, signatureTag))?.tags).toEqual([]);
    expect(await browsing.manifest(app, "none")).toBeUndefined();
    expect(await browsing.manifest(parseRepositoryName("none"), "1.0")).toBeUndefined();

    const absent = blobOf("absent").digest;
    const children = await browsing.children(app, [image.digest, absent]);
    expect(children.map(({ digest }) => digest)).toEqual([image.digest]);
    expect(children[0]?.content).toEqual({ size: 5, children: 0 });
    const parents = await browsing.parents(app, image.digest, 5);
    expect(parents.map(({ digest }) => digest)).toEqual([index.digest]);

    const { total, manifests } = await browsing.attached(app, image.digest, 5);
    expect(total).toBe(2);
    expect(manifests.map(({ digest, tag }) => [digest, tag])).toEqual([
      [signature.digest, signatureTag],
      [sbom.digest, undefined],
    ]);
    expect(manifests[1]).toMatchObject({ artifactType: "a/sbom", annotations: '{"by":"me"}' });
    const any = [image.digest, index.digest, absent];
    const ofAny = await browsing.attachedToAny(app, any, 5);
    expect(ofAny.map((row) => [row.subject, row.digest, row.tag])).toEqual([
      [image.digest, signature.digest, signatureTag],
      [image.digest, sbom.digest, undefined],
    ]);
    expect(ofAny[1]?.annotations).toBe('{"by":"me"}');
    expect(await browsing.attachedToAny(app, any, 1)).toHaveLength(1);
    expect(await browsing.attachedToAny(app, [], 5)).toEqual([]);
    const firstPage = await browsing.attached(app, image.digest, 1);
    expect([firstPage.total, firstPage.manifests.length]).toEqual([2, 1]);
    const attestationTag = `sha256-${hexOf(image.digest)}.att`;
    await push(buildImage({ layers: ["no subject"] }), [attestationTag]);
    expect((await browsing.attached(app, image.digest, 5)).total).toBe(3);
    expect((await browsing.attached(app, image.digest, 1)).total).toBe(3);

    const [config] = image.blobs;
    if (!config) throw new Error("no config");
    const { digest, bytes } = config;
    const key = `${app}/${hexOf(digest)}`;
    expect(await browsing.blob(app, digest)).toEqual({ key, size: bytes.length });
    expect(await browsing.blob(app, absent)).toBeUndefined();
    expect(await browsing.blob(parseRepositoryName("none"), digest)).toBeUndefined();
  });

  test("viewing pages updates no time of use and counts no pull", async () => {
    await using images = await openImages(type);
    const { browsing, push, advance } = images;
    const image = await push(buildImage(), ["1.0"]);
    advance(1_000 * MINUTE_MS);
    await browsing.manifest(app, "1.0");
    await browsing.attached(app, image.digest, 5);
    await browsing.blob(app, image.blobs[0]?.digest ?? image.digest);
    const query = { text: "", withAttached: true, from: 0, size: 10 };
    expect((await browsing.tags(app, query))?.lines[0]?.pulledAt).toBeUndefined();
    expect((await browsing.manifest(app, "1.0"))?.pulledAt).toBeUndefined();
  });
});

afterAll(leaveTestServers);

function minute(count: number): Date {
  return new Date(START + count * MINUTE_MS);
}
