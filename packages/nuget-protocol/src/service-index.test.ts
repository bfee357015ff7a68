import { expect, test } from "vitest";
import { serviceIndex } from "./service-index.ts";
import { createTestFeed } from "./testing/test-feed.ts";

const everything = { takesPackages: true, signsPackages: true };

test("names every resource that clients look for, with absolute links", () => {
  expect(linksOf(serviceIndex("https://feed.example/nuget", everything))).toEqual({
    "PackageBaseAddress/3.0.0": "https://feed.example/nuget/v3/package/",
    RegistrationsBaseUrl: "https://feed.example/nuget/v3/registration/",
    "RegistrationsBaseUrl/3.0.0-beta": "https://feed.example/nuget/v3/registration/",
    "RegistrationsBaseUrl/3.0.0-rc": "https://feed.example/nuget/v3/registration/",
    "RegistrationsBaseUrl/3.4.0": "https://feed.example/nuget/v3/registration-gz-semver1/",
    "RegistrationsBaseUrl/3.6.0": "https://feed.example/nuget/v3/registration-gz-semver2/",
    SearchQueryService: "https://feed.example/nuget/v3/search",
    "SearchQueryService/3.0.0-beta": "https://feed.example/nuget/v3/search",
    "SearchQueryService/3.0.0-rc": "https://feed.example/nuget/v3/search",
    "SearchQueryService/3.5.0": "https://feed.example/nuget/v3/search",
    SearchAutocompleteService: "https://feed.example/nuget/v3/autocomplete",
    "SearchAutocompleteService/3.0.0-beta": "https://feed.example/nuget/v3/autocomplete",
    "SearchAutocompleteService/3.0.0-rc": "https://feed.example/nuget/v3/autocomplete",
    "SearchAutocompleteService/3.5.0": "https://feed.example/nuget/v3/autocomplete",
    "PackagePublish/2.0.0": "https://feed.example/nuget/api/v2/package",
    "RepositorySignatures/5.0.0": "https://feed.example/nuget/v3/repository-signatures/index.json",
  });
});

test.each([
  ["over http", "http://feed.example", everything, false],
  ["without signing", "https://feed.example", { ...everything, signsPackages: false }, false],
  ["over https with signing", "https://feed.example", everything, true],
])("tells of repository signatures %s: %s %o %s", (_, base, offer, expected) => {
  expect("RepositorySignatures/5.0.0" in linksOf(serviceIndex(base, offer))).toBe(expected);
});

test("offers no pushing in read-only mode", () => {
  const index = serviceIndex("https://feed.example", { ...everything, takesPackages: false });
  expect(linksOf(index)).not.toHaveProperty("PackagePublish/2.0.0");
});

test("answers anybody, with the address the request came by", async () => {
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

function linksOf(index: unknown): Record<string, string> {
  const { resources } = index as { resources: { "@id": string; "@type": string }[] };
  return Object.fromEntries(resources.map((one) => [one["@type"], one["@id"]]));
}
