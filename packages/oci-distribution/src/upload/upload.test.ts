import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Digest } from "../digest.ts";
import { OciError } from "../errors.ts";
import type { UploadSession } from "../ports.ts";
import { parseRepositoryName } from "../repository-name.ts";
import { blobOf } from "../testing/build-image.ts";
import { createMemoryOciPorts } from "../testing/memory-ports.ts";
import type { Chunk } from "./upload.ts";
import { appendChunk, closeUpload, storeBlob, sweepUploads } from "./upload.ts";
import { createUploadIds } from "./upload-ids.ts";
import { LEASE_MS } from "./writer-claim.ts";

const session: UploadSession = {
  id: "01234567-89ab-4def-8123-456789abcdef",
  repository: parseRepositoryName("app"),
  owner: "me",
  offset: 0,
};

async function begin(now: () => number = Date.now) {
  const ports = createMemoryOciPorts({ now });
  let ids = 0;
  const uploading = {
    ...ports,
    ids: createUploadIds({ key: Buffer.from("any"), now }),
    newId: () => `writer-${(ids += 1)}`,
    maxBlobBytes: 1_000_000,
  };
  await ports.uploads.create(session);
  return { ports, uploading };
}

function chunk(...texts: readonly string[]): Chunk {
  return { body: bytes(...texts) };
}

async function* bytes(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function* torn(): AsyncIterable<Uint8Array> {
  yield Buffer.from("half");
  throw new Error("connection reset");
}

afterEach(() => {
  vi.useRealTimers();
});

test("frees the place of a writer whose body ended early", async () => {
  const { ports, uploading } = await begin();
  expect(await appendChunk(uploading, session, chunk("abc"))).toBe(3);
  await expect(appendChunk(uploading, session, { body: torn() })).rejects.toThrow(/reset/);
  expect((await ports.uploads.find(session.id))?.offset).toBe(3);
  expect(await appendChunk(uploading, { ...session, offset: 3 }, chunk("def"))).toBe(6);
  const { digest } = blobOf("abcdefghi");
  await expect(closeUpload(uploading, session, { body: torn() }, digest)).rejects.toThrow();
  await closeUpload(uploading, session, chunk("ghi"), digest);
  expect(await ports.blobs.find(session.repository, digest)).toMatchObject({ size: 9 });
  expect(await ports.uploads.find(session.id)).toBeUndefined();
  expect(ports.files.pending()).toEqual([]);
});

test("gives a session that two small bodies close at once to one of them", async () => {
  const { ports, uploading } = await begin();
  const { digest } = blobOf("abc");
  const whole = { ...chunk("abc"), length: 3 };
  const closing = await Promise.allSettled([
    closeUpload(uploading, session, whole, digest),
    closeUpload(uploading, session, { ...chunk("abc"), length: 3 }, digest),
  ]);
  expect(closing.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(await ports.blobs.find(session.repository, digest)).toMatchObject({ size: 3 });
  expect(await ports.uploads.find(session.id)).toBeUndefined();
});

test("repeats the success of an upload that another instance has closed", async () => {
  const { ports, uploading } = await begin();
  const { digest } = blobOf("abc");
  await closeUpload(uploading, session, { ...chunk("abc"), length: 3 }, digest);
  // The other instance has no row and takes the id for a new upload.
  const looksNew = { ...session, isNew: true } as const;
  const mayPull = () => true;
  const repeat = (caller: object, to: Digest) =>
    closeUpload({ ...uploading, ...caller }, looksNew, { ...chunk(), length: 0 }, to);
  await repeat({ mayPull }, digest);
  expect(await ports.blobs.find(session.repository, digest)).toMatchObject({ size: 3 });
  const wrong = { code: "DIGEST_INVALID" };
  await expect(repeat({ mayPull: () => false }, digest)).rejects.toMatchObject(wrong);
  await expect(repeat({}, digest)).rejects.toMatchObject(wrong);
  await expect(repeat({ mayPull }, blobOf("other").digest)).rejects.toMatchObject(wrong);
  const lost = { ...uploading.files, isPresent: () => Promise.resolve(false) };
  await expect(repeat({ mayPull, files: lost }, digest)).rejects.toMatchObject(wrong);
});

test("refuses a small body while another request writes, which keeps its place", async () => {
  const { ports, uploading } = await begin();
  await ports.uploads.claim(session.id, "slow", LEASE_MS);
  const { digest } = blobOf("abc");
  const whole = { ...chunk("abd"), length: 3 };
  await expect(closeUpload(uploading, session, whole, digest)).rejects.toMatchObject({
    status: 409,
  });
  expect(await ports.uploads.advance(session.id, "slow", 5)).toBe(true);
});

test("keeps the claim of a slow writer past its lease", async () => {
  vi.useFakeTimers();
  const { uploading } = await begin();
  const gate = Promise.withResolvers<void>();
  const slow = appendChunk(uploading, session, { body: heldBack(gate.promise) });
  await vi.advanceTimersByTimeAsync(LEASE_MS * 5);
  await expect(appendChunk(uploading, session, chunk("x"))).rejects.toMatchObject({
    code: "BLOB_UPLOAD_INVALID",
    status: 409,
  });
  gate.resolve();
  expect(await slow).toBe(4);
});

test("does not move an upload that another writer has acquired in the meantime", async () => {
  const { ports, uploading } = await begin();
  const append: typeof ports.files.append = async (...args) => {
    const reached = await ports.files.append(...args);
    await ports.uploads.release(session.id, "writer-1");
    await ports.uploads.claim(session.id, "heir", LEASE_MS);
    return reached;
  };
  const robbed = { ...uploading, files: { ...ports.files, append } };
  await expect(appendChunk(robbed, session, chunk("abc"))).rejects.toBeInstanceOf(OciError);
  expect((await ports.uploads.find(session.id))?.offset).toBe(0);
});

test("a running renewal ends before the claim is given up", async () => {
  vi.useFakeTimers();
  const { ports, uploading } = await begin();
  const [gate, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let claims = 0;
  const claim: typeof ports.uploads.claim = async (...claimed) => {
    claims += 1;
    if (claims > 1) await answer.promise;
    return ports.uploads.claim(...claimed);
  };
  const renewing = { ...uploading, uploads: { ...ports.uploads, claim } };
  const slow = appendChunk(renewing, session, { body: heldBack(gate.promise) });
  await vi.advanceTimersByTimeAsync(LEASE_MS / 3);
  expect(claims).toBe(2);
  gate.resolve();
  await vi.waitFor(async () => expect((await ports.uploads.find(session.id))?.offset).toBe(4));
  answer.resolve();
  await slow;
  await vi.advanceTimersByTimeAsync(1);
  expect(await ports.uploads.claim(session.id, "next", LEASE_MS)).toBe(true);
});

test("tells the files to stop when the claim is lost", async () => {
  vi.useFakeTimers();
  const { ports, uploading } = await begin();
  let aborted = false;
  const append: typeof ports.files.append = (_id, _offset, _body, { signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => {
        aborted = true;
        reject(signal.reason as Error);
      });
    });
  const stuck = { ...uploading, files: { ...ports.files, append } };
  const lost = expect(
    appendChunk(stuck, session, { ...chunk("abc"), length: 3 }),
  ).rejects.toMatchObject({ status: 409 });
  await vi.advanceTimersByTimeAsync(1);
  await ports.uploads.remove(session.id);
  await vi.advanceTimersByTimeAsync(LEASE_MS);
  await lost;
  expect(aborted).toBe(true);
});

test("sweeps idle uploads, with their bytes, and no others", async () => {
  let now = 1_000_000;
  const { ports, uploading } = await begin(() => now);
  await appendChunk(uploading, session, chunk("abc"));
  const busy = { ...session, id: session.id.replace("0", "f") };
  await ports.uploads.create(busy);
  now += 1_000;
  await appendChunk(uploading, busy, chunk("abc"));
  expect(await sweepUploads(ports, new Date(now - 500))).toBe(1);
  expect(await ports.uploads.find(session.id)).toBeUndefined();
  expect(ports.files.pending()).toEqual([busy.id]);
  expect(await sweepUploads(ports, new Date(now - 500))).toBe(0);
});

test("keeps a small first body with the session, and writes it out when more comes", async () => {
  const { ports, uploading } = await begin();
  const fresh = uploading.ids.begin({ repository: session.repository, owner: "me" });
  expect(await appendChunk(uploading, fresh, chunk())).toBe(0);
  expect(await ports.uploads.find(fresh.id)).toBeUndefined();
  expect(await appendChunk(uploading, fresh, chunk("ab", "c"))).toBe(3);
  expect(ports.files.pending()).toEqual([]);
  const stored = await ports.uploads.find(fresh.id);
  expect(Buffer.from(stored?.bytes ?? []).toString()).toBe("abc");
  expect(await appendChunk(uploading, stored ?? fresh, chunk("def"))).toBe(6);
  expect(ports.files.pending()).toEqual([fresh.id]);
  const moved = await ports.uploads.find(fresh.id);
  expect(moved).toMatchObject({ offset: 6 });
  expect(moved?.bytes).toBeUndefined();
  const { digest } = blobOf("abcdef");
  await closeUpload(uploading, moved ?? fresh, { ...chunk(), length: 0 }, digest);
  expect(await ports.blobs.find(session.repository, digest)).toMatchObject({ size: 6 });
});

test.each([
  ["an empty one", [], 0],
  ["a small one", ["def"], 3],
  ["one that does not say how long it is", ["def"], undefined],
] as const)(
  "closes an upload whose bytes are with the session with %s",
  async (_, more, length) => {
    const { ports, uploading } = await begin();
    const fresh = uploading.ids.begin({ repository: session.repository, owner: "me" });
    await appendChunk(uploading, fresh, chunk("abc"));
    const stored = (await ports.uploads.find(fresh.id)) ?? fresh;
    const last = { ...chunk(...more), ...(length !== undefined && { length }) };
    const { digest } = blobOf(["abc", ...more].join(""));
    await closeUpload(uploading, stored, last, digest);
    expect(await ports.blobs.find(session.repository, digest)).toBeDefined();
    expect(await ports.uploads.find(fresh.id)).toBeUndefined();
    expect(uploading.ids.find(fresh.id, fresh)).toBeUndefined();
  },
);

test("writes a long first body as a file, and a truncated one not at all", async () => {
  const { ports, uploading } = await begin();
  const fresh = uploading.ids.begin({ repository: session.repository, owner: "me" });
  await expect(appendChunk(uploading, fresh, { body: torn() })).rejects.toThrow(/reset/);
  const long = "x".repeat(40_000);
  expect(await appendChunk(uploading, fresh, chunk(long, long))).toBe(80_000);
  expect(ports.files.pending()).toEqual([fresh.id]);
  const stored = (await ports.uploads.find(fresh.id)) ?? fresh;
  const { digest } = blobOf(long + long);
  await closeUpload(uploading, stored, chunk(), digest);
  expect(await ports.blobs.find(session.repository, digest)).toMatchObject({ size: 80_000 });
});

describe("of bytes that another repository links", () => {
  const other = parseRepositoryName("other");
  const text = "x".repeat(300_000);
  const { digest } = blobOf(text);
  const whole = (content: string) => ({ ...chunk(content), length: content.length });

  async function withKnown() {
    const { ports, uploading } = await begin();
    await storeBlob(uploading, other, whole(text), digest);
    const { files } = ports;
    const stage = vi.fn((...args: Parameters<typeof files.stage>) => files.stage(...args));
    const watched = { ...uploading, files: { ...files, stage } };
    const fresh = uploading.ids.begin({ repository: session.repository, owner: "me" });
    return { ports, stage, watched, fresh };
  }

  test("stores them no second time", async () => {
    const { ports, stage, watched, fresh } = await withKnown();
    await closeUpload(watched, fresh, whole(text), digest);
    expect(stage).not.toHaveBeenCalled();
    const key = (await ports.blobs.find(other, digest))?.key;
    expect(await ports.blobs.find(session.repository, digest)).toMatchObject({
      key,
      size: 300_000,
    });
    expect(await ports.uploads.find(fresh.id)).toBeUndefined();
  });

  test.each([
    ["others", `${text.slice(1)}y`, 300_000],
    ["only a part of them", text.slice(1), 299_999],
  ])("refuses callers who have %s", async (_, content, size) => {
    const { ports, watched, fresh } = await withKnown();
    await expect(closeUpload(watched, fresh, whole(content), digest)).rejects.toMatchObject({
      code: "DIGEST_INVALID",
      details: [{ digest, size }],
    });
    expect(await ports.blobs.find(session.repository, digest)).toBeUndefined();
  });

  test("requests them again when they were deleted in the meantime", async () => {
    const { ports, watched, fresh } = await withKnown();
    const robbed = {
      ...whole(text),
      body: (async function* () {
        yield Buffer.from(text);
        await ports.blobs.unlink(other, digest);
      })(),
    };
    await expect(closeUpload(watched, fresh, robbed, digest)).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining("push them again"),
    });
    const again = (await ports.uploads.find(fresh.id)) ?? fresh;
    await closeUpload(watched, again, whole(text), digest);
    expect(await ports.blobs.find(session.repository, digest)).toMatchObject({ size: 300_000 });
  });
});

test("continues an upload whose name could not be written", async () => {
  const { ports, uploading } = await begin();
  const fresh = uploading.ids.begin({ repository: session.repository, owner: "me" });
  const { digest } = blobOf("abc");
  const whole = () => ({ ...chunk("abc"), length: 3 });
  const link = () => Promise.reject(new Error("the database is away"));
  const broken = { ...uploading, blobs: { ...ports.blobs, link } };
  await expect(closeUpload(broken, fresh, whole(), digest)).rejects.toThrow(/away/);
  await closeUpload(uploading, uploading.ids.find(fresh.id, fresh) ?? session, whole(), digest);
  expect(await ports.blobs.find(session.repository, digest)).toMatchObject({ size: 3 });
});

test("reads a SHA-512 upload again only when its algorithm was not announced", async () => {
  const { ports, uploading } = await begin();
  const hashes: string[] = [];
  const append: typeof ports.files.append = (id, offset, body, options) => {
    hashes.push(...options.hashes);
    return ports.files.append(id, offset, body, options);
  };
  const watched = { ...uploading, files: { ...ports.files, append } };
  await appendChunk(watched, session, chunk("abc"));
  const hinted = { ...session, id: session.id.replace("0", "f"), algorithm: "sha512" } as const;
  await ports.uploads.create(hinted);
  await appendChunk(watched, hinted, chunk("abc"));
  expect(hashes).toEqual(["sha256", "sha512"]);
});

async function* heldBack(gate: Promise<void>): AsyncIterable<Uint8Array> {
  yield Buffer.from("ab");
  await gate;
  await sleep(0);
  yield Buffer.from("cd");
}
