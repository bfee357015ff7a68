import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { digestOf } from "../digest.ts";
import { blobOf, buildImage } from "../testing/build-image.ts";
import type { TestBlob, TestManifest } from "../testing/build-image.ts";
import type { RepositoryClient } from "./client.ts";
import { openMemoryRegistry } from "./memory-registry.test.support.ts";

const owner = { name: "owner", password: "open: sesame", may: () => true };
const credentials = { type: "basic", username: "owner", password: "open: sesame" } as const;

function uploadOf({ digest, bytes }: TestBlob) {
  return {
    digest,
    size: bytes.length,
    async *read() {
      yield bytes;
    },
  };
}

async function push(place: RepositoryClient, image: TestManifest, tag: string): Promise<void> {
  for (const blob of image.blobs) await place.pushBlob(uploadOf(blob));
  await place.putManifest(tag, image);
}

test("pushes, looks, pulls and deletes", async () => {
  const { client } = openMemoryRegistry();
  const place = client.repository("team/app");
  const image = buildImage({ layers: [randomBytes(70_000)] });
  await push(place, image, "1.0");
  const { digest, bytes } = image;
  expect(await place.findManifest("1.0")).toEqual({ digest, size: bytes.length });
  expect(await place.manifest("1.0")).toMatchObject({ digest, mediaType: image.mediaType });
  expect(Buffer.from((await place.manifest(digest))?.bytes ?? [])).toEqual(Buffer.from(bytes));
  for (const blob of image.blobs) {
    expect(await place.findBlob(blob.digest)).toBe(blob.bytes.length);
    await using download = await place.blob(blob.digest, { size: blob.bytes.length });
    const read = await Array.fromAsync(download?.body ?? []);
    expect(Buffer.concat(read)).toEqual(Buffer.from(blob.bytes));
  }
  expect(await Array.fromAsync(place.tags())).toEqual(["1.0"]);
  expect(await Array.fromAsync(client.repositories())).toEqual(["team/app"]);
  expect(await place.deleteManifest(digest)).toBe(true);
  expect(await place.deleteManifest(digest)).toBe(false);
  expect(await place.findManifest("1.0")).toBeUndefined();
});

test("returns undefined for absent content", async () => {
  const { client } = openMemoryRegistry();
  const place = client.repository("nowhere");
  const { digest } = blobOf("nothing");
  expect(await place.findManifest("1")).toBeUndefined();
  expect(await place.manifest(digest)).toBeUndefined();
  expect(await place.findBlob(digest)).toBeUndefined();
  expect(await place.blob(digest)).toBeUndefined();
  expect(await Array.fromAsync(place.tags())).toEqual([]);
  expect(await place.referrers(digest)).toEqual([]);
  expect(await place.deleteBlob(digest)).toBe(false);
});

test("takes SHA-512 digests and mounts", async () => {
  const { client } = openMemoryRegistry();
  const bytes = randomBytes(50);
  const digest = digestOf(bytes, "sha512");
  await client.repository("a").pushBlob(uploadOf({ digest, bytes }));
  expect(await client.repository("b").mount(digest, "a")).toBe(true);
  expect(await client.repository("b").findBlob(digest)).toBe(50);
  expect(await client.repository("b").mount(blobOf("unknown").digest, "a")).toBe(false);
});

test("lists page by page, as Link says", async () => {
  const { client, seen } = openMemoryRegistry({
    // What a proxy makes of the address is not what counts.
    after(request, answer) {
      const { searchParams } = new URL(request.url);
      if (!request.url.includes("/tags/list") || searchParams.has("last")) return answer;
      const headers = new Headers(answer.headers);
      headers.set("link", '<http://inside:5000/v2/app/tags/list?n=2&last=b>; rel="next"');
      return new Response('{"name":"app","tags":["a","b"]}', { headers });
    },
  });
  const place = client.repository("app");
  const image = buildImage();
  for (const tag of ["a", "b", "c"]) await push(place, image, tag);
  expect(await Array.fromAsync(place.tags())).toEqual(["a", "b", "c"]);
  expect(seen.at(-1)?.target).toBe("/v2/app/tags/list?n=2&last=b");
});

test("lists referrers, by type too", async () => {
  const { client } = openMemoryRegistry();
  const place = client.repository("app");
  const subject = buildImage();
  await push(place, subject, "1");
  const artifactType = "application/vnd.example.sbom";
  const annotations = { "org.example": "1" };
  const sbom = buildImage({ artifactType, annotations, subject: subject.descriptor });
  const outcome = await place.putManifest(sbom.digest, sbom);
  expect(outcome).toEqual({ status: "stored", subject: true });
  const { digest, mediaType, bytes } = sbom;
  const listed = { digest, mediaType, size: bytes.length, artifactType, annotations };
  expect(await place.referrers(subject.digest)).toEqual([listed]);
  expect(await place.referrers(subject.digest, { artifactType })).toEqual([listed]);
  expect(await place.referrers(subject.digest, { artifactType: "other/type" })).toEqual([]);
});

test("asks for one token per repository, and keeps it", async () => {
  const { client, seen } = openMemoryRegistry({ identities: [owner], credentials });
  expect(await client.ping()).toBe("bearer");
  const image = buildImage();
  await push(client.repository("app"), image, "1");
  await push(client.repository("app"), image, "2");
  const tokens = seen.filter(({ target }) => target.startsWith("/token"));
  const scopes = tokens.map(({ target }) => new URLSearchParams(target).getAll("scope"));
  expect(scopes).toEqual([[], ["repository:app:pull,push"]]);
  const calls = seen.filter(({ target }) => target.startsWith("/v2/app/"));
  expect(calls.every(({ authorization }) => authorization?.startsWith("Bearer "))).toBe(true);
  expect(tokens.every(({ authorization }) => authorization?.startsWith("Basic "))).toBe(true);
});

test("a token near its end is not used", async () => {
  let now = Date.parse("2026-01-02T03:04:05Z");
  const options = { identities: [owner], credentials, now: () => new Date(now) };
  const { client, seen } = openMemoryRegistry(options);
  const place = client.repository("app");
  const ask = async () => {
    await place.findManifest("1");
    return seen.filter(({ target }) => target.startsWith("/token")).length;
  };
  expect([await ask(), await ask()]).toEqual([1, 1]);
  now += 295_000;
  expect(await ask()).toBe(2);
});

test.each([
  ["nobody", undefined, "gives no token without credentials"],
  ["a wrong password", { ...credentials, password: "wrong" }, "refuses the credentials (401)"],
])("%s is reported", async (_, login, words) => {
  const { client } = openMemoryRegistry({
    identities: [owner],
    credentials: login,
    instead: ({ url, headers }) =>
      url.includes("/token") && !headers.has("authorization")
        ? new Response(null, { status: 403 })
        : undefined,
  });
  await expect(client.ping()).rejects.toMatchObject({ code: "unauthorized" });
  await expect(client.repository("app").manifest("1")).rejects.toThrow(words);
});

test("a token alone goes to the registry, and to its token service when asked", async () => {
  const password = "the-token";
  const { client, seen } = openMemoryRegistry({
    identities: [{ name: "token", password, may: () => true }],
    credentials: { type: "bearer", token: password },
  });
  await push(client.repository("app"), buildImage(), "1");
  expect(seen[0]?.authorization).toBe("Bearer the-token");
  expect(seen[1]).toMatchObject({
    target: expect.stringMatching(/^\/token\?/),
    authorization: `Basic ${Buffer.from("token:the-token").toString("base64")}`,
  });
});

test("speaks Basic where that is asked for", async () => {
  const { client, seen } = openMemoryRegistry({
    identities: [owner],
    credentials,
    instead: ({ headers }) =>
      headers.has("authorization")
        ? undefined
        : new Response(null, {
            status: 401,
            headers: { "www-authenticate": 'Basic realm="a, \\"b\\""' },
          }),
  });
  await push(client.repository("app"), buildImage(), "1");
  expect(await client.ping()).toBe("basic");
  expect(seen.filter(({ authorization }) => authorization === null)).toHaveLength(1);
});
