import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createOciApp } from "./app.ts";
import type { OciOptions } from "./app.ts";
import type { OciPorts } from "./ports.ts";
import { blobOf, buildImage } from "./testing/build-image.ts";
import type { TestManifest } from "./testing/build-image.ts";
import { createMemoryAccess } from "./testing/memory-access.ts";
import { createMemoryOciPorts } from "./testing/memory-ports.ts";

const OWN_HOST = "acme.example";
const address: OciPorts["address"] = (request) => {
  const { host, origin } = new URL(request.url);
  return { base: origin, cacheable: true, ...(host === OWN_HOST && { segment: "acme" }) };
};

function openRegistry(options: Partial<OciOptions> = {}, access = createMemoryAccess(EVERYBODY)) {
  const ports = { ...createMemoryOciPorts({ access }), address };
  const app = createOciApp(ports, { service: "test", segments: ["acme", "tools"], ...options });
  const send = (url: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (init.body instanceof Uint8Array) headers.set("content-length", `${init.body.length}`);
    return app.request(new URL(url, "http://registry.test").href, { ...init, headers });
  };
  const push = async (base: string, name: string, image: TestManifest, tag: string) => {
    for (const { digest, bytes } of image.blobs) {
      const url = `${base}/v2/${name}/blobs/uploads/?digest=${digest}`;
      await send(url, { method: "POST", body: new Uint8Array(bytes) });
    }
    const headers = { "content-type": image.mediaType };
    const put = { method: "PUT", body: new Uint8Array(image.bytes), headers };
    return send(`${base}/v2/${name}/manifests/${tag}`, put);
  };
  return { ports, send, push };
}

const EVERYBODY = [{ name: "anonymous", may: () => true }];
const ADDRESSES = [
  ["the root", "", "acme/app", ""],
  ["a path of its own", "/acme", "app", "/acme"],
  ["a host name of its own", `http://${OWN_HOST}`, "app", ""],
] as const;

test.each(ADDRESSES)("by %s a segment is one set of repositories", async (_, base, name, path) => {
  const { send, push } = openRegistry();
  const image = buildImage({ layers: [randomBytes(20)] });
  const pushed = await push(base, name, image, "1");
  expect(pushed.status).toBe(201);
  expect(pushed.headers.get("location")).toBe(`${path}/v2/${name}/manifests/${image.digest}`);
  for (const [, other, there] of ADDRESSES) {
    const pulled = await send(`${other}/v2/${there}/manifests/1`);
    expect(pulled.status).toBe(200);
    const listed = await send(`${other}/v2/${there}/tags/list`);
    expect(await listed.json()).toEqual({ name: there, tags: ["1"] });
  }
  expect((await send("/v2/app/manifests/1")).status).toBe(404);
  expect((await send("/tools/v2/app/manifests/1")).status).toBe(404);
});

test.each(ADDRESSES)("by %s an upload continues where it began", async (_, base, name, path) => {
  const { send } = openRegistry();
  const { digest, bytes } = blobOf(randomBytes(100));
  const started = await send(`${base}/v2/${name}/blobs/uploads/`, { method: "POST" });
  const session = started.headers.get("location") ?? "";
  expect(session.startsWith(`${path}/v2/${name}/blobs/uploads/`)).toBe(true);
  const url = new URL(
    session,
    base === "" ? "http://registry.test" : new URL(base, "http://registry.test"),
  );
  const patch = { method: "PATCH", body: new Uint8Array(bytes) };
  const patched = await send(url.href, patch);
  expect(patched.headers.get("location")).toBe(session);
  const late = { ...patch, headers: { "content-range": "0-99" } };
  expect((await send(url.href, late)).headers.get("location")).toBe(session);
  const closed = await send(`${url.href}?digest=${digest}`, { method: "PUT" });
  expect(closed.status).toBe(201);
  expect(closed.headers.get("location")).toBe(`${path}/v2/${name}/blobs/${digest}`);
});

test.each(ADDRESSES)("by %s mounts name their source as the address does", async (...row) => {
  const [, base, name, path] = row;
  const { send, push } = openRegistry();
  const image = buildImage({ layers: [randomBytes(20)] });
  await push(base, name, image, "1");
  const [blob] = image.blobs;
  const target = name.replace("app", "copy");
  const query = `mount=${blob?.digest}&from=${encodeURIComponent(name)}`;
  const mounted = await send(`${base}/v2/${target}/blobs/uploads/?${query}`, { method: "POST" });
  expect(mounted.status).toBe(201);
  expect(mounted.headers.get("location")).toBe(`${path}/v2/${target}/blobs/${blob?.digest}`);
});

test("serves a blob of another segment only with a link", async () => {
  const { send, push } = openRegistry();
  const image = buildImage({ layers: [randomBytes(20)] });
  await push("/acme", "app", image, "1");
  const [blob] = image.blobs;
  expect((await send(`/tools/v2/app/blobs/${blob?.digest}`)).status).toBe(404);
  const query = `mount=${blob?.digest}&from=app`;
  const mount = await send(`/tools/v2/app/blobs/uploads/?${query}`, { method: "POST" });
  expect(mount.status).toBe(202);
});

test("each segment has its own catalog, in pages, and the root lists all", async () => {
  const { send, push } = openRegistry();
  const image = buildImage({ layers: [randomBytes(20)] });
  for (const name of ["acme", "acme-x/a", "acme/a", "acme/b", "acme/c/d", "tools/a", "zoo"]) {
    await push("", name, image, "1");
  }
  const all = await send("/v2/_catalog");
  const names = ["acme", "acme-x/a", "acme/a", "acme/b", "acme/c/d", "tools/a", "zoo"];
  expect(await all.json()).toEqual({ repositories: names });
  for (const [, base, , path] of ADDRESSES.slice(1)) {
    const page = await send(`${base}/v2/_catalog?n=2`);
    expect(await page.json()).toEqual({ repositories: ["a", "b"] });
    const link = `${path}/v2/_catalog?n=2&last=b`;
    expect(page.headers.get("link")).toBe(`<${link}>; rel="next"`);
    const rest = await send(`${base}/v2/_catalog?n=2&last=b`);
    expect(await rest.json()).toEqual({ repositories: ["c/d"] });
    expect(rest.headers.get("link")).toBeNull();
  }
  const tags = await send("/acme/v2/a/tags/list?n=0");
  expect(await tags.json()).toEqual({ name: "a", tags: [] });
});

test("pages of tags link to the address that was asked", async () => {
  const { send, push } = openRegistry();
  const image = buildImage({ layers: [randomBytes(20)] });
  for (const tag of ["1", "2"]) await push("/acme", "app", image, tag);
  const page = await send("/acme/v2/app/tags/list?n=1");
  expect(page.headers.get("link")).toBe(`</acme/v2/app/tags/list?n=1&last=1>; rel="next"`);
});

test.each([
  ["", "acme/app", "http://registry.test/token"],
  ["/acme", "app", "http://registry.test/acme/token"],
  [`http://${OWN_HOST}`, "app", `http://${OWN_HOST}/token`],
])("at %j a challenge names the token service of the address", async (base, name, realm) => {
  const access = createMemoryAccess([
    {
      name: "owner",
      password: "secret",
      may: (_, repositoryName) => repositoryName === "acme/app",
    },
  ]);
  const { send } = openRegistry({}, access);
  const challenged = await send(`${base}/v2/${name}/blobs/uploads/`, { method: "POST" });
  expect(challenged.status).toBe(401);
  expect(challenged.headers.get("www-authenticate")).toBe(
    `Bearer realm="${realm}",service="test",scope="repository:${name}:pull,push"`,
  );
  const headers = { authorization: `Basic ${Buffer.from("owner:secret").toString("base64")}` };
  const answer = await send(`${realm}?scope=repository:${name}:pull,push`, { headers });
  const { token } = (await answer.json()) as { token: string };
  const bearer = { authorization: `Bearer ${token}` };
  // One token, whatever the address is.
  for (const [, other, there] of ADDRESSES) {
    const post = { method: "POST", headers: bearer };
    expect((await send(`${other}/v2/${there}/blobs/uploads/`, post)).status).toBe(202);
  }
  const elsewhere = await send("/v2/app/blobs/uploads/", { method: "POST", headers: bearer });
  expect(elsewhere.status).toBe(403);
});

test("without a default surface there is nothing but the segments", async () => {
  const { send, push } = openRegistry({ hasDefault: false });
  const image = buildImage({ layers: [randomBytes(20)] });
  expect((await push("", "acme/app", image, "1")).status).toBe(201);
  const refused = await push("", "other/app", image, "1");
  expect(refused.status).toBe(404);
  expect(await refused.json()).toMatchObject({
    errors: [{ code: "NAME_UNKNOWN", message: "repositories are below acme/, tools/ here" }],
  });
  expect((await send("/v2/")).status).toBe(401);
});

test.each(["/acme/v2", "/acme/v2/", "/v2/", `http://${OWN_HOST}/v2/`])(
  "the ping %s is challenged",
  async (path) => {
    const challenged = await openRegistry().send(path);
    expect(challenged.status).toBe(401);
    expect(challenged.headers.get("www-authenticate")).not.toContain("scope");
  },
);

test.each([
  ["/acme/v2/../other/manifests/1", 404],
  ["/acme/v2/%2E%2E/other/manifests/1", 404],
  ["/acme/v2/a%2Fb/manifests/1", 400],
  ["/acme/v2//app/manifests/1", 400],
  [`/acme/v2/${"a".repeat(251)}/manifests/1`, 400],
  [`/acme/v2/${"a".repeat(250)}/manifests/1`, 404],
  ["/other/v2/app/manifests/1", 404],
])("%s is answered with %i", async (path, status) => {
  const { send, push } = openRegistry();
  await push("", "other", buildImage(), "1");
  expect((await send(path)).status).toBe(status);
});

test("counts go to the repository by its full name", async () => {
  const counted: string[] = [];
  const ports = {
    ...createMemoryOciPorts(),
    address,
    count: (what: string, repository: string) => void counted.push(`${what} ${repository}`),
  };
  const app = createOciApp(ports, { service: "test", segments: ["acme"] });
  const image = buildImage({ layers: [] });
  for (const { digest, bytes } of image.blobs) {
    const body = new Uint8Array(bytes);
    const headers = { "content-length": `${body.length}` };
    const post = { method: "POST", body, headers };
    await app.request(`/acme/v2/app/blobs/uploads/?digest=${digest}`, post);
  }
  const body = new Uint8Array(image.bytes);
  const headers = { "content-type": image.mediaType, "content-length": `${body.length}` };
  await app.request("/acme/v2/app/manifests/1", { method: "PUT", body, headers });
  await app.request("/acme/v2/app/manifests/1");
  expect(counted).toEqual(["push acme/app", "pull acme/app"]);
});
