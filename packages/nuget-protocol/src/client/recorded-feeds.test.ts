import { expect, test } from "vitest";
import type { FoundPackages } from "./search.ts";
import type { RegisteredVersion } from "./registered-version.ts";
import { json, openHostile, REGISTRATION } from "./hostile-feed.test.support.ts";

const LEAF = "https://feed.example/v3/registration/acme/1.0.0.json";
const NUPKG = "https://feed.example/v3/package/acme/1.0.0/acme.1.0.0.nupkg";

/** Registrations in the form of other servers, from their source code or from public reports. */
const REGISTRATIONS: readonly [string, object, readonly Partial<RegisteredVersion>[]][] = [
  [
    "BaGet and BaGetter, with names as package types",
    indexOf({
      downloads: 3,
      hasReadme: false,
      packageTypes: ["Dependency", "DotnetTool"],
      releaseNotes: null,
      repositoryUrl: null,
      "@id": null,
      id: "Acme",
      version: "1.0.0+build",
      authors: "one, two",
      dependencyGroups: [
        { targetFramework: "net8.0", dependencies: [{ id: "Other", range: "[2.0.0, )" }] },
        { targetFramework: null, dependencies: [] },
      ],
      deprecation: null,
      description: "About Acme.",
      iconUrl: "",
      language: null,
      listed: false,
      minClientVersion: null,
      packageContent: NUPKG,
      projectUrl: "https://acme.example/",
      published: "2024-05-06T07:08:09.1234567Z",
      requireLicenseAcceptance: false,
      tags: ["a", "b"],
      title: "Acme",
    }),
    [
      {
        id: "Acme",
        version: "1.0.0+build",
        listed: false,
        publishedAt: new Date("2024-05-06T07:08:09.123Z"),
        authors: "one, two",
        tags: ["a", "b"],
        packageTypes: ["Dependency", "DotnetTool"],
        texts: { title: "Acme", projectUrl: "https://acme.example/" },
        dependencyGroups: [
          { targetFramework: "net8.0", dependencies: [{ id: "Other", range: "[2.0.0, )" }] },
          { dependencies: [] },
        ],
      },
    ],
  ],
  [
    "Azure Artifacts, without ids and authors",
    indexOf({
      listed: true,
      projectUrl: "",
      published: "2021-12-03T03:20:52Z",
      version: "2.5.7.10213",
    }),
    [{ id: "acme", version: "2.5.7.10213", listed: true, authors: "", texts: {} }],
  ],
  [
    "GitHub Packages, with lists of tags and without a time",
    indexOf({
      "@id": LEAF,
      authors: "Someone",
      copyright: "",
      dependencyGroups: [],
      description: "Package Description",
      iconUrl: "",
      id: "acme",
      isPrerelease: false,
      language: "",
      tags: [],
      version: "1.5.1",
    }),
    [{ version: "1.5.1", listed: true, tags: [], description: "Package Description" }],
  ],
  [
    "Gitea, with names of fields in other casing",
    indexOf({
      "@id": LEAF,
      packageContent: NUPKG,
      id: "Acme",
      version: "1.0.0",
      description: "",
      releaseNotes: "",
      authors: "gitea",
      requireLicenseAcceptance: false,
      projectURL: "https://acme.example/",
      dependencyGroups: [
        { targetFramework: ".NETStandard2.0", dependencies: [{ id: "Other", range: "1.0.0" }] },
      ],
    }),
    [{ id: "Acme", texts: { projectUrl: "https://acme.example/" }, packageTypes: [] }],
  ],
  [
    "ProGet, with an empty page for an unknown package",
    { count: 1, items: [{ count: 0, items: [], parent: LEAF, lower: null, upper: null }] },
    [],
  ],
  [
    "nuget.org, with package types as objects, lists of ranges and unlisted versions",
    indexOf({
      "@id": LEAF,
      "@type": "PackageDetails",
      authors: ["one", "two"],
      id: "Acme",
      listed: false,
      packageTypes: [{ name: "Template" }],
      published: "1900-01-01T00:00:00+00:00",
      tags: [""],
      version: "1.0.0",
      dependencyGroups: [
        { dependencies: [{ id: "Other", range: ["[1.0.0, )", "[2.0.0, )"] }, { id: "Any" }] },
      ],
    }),
    [
      {
        authors: "one, two",
        tags: [],
        packageTypes: ["Template"],
        dependencyGroups: [
          {
            dependencies: [
              { id: "Other", range: "[1.0.0, )" },
              { id: "Any", range: "(, )" },
            ],
          },
        ],
      },
    ],
  ],
];

test.each(REGISTRATIONS)("reads the registration of %s", async (_, document, expected) => {
  const { client } = openHostile({ [REGISTRATION]: json(document) });
  const found = await client.registration("acme");
  expect(found).toHaveLength(expected.length);
  expect(found).toMatchObject(expected);
});

const UNUSABLE = [null, 7, true, "", "soon", {}, [], [null], [{}], [7]] as const;
const FIELDS = [
  "@id",
  "id",
  "authors",
  "description",
  "tags",
  "title",
  "listed",
  "published",
  "deprecation",
  "vulnerabilities",
  "requireLicenseAcceptance",
  "packageTypes",
  "dependencyGroups",
  "packageContent",
] as const;

test.each(FIELDS)("a registration is read whatever its field %s is", async (name) => {
  for (const value of UNUSABLE) {
    const document = indexOf({ version: "1.0.0", [name]: value }, { [name]: value });
    const { client } = openHostile({ [REGISTRATION]: json(document) });
    const [version] = (await client.registration("acme")) ?? [];
    expect(version?.version, JSON.stringify(value)).toBe("1.0.0");
    if (name !== "listed") expect(version?.listed).toBe(true);
    if (name === "published") expect(version?.publishedAt).toBeUndefined();
  }
});

test("flags in quotes are read", async () => {
  const document = indexOf({ version: "1.0.0", listed: "False", requireLicenseAcceptance: "true" });
  const { client } = openHostile({ [REGISTRATION]: json(document) });
  expect(await client.registration("acme")).toMatchObject([
    { listed: false, requireLicenseAcceptance: true },
  ]);
});

test.each<[string, object, Partial<FoundPackages>]>([
  [
    "Gitea, without downloads",
    {
      totalHits: 1,
      data: [{ id: "Acme", version: "1.0.0", versions: [{ version: "1.0.0" }], authors: "gitea" }],
    },
    {
      totalHits: 1,
      packages: [
        {
          id: "Acme",
          version: "1.0.0",
          description: "",
          authors: "gitea",
          tags: [],
          texts: {},
          downloads: 0,
          versions: [{ version: "1.0.0", downloads: 0 }],
        },
      ],
    },
  ],
  ["a feed without a total", { data: [{ id: "Acme", version: "1.0.0" }] }, { totalHits: 1 }],
  ["a feed with useless hits", { totalHits: 9, data: [null, {}, { id: 7 }] }, { packages: [] }],
])("reads the search of %s", async (_, document, expected) => {
  const url = "https://feed.example/v3/search?prerelease=true&semVerLevel=2.0.0";
  const { client } = openHostile({ [url]: json(document) });
  expect(await client.search({})).toMatchObject(expected);
});

/** A registration with one version. */
function indexOf(catalogEntry: object, leaf: object = {}): object {
  const item = { "@id": LEAF, packageContent: NUPKG, ...leaf, catalogEntry };
  const { version = "" } = catalogEntry as { readonly version?: string };
  const page = { "@id": LEAF, count: 1, lower: version, upper: version, items: [item] };
  return { "@id": REGISTRATION, count: 1, totalDownloads: 3, items: [page] };
}
