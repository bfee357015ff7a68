import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { contentHash, packageBytesOf, readSignature } from "@sealhouse/repo-signing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";

const CLEAN_UP = new AsyncDisposableStack();
let host: TestHost;
let token = "";

beforeAll(async () => {
  const env = { AllowPackageOverwrites: "true", PackageDeletionBehavior: "HardDelete" };
  host = CLEAN_UP.use(await startHost({ env }));
  token = await host.makeToken({ scopes: "read,write,delete" });
});
afterAll(() => CLEAN_UP.disposeAsync());

test("serves an overwritten package everywhere, with a new signature", async () => {
  const [first, second] = [build("Over", "First"), build("Over", "Second")];
  expect((await push(first)).status).toBe(201);
  const before = await served("over");
  expect(before).toMatchObject({ title: "First", signature: { kind: "repository" } });
  // Twice, because the second read comes from the store.
  await served("over");

  const replaced = await push(second);
  expect(replaced.status).toBe(201);
  expect(replaced.headers.get("x-nuget-warning")).toContain("was overwritten");
  const after = await served("over");
  expect(after).toMatchObject({ title: "Second", signature: { kind: "repository" } });
  expect(after.etag).not.toBe(before.etag);
  expect(after.content).toBe(await contentOf(second));
});

test("a deleted number stays taken until the command line gives it free", async () => {
  await push(build("Gone", "First"));
  const headers = { "x-nuget-apikey": token };
  const deleted = await host.fetch("/api/v2/package/Gone/1.0", { method: "DELETE", headers });
  expect(deleted.status).toBe(204);
  expect((await host.fetch(fileOf("gone"))).status).toBe(404);

  const refused = await push(build("Gone", "Second"));
  expect([refused.status, refused.statusText]).toEqual([
    409,
    expect.stringMatching(/Gone 1\.0\.0 was deleted on \d{4}-/),
  ]);
  const tombstone = "/api/v2/package/Gone/1.0.0/tombstone";
  const denied = await host.fetch(tombstone, { method: "DELETE", headers });
  expect(denied.status).toBe(403);
  const allowed = await host.cli("package", "allow-reuse", "Gone", "1.0.0");
  expect(allowed.code).toBe(0);
  expect((await push(build("Gone", "Second"))).status).toBe(201);
});

test("a caller with the right to push sets a deprecation over HTTP, and readers see it at once", async () => {
  await push(build("Old", "First"));
  await served("old");
  const deprecate = (key: string) =>
    host.fetch("/api/v2/package/Old/deprecations", {
      method: "PUT",
      headers: { "x-nuget-apikey": key, "content-type": "application/json" },
      body: JSON.stringify({ reasons: ["Legacy"], message: "Use New." }),
    });
  expect((await deprecate(await host.makeToken({ scopes: "read" }))).status).toBe(403);
  expect((await deprecate(token)).status).toBe(200);
  const shown = await host.fetch("/v3/registration-semver2/old/index.json");
  expect(await shown.text()).toContain("Use New.");
});

test("a feed in read-only mode serves and takes nothing, and does not offer to", async () => {
  await using closed = await startHost({ env: { IsReadOnlyMode: "true" } });
  const key = await closed.makeToken({ scopes: "read,write" });
  expect((await push(build("Any", "First"), closed, key)).status).toBe(405);
  const index = await (await closed.fetch("/v3/index.json")).text();
  expect(index).toContain("RegistrationsBaseUrl");
  expect(index).not.toContain("PackagePublish");
});

function build(id: string, title: string): Uint8Array {
  const metadata = `<title>${title}</title>`;
  return buildNupkg({ id, version: "1.0.0", metadata, files: { "a.txt": title } });
}

async function push(bytes: Uint8Array, to = host, key = token): Promise<Response> {
  const headers = { "x-nuget-apikey": key };
  return to.fetch("/api/v2/package/", { method: "PUT", headers, body: Buffer.from(bytes) });
}

function fileOf(id: string): string {
  return `/v3/package/${id}/1.0.0/${id}.1.0.0.nupkg`;
}

async function served(id: string) {
  const answer = await host.fetch(fileOf(id));
  expect(answer.status).toBe(200);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const registration = await host.fetch(`/v3/registration-semver2/${id}/index.json`);
  return {
    etag: answer.headers.get("etag"),
    content: await contentOf(bytes),
    signature: await readSignature(packageBytesOf(bytes)),
    title: /"title":\s*"([^"]*)"/.exec(await registration.text())?.[1],
  };
}

/** The hash of lock files: equal for a package with and without a repository signature. */
async function contentOf(bytes: Uint8Array): Promise<string> {
  return (await contentHash(packageBytesOf(bytes), "SHA512")).toString("base64");
}
