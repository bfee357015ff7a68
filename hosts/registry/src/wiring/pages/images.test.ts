import { generateKeyPairSync, sign } from "node:crypto";
import { parseRepositoryName } from "@sealhouse/oci-distribution";
import type { SealKeys } from "@sealhouse/oci-distribution/seal";
import { sealImage } from "@sealhouse/oci-distribution/seal";
import { buildImage, buildIndex, buildRaw } from "@sealhouse/oci-distribution/testing";
import { expect, test, vi } from "vitest";
import { image, openPages } from "./images.test.support.ts";
import { caller, NOW, wordsOf } from "./pages.test.support.ts";
import { imageFiles } from "@sealhouse/feed";

const CLOSED = { Feed__Authentication__AllowAnonymousPull: "false" };

test("finds an image, and its page shows its configuration and its layers", async () => {
  await using pages = await openPages();
  const { push, read, get } = pages;
  await push(image, ["1.0", "latest"]);
  expect(await read("/images")).toMatch(/1 repository, by name acme\/app 2 tags 0 pulls pushed/);
  expect(await read("/images/acme/app")).toMatch(/1\.0 sha256:\w{12}… just now never .*latest/);
  const page = await get("/images/acme/app:1.0");
  const html = await page.text();
  expect(html).not.toContain("<script>alert");
  expect(html).not.toContain('href="javascript:');
  expect(html).toContain('<a href="https://github.com/acme/app" rel="nofollow');
  const words = wordsOf(html);
  for (const text of [
    "Image",
    "docker pull localhost:8080/acme/app:1.0",
    `docker pull localhost:8080/acme/app@${image.digest}`,
    "Platform linux/arm64/v8",
    'Entry point ["/app","--serve now"]',
    'Command ["--port","80"]',
    "User app",
    "Ports 80/tcp",
    "SECRET=",
    "3 steps, oldest first ADD file:1 in / 11 bytes",
    "ENV A=1 No layer",
    "RUN make all 6 bytes",
    "2 layers",
    "Created 2 days ago",
  ]) {
    expect(words).toContain(text);
  }
  expect((await get(`/images/acme/app@${image.digest}`)).status).toBe(200);
  for (const path of ["none", "acme/app:2", "ACME", "acme/app@sha256:1", "a:b:c", "acme/app:.x"]) {
    expect((await get(`/images/${path}`)).status, path).toBe(404);
  }
  expect(await read("/images/acme/ap")).toContain("Did you mean acme/app");
});

test("looks the token of a request up once", async () => {
  await using pages = await openPages();
  await pages.push(image, ["1.0"]);
  const owner = await pages.authorizationOf(["read", "write", "delete"]);
  for (const path of ["/", "/images", "/images/acme/app", "/images/acme/app:1.0"]) {
    expect([path, await pages.lookupsFor(path, owner)]).toEqual([path, 1]);
  }
  expect(await pages.lookupsFor("/images/acme/app:1.0/delete", owner)).toBe(1);
});

test("an index links to its platforms and back, and marks absent ones", async () => {
  await using pages = await openPages();
  const { push, read, get, database } = pages;
  const arm = await push(image);
  const amd = await push(buildImage({ layers: ["amd"] }));
  const platform = { os: "linux", architecture: "arm64", variant: "v8" };
  const manifests = [{ ...arm.descriptor, platform }, amd.descriptor];
  const index = await push(buildIndex([], { fields: { manifests } }), ["1.0"]);
  const html = await (await get("/images/acme/app:1.0")).text();
  expect(html).toContain(`href="/images/acme/app@${arm.digest}"`);
  const words = wordsOf(html);
  expect(words).toMatch(/linux\/arm64\/v8 sha256:\w{12}… Image/);
  expect(words).toContain("skopeo copy --all --src-tls-verify=false docker://localhost:8080/acme");
  expect(await read(`/images/acme/app@${arm.digest}`)).toContain("Listed in sha256:");
  expect(await read("/images/acme/app")).toContain("2 manifests");
  const repository = parseRepositoryName("acme/app");
  await database.oci.manifests.deleteManifest(repository, amd.digest, caller);
  expect(await read(`/images/acme/app@${index.digest}`)).toContain("absent");
});

test("an index shows the sizes of its platforms and what is attached to them", async () => {
  await using pages = await openPages();
  const { push, get } = pages;
  const arm = await push(image);
  const amd = await push(buildImage({ layers: ["amd"] }));
  await push(
    buildImage({ subject: arm.descriptor, artifactType: "application/spdx+json", layers: ["s"] }),
  );
  const annotations = { "dev.sigstore.bundle.predicateType": "https://slsa.dev/provenance/v1" };
  const bundle = "application/vnd.dev.sigstore.bundle.v0.3+json";
  const provenance = buildImage({
    subject: arm.descriptor,
    artifactType: bundle,
    annotations,
    layers: ["b"],
  });
  await push(provenance);
  await push(buildImage({ layers: ["sig"] }), [`${amd.digest.replace(":", "-")}.sig`]);
  const statement = await push(buildImage({ layers: ["statement"] }));
  const about = { "vnd.docker.reference.digest": amd.digest };
  const manifests = [
    { ...arm.descriptor, platform: { os: "linux", architecture: "arm64" } },
    { ...amd.descriptor, platform: { os: "linux", architecture: "amd64" } },
    {
      ...statement.descriptor,
      platform: { os: "unknown", architecture: "unknown" },
      annotations: about,
    },
  ];
  const index = buildIndex([], { fields: { manifests } });
  await push(index, ["1.0"]);
  const html = await (await get("/images/acme/app:1.0")).text();
  const words = wordsOf(html);
  expect(words).toMatch(/Facts Platforms 2 Size of all platforms \d+ bytes Pushed/);
  expect(words).toMatch(/Platforms 2 platforms, \d+ bytes in all\. /);
  expect(words).toMatch(
    /linux\/arm64 sha256:\w{12}… Image Provenance \(Sigstore bundle\) SBOM \(SPDX\) \d+ bytes/,
  );
  expect(words).toMatch(
    /linux\/amd64 sha256:\w{12}… Image Signature \(cosign\) Build attestation \d+ bytes/,
  );
  expect(html).toContain(`href="/images/acme/app@${provenance.digest}"`);
  expect(html).toContain(`href="/images/acme/app@${statement.digest}"`);
  // The size of the manifest itself says nothing about the image.
  expect(words).toContain(`Manifest Size of the manifest ${index.bytes.length} bytes`);
});

test("an artifact links to its subject only when that is here", async () => {
  await using pages = await openPages();
  const { push, get } = pages;
  const subject = image.descriptor;
  const artifact = buildImage({ subject, artifactType: "application/spdx+json", layers: ["s"] });
  await push(artifact, ["sbom"]);
  const link = `href="/images/acme/app@${image.digest}"`;
  expect(await (await get("/images/acme/app:sbom")).text()).not.toContain(link);
  await push(image);
  expect(await (await get("/images/acme/app:sbom")).text()).toContain(link);
});

test("names the referrers of an image, and shows tags of clients on request", async () => {
  await using pages = await openPages();
  const { push, read } = pages;
  await push(image, ["1.0"]);
  const subject = image.descriptor;
  const artifactType = "application/spdx+json";
  await push(buildImage({ subject, artifactType, layers: ["sbom"] }));
  const annotations = { "dev.sigstore.bundle.predicateType": "https://slsa.dev/provenance/v1" };
  const bundle = "application/vnd.dev.sigstore.bundle.v0.3+json";
  await push(buildImage({ subject, artifactType: bundle, annotations, layers: ["bundle"] }));
  const mediaType = "application/vnd.dev.cosign.simplesigning.v1+json";
  const plain = buildImage({ layers: ["sig"] });
  const [config, layer] = plain.blobs;
  if (!config || !layer) throw new Error("an image has both");
  const sizeOf = ({ bytes }: typeof layer) => bytes.length;
  const layers = [{ mediaType, digest: layer.digest, size: sizeOf(layer) }];
  const fields = { ...JSON.parse(Buffer.from(plain.bytes).toString()), layers };
  const signature = { ...buildRaw(plain.mediaType, JSON.stringify(fields)), blobs: plain.blobs };
  const tag = `${image.digest.replace(":", "-")}.sig`;
  await push(signature, [tag]);
  await push(buildIndex([]), [image.digest.replace(":", "-")]);
  const words = await read("/images/acme/app:1.0");
  for (const name of ["SBOM (SPDX)", "Provenance (Sigstore bundle)", "Signature (cosign)"]) {
    expect(words).toContain(name);
  }
  expect(words).not.toContain("Multi-platform");
  expect(await read(`/images/acme/app:${tag}`)).toContain("Signature (cosign)");
  expect(await read("/images/acme/app")).not.toContain(".sig");
  expect(await read("/images/acme/app?attached=true")).toContain(`${tag} Attached`);
});

test("verifies the seal of this registry, and shows its state", async () => {
  const keys = createKeys();
  await using pages = await openPages({ sealKeys: keys });
  const { push, read, database, files } = pages;
  await push(image, ["1.0"]);
  expect(await read("/images/acme/app:1.0")).toContain("This registry has not signed this image");
  const ports = { ...database.oci, files: imageFiles(files), now: () => NOW };
  const repository = parseRepositoryName("acme/app");
  const seal = (by: SealKeys) =>
    sealImage({ ...ports, keys: by }, repository, image, {
      formats: ["cosign"],
      registry: "",
      agent: "test",
      caller,
    });
  await seal(createKeys());
  expect(await read("/images/acme/app:1.0")).toContain("does not match its keys");
  await seal(keys);
  expect(await read("/images/acme/app:1.0")).toContain("Signed by this registry (cosign)");
  await using without = await openPages();
  await without.push(image, ["1.0"]);
  expect(await without.read("/images/acme/app:1.0")).not.toContain("Registry signature");
});

test("configs of any form break nothing", async () => {
  await using pages = await openPages();
  const { push, read } = pages;
  const many = Array.from({ length: 30_000 }, (_, index) => ({ created_by: `RUN ${index}` }));
  const odd: readonly (readonly [config: string, text: string])[] = [
    ["", "The config is not a valid image configuration"],
    ["[]", "The config is not a valid image configuration"],
    ["nonsense", "The config is not a valid image configuration"],
    ["[".repeat(100_000), "The config is not a valid image configuration"],
    [" ".repeat(1024 * 1024 + 1), "larger than 1 MiB"],
    [JSON.stringify({ config: [], history: {}, created: 7, os: {} }), "User root"],
    [JSON.stringify({ config: { Env: "a", Cmd: "x", ExposedPorts: 1, Labels: [1] } }), '["x"]'],
    [JSON.stringify({ history: [null, 1, "x", { created_by: 5 }] }), "4 steps"],
    [JSON.stringify({ history: many }), "And 29,800 more."],
    ['{"config":{"Labels":{"__proto__":"x","constructor":"y"}},"__proto__":{"os":"z"}}', "Labels"],
  ];
  for (const [position, [config, text]] of odd.entries()) {
    await push(buildImage({ config, layers: [`${position}`] }), [`odd-${position}`]);
    expect(await read(`/images/acme/app:odd-${position}`), config.slice(0, 80)).toContain(text);
  }
});

test("a closed registry shows no contents; a narrow token shows its names", async () => {
  await using pages = await openPages({ env: CLOSED });
  const { push, get, authorizationOf } = pages;
  await push(image, ["1.0"]);
  await push(image, ["1.0"], "secret/app");
  const all = await authorizationOf(["read"]);
  const narrow = await authorizationOf(["read"], ["acme/*"]);
  for (const path of ["", "?q=app", "/acme/app", "/acme/app:1.0", "/nothing", "/acme/app:2"]) {
    const refused = await get(`/images${path}`);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer realm="Sealhouse"/);
    // The form of the theme leads back to the address that was asked for.
    const text = (await refused.text()).replace(`value="/images${path}"`, "");
    expect(text).not.toMatch(/acme\/app:1|secret/);
    expect([200, 404]).toContain((await get(`/images${path}`, all)).status);
  }
  expect(await (await get("/images?q=app", all)).text()).toContain("/images/secret/app");
  for (const path of ["", "?q=app", "/acme/ap"]) {
    const shown = await (await get(`/images${path}`, narrow)).text();
    expect(shown).toContain("/images/acme/app");
    expect(shown).not.toContain("secret/app");
  }
  const other = await get("/images/secret/app:1.0", narrow);
  const absent = await get("/images/secret/none:1.0", narrow);
  expect([other.status, absent.status]).toEqual([401, 401]);
});

test("a narrow token learns that the search was cut", async () => {
  await using pages = await openPages({ env: CLOSED });
  const { database, push, read, authorizationOf } = pages;
  await push(image, ["1.0"]);
  const narrow = await authorizationOf(["read"], ["acme/*", "zoo/*"]);
  const { browsing } = database.oci;
  const app = parseRepositoryName("acme/app");
  const lookedThrough = async (others: number) => {
    const number = (index: number) => String(index).padStart(6, "0");
    const theirs = Array.from({ length: others }, (_, index) => `many/r${number(index)}`);
    const all = [app, ...theirs.map(parseRepositoryName)];
    vi.spyOn(browsing, "names").mockImplementation(async ({ text, after, limit }) =>
      all.filter((name) => name > after && name.includes(text)).slice(0, limit),
    );
    return read("/images", narrow);
  };
  expect(await lookedThrough(12_000)).toMatch(/acme\/app .*This list may be incomplete/);
  expect(await read("/images?q=acme", narrow)).not.toContain("may be incomplete");
  expect(await read("/images?q=many", narrow)).toContain("This list may be incomplete");
  expect(await lookedThrough(8_000)).not.toContain("may be incomplete");
});

test("names that no segment owns have no pages where there is no default surface", async () => {
  const env = { Feed__Oci__acme__Enabled: "true", Feed__Oci__Default__Enabled: "false" };
  await using pages = await openPages({ env });
  const { push, get, read } = pages;
  await push(image, ["1.0"]);
  await push(image, ["1.0"], "other/app");
  expect(await read("/images")).not.toContain("other/app");
  const statuses = ["acme/app:1.0", "other/app", "other/app:1.0"].map(
    async (path) => (await get(`/images/${path}`)).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 404, 404]);
});

test("where OCI is off there are no pages of it", async () => {
  await using pages = await openPages({ env: { Feed__Oci__Default__Enabled: "false" } });
  expect((await pages.get("/images")).status).toBe(404);
  expect(await pages.read("/packages")).not.toContain("Images");
});

test("pages of many tags lead from one to the next", async () => {
  await using pages = await openPages();
  const { push, read, get } = pages;
  const tags = Array.from({ length: 120 }, (_, index) => `v${String(index).padStart(3, "0")}`);
  await push(image, tags);
  expect(await read("/images/acme/app")).toContain("Page 1 of 3");
  expect(await (await get("/images/acme/app")).text()).toContain("/images/acme/app?page=2");
  expect(await read("/images/acme/app?page=3")).toContain("v119");
  expect(await read("/images/acme/app?page=99")).toContain("Page 3 of 3");
  expect(await read("/images/acme/app?tag=V01")).toContain("v010");
  expect(await read("/images/acme/app?tag=none")).toContain("No matching tag.");
  expect(await read("/images/acme/app:v000")).toContain("And 100 more.");
});

function createKeys(): SealKeys {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    cosign: async () => ({ publicKey, sign: async (data) => sign("sha256", data, privateKey) }),
    notation: async () => ({
      chain: [],
      algorithm: "ES256",
      sign: async (data) => sign("sha256", data, { key: privateKey, dsaEncoding: "ieee-p1363" }),
    }),
  };
}

test("shows why a rule denies an image", async () => {
  const denial = { status: "denied", rule: "r1", text: "acme/app 1.0 is denied." } as const;
  await using pages = await openPages({ withheld: new Map([["image", denial]]) });
  await pages.push(image, ["1.0"]);
  expect(await pages.read("/images/acme/app:1.0")).toContain(
    "This version is denied acme/app 1.0 is denied.",
  );
});

test("shows the owners of a repository, and its pages to those who manage it", async () => {
  await using pages = await openPages();
  const { push, read, get, database, authorizationOf } = pages;
  await push(image, ["1.0"]);
  const alice = { id: "a1", handle: "alice", displayName: "Alice", role: "publisher" } as const;
  await database.people.add(alice, NOW, caller);
  const name = { protocol: "oci", name: "acme/app" } as const;
  const owner = { id: alice.id, kind: "user", level: "manage" } as const;
  await database.ownership.ownerships.grant(name, owner, caller);
  const words = await read("/images/acme/app");
  expect(words).toContain("Owners alice");
  expect(words).not.toContain("Manage");
  const writer = await authorizationOf(["read", "write"]);
  expect(await read("/images/acme/app", writer)).toContain("Manage acme/app");
  expect(await read("/manage/oci/acme/app", writer)).toContain("alice user Level of alice");
  expect((await get("/manage/oci/acme/app")).status).toBe(401);
});
