import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { blobOf } from "../build-image.ts";
import type { ConformanceCase, Conversation } from "./conversation.ts";
import {
  bodyOf,
  expectAnswer,
  locationOf,
  octets,
  startUpload,
  withQuery,
} from "./conversation.ts";
import { expectBlob, expectProgress, patch, put } from "./upload-requests.ts";

/** Owner and writers of a session, and its end. */
export const uploadSessionCases: readonly ConformanceCase[] = [
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

      for (const blobDigest of [wrong, digest]) {
        const head = await registry.send(`/v2/${repository}/blobs/${blobDigest}`, {
          method: "HEAD",
        });
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

/** Offset of the session after the broken request has released it. */
async function settledRange(registry: Conversation, session: string): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const free = await registry.send(session, patch(new Uint8Array()));
    if (free.status !== 409 || tries === 100) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const headers = await expectAnswer(await registry.send(session), 204);
  return headers.get("range") ?? "";
}
