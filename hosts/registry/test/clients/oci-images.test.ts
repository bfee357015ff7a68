import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { buildTarEntry } from "@sealhouse/npm-protocol/testing";
import {
  DOCKER_MANIFEST,
  OCI_MANIFEST,
  buildImage,
  buildIndex,
  sendAs,
} from "@sealhouse/oci-distribution/testing";
import { digestOf } from "@sealhouse/oci-distribution";
import type { Send, TestManifest } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import type { ClientHome } from "./client-home.ts";
import { openClientHome } from "./client-home.ts";
import { openDockerDaemon } from "./docker-daemon.ts";
import type { ToolName } from "./oci-tools.ts";
import { findTool } from "./oci-tools.ts";
import type { WatchingProxy } from "./watching-proxy.ts";
import { openWatchingProxy } from "./watching-proxy.ts";

/** Clients push, pull, copy and resume images through a proxy that counts their requests. */
const isRoot = process.getuid?.() === 0;
const NAMES = ["skopeo", "podman", "buildah", "crane", "docker", "dockerd"] as const;
const tools = Object.fromEntries(
  await Promise.all(NAMES.map(async (name) => [name, await findTool(name)] as const)),
);
const hasDocker = isRoot && tools["docker"] !== undefined && tools["dockerd"] !== undefined;
const has = (name: ToolName) => (name === "docker" ? hasDocker : tools[name] !== undefined);

const LAYER_BYTES = 3_000_000;
const CUT_AFTER_BYTES = 1_000_000;
/** A config or a manifest may be sent again; a layer may not. */
const SMALL_BYTES = 5_000;
const INSECURE = ["--src-tls-verify=false", "--dest-tls-verify=false"];

const cleanUp = new AsyncDisposableStack();
let host: TestHost;
let home: ClientHome;
let proxy: WatchingProxy;
let send: Send;
let registry: string;
let image: TestManifest;

beforeAll(async () => {
  host = cleanUp.use(await spawnHost());
  const password = await host.makeToken({ scopes: "read,write,delete" });
  proxy = cleanUp.use(await openWatchingProxy(host.url));
  registry = new URL(proxy.url).host;
  const daemon = hasDocker && tools["dockerd"] && (await openDockerDaemon(tools["dockerd"]));
  if (daemon) cleanUp.use(daemon);
  const more = daemon ? { DOCKER_HOST: daemon.host } : {};
  home = cleanUp.use(await openClientHome(registry, password, more));
  const credentials = { type: "basic", username: "tester", password } as const;
  send = sendAs({ registry: new URL(host.url), credentials });
  image = imageOf("amd64");
  await push("source/app", image, "1");
}, 120_000);
afterAll(() => cleanUp.disposeAsync());

type Mover = {
  readonly name: ToolName;
  /** Gets the image at `from`, and puts it to `to`. */
  readonly move: (from: string, to: string) => Promise<unknown>;
};

const run = (name: ToolName, ...words: readonly string[]) => home.run(tools[name], ...words);
const stored = (name: "podman" | "buildah", ...words: readonly string[]) =>
  run(name, ...home.storage, ...words);
const ofPodman = (name: "podman" | "buildah"): Mover => ({
  name,
  async move(from, to) {
    await stored(name, "pull", "--tls-verify=false", from);
    await stored(name, "tag", from, to);
    await stored(name, "push", "--tls-verify=false", to);
  },
});
const MOVERS: readonly Mover[] = [
  { name: "crane", move: (from, to) => run("crane", "copy", from, to) },
  {
    name: "skopeo",
    async move(from, to) {
      // It mounts what it remembers to have seen.
      await run("skopeo", "copy", ...INSECURE, `docker://${from}`, "dir:seen");
      await run("skopeo", "copy", ...INSECURE, `docker://${from}`, `docker://${to}`);
    },
  },
  {
    name: "docker",
    async move(from, to) {
      await run("docker", "pull", from);
      await run("docker", "tag", from, to);
      await run("docker", "push", to);
    },
  },
  ofPodman("podman"),
  ofPodman("buildah"),
];
const present = MOVERS.filter(({ name }) => has(name)).map(
  ({ name, move }) => [name, move] as const,
);

describe.skipIf(present.length === 0).each(present)("%s", (name, move) => {
  test("copies across repositories by mounts: no layer goes over the wire", async () => {
    const to = `moved/${name}`;
    proxy.take();
    await move(`${registry}/source/app:1`, `${registry}/${to}:1`);
    const seen = proxy.take();
    const mounts = seen.filter(({ path, status }) => path.includes("mount=") && status === 201);
    expect(mounts.length).toBeGreaterThan(0);
    const large = seen.filter(({ sent }) => sent > SMALL_BYTES);
    expect(large).toEqual([]);

    const copied = await manifestOf(to, "1");
    expect(copied.config.digest).toBe(image.blobs[0]?.digest);
    expect(copied.layers.map((layer) => layer.digest)).toEqual(
      image.blobs.slice(1).map((blob) => blob.digest),
    );
  });
});

// regctl is not in Debian: `regctl tag delete` sends what crane sends (regclient, `TagDelete`).
test.skipIf(!has("crane") || !has("skopeo"))(
  "crane delete removes one tag, skopeo delete all tags of the manifest",
  async () => {
    const repository = "deleted/app";
    for (const tag of ["1.0", "1.1", "latest"]) await push(repository, image, tag);
    const reference = `${registry}/${repository}:1.0`;
    proxy.take();
    await run("crane", "delete", reference);
    const path = `/v2/${repository}/manifests/1.0`;
    expect(proxy.take()).toContainEqual(
      expect.objectContaining({ method: "DELETE", path, status: 202 }),
    );
    expect(await tagsOf(repository)).toEqual(["1.1", "latest"]);
    expect((await host.fetch(`/v2/${repository}/manifests/${image.digest}`)).status).toBe(200);

    await run("skopeo", "delete", "--tls-verify=false", `docker://${registry}/${repository}:1.1`);
    // A repository without manifests is as unknown as any other: reads are challenged.
    for (const part of ["tags/list", `manifests/${image.digest}`]) {
      expect((await host.fetch(`/v2/${repository}/${part}`)).status).toBe(401);
    }
  },
);

test.skipIf(!has("crane"))("crane copies to a name of 255 characters", async () => {
  const to = `long/${"a".repeat(250)}`;
  await run("crane", "copy", `${registry}/source/app:1`, `${registry}/${to}:1`);
  const { stdout } = await run("crane", "digest", `${registry}/${to}:1`);
  expect(stdout.trim()).toBe(image.digest);
});

test.skipIf(!hasDocker)("docker resumes a download that was cut", async () => {
  const other = imageOf("amd64");
  await push("source/cut", other, "1");
  proxy.take();
  proxy.cutAfter(CUT_AFTER_BYTES);
  await run("docker", "pull", `${registry}/source/cut:1`);
  const resumed = proxy.take().filter(({ range }) => range !== undefined);
  expect(resumed.map(({ status }) => status)).toEqual([206]);
  const { stdout } = await run(
    "docker",
    "inspect",
    "--format",
    "{{.Id}}",
    `${registry}/source/cut:1`,
  );
  expect(stdout.trim()).toBe(other.blobs[0]?.digest);
});

test.skipIf(!has("skopeo"))("skopeo gets it on the next try", async () => {
  const other = imageOf("amd64");
  await push("source/cut", other, "2");
  proxy.cutAfter(CUT_AFTER_BYTES);
  const from = `docker://${registry}/source/cut:2`;
  const words = ["copy", "--src-tls-verify=false", from, "oci:cut:2"];
  // Newer ones resume; that of bookworm fails.
  await home.attempt(tools["skopeo"], ...words);
  await run("skopeo", ...words);
  const { stdout } = await run("skopeo", "inspect", "--raw", "oci:cut:2");
  expect(stdout).toContain(other.blobs[1]?.digest);
});

test.skipIf(!has("skopeo"))("skopeo takes all platforms out and in again", async () => {
  const children = ["amd64", "arm64", "s390x"].map((name) => imageOf(name, OCI_MANIFEST));
  for (const child of children) await push("source/many", child, child.digest);
  const index = buildIndex(children, { annotations: { of: "three" } });
  await push("source/many", index, "1");
  const words = ["copy", "--all", ...INSECURE];
  await run("skopeo", ...words, `docker://${registry}/source/many:1`, "oci:many:1");
  const before = await pushCount();
  await run("skopeo", ...words, "oci:many:1", `docker://${registry}/moved/many:1`);
  expect((await pushCount()) - before).toBe(1);
  const head = await host.fetch("/v2/moved/many/manifests/1", { method: "HEAD" });
  expect(head.headers.get("docker-content-digest")).toBe(index.digest);
  for (const { digest, blobs } of children) {
    const path = `/v2/moved/many/manifests/${digest}`;
    expect((await host.fetch(path, { method: "HEAD" })).status).toBe(200);
    for (const blob of blobs) {
      const answer = await host.fetch(`/v2/moved/many/blobs/${blob.digest}`);
      expect(digestOf(Buffer.from(await answer.arrayBuffer()))).toBe(blob.digest);
    }
  }
});

async function tagsOf(repository: string): Promise<readonly string[]> {
  const answer = await host.fetch(`/v2/${repository}/tags/list`);
  return ((await answer.json()) as { readonly tags: readonly string[] }).tags;
}

async function pushCount(): Promise<number> {
  const metrics = await (await host.fetch("/metrics")).text();
  return Number(/^feed_push_total\{feed="default",type="oci"\} (\d+)$/m.exec(metrics)?.[1]);
}

/** In docker's own format unless told otherwise: docker makes it of any other. */
function imageOf(architecture: string, mediaType = DOCKER_MANIFEST): TestManifest {
  const content = randomBytes(LAYER_BYTES);
  const entry = buildTarEntry({ path: "random.bin", content });
  const layer = Buffer.concat([entry, Buffer.alloc(1024)]);
  const rootfs = { type: "layers", diff_ids: [digestOf(layer)] };
  const config = JSON.stringify({ architecture, os: "linux", config: {}, rootfs, history: [] });
  return buildImage({ layers: [gzipSync(layer)], config, mediaType });
}

async function push(repository: string, manifest: TestManifest, reference: string) {
  for (const { digest, bytes } of manifest.blobs) {
    const path = `/v2/${repository}/blobs/uploads/?digest=${digest}`;
    expect((await send(path, { method: "POST", body: bytes })).status).toBe(201);
  }
  const headers = { "content-type": manifest.mediaType };
  const path = `/v2/${repository}/manifests/${reference}`;
  expect((await send(path, { method: "PUT", headers, body: manifest.bytes })).status).toBe(201);
}

type Image = {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string }[];
};

async function manifestOf(repository: string, tag: string): Promise<Image> {
  const answer = await host.fetch(`/v2/${repository}/manifests/${tag}`);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Image;
}
