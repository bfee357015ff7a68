import { randomBytes } from "node:crypto";
import { join } from "node:path";
import {
  createCopier,
  fallbackTagOf,
  openOciClient,
  registrySource,
  registryTarget,
} from "@sealhouse/oci-distribution/client";
import type { Credentials, OciClient } from "@sealhouse/oci-distribution/client";
import { buildImage, buildIndex } from "@sealhouse/oci-distribution/testing";
import type { TestBlob, TestManifest } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spawnHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";
import { hasClient, openFolder, run } from "./clients/client.ts";
import { BASIC_USER, startDockerRegistry } from "./clients/docker-registry.ts";
import type { DockerRegistry } from "./clients/docker-registry.ts";
import { writeImageLayout } from "./clients/image-layout.ts";

/** Copies between real registries, which know more or less of the protocol, and imports. */
const isHere = hasClient("docker-registry");
const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());

function clientOf(url: string, credentials?: Credentials): OciClient {
  return openOciClient({ registry: new URL(url), fetch, credentials });
}

async function push(client: OciClient, repository: string, image: TestManifest, tag?: string) {
  const place = client.repository(repository);
  for (const blob of image.blobs) {
    const { digest, bytes } = blob;
    await place.pushBlob({ digest, size: bytes.length, read: () => readOf(blob) });
  }
  await place.putManifest(tag ?? image.digest, image);
}

async function* readOf({ bytes }: TestBlob) {
  yield bytes;
}

/** Two platforms, one of them signed. */
async function pushSigned(client: OciClient, repository: string) {
  const images = ["amd64", "arm64"].map((config) =>
    buildImage({ config: `{"of":"${config}"}`, layers: [randomBytes(100_000), "shared"] }),
  );
  for (const image of images) await push(client, repository, image);
  const index = buildIndex(images);
  await push(client, repository, index, "1.0");
  const [subject = index] = images;
  const artifactType = "application/vnd.example.signature";
  const signature = buildImage({ artifactType, subject: subject.descriptor, layers: ["signed"] });
  await push(client, repository, signature);
  return { index, subject, signature };
}

type Open = () => Promise<OciClient>;

/** With how they want to be asked, and whether they keep referrers. */
const targets: readonly (readonly [string, Open, string, boolean])[] = [
  ["this host, with tokens", async () => here, "bearer", true],
  ["this host, with a token alone", async () => withToken(), "none", true],
  [
    "docker-registry, open",
    async () => clientOf(cleanUp.use(await startDockerRegistry()).url),
    "none",
    false,
  ],
  [
    "docker-registry, with Basic",
    async () => {
      const { url } = cleanUp.use(await startDockerRegistry({ wantsBasic: true }));
      return clientOf(url, { type: "basic", ...BASIC_USER });
    },
    "basic",
    false,
  ],
];

async function withToken(): Promise<OciClient> {
  return clientOf(host.url, { type: "bearer", token: await host.makeToken({ scopes: "write" }) });
}

/** A new name for the repositories of one test. */
function newName(): string {
  return `copies-${randomBytes(4).toString("hex")}`;
}

let host: TestHost;
let here: OciClient;
beforeAll(async () => {
  const env = {
    Host__OutgoingRequests__AllowPrivateAddresses: "true",
    REGISTRY_PASSWORD: BASIC_USER.password,
  };
  host = cleanUp.use(await spawnHost({ env }));
  const password = await host.makeToken({ scopes: "read,write,delete" });
  here = clientOf(host.url, { type: "basic", username: "somebody", password });
});

async function namesBelow(name: string): Promise<readonly string[]> {
  const all = await Array.fromAsync(here.repositories());
  return all.flatMap((repository) =>
    repository.startsWith(`${name}/`) ? [repository.slice(name.length + 1)] : [],
  );
}

describe.skipIf(!isHere)("copies", () => {
  test.each(targets)("to %s: fresh, repeated, half done", async (_, open, pingResult, keeps) => {
    const client = await open();
    await client.ping();
    const [from, to] = [newName(), newName()];
    const { index, subject, signature } = await pushSigned(here, from);
    const copy = () =>
      createCopier(registrySource(here, from), registryTarget(apart(client), to)).copy("1.0", [
        "1.0",
        "stable",
      ]);
    // Half done: one layer of it was there.
    const [, layer] = subject.blobs;
    if (layer) {
      const { digest, bytes } = layer;
      const upload = { digest, size: bytes.length, read: () => readOf(layer) };
      await client.repository(to).pushBlob(upload);
    }
    expect((await copy()).bytes.skipped).toBe(100_000);
    expect((await copy()).bytes).toMatchObject({ moved: 0, mounted: 0 });

    expect(await client.ping()).toBe(pingResult);
    const place = client.repository(to);
    const pulled = await place.manifest("stable");
    expect(Buffer.from(pulled?.bytes ?? [])).toEqual(Buffer.from(index.bytes));
    const referrers = await place.referrers(subject.digest);
    expect(referrers.map(({ digest }) => digest)).toEqual([signature.digest]);
    // Who keeps no referrers has the index under the tag that clients look for.
    const fallback = await place.findManifest(fallbackTagOf(subject.digest));
    expect(fallback === undefined).toBe(keeps);
  });

  test("within one registry by mounts", async () => {
    const [from, to] = [newName(), newName()];
    await pushSigned(here, from);
    const { bytes } = await createCopier(registrySource(here, from), registryTarget(here, to)).copy(
      "1.0",
      ["1.0"],
    );
    expect(bytes.mounted).toBeGreaterThan(200_000);
  });

  test("from docker-registry, with what its fall-back tag lists", async () => {
    const registry = cleanUp.use(await startDockerRegistry());
    const middle = clientOf(registry.url);
    const [from, to] = [newName(), newName()];
    const { subject, signature } = await pushSigned(here, from);
    const there = registryTarget(middle, "app");
    await createCopier(registrySource(here, from), there).copy("1.0", ["1.0"]);
    const back = registryTarget(here, to);
    await createCopier(registrySource(middle, "app"), back).copy("1.0", ["1.0"]);
    const listed = await here.repository(to).referrers(subject.digest);
    expect(listed.map(({ digest }) => digest)).toEqual([signature.digest]);
  });
});

/** As if it were another registry, from which nothing can be mounted. */
function apart(client: OciClient): OciClient {
  return { ...client, registry: new URL("http://elsewhere.example") };
}

test("imports an OCI layout", async () => {
  await using folder = await openFolder();
  const layout = join(folder.path, "widgets");
  await writeImageLayout(layout, "2.1");
  const into = newName();
  const first = await host.cli("import", "oci", layout, "--into", into);
  expect(first).toMatchObject({ code: 0 });
  expect(first.stdout).toMatch(/^1 imported, 0 existing, 0 refused, 0 failed\n0\.4 MiB copied/);
  const again = await host.cli("import", "oci", layout, "--into", into);
  expect(again.stdout).toMatch(/^0 imported, 1 existing/);
  expect(await Array.fromAsync(here.repository(`${into}/widgets`).tags())).toEqual(["2.1"]);
  const none = await host.cli("import", "oci", folder.path);
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("neither an OCI") });
});

describe.skipIf(!isHere)("imports from docker-registry", () => {
  let registry: DockerRegistry;
  let pushed: Awaited<ReturnType<typeof pushSigned>>;
  const untagged = buildImage({ layers: ["untagged"] });
  beforeAll(async () => {
    registry = cleanUp.use(await startDockerRegistry({ wantsBasic: true }));
    const client = clientOf(registry.url, { type: "basic", ...BASIC_USER });
    pushed = await pushSigned(client, "team/app");
    await push(client, "team/tools/cli", buildImage({ layers: ["cli"] }), "latest");
    await push(client, "team/tools/cli", untagged);
    await push(client, "elsewhere", buildImage({ layers: ["elsewhere"] }), "1");
  });

  test("a namespace of it, by its address", async () => {
    const into = newName();
    const words = ["import", "oci", `${registry.url}/team`, "--into", into];
    const refused = await host.cli(...words);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("(401)") });
    const user = ["--username", BASIC_USER.username, "--password-env", "REGISTRY_PASSWORD"];
    const { code, stdout } = await host.cli(...words, ...user);
    expect(stdout).toMatch(/^2 imported, 0 existing, 0 refused, 0 failed\n/);
    expect(code).toBe(0);
    expect(await namesBelow(into)).toEqual(["team/app", "team/tools/cli"]);
  });

  test("its storage folder, with what signs an image", async () => {
    const into = newName();
    const words = ["import", "oci", registry.storage, "--into", into];
    const dry = await host.cli(...words, "--dry-run");
    expect(dry).toMatchObject({
      code: 0,
      stdout: "3 to import, 0 existing, 0 refused, 0 failed\n",
    });
    expect(await namesBelow(into)).toEqual([]);
    const { code, stdout } = await host.cli(...words, "--pattern", "team/**");
    expect(stdout).toMatch(/^2 imported/);
    expect(code).toBe(0);
    expect(await namesBelow(into)).toEqual(["team/app", "team/tools/cli"]);
    const app = here.repository(`${into}/team/app`);
    const pulled = await app.manifest("1.0");
    expect(Buffer.from(pulled?.bytes ?? [])).toEqual(Buffer.from(pushed.index.bytes));
    const listed = await app.referrers(pushed.subject.digest);
    expect(listed.map(({ digest }) => digest)).toEqual([pushed.signature.digest]);

    const tools = here.repository(`${into}/team/tools/cli`);
    expect(await tools.findManifest(untagged.digest)).toBeUndefined();
    expect((await host.cli(...words, "--untagged")).code).toBe(0);
    expect(await tools.findManifest(untagged.digest)).toBeDefined();
  });

  test("keeps a tag that points elsewhere, unless an option moves it", async () => {
    const into = newName();
    const ours = buildImage({ layers: ["ours"] });
    const place = here.repository(`${into}/elsewhere`);
    await push(here, place.name, ours, "1");
    const words = ["import", "oci", registry.storage, "--repositories", "elsewhere"];
    const refusal = await host.cli(...words, "--into", into);
    expect(refusal.code).toBe(1);
    expect(refusal.stderr).toContain(
      "refused elsewhere:1: 1 points to another image in this registry; --move-tags",
    );
    expect((await place.findManifest("1"))?.digest).toBe(ours.digest);
    expect((await host.cli(...words, "--into", into, "--move-tags")).code).toBe(0);
    expect((await place.findManifest("1"))?.digest).not.toBe(ours.digest);
  });
});

const CONFORMANCE = [
  "--conditions=@sealhouse/source",
  join(import.meta.dirname, "../../../tools/oci-conformance.ts"),
];

test("the conformance command passes a host with open reading", async () => {
  const env = { OCI_PASSWORD: await host.makeToken({ scopes: "read,write,delete" }) };
  const words = [host.url, "--username", "me", "--read-anonymously", "--only", "H3,H8,H27,H41,H42"];
  const { code, stdout } = await run(process.execPath, [...CONFORMANCE, ...words], { env });
  expect(stdout).toMatch(/\npass +1\.2\/14 1\.2\/15 H3 H8 H27 H41 H42\n\n/);
  expect(code).toBe(1);
  const allowed = [...CONFORMANCE, ...words, "--allow-skips"];
  expect((await run(process.execPath, allowed, { env })).code).toBe(0);
});

test.skipIf(!isHere)("the conformance command shows what docker-registry cannot do", async () => {
  await using registry = await startDockerRegistry();
  const { code, stdout } = await run(process.execPath, [...CONFORMANCE, registry.url]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/\npass .*\bH8 H10 H11\b.*\nfail .*\bH42 H43\b.*\nskip /);
  expect(stdout).toMatch(/\ntotal +\d\d +\d\d +\d+\n$/);
});
