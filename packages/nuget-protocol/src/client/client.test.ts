import type { PackageVerdict } from "@sealhouse/request-types";
import { expect, test } from "vitest";
import { writeCatalog } from "../catalog/write-catalog.ts";
import type { NuGetPorts } from "../ports.ts";
import { buildNupkg } from "../testing/build-nupkg.ts";
import { createMemoryCatalog } from "../testing/memory-catalog.ts";
import { testCaller } from "../testing/new-package.ts";
import { createTestFeed } from "../testing/test-feed.ts";
import type { NuGetClientOptions } from "./client.ts";
import { openNuGetClient } from "./open-client.ts";

const SOURCE = new URL("https://feed.example/v3/index.json");

/** A client of our own feed, without a socket. */
function openBoth(overrides: Partial<NuGetPorts> = {}, options: Partial<NuGetClientOptions> = {}) {
  const memory = createMemoryCatalog();
  const feed = createTestFeed({ ...memory, ...overrides });
  const client = openNuGetClient({
    source: SOURCE,
    fetch: async (url, init) => feed.app.request(url.href, init),
    wait: async () => undefined,
    ...options,
  });
  return { feed, client, memory };
}

function packageOf(id: string, version: string, metadata = "") {
  const bytes = buildNupkg({ id, version, metadata });
  return {
    bytes,
    size: bytes.length,
    async *read() {
      yield bytes.subarray(0, 100);
      yield bytes.subarray(100);
    },
  };
}

test("lists, downloads and describes what is in a feed", async () => {
  const { client } = openBoth();
  const widgets = packageOf("Acme.Widgets", "1.0.0-Beta.1", "<tags>one two</tags>");
  expect(await client.push(widgets)).toMatchObject({ status: "pushed" });
  expect((await client.push(packageOf("Acme.Widgets", "2.0.0"))).status).toBe("pushed");

  expect(await client.versions("acme.WIDGETS")).toEqual(["1.0.0-beta.1", "2.0.0"]);
  const identity = { id: "Acme.Widgets", version: "1.0-BETA.1" };
  await using download = await client.package(identity);
  expect(download?.size).toBe(widgets.size);
  expect(Buffer.concat(await Array.fromAsync(download?.body ?? [])).equals(widgets.bytes)).toBe(
    true,
  );
  expect(Buffer.from((await client.nuspec(identity)) ?? []).toString()).toContain("<tags>one two");

  const versions = await client.registration("ACME.widgets");
  expect(versions).toMatchObject([
    { id: "Acme.Widgets", version: "1.0.0-Beta.1", listed: true, tags: ["one", "two"] },
    { id: "Acme.Widgets", version: "2.0.0", authors: "acme", vulnerabilities: [] },
  ]);
  expect(versions?.[0]?.publishedAt).toBeInstanceOf(Date);
  expect(await client.registrationLeaf(identity)).toMatchObject({ listed: true });
});

test("what a feed does not have is undefined, also names that cannot exist", async () => {
  const { client } = openBoth();
  for (const id of ["unknown", "no/name", "../x", ""]) {
    const identity = { id, version: "1.0.0" };
    expect(await client.versions(id)).toBeUndefined();
    expect(await client.registration(id)).toBeUndefined();
    expect(await client.registrationLeaf(identity)).toBeUndefined();
    expect(await client.package(identity)).toBeUndefined();
    expect(await client.nuspec(identity)).toBeUndefined();
    expect(await client.readme(identity)).toBeUndefined();
  }
  expect(await client.package({ id: "acme", version: "no version" })).toBeUndefined();
  expect(await client.advisoryPages()).toBeUndefined();
  expect(await client.signatures()).toBeUndefined();
});

test("reads the registration of a package with a long history, page by page", async () => {
  const { client, feed } = openBoth();
  const versions = Array.from({ length: 130 }, (_, patch) => `1.0.${patch}`);
  await feed.fill("Acme", ...versions);
  const registeredVersions = await client.registration("Acme");
  expect(registeredVersions?.map(({ version }) => version)).toEqual(versions);
});

test("searches and completes", async () => {
  const { client, feed } = openBoth();
  await feed.fill("Acme.Widgets", "1.0.0", "1.1.0-beta");
  await feed.fill("Other", "1.0.0");
  const foundPackages = await client.search({ text: "widgets" });
  expect(foundPackages).toMatchObject({
    totalHits: 1,
    packages: [{ id: "Acme.Widgets", downloads: 0 }],
  });
  expect(foundPackages.packages[0]?.versions.map(({ version }) => version)).toContain("1.1.0-beta");
  expect(await client.search({ skip: 1, take: 1 })).toMatchObject({ totalHits: 2 });
  expect(await client.search({ text: "nothing" })).toEqual({ totalHits: 0, packages: [] });
  expect(await client.ids({ text: "acme" })).toEqual(["Acme.Widgets"]);
  expect(await client.listedVersions("acme.widgets")).toEqual(["1.0.0", "1.1.0-beta"]);
});

test("follows a catalog from a cursor on", async () => {
  const { client, feed, memory } = openBoth();
  await feed.fill("Acme", "1.0.0", "2.0.0");
  const time = new Date();
  const happened = (id: number, type: string, version: string) => ({
    id: String(id),
    type,
    subject: `nuget/Acme@${version}`,
    at: time,
  });
  await writeCatalog(memory, [
    happened(1, "package.published", "1.0.0"),
    happened(2, "package.published", "2.0.0"),
  ]);
  const first = await Array.fromAsync(client.catalog());
  expect(first).toMatchObject([
    { type: "details", id: "Acme", version: "1.0.0" },
    { type: "details", id: "Acme", version: "2.0.0" },
  ]);
  const [{ url } = { url: SOURCE }, { commit } = { commit: "" }] = first;
  expect(await client.catalogLeaf(url)).toMatchObject({ version: "1.0.0", listed: true });
  expect(await Array.fromAsync(client.catalog({ after: commit }))).toEqual([]);
  await writeCatalog(memory, [happened(3, "package.deleted", "1.0.0")]);
  expect(await Array.fromAsync(client.catalog({ after: commit }))).toMatchObject([
    { type: "delete", version: "1.0.0" },
  ]);
});

test("reports the result of a push in the words of the feed", async () => {
  const { client } = openBoth();
  const widgets = packageOf("Acme", "1.0.0", "<licenseUrl>https://acme.example/l</licenseUrl>");
  expect(await client.push(widgets)).toMatchObject({
    status: "pushed",
    remark: expect.stringContaining("<licenseUrl> is deprecated") as unknown,
  });
  expect(await client.push(widgets)).toMatchObject({ status: "exists" });
  const broken = { read: () => sourceOf("this is no package") };
  expect(await client.push(broken)).toMatchObject({
    status: "refused",
    httpStatus: 400,
    reason: expect.stringMatching(/zip|archive/i) as unknown,
  });
});

test("unlists and lists again", async () => {
  const { client, feed } = openBoth();
  await feed.fill("Acme", "1.0.0");
  const identity = { id: "acme", version: "1.0.0" };
  expect(await client.delete(identity)).toEqual({ status: "changed" });
  expect((await client.registration("acme"))?.[0]?.listed).toBe(false);
  expect(await client.relist(identity)).toEqual({ status: "changed" });
  expect(await client.relist({ id: "acme", version: "9.0.0" })).toEqual({ status: "absent" });
  expect(await client.delete({ id: "..", version: "9.0.0" })).toEqual({ status: "absent" });
});

test.each<[PackageVerdict, string]>([
  [{ status: "anonymous" }, "unauthorized"],
  [{ status: "denied", reason: "This token may only read." }, "unauthorized"],
  [{ status: "limited", retryAfterSeconds: 30 }, "failed"],
])("a forbidden push (%j) is reported as %s", async (verdict, status) => {
  const { client } = openBoth({ authorize: async () => verdict });
  const outcome = await client.push(packageOf("Acme", "1.0.0"));
  expect(outcome.status).toBe(status);
  if (outcome.status === "failed") expect(outcome.retryAfterMs).toBe(30_000);
});

test("credentials and the key reach the feed", async () => {
  const seen: string[] = [];
  const authorize: NuGetPorts["authorize"] = async (request, _env, { action }) => {
    seen.push(`${action} ${request.headers.get("authorization")}`);
    if (action === "publish") seen.push(`key ${request.headers.get("x-nuget-apikey")}`);
    return { status: "granted", caller: testCaller };
  };
  const basic = { type: "basic", username: "me", password: "secret" } as const;
  const { client } = openBoth({ authorize }, { credentials: basic, apiKey: "k1" });
  await client.versions("acme");
  await client.push(packageOf("Acme", "1.0.0"));
  const encoded = Buffer.from("me:secret").toString("base64");
  expect(new Set(seen)).toEqual(
    new Set([`read Basic ${encoded}`, `publish Basic ${encoded}`, "key k1"]),
  );
});

async function* sourceOf(text: string) {
  yield Buffer.from(text);
}
