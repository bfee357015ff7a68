import { expect, test } from "vitest";
import type { ServiceIndexFeatures } from "./service-index.ts";
import { serviceIndex } from "./service-index.ts";
import { createMemoryNuGetPorts } from "./testing/memory-ports.ts";
import { createTestFeed } from "./testing/test-feed.ts";

const everything: ServiceIndexFeatures = {
  acceptsPackages: true,
  signs: "some",
  hasVulnerabilities: true,
  reportAbuseUrl: "https://abuse.example/{id}/{version}",
};
const nothing: ServiceIndexFeatures = {
  acceptsPackages: false,
  signs: "none",
  hasVulnerabilities: false,
};

test("names every resource that clients look for, with absolute links", () => {
  const base = "https://feed.example/nuget";
  const [registration, signatures] = [
    `${base}/v3/registration/`,
    `${base}/v3/repository-signatures/index.json`,
  ];
  const [search, complete] = [`${base}/v3/search`, `${base}/v3/autocomplete`];
  const abuse = "https://abuse.example/{id}/{version}";
  expect(linksOf(serviceIndex(base, everything))).toEqual({
    "PackageBaseAddress/3.0.0": `${base}/v3/package/`,
    RegistrationsBaseUrl: registration,
    "RegistrationsBaseUrl/3.0.0-beta": registration,
    "RegistrationsBaseUrl/3.0.0-rc": registration,
    "RegistrationsBaseUrl/3.4.0": `${base}/v3/registration-gz-semver1/`,
    "RegistrationsBaseUrl/3.6.0": `${base}/v3/registration-gz-semver2/`,
    "RegistrationsBaseUrl/Versioned": `${base}/v3/registration-gz-semver2/`,
    SearchQueryService: search,
    "SearchQueryService/3.0.0-beta": search,
    "SearchQueryService/3.0.0-rc": search,
    "SearchQueryService/3.5.0": search,
    SearchAutocompleteService: complete,
    "SearchAutocompleteService/3.0.0-beta": complete,
    "SearchAutocompleteService/3.0.0-rc": complete,
    "SearchAutocompleteService/3.5.0": complete,
    "Catalog/3.0.0": `${base}/v3/catalog/index.json`,
    "ReadmeUriTemplate/6.13.0": `${base}/v3/package/{lower_id}/{lower_version}/readme`,
    "PackageDetailsUriTemplate/5.1.0": `${base}/packages/{id}/{version}`,
    "OwnerDetailsUriTemplate/6.11.0": `${base}/packages?q=owner:{owner}`,
    "PackagePublish/2.0.0": `${base}/api/v2/package`,
    "SymbolPackagePublish/4.9.0": `${base}/api/v2/symbolpackage`,
    "RepositorySignatures/4.7.0": signatures,
    "RepositorySignatures/4.9.0": signatures,
    "RepositorySignatures/5.0.0": signatures,
    "VulnerabilityInfo/6.7.0": `${base}/v3/vulnerabilities/index.json`,
    "ReportAbuseUriTemplate/3.0.0": abuse,
    "ReportAbuseUriTemplate/3.0.0-beta": abuse,
    "ReportAbuseUriTemplate/3.0.0-rc": abuse,
  });
});

test("leaves out what the feed does not offer", () => {
  const types = Object.keys(linksOf(serviceIndex("https://feed.example", nothing))).join(" ");
  expect(types).not.toMatch(/Publish|RepositorySignatures|Vulnerability|ReportAbuse/);
});

test.each([
  ["some packages signed", "https://feed.example", "some", ["4.7.0", "4.9.0", "5.0.0"]],
  ["all packages signed", "https://feed.example", "all", ["5.0.0"]],
  ["none signed", "https://feed.example", "none", []],
  ["some signed over plain http", "http://feed.example", "some", []],
  ["all signed over plain http", "http://feed.example", "all", []],
] as const)("lists repository signatures with %s (%s, %s): %j", (_, base, signs, expected) => {
  const types = Object.keys(linksOf(serviceIndex(base, { ...everything, signs })));
  const foundTypes = types.filter((type) => type.startsWith("RepositorySignatures/"));
  expect(foundTypes).toEqual(expected.map((version) => `RepositorySignatures/${version}`));
});

test("answers every caller, with the address of the request", async () => {
  const { app } = createTestFeed({
    authorize: async () => ({ status: "anonymous" }),
    address: (request) => ({ base: `https://${new URL(request.url).host}/x`, cacheable: true }),
  });
  for (const host of ["one.example", "two.example", "one.example"]) {
    const response = await app.request(`https://${host}/v3/index.json`);
    expect(response.status).toBe(200);
    expect(linksOf(await response.json())).toHaveProperty(
      "SearchQueryService",
      `https://${host}/x/v3/search`,
    );
  }
});

test("notices within seconds what has changed, and does not ask before", async () => {
  let [time, requestCount, hasAdvisories, isComplete] = [0, 0, false, false];
  const { ports } = createMemoryNuGetPorts();
  const date = new Date("2026-01-02T03:04:05Z");
  const feed = createTestFeed(
    {
      advisories: {
        ...ports.advisories,
        state: async () => {
          requestCount += 1;
          return hasAdvisories ? { baseAt: date, updatedAt: date } : undefined;
        },
      },
      certificates: { ...ports.certificates, allRepositorySigned: async () => isComplete },
    },
    { signingEnabled: true, now: () => new Date(time) },
  );
  const offered = async () => {
    const links = linksOf(await feed.json("/v3/index.json"));
    return ["VulnerabilityInfo/6.7.0", "RepositorySignatures/4.7.0"].map((type) => type in links);
  };
  expect(await offered()).toEqual([false, true]);
  [hasAdvisories, isComplete, time] = [true, true, 14_999];
  expect(await offered()).toEqual([false, true]);
  expect(requestCount).toBe(1);
  time = 15_000;
  expect(await Promise.all([offered(), offered()])).toEqual([
    [true, false],
    [true, false],
  ]);
  expect(requestCount).toBe(2);
});

test("asks again after the catalog could not answer", async () => {
  let fails = true;
  const { ports } = createMemoryNuGetPorts();
  const state = async () => {
    if (fails) throw new Error("no database");
    return undefined;
  };
  const feed = createTestFeed({ advisories: { ...ports.advisories, state } });
  await expect(feed.get("/v3/index.json")).rejects.toThrow("no database");
  fails = false;
  expect((await feed.get("/v3/index.json")).status).toBe(200);
});

test("offers no pushing in read-only mode, and reporting where the operator says", async () => {
  const reportAbuseUrl = "https://abuse.example/";
  const feed = createTestFeed({}, { isReadOnlyMode: true, reportAbuseUrl });
  const links = linksOf(await feed.json("/v3/index.json"));
  expect(Object.keys(links).join(" ")).not.toContain("Publish");
  expect(links).toHaveProperty("ReportAbuseUriTemplate/3.0.0", reportAbuseUrl);
});

function linksOf(index: unknown): Record<string, string> {
  const { resources } = index as { resources: { "@id": string; "@type": string }[] };
  return Object.fromEntries(resources.map((resource) => [resource["@type"], resource["@id"]]));
}
