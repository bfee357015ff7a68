import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildTarEntry } from "@sealhouse/npm-protocol/testing";
import { digestOf } from "@sealhouse/oci-distribution";
import { buildImage, sendAs } from "@sealhouse/oci-distribution/testing";
import type { Send } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import type { ClientHome } from "./client-home.ts";
import { openClientHome } from "./client-home.ts";
import type { ToolName } from "./oci-tools.ts";
import { findTool } from "./oci-tools.ts";

// An image is copied to a feed once more after one of its layers was lost there: the copy has to
// bring the layer back, whatever the client asks before it sends anything.

const NAMES = ["skopeo", "podman", "crane", "oras-1.3"] as const;
const tools = Object.fromEntries(
  await Promise.all(NAMES.map(async (name) => [name, await findTool(name)] as const)),
);
const LAYER_BYTES = 100_000;

const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());
let source: TestHost;
let target: TestHost;
let home: ClientHome;
let send: Send;
let sendToSource: Send;

beforeAll(async () => {
  source = cleanUp.use(await spawnHost());
  target = cleanUp.use(await spawnHost());
  sendToSource = await senderTo(source);
  const password = await target.makeToken({ scopes: "read,write" });
  home = cleanUp.use(await openClientHome(new URL(target.url).host, password));
  const credentials = { type: "basic", username: "tester", password } as const;
  send = sendAs({ registry: new URL(target.url), credentials });
}, 300_000);

const run = (name: ToolName, ...words: readonly string[]) => home.run(tools[name], ...words);
const podman = (...words: readonly string[]) => run("podman", ...home.storage, ...words);
const INSECURE = ["--src-tls-verify=false", "--dest-tls-verify=false"];

type Copy = (from: string, to: string) => Promise<unknown>;

const COPIES: Readonly<Record<(typeof NAMES)[number], Copy>> = {
  skopeo: (from, to) => run("skopeo", "copy", ...INSECURE, `docker://${from}`, `docker://${to}`),
  crane: (from, to) => run("crane", "copy", "--insecure", from, to),
  "oras-1.3": (from, to) => run("oras-1.3", "cp", "--from-plain-http", "--to-plain-http", from, to),
  async podman(from, to) {
    await podman("pull", "--tls-verify=false", from);
    await podman("push", "--tls-verify=false", from, to);
  },
};

async function layersOf(repository: string): Promise<readonly string[]> {
  const manifest = (await (await send(`/v2/${repository}/manifests/1`)).json()) as {
    readonly layers: readonly { readonly digest: string }[];
  };
  return manifest.layers.map(({ digest }) => digest);
}

async function removeObject(digest: string): Promise<void> {
  const hex = digest.slice("sha256:".length);
  const root = join(target.folder, "packages");
  const all = await readdir(root, { recursive: true });
  const paths = all.filter((path) => path.includes(`oci/blobs/sha256/${hex.slice(0, 2)}/${hex}.`));
  expect(paths).toHaveLength(1);
  await rm(join(root, paths[0] ?? ""));
}

async function senderTo(host: TestHost): Promise<Send> {
  const password = await host.makeToken({ scopes: "read,write" });
  const credentials = { type: "basic", username: "tester", password } as const;
  return sendAs({ registry: new URL(host.url), credentials });
}

async function pushToSource(repository: string): Promise<void> {
  const to = sendToSource;
  const content = randomBytes(LAYER_BYTES);
  const layer = Buffer.concat([buildTarEntry({ path: "x.bin", content }), Buffer.alloc(1024)]);
  const rootfs = { type: "layers", diff_ids: [digestOf(layer)] };
  const config = JSON.stringify({ architecture: "amd64", os: "linux", config: {}, rootfs });
  const image = buildImage({ layers: [gzipSync(layer)], config });
  for (const { digest, bytes } of image.blobs) {
    const headers = { "content-type": "application/octet-stream" };
    const init = { method: "POST", headers, body: Buffer.from(bytes) };
    const answer = await to(`/v2/${repository}/blobs/uploads/?digest=${digest}`, init);
    expect(answer.status).toBe(201);
  }
  const headers = { "content-type": image.mediaType };
  const put = { method: "PUT", headers, body: Buffer.from(image.bytes) };
  expect((await to(`/v2/${repository}/manifests/1`, put)).status).toBe(201);
}

/** Copies an image, removes the file of its layer in the target, and copies the image again. */
async function copyTwice(
  copy: Copy,
  { repository, isReadBefore }: { readonly repository: string; readonly isReadBefore: boolean },
): Promise<void> {
  await pushToSource(repository);
  const from = `${new URL(source.url).host}/${repository}:1`;
  const to = `${new URL(target.url).host}/${repository}:1`;
  await copy(from, to);
  const [layer = ""] = await layersOf(repository);
  const read = async () => (await send(`/v2/${repository}/blobs/${layer}`)).status;
  expect(await read()).toBe(200);
  await removeObject(layer);
  if (isReadBefore) expect(await read()).toBe(404);
  await copy(from, to);
  expect(await layersOf(repository)).toContain(layer);
  expect(await read()).toBe(200);
}

describe.each(NAMES)("%s", (name) => {
  // A client reads the image, which reveals the loss: tools that only request the manifest then
  // copy it again.
  test.skipIf(!tools[name])("copying an image again brings a lost layer back", async () => {
    const repository = `lost/${name.replace(".", "-")}`;
    await copyTwice(COPIES[name], { repository, isReadBefore: true });
  });
});

describe.each(["skopeo", "podman"] as const)("%s", (name) => {
  test.skipIf(!tools[name])("notices a lost layer itself when it copies again", async () => {
    const repository = `unread/${name}`;
    await copyTwice(COPIES[name], { repository, isReadBefore: false });
  });
});

describe("the requests of regctl image copy", () => {
  test("copying an image again brings a lost layer back", async () => {
    await copyTwice(copyAsRegctl, { repository: "lost/regctl", isReadBefore: true });
  });

  test("do not notice a loss that no read revealed", async () => {
    const twice = copyTwice(copyAsRegctl, { repository: "unread/regctl", isReadBefore: false });
    await expect(twice).rejects.toThrow(/expected 404 to be 200/);
  });
});

/**
 * Imitates the requests of `regctl image copy`; the program itself does not run. The copy ends when
 * HEAD of the manifest at the target gives the digest of the source. Each blob that HEAD does not
 * find begins with an anonymous mount, which becomes an upload.
 */
async function copyAsRegctl(from: string, to: string): Promise<void> {
  const [, repository = ""] = /^[^/]+\/(.+):1$/.exec(to) ?? [];
  const accept = "application/vnd.oci.image.manifest.v1+json";
  const manifest = `/v2/${repository}/manifests/1`;
  expect(from).toBe(`${new URL(source.url).host}/${repository}:1`);
  const response = await readSource(manifest, { accept });
  const digest = response.headers.get("docker-content-digest");
  const there = await send(manifest, { method: "HEAD", headers: { accept } });
  if (there.status === 200 && there.headers.get("docker-content-digest") === digest) return;
  const bytes = Buffer.from(await response.arrayBuffer());
  for (const blobDigest of blobsIn(bytes)) await copyBlobAsRegctl(repository, blobDigest);
  const headers = { "content-type": accept };
  expect((await send(manifest, { method: "PUT", headers, body: bytes })).status).toBe(201);
}

async function copyBlobAsRegctl(repository: string, digest: string): Promise<void> {
  const path = `/v2/${repository}/blobs`;
  if ((await send(`${path}/${digest}`, { method: "HEAD" })).status === 200) return;
  const blob = await readSource(`${path}/${digest}`);
  const body = Buffer.from(await blob.arrayBuffer());
  const begun = await send(`${path}/uploads/?mount=${digest}`, { method: "POST" });
  expect(begun.status).toBe(202);
  const upload = new URL(begun.headers.get("location") ?? "", target.url);
  upload.searchParams.set("digest", digest);
  const headers = { "content-type": "application/octet-stream" };
  const put = { method: "PUT", headers, body };
  expect((await send(`${upload.pathname}${upload.search}`, put)).status).toBe(201);
}

async function readSource(
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const answer = await sendToSource(path, { headers });
  expect(answer.status).toBe(200);
  return answer;
}

function blobsIn(manifest: Buffer): readonly string[] {
  const { config, layers } = JSON.parse(manifest.toString()) as {
    readonly config: { readonly digest: string };
    readonly layers: readonly { readonly digest: string }[];
  };
  return [...layers, config].map(({ digest }) => digest);
}
