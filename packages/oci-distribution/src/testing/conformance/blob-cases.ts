import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { blobOf, buildImage } from "../build-image.ts";
import type { ConformanceCase, Conversation } from "./conversation.ts";
import {
  bytesOf,
  expectAnswer,
  locationOf,
  pushBlob,
  pushImage,
  requireMount,
  startUpload,
  unknownDigest,
} from "./conversation.ts";

async function pushed(registry: Conversation, size: number) {
  const repository = registry.repository();
  const blob = blobOf(randomBytes(size));
  await pushBlob(registry, repository, blob);
  return { ...blob, repository, path: `/v2/${repository}/blobs/${blob.digest}` };
}

export const blobCases: readonly ConformanceCase[] = [
  {
    name: "answers HEAD with exact length, type and digest, and without a body",
    covers: "H27",
    async run(registry) {
      const { path, digest } = await pushed(registry, 2_048);
      const response = await registry.send(path, { method: "HEAD" });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("content-length"), "2048");
      assert.equal(response.headers.get("docker-content-digest"), digest);
      assert.equal(response.headers.get("accept-ranges"), "bytes");
      assert.equal((await bytesOf(response)).length, 0);
    },
  },
  {
    name: "serves one range, to the byte",
    covers: "H25, 1.2/7",
    async run(registry) {
      const { path, bytes } = await pushed(registry, 2_048);
      const ranges: readonly (readonly [string, number, number])[] = [
        ["bytes=0-0", 0, 0],
        ["bytes=100-199", 100, 199],
        ["bytes=2000-5000", 2_000, 2_047],
        ["bytes=500-", 500, 2_047],
        ["bytes=-500", 1_548, 2_047],
        ["bytes=-5000", 0, 2_047],
      ];
      for (const [range, start, end] of ranges) {
        const response = await registry.send(path, { headers: { range } });
        assert.equal(response.status, 206, range);
        assert.equal(response.headers.get("content-range"), `bytes ${start}-${end}/2048`);
        assert.equal(response.headers.get("content-length"), String(end - start + 1));
        assert.deepEqual(await bytesOf(response), Buffer.from(bytes.subarray(start, end + 1)));
      }
    },
  },
  {
    name: "answers 416 to ranges it cannot serve",
    covers: "H25, 1.2/7",
    async run(registry) {
      const { path } = await pushed(registry, 2_048);
      for (const range of ["bytes=500-0", "bytes=5000-10000", "bytes=2048-"]) {
        const response = await registry.send(path, { headers: { range } });
        assert.equal(response.status, 416, range);
        assert.equal(response.headers.get("content-range"), "bytes */2048");
        const length = response.headers.get("content-length");
        const { length: received } = await bytesOf(response);
        assert.equal(Number(length ?? received), received, "the length is that of the body");
      }
    },
  },
  {
    name: "serves everything for ranges without order, and for If-Range with another tag",
    covers: "H25",
    async run(registry) {
      const { path, digest, bytes } = await pushed(registry, 2_048);
      const whole = [
        { range: "bytes=5-6,0-1" },
        { range: "bytes=0-1", "if-range": '"sha256:other"' },
        { range: "lines=0-1" },
      ];
      for (const headers of whole) {
        const response = await registry.send(path, { headers });
        assert.equal(response.status, 200, JSON.stringify(headers));
        assert.deepEqual(await bytesOf(response), Buffer.from(bytes));
      }
      const same = { range: "bytes=0-1", "if-range": `"${digest}"` };
      assert.equal((await registry.send(path, { headers: same })).status, 206);
    },
  },
  {
    name: "serves ascending ranges in one multipart body",
    covers: "H25",
    async run(registry) {
      const { path, bytes } = await pushed(registry, 2_048);
      const response = await registry.send(path, { headers: { range: "bytes=0-9,100-199" } });
      assert.equal(response.status, 206);
      assert.equal(response.headers.get("content-range"), null);
      const type = response.headers.get("content-type") ?? "";
      assert.match(type, /^multipart\/byteranges; boundary=\S+$/);
      const body = await bytesOf(response);
      assert.equal(response.headers.get("content-length"), String(body.length));
      for (const [start, end] of [
        [0, 9],
        [100, 199],
      ] as const) {
        const head = `content-range: bytes ${start}-${end}/2048\r\n\r\n`;
        const from = body.indexOf(head) + head.length;
        assert.ok(from >= head.length);
        const part = body.subarray(from, from + end - start + 1);
        assert.deepEqual(part, Buffer.from(bytes.subarray(start, end + 1)));
      }
    },
  },
  {
    name: "answers 304 to those who have it",
    covers: "H28",
    async run(registry) {
      const { path, repository, digest } = await pushed(registry, 10);
      const image = buildImage({ layers: [randomBytes(10)] });
      await pushImage(registry, repository, image, "1");
      const resources: readonly (readonly [string, string])[] = [
        [path, digest],
        [`/v2/${repository}/manifests/1`, image.digest],
        [`/v2/${repository}/manifests/${image.digest}`, image.digest],
      ];
      for (const [resource, tag] of resources) {
        const first = await registry.send(resource);
        assert.equal(first.headers.get("etag"), `"${tag}"`);
        await first.body?.cancel();
        const headers = { "if-none-match": `"${tag}"` };
        const second = await registry.send(resource, { headers });
        assert.equal(second.status, 304, resource);
        assert.equal((await bytesOf(second)).length, 0);
        const other = await registry.send(resource, { headers: { "if-none-match": '"x"' } });
        assert.equal(other.status, 200);
        await other.body?.cancel();
      }
    },
  },
  {
    name: "never compresses, whatever the client would take",
    covers: "H29",
    async run(registry) {
      const repository = registry.repository();
      const image = buildImage({
        layers: ["a".repeat(10_000)],
        config: `{"a":"${"b".repeat(5_000)}"}`,
      });
      await pushImage(registry, repository, image, "1");
      const [config] = image.blobs;
      assert.ok(config);
      const paths = [
        `/v2/${repository}/blobs/${config.digest}`,
        `/v2/${repository}/manifests/1`,
        `/v2/${repository}/tags/list`,
        `/v2/${repository}/referrers/${image.digest}`,
      ];
      for (const path of paths) {
        const headers = { "accept-encoding": "gzip, br, zstd, deflate" };
        const response = await registry.send(path, { headers });
        assert.equal(response.status, 200);
        const { length } = await bytesOf(response);
        assert.equal(response.headers.get("content-length"), String(length), path);
      }
    },
  },
  {
    name: "answers 404 for a blob of nobody, and of another repository",
    covers: "3.3",
    async run(registry) {
      const { digest } = await pushed(registry, 10);
      const other = registry.repository("other");
      await pushBlob(registry, other, blobOf("something"));
      for (const path of [
        `/v2/${other}/blobs/${digest}`,
        `/v2/${registry.repository()}/blobs/${unknownDigest()}`,
        `/v2/${registry.repository("never-pushed")}/blobs/${digest}`,
      ]) {
        await expectAnswer(await registry.send(path), 404, ["BLOB_UNKNOWN", "NAME_UNKNOWN"]);
        const head = await registry.send(path, { method: "HEAD" });
        assert.equal(head.status, 404);
        assert.equal((await bytesOf(head)).length, 0);
      }
    },
  },
  {
    name: "mounts a blob from a repository that is named",
    covers: "H23",
    async run(registry) {
      const { repository, digest, bytes } = await pushed(registry, 100);
      const queries = [
        `?mount=${digest}&from=${repository}`,
        `?from=${encodeURIComponent(repository)}&mount=${encodeURIComponent(digest)}&origin=x`,
      ];
      for (const [n, query] of queries.entries()) {
        const target = registry.repository(`mounted-${n}`);
        const path = `/v2/${target}/blobs/uploads/${query}`;
        const mounted = await registry.send(path, { method: "POST" });
        requireMount(mounted);
        const headers = await expectAnswer(mounted, 201);
        assert.equal(headers.get("docker-content-digest"), digest);
        const response = await registry.send(locationOf(headers));
        assert.deepEqual(await bytesOf(response), Buffer.from(bytes));
      }
    },
  },
  {
    name: "mounts a blob from a repository that is not named, if the credentials open one",
    covers: "H23, 1.2/3",
    async run(registry) {
      const { digest } = await pushed(registry, 100);
      const path = `/v2/${registry.repository("mounted")}/blobs/uploads/?mount=${digest}`;
      const { credentials, namespace, publicNamespace } = registry.target;
      const isOpen = credentials === undefined || publicNamespace === namespace;
      const mounted = await registry.send(path, { method: "POST" });
      if (isOpen) requireMount(mounted);
      await expectAnswer(mounted, isOpen ? 201 : 202);
    },
  },
  {
    name: "begins an upload instead when a blob cannot be mounted",
    covers: "H23, 1.2/3",
    async run(registry) {
      const { repository, digest } = await pushed(registry, 100);
      const target = registry.repository("target");
      const nowhere = registry.repository("nowhere");
      for (const query of [
        `?mount=${unknownDigest()}&from=${repository}`,
        `?mount=${unknownDigest()}`,
        `?mount=${digest}&from=${nowhere}`,
        `?mount=${digest}&from=NOT%20A%20NAME`,
        "?mount=nonsense",
      ]) {
        const session = await startUpload(registry, target, query);
        assert.equal((await registry.send(session)).status, 204, query);
      }
      const head = await registry.send(`/v2/${target}/blobs/${digest}`, { method: "HEAD" });
      assert.equal(head.status, 404);
    },
  },
];
