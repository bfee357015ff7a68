import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { digestOf } from "../../digest.ts";
import { blobOf } from "../build-image.ts";
import type { ConformanceCase } from "./conversation.ts";
import {
  bodyOf,
  bytesOf,
  expectAnswer,
  locationOf,
  octets,
  pushBlob,
  startUpload,
  streamOf,
  withQuery,
} from "./conversation.ts";
import { expectBlob, expectProgress, patch, put } from "./upload-requests.ts";

/** Three chunks, of different lengths. */
function threeChunks() {
  const bytes = randomBytes(60);
  const chunks = [bytes.subarray(0, 30), bytes.subarray(30, 50), bytes.subarray(50)] as const;
  return { ...blobOf(bytes), chunks };
}

export const uploadCases: readonly ConformanceCase[] = [
  {
    name: "takes a blob by POST and PUT, and serves it where it says",
    covers: "H8",
    async run(registry) {
      const repository = registry.repository();
      const { digest, bytes } = blobOf(randomBytes(100));
      const started = await registry.send(`/v2/${repository}/blobs/uploads/`, { method: "POST" });
      const headers = await expectAnswer(started, 202);
      assert.equal(headers.get("range"), "0-0");
      assert.equal(headers.get("content-length"), "0");
      const session = locationOf(headers);
      const closed = await registry.send(withQuery(session, `digest=${digest}`), put(bytes));
      const created = await expectAnswer(closed, 201);
      assert.equal(created.get("docker-content-digest"), digest);
      assert.equal(created.get("content-length"), "0");
      await expectBlob(registry, locationOf(created), bytes);
    },
  },
  {
    name: "takes an upload path without its last slash, and a digest that is percent-encoded",
    covers: "3.1",
    async run(registry) {
      const repository = registry.repository();
      const { digest, bytes } = blobOf(randomBytes(10));
      const started = await registry.send(`/v2/${repository}/blobs/uploads`, { method: "POST" });
      const session = locationOf(await expectAnswer(started, 202));
      const query = `digest=${encodeURIComponent(digest)}`;
      await expectAnswer(await registry.send(withQuery(session, query), put(bytes)), 201);
      await expectBlob(registry, `/v2/${repository}/blobs/${encodeURIComponent(digest)}`, bytes);
    },
  },
  {
    name: "takes a blob in a single POST",
    covers: "H9",
    async run(registry) {
      const { digest, bytes } = blobOf(randomBytes(100));
      const path = `/v2/${registry.repository()}/blobs/uploads/?digest=${digest}`;
      const post = { method: "POST", body: bodyOf(bytes), headers: octets };
      const headers = await expectAnswer(await registry.send(path, post), 201);
      await expectBlob(registry, locationOf(headers), bytes);
    },
  },
  {
    name: "takes a chunked PATCH without type, length or range, as docker sends it",
    covers: "H10",
    async run(registry) {
      const { digest, chunks, bytes } = threeChunks();
      const session = await startUpload(registry, registry.repository());
      const patched = await registry.send(session, { method: "PATCH", ...streamOf(...chunks) });
      const headers = await expectAnswer(patched, 202);
      assert.equal(headers.get("range"), "0-59");
      assert.equal(headers.get("content-length"), "0");
      const closed = await registry.send(withQuery(locationOf(headers), `digest=${digest}`), put());
      await expectBlob(registry, locationOf(await expectAnswer(closed, 201)), bytes);
    },
  },
  {
    name: "takes chunks with Content-Range, the last one in the PUT",
    covers: "H11",
    async run(registry) {
      const { digest, bytes, chunks } = threeChunks();
      const session = await startUpload(registry, registry.repository());
      const first = await expectAnswer(await registry.send(session, patch(chunks[0], "0-29")), 202);
      assert.equal(first.get("range"), "0-29");
      const second = await registry.send(locationOf(first), patch(chunks[1], "30-49"));
      const headers = await expectAnswer(second, 202);
      assert.equal(headers.get("range"), "0-49");
      const last = withQuery(locationOf(headers), `digest=${digest}`);
      const closed = await registry.send(last, put(chunks[2], "50-59"));
      await expectBlob(registry, locationOf(await expectAnswer(closed, 201)), bytes);
    },
  },
  {
    name: "refuses a chunk out of order with 416, in PATCH and in PUT, and goes on afterwards",
    covers: "H12, 1.2/4, 1.2/5",
    async run(registry) {
      const { digest, bytes, chunks } = threeChunks();
      const session = await startUpload(registry, registry.repository());
      await expectProgress(registry, session, "0-0");
      const early = await registry.send(session, patch(chunks[1], "30-49"));
      const refused = await expectAnswer(early, 416, "BLOB_UPLOAD_INVALID");
      assert.equal(refused.get("range"), "0-0");
      locationOf(refused);
      await expectAnswer(await registry.send(session, patch(chunks[0], "0-29")), 202);
      const close = withQuery(session, `digest=${digest}`);
      await expectAnswer(await registry.send(close, put(chunks[2], "50-59")), 416);
      await expectProgress(registry, session, "0-29");
      await expectAnswer(await registry.send(session, patch(chunks[1], "30-49")), 202);
      const closed = await registry.send(close, put(chunks[2], "50-59"));
      await expectBlob(registry, locationOf(await expectAnswer(closed, 201)), bytes);
    },
  },
  {
    name: "refuses an old chunk again at the first Location, which stays valid",
    covers: "H13, 1.2/6",
    async run(registry) {
      const { digest, chunks } = threeChunks();
      const session = await startUpload(registry, registry.repository());
      await expectAnswer(await registry.send(session, patch(chunks[0], "0-29")), 202);
      await expectAnswer(await registry.send(session, patch(chunks[0], "0-29")), 416);
      await expectAnswer(await registry.send(session, patch(chunks[1], "30-49")), 202);
      await expectAnswer(await registry.send(session, patch(chunks[2], "50-59")), 202);
      await expectAnswer(await registry.send(withQuery(session, `digest=${digest}`), put()), 201);
    },
  },
  {
    name: "takes SHA-512 blobs, with a hint and without, in one piece and in chunks",
    covers: "H20, 1.2/1",
    async run(registry) {
      const repository = registry.repository();
      for (const query of ["", "?digest-algorithm=sha512"]) {
        for (const inChunks of [false, true]) {
          const bytes = randomBytes(100);
          const digest = digestOf(bytes, "sha512");
          const session = await startUpload(registry, repository, query);
          const first = bytes.subarray(0, 60);
          if (inChunks) await expectAnswer(await registry.send(session, patch(first)), 202);
          const close = withQuery(session, `digest=${digest}`);
          const rest = inChunks ? bytes.subarray(60) : bytes;
          const headers = await expectAnswer(await registry.send(close, put(rest)), 201);
          assert.equal(headers.get("docker-content-digest"), digest);
          await expectBlob(registry, `/v2/${repository}/blobs/${digest}`, bytes);
        }
      }
      const unknown = `/v2/${repository}/blobs/uploads/?digest-algorithm=md5`;
      await expectAnswer(await registry.send(unknown, { method: "POST" }), 400, "DIGEST_INVALID");
    },
  },
  {
    name: "takes the empty blob, in one piece and over an empty PATCH",
    covers: "H21, 1.2/17",
    async run(registry) {
      const { digest, bytes } = blobOf("");
      const whole = registry.repository("whole");
      await pushBlob(registry, whole, { digest, bytes });
      const patched = registry.repository("patched");
      const session = await startUpload(registry, patched);
      const begun = await expectAnswer(await registry.send(session, patch(bytes)), 202);
      assert.equal(begun.get("range"), "0-0");
      await expectAnswer(await registry.send(withQuery(session, `digest=${digest}`), put()), 201);
      for (const repository of [whole, patched]) {
        const response = await registry.send(`/v2/${repository}/blobs/${digest}`);
        assert.equal(response.status, 200);
        assert.equal(response.headers.get("content-length"), "0");
        assert.equal((await bytesOf(response)).length, 0);
        // There is no first byte that could be served.
        const headers = { range: "bytes=0-0" };
        const ranged = await registry.send(`/v2/${repository}/blobs/${digest}`, { headers });
        assert.ok([200, 416].includes(ranged.status), `a range of nothing: ${ranged.status}`);
        assert.equal(ranged.status === 200 ? (await bytesOf(ranged)).length : 0, 0);
      }
    },
  },
  {
    name: "takes one blob into eight repositories at once",
    covers: "H22",
    async run(registry) {
      const blob = blobOf(randomBytes(5_000));
      const names = Array.from({ length: 8 }, (_, n) => registry.repository(`racer-${n}`));
      await Promise.all(names.map((name) => pushBlob(registry, name, blob)));
      for (const name of names) {
        await expectBlob(registry, `/v2/${name}/blobs/${blob.digest}`, blob.bytes);
      }
    },
  },
];
