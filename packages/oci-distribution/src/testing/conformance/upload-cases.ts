import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { digestOf } from "../../digest.ts";
import { blobOf } from "../build-image.ts";
import type { ConformanceCase, Conversation } from "./conversation.ts";
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

/** Three chunks, of different lengths. */
function threeChunks() {
  const bytes = randomBytes(60);
  const chunks = [bytes.subarray(0, 30), bytes.subarray(30, 50), bytes.subarray(50)] as const;
  return { ...blobOf(bytes), chunks };
}

function patch(bytes: Uint8Array, range?: string): RequestInit {
  const headers = { ...octets, ...(range !== undefined && { "content-range": range }) };
  return { method: "PATCH", body: bodyOf(bytes), headers };
}

function put(bytes?: Uint8Array, range?: string): RequestInit {
  return bytes ? { ...patch(bytes, range), method: "PUT" } : { method: "PUT" };
}

async function expectBlob(registry: Conversation, path: string, bytes: Uint8Array): Promise<void> {
  const response = await registry.send(path);
  assert.equal(response.status, 200);
  assert.deepEqual(await bytesOf(response), Buffer.from(bytes));
}

async function expectProgress(registry: Conversation, session: string, range: string) {
  const headers = await expectAnswer(await registry.send(session), 204);
  assert.equal(headers.get("range"), range);
  locationOf(headers);
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
    name: "lets one of two writers at a time write to a session",
    covers: "H14",
    async run(registry) {
      const { digest, bytes } = blobOf(randomBytes(1_000));
      const session = await startUpload(registry, registry.repository());
      const gate = Promise.withResolvers<void>();
      const slow = ReadableStream.from(heldBack(bytes, gate.promise));
      const init = { method: "PATCH", body: slow, duplex: "half" } as RequestInit;
      const first = registry.send(session, init);
      // Heard below, unless the second is answered as it must not be.
      first.catch(() => undefined);
      // Time for the first request to arrive first.
      await new Promise((resolve) => setTimeout(resolve, 50));
      const second = await untilBusy(registry, session);
      gate.resolve();
      await expectAnswer(second, 409, "BLOB_UPLOAD_INVALID");
      await expectAnswer(await first, 202);
      const closed = await registry.send(withQuery(session, `digest=${digest}`), put());
      await expectBlob(registry, locationOf(await expectAnswer(closed, 201)), bytes);
    },
  },
  {
    name: "stores nothing under a wrong digest, and ends the session",
    covers: "H15",
    async run(registry) {
      const repository = registry.repository();
      const { bytes, digest } = blobOf(randomBytes(50));
      const wrong = blobOf(randomBytes(50)).digest;
      const post = `/v2/${repository}/blobs/uploads/?digest=${wrong}`;
      const single = { method: "POST", body: bodyOf(bytes), headers: octets };
      await expectAnswer(await registry.send(post, single), 400, "DIGEST_INVALID");

      const monolithic = await startUpload(registry, repository);
      const closed = await registry.send(withQuery(monolithic, `digest=${wrong}`), put(bytes));
      await expectAnswer(closed, 400, "DIGEST_INVALID");
      await expectAnswer(await registry.send(monolithic), 404, "BLOB_UPLOAD_UNKNOWN");

      const chunked = await startUpload(registry, repository);
      await expectAnswer(await registry.send(chunked, patch(bytes)), 202);
      const late = await registry.send(withQuery(chunked, `digest=${wrong}`), put());
      await expectAnswer(late, 400, "DIGEST_INVALID");
      await expectAnswer(await registry.send(chunked), 404, "BLOB_UPLOAD_UNKNOWN");

      for (const one of [wrong, digest]) {
        const head = await registry.send(`/v2/${repository}/blobs/${one}`, { method: "HEAD" });
        assert.equal(head.status, 404);
      }
    },
  },
  {
    name: "refuses a closing PUT without a digest, or with one that is none",
    covers: "3.3",
    async run(registry) {
      const session = await startUpload(registry, registry.repository());
      await expectAnswer(await registry.send(session, put()), 400, "DIGEST_INVALID");
      const bad = withQuery(session, "digest=sha256:nonsense");
      await expectAnswer(await registry.send(bad, put()), 400, "DIGEST_INVALID");
    },
  },
  {
    name: "refuses a length that is not the range's before it takes a byte",
    covers: "H16",
    async run(registry) {
      const session = await startUpload(registry, registry.repository());
      const short = await registry.send(session, patch(randomBytes(10), "0-19"));
      await expectAnswer(short, 400, "SIZE_INVALID");
      const unreadable = await registry.send(session, patch(randomBytes(10), "ten"));
      await expectAnswer(
        unreadable,
        [400, 416].includes(unreadable.status) ? unreadable.status : 400,
      );
      await expectProgress(registry, session, "0-0");
    },
  },
  {
    name: "survives a body that breaks off, and goes on where it says it stands",
    covers: "H16",
    async run(registry) {
      const repository = registry.repository();
      const { digest, bytes } = blobOf(randomBytes(2_000));
      const session = await startUpload(registry, repository);
      await expectAnswer(await registry.send(session, patch(bytes.subarray(0, 500))), 202);
      const broken = ReadableStream.from(brokenOff(bytes.subarray(500, 1_000)));
      const init = { method: "PATCH", body: broken, duplex: "half" } as RequestInit;
      await registry.target.fetch(session, init).catch(() => undefined);
      const range = await settledRange(registry, session);
      assert.match(range, /^0-\d+$/);
      const offset = Number(range.slice(2)) + 1;
      assert.ok(offset >= 500 && offset <= 1_000, `it stands at ${offset}`);
      const absent = await registry.send(`/v2/${repository}/blobs/${digest}`, { method: "HEAD" });
      assert.equal(absent.status, 404);
      const close = withQuery(session, `digest=${digest}`);
      const closed = await registry.send(close, put(bytes.subarray(offset)));
      await expectBlob(registry, locationOf(await expectAnswer(closed, 201)), bytes);
    },
  },
  {
    name: "forgets a cancelled upload",
    covers: "H17",
    async run(registry) {
      const session = await startUpload(registry, registry.repository());
      await expectAnswer(await registry.send(session, patch(randomBytes(10))), 202);
      await expectAnswer(await registry.send(session, { method: "DELETE" }), 204);
      const late = await registry.send(session, patch(randomBytes(10)));
      await expectAnswer(late, 404, "BLOB_UPLOAD_UNKNOWN");
      const again = await registry.send(session, { method: "DELETE" });
      await expectAnswer(again, 404, "BLOB_UPLOAD_UNKNOWN");
    },
  },
  {
    name: "knows an upload only in its own repository",
    covers: "H18",
    async run(registry) {
      const session = await startUpload(registry, registry.repository("one"));
      const moved = session.replace(registry.repository("one"), registry.repository("two"));
      await expectAnswer(await registry.send(moved), 404, "BLOB_UPLOAD_UNKNOWN");
      const made = session.replace(/[^/]+$/, "00000000-0000-4000-8000-000000000000");
      await expectAnswer(await registry.send(made), 404, "BLOB_UPLOAD_UNKNOWN");
      const odd = session.replace(/[^/]+$/, "no-uuid");
      await expectAnswer(await registry.send(odd), 404, "BLOB_UPLOAD_UNKNOWN");
      await expectProgress(registry, session, "0-0");
    },
  },
  {
    name: "hides an upload from another user",
    covers: "H18",
    needs: ["stranger"],
    async run(registry) {
      const { stranger } = registry.target;
      assert.ok(stranger);
      const session = await startUpload(registry, registry.repository());
      const { status } = await stranger.fetch(session);
      assert.ok([401, 403, 404].includes(status), `the stranger got ${status}`);
    },
  },
  {
    name: "forgets an upload that nobody touched for as long as it lives",
    covers: "H19",
    needs: ["uploadExpirySeconds"],
    async run(registry) {
      const session = await startUpload(registry, registry.repository());
      await expectAnswer(await registry.send(session, patch(randomBytes(10))), 202);
      const { uploadExpirySeconds = 0 } = registry.target;
      const late = Date.now() + uploadExpirySeconds * 1000 + 30_000;
      let response = await registry.send(session);
      while (response.status !== 404 && Date.now() < late) {
        // Longer than it lives: asking alone must not keep it.
        await new Promise((resolve) => setTimeout(resolve, uploadExpirySeconds * 1000 + 500));
        response = await registry.send(session);
      }
      await expectAnswer(response, 404, "BLOB_UPLOAD_UNKNOWN");
      const patched = await registry.send(session, patch(randomBytes(10)));
      await expectAnswer(patched, 404, "BLOB_UPLOAD_UNKNOWN");
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

async function* heldBack(bytes: Uint8Array, gate: Promise<void>): AsyncIterable<Uint8Array> {
  yield new Uint8Array(bytes.subarray(0, 10));
  await gate;
  yield new Uint8Array(bytes.subarray(10));
}

async function* brokenOff(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield new Uint8Array(bytes);
  // Time for the bytes to leave, so that it is the body that breaks and not the request.
  await new Promise((resolve) => setTimeout(resolve, 20));
  throw new Error("the client went away");
}

/** Sends empty chunks until the other writer is seen to hold the session. */
async function untilBusy(registry: Conversation, session: string): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const response = await registry.send(session, patch(new Uint8Array()));
    if (response.status !== 202 || tries === 100) return response;
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** What the session says once the broken request has let go of it. */
async function settledRange(registry: Conversation, session: string): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const free = await registry.send(session, patch(new Uint8Array()));
    if (free.status !== 409 || tries === 100) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const headers = await expectAnswer(await registry.send(session), 204);
  return headers.get("range") ?? "";
}
