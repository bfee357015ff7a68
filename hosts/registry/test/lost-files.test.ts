import { createHash, randomBytes } from "node:crypto";
import { glob, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildTarball } from "@sealhouse/npm-protocol/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { buildImage, sendAs } from "@sealhouse/oci-distribution/testing";
import type { Send } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";

// Objects vanish: a user deletes files, a restore is incomplete, a disk fails. A lost object must
// not be acknowledged as stored, and a new push of the same bytes restores it.

/** Too much to be kept with a row. */
const MUCH = "much ".repeat(5_000);

const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());
let host: TestHost;
let token: string;
let send: Send;

beforeAll(async () => {
  host = cleanUp.use(await startHost({ env: { Feed__Oci__Default__Enabled: "true" } }));
  token = await host.makeToken({ scopes: "read,write,delete" });
  const credentials = { type: "basic", username: "ci", password: token } as const;
  send = sendAs({ registry: new URL(host.url), credentials });
});

async function objectOf(protocol: string, sha256: string): Promise<string> {
  const root = join(host.folder, "packages");
  const all = await readdir(root, { recursive: true });
  const paths = all
    .filter((path) => path.startsWith(protocol) && path.includes(`/${sha256}.`))
    .map((path) => join(root, path));
  const ages = await Promise.all(paths.map(async (path) => (await stat(path)).mtimeMs));
  // A healed blob has a new object; the next sweep removes the former one.
  const newest = paths[ages.indexOf(Math.max(...ages))];
  if (newest === undefined) throw new Error(`${sha256} has no object`);
  return newest;
}

async function removeObject(protocol: string, sha256: string): Promise<void> {
  await rm(await objectOf(protocol, sha256));
}

/** Changes one byte, and nothing that a look at the file shows. */
async function changeObject(protocol: string, sha256: string): Promise<void> {
  const path = await objectOf(protocol, sha256);
  const bytes = await readFile(path);
  const middle = Math.floor(bytes.length / 2);
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  await writeFile(path, bytes);
}

/** Another folder, with its own file, replaces the storage for a moment. */
async function unmounted<T>(work: () => Promise<T>): Promise<T> {
  const root = join(host.folder, "packages");
  await rename(root, `${root}-elsewhere`);
  await mkdir(join(root, "certs"), { recursive: true });
  await writeFile(join(root, "certs", "other.pfx"), "not a package");
  try {
    return await work();
  } finally {
    await rm(root, { recursive: true, force: true });
    await rename(`${root}-elsewhere`, root);
  }
}

const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

type Artifact = {
  readonly sha256: string;
  /** Brings it; resolves to the status. */
  readonly push: () => Promise<number>;
  /** Answer to a second push of an intact version. */
  readonly repeated: number;
  readonly read: () => Promise<Response>;
};

let serial = 0;

const ARTIFACTS: Readonly<Record<string, () => Artifact>> = {
  nuget() {
    const version = `1.0.${serial}`;
    const bytes = buildNupkg({ id: "Acme.Lost", version, files: { "a.txt": MUCH } });
    const headers = { "x-nuget-apikey": token };
    const put = { method: "PUT", headers, body: new Uint8Array(bytes) };
    return {
      sha256: sha256Of(bytes),
      push: async () => (await host.fetch("/api/v2/package/", put)).status,
      repeated: 409,
      read: () => host.fetch(`/v3/package/acme.lost/${version}/acme.lost.${version}.nupkg`),
    };
  },
  npm() {
    const manifest = { name: "lost", version: `1.0.${serial}` };
    const bytes = buildTarball({ manifest, files: { "index.js": randomText() } });
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    const file = `lost-${manifest.version}.tgz`;
    const body = JSON.stringify({
      _id: "lost",
      name: "lost",
      "dist-tags": { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist: { integrity } } },
      _attachments: {
        [file]: {
          content_type: "application/octet-stream",
          data: bytes.toString("base64"),
          length: bytes.length,
        },
      },
    });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return {
      sha256: sha256Of(bytes),
      push: async () => (await host.fetch("/npm/lost", { method: "PUT", headers, body })).status,
      repeated: 200,
      read: () => host.fetch(`/npm/lost/-/${file}`),
    };
  },
  oci() {
    const bytes = Buffer.from(`layer ${serial} ${MUCH}`);
    const sha256 = sha256Of(bytes);
    const url = `/v2/lost/blobs/uploads/?digest=sha256:${sha256}`;
    const headers = { "content-type": "application/octet-stream" };
    return {
      sha256,
      push: async () => (await send(url, { method: "POST", headers, body: bytes })).status,
      repeated: 201,
      read: () => send(`/v2/lost/blobs/sha256:${sha256}`),
    };
  },
};

/** Content types of errors; others are JSON. */
const ERROR_TYPES: Readonly<Record<string, RegExp>> = { nuget: /problem\+json/ };

type LargePush = {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
};

/** Pushes of more than stays in memory. */
const LARGE_PUSHES: Readonly<Record<string, () => LargePush>> = {
  nuget: () => ({
    path: "/api/v2/package/",
    method: "PUT",
    headers: { "x-nuget-apikey": token },
    body: new Uint8Array(
      buildNupkg({ id: "Acme.Large", version: "1.0.0", files: { "a.bin": largeText() } }),
    ),
  }),
  npm() {
    const manifest = { name: "large", version: "1.0.0" };
    const tarball = buildTarball({ manifest, files: { "index.js": largeText() } });
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const [type, data] = ["application/octet-stream", tarball.toString("base64")];
    const attachment = { content_type: type, data, length: tarball.length };
    const document = {
      _id: "large",
      name: "large",
      "dist-tags": { latest: "1.0.0" },
      versions: { "1.0.0": { ...manifest, dist: { integrity } } },
      _attachments: { "large-1.0.0.tgz": attachment },
    };
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = new Uint8Array(Buffer.from(JSON.stringify(document)));
    return { path: "/npm/large", method: "PUT", headers, body };
  },
  oci() {
    const body = new Uint8Array(randomBytes(1_000_000));
    const authorization = `Basic ${Buffer.from(`ci:${token}`).toString("base64")}`;
    return {
      path: `/v2/large/blobs/uploads/?digest=sha256:${sha256Of(body)}`,
      method: "POST",
      headers: { authorization, "content-type": "application/octet-stream" },
      body,
    };
  },
};

const largeText = () => randomBytes(1_000_000).toString("base64");

/** Text that does not compress to what fits a row. */
function randomText(): string {
  return Array.from({ length: 1_000 }, (_, index) =>
    sha256Of(Buffer.from(`${serial}${index}`)),
  ).join("\n");
}

describe.each(Object.entries(ARTIFACTS))("%s", (protocol, build) => {
  let artifact: Artifact;
  beforeEach(async () => {
    serial += 1;
    artifact = build();
    expect(await artifact.push()).toBeLessThan(300);
  });

  test("a read of a lost object is 404, and the same push brings it back", async () => {
    await removeObject(protocol, artifact.sha256);
    const lost = await artifact.read();
    expect(lost.status).toBe(404);
    expect(lost.headers.get("content-type")).toMatch(ERROR_TYPES[protocol] ?? /json/);
    expect(await lost.text()).toMatch(/lost the bytes|blob unknown/i);
    expect((await artifact.read()).status).toBe(404);
    expect(await artifact.push()).toBe(artifact.repeated);
    const healed = await artifact.read();
    expect(healed.status).toBe(200);
    expect((await healed.arrayBuffer()).byteLength).toBeGreaterThan(1024);
  });

  test("a push that comes before any read notices the loss and stores the bytes", async () => {
    await removeObject(protocol, artifact.sha256);
    expect(await artifact.push()).toBe(artifact.repeated);
    expect((await artifact.read()).status).toBe(200);
    const { stdout } = await host.cli("audit", "list", "--type", "blob.*", "--limit", "2");
    expect(stdout).toMatch(new RegExp(`blob.restored {2}${protocol}/sha256:${artifact.sha256}`));
    expect(stdout).toMatch(new RegExp(`blob.damaged {2}${protocol}/sha256:${artifact.sha256}`));
  });

  test("sealhouse check finds lost and changed objects, and the same push heals them", async () => {
    const check = (...words: readonly string[]) =>
      host.cli("check", "--protocol", protocol, "--not-since", "0", ...words);
    const digest = `sha256:${artifact.sha256}`;
    expect(await check("--scrub")).toMatchObject({ code: 0, stdout: "" });

    await changeObject(protocol, artifact.sha256);
    expect((await check()).code, "reads nothing without --scrub").toBe(0);
    const changed = await check("--scrub", "--json");
    expect(changed.code).toBe(1);
    const { findings } = JSON.parse(changed.stdout) as { readonly findings: readonly unknown[] };
    const namedBy = [expect.stringMatching(/^lost$|^lost 1\.0|^Acme\.Lost 1\.0/) as string];
    expect(findings).toMatchObject([{ protocol, digest, problem: "digest", namedBy }]);
    expect((await artifact.read()).status).toBe(404);
    expect(await artifact.push()).toBe(artifact.repeated);
    expect((await artifact.read()).status).toBe(200);

    await removeObject(protocol, artifact.sha256);
    const lost = await check();
    expect(lost.code).toBe(1);
    expect(lost.stdout).toMatch(new RegExp(`^missing {2}${protocol} {2}${digest} {2}in `));
    expect(await artifact.push()).toBe(artifact.repeated);
    expect(await check("--scrub")).toMatchObject({ code: 0, stdout: "" });
  });

  test("an unmounted storage has lost nothing", async () => {
    await unmounted(async () => {
      const answer = await artifact.read();
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "10"]);
      const checked = await host.cli("check");
      expect(checked).toMatchObject({ code: 1, stdout: "" });
      expect(checked.stderr).toMatch(/lost its marker; it may not be mounted/);
    });
    expect((await artifact.read()).status).toBe(200);
  });
});

/** Answers of each protocol to a push that lost its bytes. */
const REFUSALS: Readonly<Record<string, object>> = {
  nuget: { status: 503, detail: expect.stringMatching(/lost the bytes of this upload/) as string },
  npm: { error: "The registry lost the bytes of this upload. Send them again." },
  oci: { errors: [{ code: "UNAVAILABLE", message: expect.stringMatching(/Send them again/) }] },
};

describe.each(Object.entries(LARGE_PUSHES))("a push of %s", (protocol, build) => {
  test("whose received bytes are removed is 503 in the protocol's form, and can be repeated", async () => {
    const { path, ...request } = build();
    const lost = await host.fetch(path, {
      ...request,
      body: ReadableStream.from(pausing(request.body, removeReceived)),
      duplex: "half",
    });
    expect([lost.status, lost.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(await lost.json()).toMatchObject(REFUSALS[protocol] ?? {});
    expect((await host.fetch(path, request)).status).toBeLessThan(300);
  });
});

/** Sends nearly all bytes, and the last ones after `pause`. */
async function* pausing(
  body: Uint8Array<ArrayBuffer>,
  pause: () => Promise<void>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  yield body.subarray(0, -2);
  await pause();
  yield body.subarray(-2);
}

/** Waits for a file that a push writes or has written, and removes it. */
async function removeReceived(): Promise<void> {
  const packages = join(host.folder, "packages");
  const received = () => Array.fromAsync(glob("{.incoming,*/staging}/*", { cwd: packages }));
  await expect.poll(received).toHaveLength(1);
  for (const path of await received()) await rm(join(packages, path));
}

describe("images", () => {
  const image = buildImage({ layers: [`one layer ${MUCH}`, `another layer ${MUCH}`] });
  const [, layer = ""] = image.blobs.map(({ digest }) => digest);
  const status = async (method: string, path: string) => (await send(path, { method })).status;

  beforeAll(async () => {
    for (const { digest, bytes } of image.blobs) {
      const headers = { "content-type": "application/octet-stream" };
      const init = { method: "POST", headers, body: Buffer.from(bytes) };
      const pushed = await send(`/v2/image/blobs/uploads/?digest=${digest}`, init);
      expect(pushed.status).toBe(201);
    }
    const headers = { "content-type": image.mediaType };
    const put = { method: "PUT", headers, body: Buffer.from(image.bytes) };
    expect((await send("/v2/image/manifests/1", put)).status).toBe(201);
  });

  test("HEAD of a lost layer and of its manifest is 404, and a mount of it starts an upload", async () => {
    expect(await status("HEAD", `/v2/image/blobs/${layer}`)).toBe(200);
    await removeObject("oci", layer.slice("sha256:".length));
    expect(await status("HEAD", `/v2/image/blobs/${layer}`)).toBe(404);
    for (const reference of ["1", image.digest]) {
      expect(await status("HEAD", `/v2/image/manifests/${reference}`)).toBe(404);
      expect(await status("GET", `/v2/image/manifests/${reference}`)).toBe(200);
    }
    const mount = `/v2/other/blobs/uploads/?mount=${layer}&from=image`;
    expect(await status("POST", mount)).toBe(202);
    const metrics = await (await host.fetch("/metrics")).text();
    expect(metrics).toMatch(/^oci_blobs_damaged\{.*type="oci"\} 1$/m);
  });

  test("a mount discovers an unknown loss", async () => {
    const config = image.blobs.at(-1)?.digest ?? "";
    expect(config).not.toBe(layer);
    const mount = `/v2/third/blobs/uploads/?mount=${config}&from=image`;
    await removeObject("oci", config.slice("sha256:".length));
    expect(await status("POST", mount)).toBe(202);
  });
});
