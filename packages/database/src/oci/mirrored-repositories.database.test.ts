import { parseManifest, parseRepositoryName, sparseEdges } from "@sealhouse/oci-distribution";
import { buildImage, buildIndex } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { afterAll, describe, expect, test } from "vitest";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const caller = { actor: "alice" };
const theirs = parseRepositoryName("team/theirs");
const mine = parseRepositoryName("team/mine");
const image = buildImage();
const index = buildIndex([image]);

function rowOf({ bytes, mediaType, digest }: TestManifest, repository = theirs) {
  const { kind: _, edges, ...parsed } = parseManifest(bytes, mediaType);
  return { ...parsed, edges: sparseEdges(edges), repository, digest, bytes, tags: ["1.0"] };
}

describe.each(testableDatabases())("%s", (type) => {
  test("pushes and the mirror never write to the same repository", async () => {
    await using database = await openTestDatabase({ type });
    const { blobs, manifests, mirrored } = database.oci;
    await database.upstream.origins.claim("oci", theirs, "hub");
    const [blob] = image.blobs;
    if (!blob) throw new Error("the image has no blob");
    const newBlob = { digest: blob.digest, key: "oci/one", size: blob.bytes.length };
    await blobs.link(mine, newBlob, caller);
    const refused = /team\/theirs is mirrored from the source "hub".*sealhouse source release/;
    const pushes = [
      () => manifests.record(rowOf(image), caller),
      () => blobs.link(theirs, newBlob, caller),
      () => blobs.mount(theirs, blob.digest, { mayPull: () => true, caller }),
    ];
    for (const push of pushes) await expect(push()).rejects.toThrow(refused);
    expect(await mirrored.manifests.record(rowOf(index), caller)).toEqual({ status: "recorded" });
    for (const push of pushes) await expect(push()).rejects.toThrow(refused);
    await expect(mirrored.blobs.link(mine, newBlob)).rejects.toThrow(/was pushed to this registry/);
    await mirrored.blobs.link(theirs, newBlob);
    expect(await blobs.find(theirs, blob.digest)).toMatchObject({ size: blob.bytes.length });
    // A blob claims no name, and a manifest does.
    const originOf = () => database.upstream.origins.find("oci", mine);
    expect(await originOf()).toBeUndefined();
    const pushed = { ...rowOf(image), repository: mine };
    expect(await manifests.record(pushed, caller)).toEqual({ status: "recorded" });
    expect(await originOf()).toMatchObject({ origin: "own" });
  });

  test("a source may claim a name that an interrupted push left", async () => {
    await using database = await openTestDatabase({ type });
    const { blobs, manifests, mirrored, forget } = database.oci;
    const { origins } = database.upstream;
    const [blob] = image.blobs;
    if (!blob) throw new Error("the image has no blob");
    const newBlob = { digest: blob.digest, key: "oci/one", size: blob.bytes.length };
    await blobs.link(mine, newBlob, caller);
    expect(await origins.claim("oci", mine, "hub")).toMatchObject({ origin: "mirrored" });
    const fromSource = { ...rowOf(index), repository: mine };
    expect(await mirrored.manifests.record(fromSource, caller)).toEqual({ status: "recorded" });
    expect(await forget(mine, caller)).toBe("content");
    expect(await manifests.repositories({ limit: 10 })).toEqual([mine]);
  });

  test("a repository without manifests is forgotten, with its origin and its owners", async () => {
    await using database = await openTestDatabase({ type });
    const { blobs, manifests, forget } = database.oci;
    const { origins } = database.upstream;
    expect(await forget(mine, caller)).toBe("absent");
    await manifests.record({ ...rowOf(index), repository: mine }, caller);
    expect(await forget(mine, caller)).toBe("content");
    await database.oci.manifests.deleteManifest(mine, index.digest, caller);
    const [blob] = image.blobs;
    if (!blob) throw new Error("the image has no blob");
    const newBlob = { digest: blob.digest, key: "oci/one", size: blob.bytes.length };
    await blobs.link(mine, newBlob, caller);
    expect(await origins.find("oci", mine)).toMatchObject({ origin: "own" });
    expect(await forget(mine, caller)).toBe("forgotten");
    expect(await origins.find("oci", mine)).toBeUndefined();
    expect(await manifests.tags(mine, { limit: 1 })).toBeUndefined();
    expect(await forget(mine, caller)).toBe("absent");
  });

  test("knows mirrored repositories, and the indexes that list an absent image", async () => {
    await using database = await openTestDatabase({ type });
    const { mirrored, browsing, manifests } = database.oci;
    await database.upstream.origins.claim("oci", theirs, "hub");
    await mirrored.manifests.record(rowOf(index), caller);
    const sources = await mirrored.lookup.sourcesOf([theirs, mine]);
    expect(sources).toEqual(new Map([[theirs, "hub"]]));
    const [bytes] = await mirrored.lookup.indexesWith(theirs, image.digest);
    expect(Buffer.from(bytes ?? [])).toEqual(Buffer.from(index.bytes));
    const page = { text: "", withAttached: true, from: 0, size: 10 };
    const shown = await browsing.tags(theirs, page);
    expect(shown?.lines).toMatchObject([{ tag: "1.0", content: { size: 0, children: 1 } }]);
    expect(await manifests.find(theirs, "1.0", { whole: true })).toMatchObject({
      digest: index.digest,
    });
  });
});

afterAll(leaveTestServers);
