import { expect, test } from "vitest";
import { parseSearchQuery } from "./search.ts";
import { buildNupkg } from "./testing/build-nupkg.ts";
import { createTestFeed } from "./testing/test-feed.ts";

const defaults = { text: "", skip: 0, take: 20, prerelease: false, semVer2: false };

test.each([
  ["", {}],
  ["q=+Json%20Writer+", { text: "Json Writer" }],
  ["q=a%00b%0Ac", { text: "a b c" }],
  [`q=${"x".repeat(1000)}`, { text: "x".repeat(256) }],
  ["skip=5&take=10", { skip: 5, take: 10 }],
  ["skip=-5&take=-1", { skip: 0, take: 0 }],
  ["skip=99999&take=99999", { skip: 3000, take: 1000 }],
  ["skip=x&take=1e3", {}],
  ["take=0", { take: 0 }],
  ["prerelease=TRUE", { prerelease: true }],
  ["prerelease=1", {}],
  ["semVerLevel=2.0.0", { semVer2: true }],
  ["semVerLevel=2.1.0-x", { semVer2: true }],
  ["semVerLevel=1.0.0", {}],
  ["semVerLevel=nonsense", {}],
  ["packageType=DotnetTool", { packageType: "DotnetTool" }],
  ["packageTypeFilter=DotnetTool", { packageType: "DotnetTool" }],
  ["packageType=", {}],
  ["includeDelisted=true&supportedFramework=net8.0", {}],
])("reads the parameters %j", (text, expected) => {
  expect(parseSearchQuery(new URLSearchParams(text))).toEqual({ ...defaults, ...expected });
});

async function filled() {
  const feed = createTestFeed();
  await feed.fill("Acme.Widgets", "1.0.0", "1.1.0-beta", "1.2.0-a.b+meta");
  await feed.push(
    buildNupkg({
      id: "Acme.Tool",
      version: "1.0.0",
      metadata: `<title>The tool</title><tags>cli</tags>
        <projectUrl>https://acme.example/</projectUrl>
        <packageTypes><packageType name="DotnetTool"/></packageTypes>`,
    }),
  );
  return feed;
}

test("describes each hit by its newest version, with integers and links", async () => {
  const feed = await filled();
  const registration = "https://feed.example/v3/registration-gz-semver2/acme.widgets";
  expect(await feed.json("/v3/search?q=widgets&prerelease=true&semVerLevel=2.0.0")).toEqual({
    totalHits: 1,
    data: [
      {
        "@id": `${registration}/index.json`,
        "@type": "Package",
        registration: `${registration}/index.json`,
        id: "Acme.Widgets",
        version: "1.2.0-a.b+meta",
        description: "The package Acme.Widgets.",
        summary: "",
        title: "Acme.Widgets",
        tags: [],
        authors: ["acme"],
        totalDownloads: 0,
        verified: false,
        packageTypes: [{ name: "Dependency" }],
        versions: [
          { version: "1.0.0", downloads: 0, "@id": `${registration}/1.0.0.json` },
          { version: "1.1.0-beta", downloads: 0, "@id": `${registration}/1.1.0-beta.json` },
          { version: "1.2.0-a.b+meta", downloads: 0, "@id": `${registration}/1.2.0-a.b.json` },
        ],
      },
    ],
  });
});

test("links hits for older clients to the hive they can read", async () => {
  const feed = await filled();
  expect(await feed.json("/v3/search?q=widgets")).toMatchObject({
    data: [
      {
        version: "1.0.0",
        registration: "https://feed.example/v3/registration/acme.widgets/index.json",
      },
    ],
  });
});

test("answers a search without hits with an empty list and a zero", async () => {
  const feed = await filled();
  expect(await feed.json("/v3/search?q=nothing")).toEqual({ totalHits: 0, data: [] });
  expect(await feed.json("/v3/search?packageType=Unknown")).toEqual({ totalHits: 0, data: [] });
});

test("filters by package type and finds tags", async () => {
  const feed = await filled();
  const tool = { id: "Acme.Tool", title: "The tool", packageTypes: [{ name: "DotnetTool" }] };
  expect(await feed.json("/v3/search?packageType=dotnettool")).toMatchObject({ data: [tool] });
  expect(await feed.json("/v3/search?q=cli")).toMatchObject({ totalHits: 1, data: [tool] });
});

test("completes ids and versions", async () => {
  const feed = await filled();
  expect(await feed.json("/v3/autocomplete?q=acme")).toEqual({
    totalHits: 2,
    data: ["Acme.Tool", "Acme.Widgets"],
  });
  expect(await feed.json("/v3/autocomplete?id=ACME.widgets")).toMatchObject({ data: ["1.0.0"] });
  expect(
    await feed.json("/v3/autocomplete?id=acme.widgets&prerelease=true&semVerLevel=2.0.0"),
  ).toMatchObject({ data: ["1.0.0", "1.1.0-beta", "1.2.0-a.b"] });
  await feed.app.request("/api/v2/package/acme.widgets/1.0.0", { method: "DELETE" });
  expect(await feed.json("/v3/autocomplete?id=acme.widgets")).toMatchObject({ data: [] });
  expect(await feed.json("/v3/autocomplete?id=a..b")).toMatchObject({ data: [] });
});
