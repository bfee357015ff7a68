import { expect, test } from "vitest";
import { NuGetClientError } from "./client-error.ts";
import {
  bytes,
  json,
  openHostile,
  REGISTRATION,
  SOURCE,
  VERSIONS,
} from "./hostile-feed.test.support.ts";
import { openNuGetClient } from "./open-client.ts";

test("reads the service index once, and again after half an hour", async () => {
  let now = Date.parse("2026-01-02T03:04:05Z");
  const { client, asked: requestsTo } = openHostile({}, { now: () => new Date(now) });
  await client.versions("acme");
  await client.versions("other");
  expect(requestsTo(SOURCE.href)).toHaveLength(1);
  now += 31 * 60_000;
  await client.versions("acme");
  expect(requestsTo(SOURCE.href)).toHaveLength(2);
});

test("takes the resource that clients like best, from a list of types too", async () => {
  const resources = [
    { "@id": "https://feed.example/old", "@type": "RegistrationsBaseUrl" },
    { "@id": "/relative", "@type": "RegistrationsBaseUrl/3.6.0" },
    { "@id": "https://feed.example/new", "@type": ["Other", "RegistrationsBaseUrl/3.4.0"] },
    { "@type": "PackagePublish/2.0.0" },
    { "@id": "https://feed.example/other", "@type": 7 },
    null,
  ];
  const { client } = openHostile({ [SOURCE.href]: json({ version: "3.1.0-beta", resources }) });
  expect(await client.resource("registration")).toBe("https://feed.example/new");
  expect(await client.resource("push")).toBeUndefined();
  await expect(client.push({ read: () => bytes("x") })).rejects.toMatchObject({
    code: "unsupported",
    message: "https://feed.example/v3/index.json: the feed does not offer PackagePublish/2.0.0",
  });
});

test.each<[string, unknown, string]>([
  ["no JSON", undefined, "the answer is not JSON"],
  ["a list", [], "the document is not an object"],
  ["version 2", { version: "2.0.0", resources: [] }, '"version" is not a version 3'],
  ["no version", { resources: [] }, '"version" is not a text'],
  ["resources of a wrong kind", { version: "3.0.0", resources: {} }, '"resources" is not an array'],
])("a service index that is %s is refused with its field", async (_, index, words) => {
  const table = { [SOURCE.href]: index === undefined ? () => new Response("<html>") : json(index) };
  const { client } = openHostile(table);
  const error: unknown = await client.versions("acme").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NuGetClientError);
  expect(error).toMatchObject({ code: "malformed", url: SOURCE.href });
  expect(String(error)).toContain(words);
});

test.each<[unknown, string]>([
  [{ versions: [7] }, '"versions[0]" is not a text'],
  [{ versions: "1.0.0" }, '"versions" is not an array'],
])("versions %j are refused", async (document, words) => {
  const { client } = openHostile({ [VERSIONS]: json(document) });
  await expect(client.versions("acme")).rejects.toThrow(words);
});

test("texts that are not versions are left out of the list of versions", async () => {
  const { client } = openHostile({ [VERSIONS]: json({ versions: ["1.0.0", "../../etc"] }) });
  expect(await client.versions("acme")).toEqual(["1.0.0"]);
});

test.each<[unknown, string]>([
  [{ items: [{ items: [{}] }] }, '"items[0].items[0].catalogEntry" is not an object'],
  [{ items: [{ "@id": "file:///etc/passwd" }] }, '"items[0].@id" is not an absolute address'],
  [{ items: [{ "@id": "https://feed.example/gone.json" }] }, "answered 404"],
  [{ items: [{ items: [{ catalogEntry: { version: "x" } }] }] }, "is not a version"],
])("registration %j is refused", async (document, words) => {
  const { client } = openHostile({ [REGISTRATION]: json(document) });
  await expect(client.registration("acme")).rejects.toThrow(words);
});

test("reads what other servers write differently", async () => {
  const catalogEntry = {
    "@id": "not an address",
    id: "Acme",
    version: "1.0.0+x",
    published: "1900-01-01T00:00:00+00:00",
    listed: false,
    authors: ["one", "two"],
    tags: "a b",
    description: null,
    deprecation: { reasons: ["legacy", "Unheard"], alternatePackage: { id: "Other", range: "" } },
    vulnerabilities: [{ advisoryUrl: "https://a.example/1", severity: "3" }],
  };
  const { client } = openHostile({
    [REGISTRATION]: json({ items: [{ items: [{ catalogEntry }] }] }),
  });
  expect(await client.registration("acme")).toEqual([
    {
      id: "Acme",
      version: "1.0.0+x",
      listed: false,
      deprecation: {
        reasons: ["Legacy", "Other"],
        alternatePackage: { id: "Other", range: "*" },
      },
      vulnerabilities: [{ url: "https://a.example/1", severity: 3 }],
      authors: "one, two",
      description: "",
      tags: ["a b"],
      texts: {},
      requireLicenseAcceptance: false,
      packageTypes: [],
      dependencyGroups: [],
    },
  ]);
});

test("a catalog is read in the order of its commits, to the last digit", async () => {
  const item = (time: string, version: string, type = "nuget:PackageDetails") => ({
    "@id": `https://feed.example/v3/data/${version}.json`,
    "@type": type,
    commitTimeStamp: time,
    "nuget:id": "Acme",
    "nuget:version": version,
  });
  const page = "https://feed.example/v3/page0.json";
  const { client } = openHostile({
    "https://feed.example/v3/catalog.json": json({
      items: [{ "@id": page, commitTimeStamp: "2026-01-02T03:04:05.1234569Z" }],
    }),
    [page]: json({
      items: [
        item("2026-01-02T03:04:05.1234569Z", "3.0.0"),
        item("2026-01-02T03:04:05.1234567Z", "1.0.0"),
        item("2026-01-02T03:04:05.1234568Z", "2.0.0"),
        item("2026-01-02T03:04:05.1234568Z", "2.0.1", "nuget:Unheard"),
      ],
    }),
  });
  const all = await Array.fromAsync(client.catalog());
  expect(all.map(({ version }) => version)).toEqual(["1.0.0", "2.0.0", "3.0.0"]);
  const after = all[0]?.commit;
  const rest = await Array.fromAsync(client.catalog({ after }));
  expect(rest.map(({ version }) => version)).toEqual(["2.0.0", "3.0.0"]);
  await expect(Array.fromAsync(client.catalog({ after: "later" }))).rejects.toThrow("not a cursor");
});

test("requires an absolute address of a source", () => {
  const open = (source: string) => () => openNuGetClient({ source: new URL(source), fetch });
  expect(open("https://me:secret@feed.example/v3/index.json")).toThrow(/credentials/);
  expect(open("file:///v3/index.json")).toThrow(/not a protocol/);
});
