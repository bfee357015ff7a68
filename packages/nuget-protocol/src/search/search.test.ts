import { array, assert, asyncProperty, boolean, constantFrom, oneof, string } from "fast-check";
import { expect, test } from "vitest";
import { buildNupkg } from "../testing/build-nupkg.ts";
import { createMemoryCatalog } from "../testing/memory-catalog.ts";
import { createTestFeed } from "../testing/test-feed.ts";

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
        owners: ["token:test"],
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

test("shows all there is to know of the newest version", async () => {
  const { advisories } = createMemoryCatalog();
  const feed = createTestFeed({ advisories });
  await feed.push(
    buildNupkg({
      id: "Acme.Full",
      version: "1.0.0",
      metadata: `<license type="expression">MIT</license><readme>readme.md</readme>
        <icon>icon.png</icon><summary>In short</summary>`,
      files: { "readme.md": "# Acme", "icon.png": Buffer.from("89504e470d0a1a0a", "hex") },
    }),
  );
  const message = "Use another";
  const deprecation = { reasons: ["Legacy"], message } as const;
  const caller = { actor: "admin" };
  await feed.ports.lifecycle.deprecate("acme.full", "all", deprecation, caller);
  const advisory = { id: "acme.full", severity: 2 } as const;
  await advisories.replace("test", [
    { ...advisory, url: "https://a.example/1", versions: "(, 2.0.0)" },
    { ...advisory, url: "https://a.example/2", versions: "[3.0.0, )" },
  ]);
  const content = "https://feed.example/v3/package/acme.full/1.0.0";
  expect(await feed.json("/v3/search?q=acme.full")).toMatchObject({
    data: [
      {
        summary: "In short",
        licenseExpression: "MIT",
        licenseUrl: "https://licenses.nuget.org/MIT",
        readmeUrl: `${content}/readme`,
        iconUrl: `${content}/icon`,
        deprecation,
        vulnerabilities: [{ advisoryUrl: "https://a.example/1", severity: 2 }],
      },
    ],
  });
});

test("filters by the frameworks that the files of a package are for", async () => {
  const feed = createTestFeed();
  const files = { "lib/netstandard2.0/a.dll": "a", "build/a.targets": "<Project/>" };
  await feed.push(buildNupkg({ id: "Acme.Shared", version: "1.0.0", files }));
  await feed.push(
    buildNupkg({ id: "Acme.New", version: "1.0.0", files: { "lib/net8.0/a.dll": "a" } }),
  );
  const totalFor = async (query: string) =>
    (await feed.json(`/v3/search?q=acme&${query}`)) as { totalHits: number };
  expect(await totalFor("framework=net472")).toMatchObject({ totalHits: 1 });
  expect(await totalFor("framework=net8.0")).toMatchObject({ totalHits: 2 });
  expect(await totalFor("framework=net8.0,net472")).toMatchObject({ totalHits: 1 });
  expect(await totalFor("framework=net8.0&framework=net472")).toMatchObject({ totalHits: 1 });
  expect(await totalFor("framework=net8.0,net472&frameworkFilterMode=any")).toMatchObject({
    totalHits: 2,
  });
  const long = encodeURIComponent(".NETFramework,Version=v4.7.2");
  expect(await totalFor(`supportedFramework=${long}`)).toMatchObject({ totalHits: 1 });
  expect(await totalFor(`supportedFramework=${long}&supportedFramework=net8.0`)).toMatchObject({
    totalHits: 2,
  });
});

test("lists the dependents of a package", async () => {
  const feed = createTestFeed();
  const metadata = `<dependencies><dependency id="Acme.Base" version="1.0.0"/></dependencies>`;
  await feed.push(buildNupkg({ id: "Acme.User", version: "1.0.0", metadata }));
  expect(await feed.json("/v3/dependents?packageId=ACME.base")).toEqual({
    totalHits: 1,
    data: [{ id: "Acme.User", description: "The package Acme.User.", totalDownloads: 0 }],
  });
  const none = { totalHits: 0, data: [] };
  for (const query of ["", "?packageId=", "?packageId=a..b", "?packageId=acme.user"]) {
    expect(await feed.json(`/v3/dependents${query}`)).toEqual(none);
  }
});

test("answers any text, with at least as many hits in all as on the page", async () => {
  const feed = await filled();
  const odd = constantFrom(
    ..."acme id:widgets tags:cli owner:x \" ' ( ) * : ^ - \\ % _ AND".split(" "),
  );
  const text = oneof(
    string({ unit: "binary" }),
    array(odd).map((all) => all.join(" ")),
  );
  await assert(
    asyncProperty(text, boolean(), async (q, prerelease) => {
      const query = new URLSearchParams({ q, prerelease: String(prerelease) });
      const response = await feed.get(`/v3/search?${query.toString()}`);
      expect(response.status).toBe(200);
      const { totalHits, data } = (await response.json()) as { totalHits: number; data: object[] };
      expect(totalHits).toBeGreaterThanOrEqual(data.length);
      expect((await feed.get(`/v3/autocomplete?${query.toString()}`)).status).toBe(200);
    }),
  );
});
