import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import {
  createFastPath,
  createOciApp,
  createPullCounter,
  createUploadIds,
  NO_IMAGE_SOURCES,
  parseRepositoryName,
} from "@sealhouse/oci-distribution";
import type { OciVerdict, TagPast } from "@sealhouse/oci-distribution";
import { blobOf, createMemoryOciPorts } from "@sealhouse/oci-distribution/testing";
import { afterEach, expect, test } from "vitest";

const REPOSITORY = parseRepositoryName("team/app");
const MEDIA_TYPE = "application/vnd.oci.image.manifest.v1+json";
const SMALL = blobOf("a small layer");
const LARGE = blobOf("x".repeat(1_000));

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const close of cleanUp.splice(0)) close();
});

/** The app alone, and the same behind the shortcut, over the same ports. */
async function openBoth() {
  const manifest = blobOf(JSON.stringify({ schemaVersion: 2, mediaType: MEDIA_TYPE }));
  const past: TagPast = {
    digest: async (_repository, tag) => (tag === "old" ? manifest.digest : undefined),
    tags: async () => ["old"],
    deleted: async () => undefined,
    beginning: async () => new Date("2026-01-01"),
  };
  const ports = { ...createMemoryOciPorts(), past };
  for (const { digest, bytes } of [SMALL, LARGE]) {
    const staged = await ports.files.stage(wholeOf(bytes), { hashes: ["sha256"] });
    const { key, size } = await staged.keep();
    await ports.blobs.link(REPOSITORY, { digest, key, size });
  }
  const row = { ...manifest, repository: REPOSITORY, mediaType: MEDIA_TYPE, edges: [] };
  await ports.manifests.record({ ...row, tags: ["1.0"] }, { actor: "me" });
  const startsPull = createPullCounter(Date.now);
  const checked = {
    ...ports,
    authorize: async (request: Request) => verdictOf(request.headers.get("authorization")),
  };
  const uploadIds = createUploadIds({ key: Buffer.from("any"), now: Date.now });
  const app = createOciApp(checked, { service: "test", startsPull, uploadIds });
  const usual = getRequestListener(app.fetch);
  const taken: string[] = [];
  const shortcut = createFastPath({
    requestId: () => "request-1",
    ...ports,
    isPresent: () => Promise.resolve(true),
    startsPull,
    uploadIds,
    owns: (name) => name.startsWith("team/"),
    sources: NO_IMAGE_SOURCES,
    authorize: async ({ headers }) => verdictOf(headers.authorization),
    async bytesOf(blob) {
      if (blob.size > 100) return undefined;
      return Buffer.concat(await Array.fromAsync(ports.files.open(blob).read()));
    },
  });
  const open = async (withShortcut: boolean) => {
    const server = createServer(async (incoming, outgoing) => {
      const isAnswered =
        withShortcut && (await shortcut(incoming, outgoing).catch(() => false as const));
      if (isAnswered) taken.push(`${incoming.method} ${incoming.url}`);
      else await usual(incoming, outgoing);
    }).listen(0, "127.0.0.1");
    cleanUp.push(() => server.close());
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  return { ports, taken, app: await open(false), both: await open(true), manifest };
}

async function answerOf(url: string, init: RequestInit) {
  const answer = await fetch(url, init);
  const headers = Object.fromEntries(answer.headers);
  delete headers["date"];
  delete headers["transfer-encoding"];
  // The server adds it to the answers of the app.
  delete headers["x-request-id"];
  return { status: answer.status, headers, body: await answer.text() };
}

type Answer = Awaited<ReturnType<typeof answerOf>>;

const MANIFESTS = "/v2/team/app/manifests";
const BLOBS = "/v2/team/app/blobs";
const VIEW = "/v2/as-of-20260102t0000z/team/app";
const ABSENT = blobOf("nobody has it").digest;

test.each([
  ["a manifest by tag", "GET", `${MANIFESTS}/1.0`, {}, true],
  ["its head", "HEAD", `${MANIFESTS}/1.0`, {}, true],
  ["a part of a small blob", "GET", `${BLOBS}/${SMALL.digest}`, { range: "bytes=2-6" }, true],
  ["a small blob that is there", "GET", `${BLOBS}/${SMALL.digest}`, ifNone(SMALL.digest), true],
  ["a small blob with a token", "GET", `${BLOBS}/${SMALL.digest}`, { authorization: "x" }, true],
  ["a part beyond the end", "GET", `${BLOBS}/${SMALL.digest}`, { range: "bytes=90-99" }, true],
  ["the head of a large blob", "HEAD", `${BLOBS}/${LARGE.digest}`, {}, true],
  ["the head of an absent blob", "HEAD", `${BLOBS}/${ABSENT}`, { authorization: "x" }, true],
  ["an absent blob with a token", "GET", `${BLOBS}/${ABSENT}`, { authorization: "x" }, true],
  ["an absent blob", "GET", `${BLOBS}/${ABSENT}`, {}, false],
  ["the ping with a token", "GET", "/v2/", { authorization: "Bearer x" }, true],
  ["the ping without one", "GET", "/v2/", {}, false],
  ["a bad token", "GET", `${MANIFESTS}/1.0`, { authorization: "Bearer bad" }, false],
  ["a large blob", "GET", `${BLOBS}/${LARGE.digest}`, {}, false],
  ["an absent manifest", "GET", `${MANIFESTS}/2.0`, {}, false],
  ["a tag that is none", "GET", `${MANIFESTS}/.bad`, {}, false],
  ["a digest that is none", "GET", `${BLOBS}/sha256:bad`, {}, false],
  ["a path with a query", "GET", `${MANIFESTS}/1.0?ns=docker.io`, {}, false],
  ["a repository that is not served", "GET", "/v2/else/app/manifests/1.0", {}, false],
  ["a manifest of a view", "GET", `${VIEW}/manifests/old`, {}, true],
  ["the head of a small blob of a view", "HEAD", `${VIEW}/blobs/${SMALL.digest}`, {}, true],
  ["a tag that a view lacks", "GET", `${VIEW}/manifests/1.0`, {}, false],
  ["a push to a view", "POST", `${VIEW}/blobs/uploads/`, {}, false],
  [
    "a view of a repository that is not served",
    "GET",
    `${VIEW.replace("team", "else")}/manifests/old`,
    {},
    false,
  ],
  ["a view too early", "GET", "/v2/as-of-20250101t0000z/team/app/manifests/old", {}, false],
  ["a view without a time", "GET", "/v2/as-of-20269901t0000z/team/app/manifests/old", {}, false],
  ["a list of tags", "GET", "/v2/team/app/tags/list", {}, false],
] as const)("answers as the app does: %s", async (...row) => {
  const [, method, path, headers, isTaken] = row;
  const { app, both, taken } = await openBoth();
  const init = { method, headers };
  expect(await answerOf(both + path, init)).toEqual(await answerOf(app + path, init));
  expect(taken).toHaveLength(isTaken ? 1 : 0);
});

test.each([
  ["an upload", `${BLOBS}/uploads/`, {}, true],
  ["an upload without the last slash", `${BLOBS}/uploads`, {}, true],
  ["an upload with a bad token", `${BLOBS}/uploads/`, { authorization: "Bearer bad" }, false],
  ["an upload that names its hash", `${BLOBS}/uploads/?digest-algorithm=sha512`, {}, false],
  ["an upload where none is served", "/v2/else/app/blobs/uploads/", {}, false],
] as const)("begins as the app does: %s", async (_, path, headers, isTaken) => {
  const { app, both, taken } = await openBoth();
  const init = { method: "POST", headers };
  const [own, other] = [await answerOf(both + path, init), await answerOf(app + path, init)];
  const bare = ({ headers: { location, "docker-upload-uuid": id, ...more }, ...rest }: Answer) => ({
    ...rest,
    headers: { ...more, location: location?.replace(id ?? "", "") },
  });
  expect(bare(own)).toEqual(bare(other));
  expect(taken).toHaveLength(isTaken ? 1 : 0);
});

test("a blob that comes with the POST is left to the app", async () => {
  const { both, taken } = await openBoth();
  const { digest, bytes } = blobOf("all at once");
  const init = { method: "POST", body: Uint8Array.from(bytes) };
  expect((await answerOf(`${both}${BLOBS}/uploads/?digest=${digest}`, init)).status).toBe(201);
  expect((await answerOf(`${both}${BLOBS}/uploads/`, init)).status).toBe(202);
  expect(taken).toEqual([]);
});

test("counts the pull that a manifest begins, whichever instance answers its parts", async () => {
  const { both, ports, manifest } = await openBoth();
  await fetch(`${both}${MANIFESTS}/1.0`, { method: "HEAD" });
  expect(ports.counted.pull).toBe(0);
  await fetch(`${both}${MANIFESTS}/${manifest.digest}`);
  await fetch(`${both}${MANIFESTS}/${manifest.digest}?ns=docker.io`);
  expect(ports.counted.pull).toBe(1);
  await fetch(`${both}${MANIFESTS}/1.0`, { headers: ifNone(manifest.digest) });
  expect(ports.counted.pull).toBe(1);
});

/** Allows every caller everything, except callers with an invalid token. */
function verdictOf(authorization: string | null | undefined): OciVerdict {
  if (authorization === "Bearer bad") return { status: "anonymous", error: "invalid_token" };
  return { status: "granted", caller: { actor: "anyone" }, mayPull: () => true };
}

function ifNone(digest: string) {
  return { "if-none-match": `"${digest}"` };
}

async function* wholeOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
