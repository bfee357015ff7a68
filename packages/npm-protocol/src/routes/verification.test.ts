import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { isSignedBy } from "../signatures/registry-signature.ts";
import { buildTarball } from "../testing/build-tarball.ts";
import { provenanceBundle } from "../testing/provenance-bundle.ts";
import { put, registry, withDemo } from "../testing/registry.ts";
import { signAll } from "../testing/sign-all.ts";

const keysPath = "/npm/-/npm/v1/keys";

test("says 404 for keys while nothing is signed, which clients understand", async () => {
  const { app, ports } = await withDemo();
  const response = await app.request(keysPath);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: "This registry does not sign packages." });
  expect(await dist(app, "/npm/@acme%2fdemo/1.0.0")).not.toHaveProperty("signatures");
  await signAll(ports);
  expect((await app.request(keysPath)).status).toBe(200);
});

test("shows signatures in every document, good by the key that it shows", async () => {
  const { app, ports } = await withDemo();
  await signAll(ports);
  const { keys } = await json<{ keys: readonly { keyid: string; key: string }[] }>(app, keysPath);
  const [key, ...more] = keys;
  expect(more).toEqual([]);
  const kind = "ecdsa-sha2-nistp256";
  expect(key).toMatchObject({ expires: null, keytype: kind, scheme: kind });
  const spki = Buffer.from(key?.key ?? "", "base64");
  const hash = createHash("sha256").update(spki).digest("base64").replace("=", "");
  expect(key?.keyid).toBe(`SHA256:${hash}`);

  const demoDist = await dist(app, "/npm/@acme%2fdemo/1.0.0");
  const { integrity, signatures } = demoDist;
  const version = { name: "@acme/demo", version: "1.0.0", integrity };
  const [signature] = signatures ?? [];
  expect(signature?.keyid).toBe(key?.keyid);
  expect(isSignedBy(version, signature?.sig ?? "", key?.key ?? "")).toBe(true);
  for (const accept of ["application/json", "application/vnd.npm.install-v1+json"]) {
    const { versions } = await json<Packument>(app, "/npm/@acme%2fdemo", accept);
    expect(versions["1.0.0"]?.dist.signatures).toEqual(signatures);
  }
});

test("stores a provenance statement with its version, and serves it unchanged", async () => {
  const { app } = registry({}, { anonymousRead: false });
  const tarball = buildTarball({ name: "@acme/demo" });
  const sha512 = createHash("sha512").update(tarball).digest("hex");
  const bundle = provenanceBundle({ name: "@acme/demo", version: "1.0.0", sha512 });
  const published = await put(app, { name: "@acme/demo", tarball, provenance: bundle });
  expect(published.status).toBe(200);

  const { attestations } = await dist(app, "/npm/@acme%2fdemo/1.0.0");
  const url = "http://registry.test/npm/-/npm/v1/attestations/@acme%2fdemo@1.0.0";
  const predicateType = "https://slsa.dev/provenance/v1";
  expect(attestations).toEqual({ url, provenance: { predicateType } });
  for (const path of [url, url.replace("%2f", "/"), url.replace("%2f", "%2F")]) {
    const served = await app.request(path);
    expect(await served.text()).toBe(
      `{"attestations":[{"predicateType":"${predicateType}","bundle":${bundle}}]}`,
    );
  }
});

test.each([
  ["of an unknown package", "/npm/-/npm/v1/attestations/unknown@1.0.0", "GET", 404],
  ["of a version without one", "/npm/-/npm/v1/attestations/@acme%2fdemo@1.0.0", "GET", 404],
  ["without a version", "/npm/-/npm/v1/attestations/@acme%2fdemo", "GET", 404],
  ["of nothing", "/npm/-/npm/v1/attestations/", "GET", 404],
  ["by the wrong method", "/npm/-/npm/v1/attestations/demo@1.0.0", "PUT", 405],
])("has no statements %s", async (_, path, method, status) => {
  const { app } = await withDemo();
  expect((await app.request(path, { method })).status).toBe(status);
});

test("hides the statements of a package from callers without read access", async () => {
  const authorize = async () => ({ status: "denied", reason: "no", isConcealed: true }) as const;
  const { app } = registry({ authorize });
  const response = await app.request("/npm/-/npm/v1/attestations/demo@1.0.0");
  expect([response.status, await response.json()]).toMatchObject([404, { error: "Not found" }]);
});

test.each([
  ["about other bytes", "cd".repeat(64), undefined, /another sha512/],
  ["that cannot be verified", undefined, "signature verification failed", /cannot be verified/],
])("refuses a publish with a statement %s, and keeps nothing", async (_, other, reason, text) => {
  const verifyBundle = async () =>
    reason === undefined
      ? ({ status: "unchecked" } as const)
      : ({ status: "refused", reason } as const);
  const { app, ports } = registry({ verifyBundle });
  const tarball = buildTarball({ name: "demo" });
  const sha512 = other ?? createHash("sha512").update(tarball).digest("hex");
  const provenance = provenanceBundle({ name: "demo", version: "1.0.0", sha512 });
  const refused = await put(app, { name: "demo", tarball, provenance });
  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({ error: expect.stringMatching(text) as string });
  expect((await app.request("/npm/demo")).status).toBe(404);
  expect(ports.inspect.blobs()).toEqual([]);
});

type Dist = {
  readonly integrity: string;
  readonly signatures?: readonly { readonly keyid: string; readonly sig: string }[];
  readonly attestations?: object;
};
type Packument = { readonly versions: Readonly<Record<string, { readonly dist: Dist }>> };
type App = ReturnType<typeof registry>["app"];

async function json<T>(app: App, path: string, accept = "application/json"): Promise<T> {
  const response = await app.request(path, { headers: { accept } });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

async function dist(app: App, path: string): Promise<Dist> {
  return (await json<{ readonly dist: Dist }>(app, path)).dist;
}
