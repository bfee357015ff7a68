import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { buildTarball } from "../testing/build-tarball.ts";
import { provenanceBundle } from "../testing/provenance-bundle.ts";
import { registry } from "../testing/registry.ts";
import { signMissing } from "../signatures/sign-missing.ts";
import { createVersionSigner, ensureKey } from "../signatures/version-signer.ts";
import type { MemoryNpmPorts } from "../testing/memory-ports.ts";
import type { NewVersion } from "./index.ts";
import { checkSignatures, openNpmClient } from "./index.ts";

const REGISTRY = new URL("http://registry.test/npm/");

/** Our own registry, in memory. */
function open() {
  const { app, ports } = registry();
  const fetch = async (url: URL, init: RequestInit) => app.request(url.href, init);
  const client = openNpmClient({ registry: REGISTRY, fetch, wait: async () => undefined });
  return { client, app, ports };
}

function wish(
  name: string,
  version: string,
  more: Partial<NewVersion> = {},
  content = "1",
): NewVersion {
  const manifest = { name, version, license: "MIT" };
  const bytes = buildTarball({ name, version, manifest, files: { "a.js": content } });
  const tarball = {
    size: bytes.length,
    integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
    shasum: createHash("sha1").update(bytes).digest("hex"),
    async *read() {
      // Pieces whose length is not a multiple of what base64 encodes at once.
      for (let index = 0; index < bytes.length; index += 50)
        yield bytes.subarray(index, index + 50);
    },
  };
  return { name, version, manifest, tags: ["latest"], tarball, ...more };
}

async function bytesOf(body: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(body ?? []));
}

test("publishes, reads and downloads a package with a scope", async () => {
  const { client } = open();
  const first = wish("@acme/demo", "1.0.0", { readme: "# Demo", readmeFilename: "README.md" });
  expect(await client.publish(first)).toEqual({ status: "published" });
  expect(await client.publish(wish("@acme/demo", "1.1.0", { tags: ["next"] }))).toEqual({
    status: "published",
  });
  const foundPackument = await client.packument("@acme/demo");
  if (foundPackument?.status !== "found") throw new Error("there is no packument");
  const { packument } = foundPackument;
  expect([...packument.distTags]).toEqual([
    ["latest", "1.0.0"],
    ["next", "1.1.0"],
  ]);
  expect(packument).toMatchObject({
    name: "@acme/demo",
    readme: "# Demo",
    readmeFilename: "README.md",
    maintainers: [{ name: "tester" }],
  });
  expect(packument.versions.map(({ version }) => version)).toEqual(["1.0.0", "1.1.0"]);
  expect([...packument.times.keys()]).toEqual(["1.0.0", "1.1.0"]);
  const [remoteVersion] = packument.versions;
  if (!remoteVersion) throw new Error("there is no version");
  await using download = await client.tarball(remoteVersion.dist);
  const expected = await bytesOf(first.tarball.read());
  expect(download?.size).toBe(expected.length);
  expect((await bytesOf(download?.body)).equals(expected)).toBe(true);
});

test("asks again with the tag of what it has, in both forms", async () => {
  const { client } = open();
  await client.publish(wish("demo", "1.0.0"));
  for (const form of ["full", "abbreviated"] as const) {
    const foundPackument = await client.packument("demo", { form });
    if (foundPackument?.status !== "found") throw new Error("there is no packument");
    expect("license" in (foundPackument.packument.versions[0]?.manifest ?? {})).toBe(
      form === "full",
    );
    const { etag } = foundPackument;
    expect(etag).toBeDefined();
    expect(await client.packument("demo", { form, etag })).toEqual({ status: "unchanged" });
    expect(await client.packument("demo", { form, etag: '"other"' })).toMatchObject({
      status: "found",
    });
  }
});

test("returns undefined for absent and impossible names", async () => {
  const { client } = open();
  for (const name of ["demo", "@acme/demo", "../secret", "a b", "", "@acme%2fdemo"]) {
    expect(await client.packument(name)).toBeUndefined();
    expect(await client.version(name, "latest")).toBeUndefined();
    expect(await client.distTags(name)).toBeUndefined();
    const gone = await client.setDistTag({ name, tag: "next", version: "1.0.0" });
    expect(gone).toEqual({ status: "absent" });
    expect(await client.unpublish({ name, versions: "all" })).toEqual({ status: "absent" });
  }
  expect(await client.keys()).toBeUndefined();
  expect(await client.names()).toBeUndefined();
});

test("distinguishes an existing version from other refusals", async () => {
  const { client } = open();
  await client.publish(wish("demo", "1.0.0"));
  const { tarball } = wish("demo", "1.0.0", {}, "other bytes");
  expect(await client.publish({ ...wish("demo", "1.0.0"), tarball })).toMatchObject({
    status: "exists",
    reason: expect.stringContaining("previously published"),
  });
  const lying = { ...wish("demo", "2.0.0").tarball, integrity: "sha512-AAAA" };
  expect(await client.publish({ ...wish("demo", "2.0.0"), tarball: lying })).toMatchObject({
    status: "refused",
    httpStatus: 422,
    reason: expect.stringContaining("integrity"),
  });
});

test("an upload with more or fewer bytes than it said fails, and publishes nothing", async () => {
  const { client } = open();
  for (const by of [-1, 1]) {
    const { tarball, ...version } = wish("demo", "1.0.0");
    const wrong = { ...version, tarball: { ...tarball, size: tarball.size + by } };
    expect((await client.publish(wrong)).status).not.toBe("published");
  }
  expect(await client.packument("demo")).toBeUndefined();
});

test("moves and removes tags, deprecates, and takes versions away", async () => {
  const { client } = open();
  for (const version of ["1.0.0", "1.1.0", "2.0.0"]) {
    await client.publish(wish("@acme/demo", version));
  }
  const name = "@acme/demo";
  const stable = { name, tag: "stable", version: "1.0.0" };
  expect(await client.setDistTag(stable)).toEqual({ status: "changed" });
  expect((await client.distTags(name))?.get("stable")).toBe("1.0.0");
  expect(await client.removeDistTag(stable)).toEqual({ status: "changed" });
  expect((await client.distTags(name))?.has("stable")).toBe(false);
  expect(await client.removeDistTag({ name, tag: "latest" })).toMatchObject({ status: "refused" });

  const texts = new Map([["1.0.0", "use 2"]]);
  expect(await client.deprecate({ name, texts })).toEqual({ status: "changed" });
  expect((await client.version(name, "1.0.0"))?.deprecated).toBe("use 2");
  await client.deprecate({ name, texts: new Map([["1.0.0", ""]]) });
  expect((await client.version(name, "1.0.0"))?.deprecated).toBeUndefined();
  const unknown = await client.deprecate({ name, texts: new Map([["9.0.0", "no"]]) });
  expect(unknown).toEqual({ status: "absent" });

  expect(await client.unpublish({ name, versions: ["1.1.0"] })).toEqual({ status: "changed" });
  expect(await client.version(name, "1.1.0")).toBeUndefined();
  expect(await client.unpublish({ name, versions: ["1.1.0"] })).toEqual({ status: "absent" });
  expect(await client.unpublish({ name, versions: "all" })).toEqual({ status: "changed" });
  expect(await client.packument(name)).toBeUndefined();
});

test("finds packages, and every one of many", async () => {
  const { client } = open();
  for (const name of ["@acme/one", "@acme/two", "three"]) await client.publish(wish(name, "1.0.0"));
  const { total, packages } = await client.search({ text: "scope:acme", size: 1 });
  expect([total, packages.length]).toEqual([2, 1]);
  const names = (await Array.fromAsync(client.searchAll(""))).map(({ name }) => name);
  expect(names.toSorted()).toEqual(["@acme/one", "@acme/two", "three"]);
});

test("knows whose token it has, and the tokens of the same owner", async () => {
  const { client, ports } = open();
  expect(await client.whoami()).toBe("tester");
  const holder = { actor: "tester", tokenId: "t-0", needs: undefined };
  for (const name of ["one", "two"]) await ports.accounts.tokens.create(holder, { name });
  const tokens = await Array.fromAsync(client.tokens());
  expect(tokens.map(({ name }) => name)).toEqual(["one", "two"]);
  expect(await client.revokeToken(tokens[0]?.key ?? "")).toEqual({ status: "changed" });
  expect(await Array.fromAsync(client.tokens())).toHaveLength(1);
});

test("checks the signatures of the registry with the keys that it lists", async () => {
  const { client, ports } = open();
  await client.publish(wish("@acme/demo", "1.0.0"));
  await announce(ports);
  const keys = (await client.keys()) ?? [];
  expect(keys).toHaveLength(1);
  const foundPackument = await client.packument("@acme/demo");
  const [version] = foundPackument?.status === "found" ? foundPackument.packument.versions : [];
  if (!version) throw new Error("there is no version");
  expect(checkSignatures("@acme/demo", version, keys)).toEqual({ status: "verified" });
  expect(checkSignatures("@acme/demo", version, [])).toEqual({ status: "unsigned" });
  const wrong = (changes: object, knownKeys = keys) =>
    checkSignatures("@acme/demo", { ...version, ...changes }, knownKeys);
  expect(wrong({ version: "1.0.1" })).toMatchObject({
    reason: expect.stringContaining("does not fit"),
  });
  const unknown = keys.map((key) => ({ ...key, keyId: "SHA256:other" }));
  expect(wrong({}, unknown)).toMatchObject({ reason: expect.stringContaining("does not list") });
  const expired = keys.map((key) => ({ ...key, expiresAt: new Date(0) }));
  expect(wrong({}, expired)).toMatchObject({ reason: expect.stringContaining("had expired") });
  const broken = keys.map((key) => ({ ...key, publicKey: "AAAA" }));
  expect(wrong({}, broken)).toMatchObject({ reason: expect.stringContaining("does not fit") });
  expect(wrong({ dist: { ...version.dist, signatures: [] } })).toEqual({ status: "unsigned" });
});

test("requests advisories on versions", async () => {
  const { client, ports } = open();
  const advisory = {
    name: "demo",
    advisoryId: "GHSA-aaaa-bbbb-cccc",
    severity: 2,
    title: "It breaks",
    url: "https://advisories.example/1",
    versions: "<2.0.0",
    cwe: ["CWE-79"],
    cvss: { score: 7.5, vectorString: "CVSS:3.1/AV:N" },
  } as const;
  await ports.advisories.replace("one", [advisory]);
  const remoteAdvisories = await client.advisories(
    new Map([
      ["demo", ["1.0.0"]],
      ["other", ["1.0.0"]],
    ]),
  );
  const { name, advisoryId: _, ...told } = advisory;
  expect([...remoteAdvisories]).toEqual([
    [name, [{ ...told, id: expect.any(Number), severity: "high" }]],
  ]);
});

test("reads statements about where a version comes from", async () => {
  const { client } = open();
  const version = wish("@acme/demo", "1.0.0");
  const [, base64 = ""] = version.tarball.integrity.split("-");
  const sha512 = Buffer.from(base64, "base64").toString("hex");
  const bundle = provenanceBundle({ name: "@acme/demo", version: "1.0.0", sha512 });
  expect(await client.publish({ ...version, provenance: bundle })).toEqual({ status: "published" });
  const attestations = await client.attestations({ name: "@acme/demo", version: "1.0.0" });
  expect(attestations).toEqual([{ predicateType: "https://slsa.dev/provenance/v1", bundle }]);
  expect((await client.version("@acme/demo", "1.0.0"))?.dist.hasAttestations).toBe(true);
  expect(await client.attestations({ name: "@acme/demo", version: "2.0.0" })).toEqual([]);
});

/** Signs everything, and tells clients of the key. */
async function announce({ signingKeys: keys, unsigned: versions }: MemoryNpmPorts): Promise<void> {
  const protection = { seal: (key: Uint8Array) => key, open: async (key: Uint8Array) => key };
  const parts = { keys, protection, now: () => new Date() };
  await ensureKey(parts);
  const sign = createVersionSigner(parts);
  await signMissing({ keys, versions, sign }, { after: 0, pause: async () => {} });
}
