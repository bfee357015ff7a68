import { expect, test } from "vitest";
import { parsePackageVersion } from "../notation/package-version.ts";
import type { PackageRecord } from "../stored-package.ts";
import type { Registration } from "./registration.ts";
import {
  registrationIndex,
  registrationLeaf,
  registrationPage,
  versionsOfPage,
} from "./registration.ts";
import { newPackage } from "../testing/new-package.ts";

type Page = {
  readonly "@id": string;
  readonly count: number;
  readonly lower: string;
  readonly upper: string;
  readonly parent?: string;
  readonly items?: readonly { readonly catalogEntry: { readonly version: string } }[];
};
type Index = { readonly count: number; readonly items: readonly Page[] };

const base = "https://feed.example";

test("describes a version completely, and leaves out what does not exist", () => {
  const details = JSON.stringify({
    id: "Acme.Widgets",
    version: "1.2.3-beta.1+meta.7",
    authors: "acme",
    description: "Widgets.",
    tags: ["a"],
    projectUrl: "https://acme.example/",
    license: { type: "expression", text: "MIT" },
    requireLicenseAcceptance: true,
    dependencyGroups: [
      { targetFramework: "net8.0", dependencies: [{ id: "Contoso.X", range: "[1.0.0, )" }] },
      { dependencies: [] },
    ],
  });
  const record = recordOf("Acme.Widgets", "1.2.3-beta.1+meta.7", { details, listed: false });
  const hive = `${base}/v3/registration-gz-semver2/acme.widgets`;
  const [index, leaf] = [`${hive}/index.json`, `${hive}/1.2.3-beta.1.json`];
  const content = `${base}/v3/package/acme.widgets/1.2.3-beta.1/acme.widgets.1.2.3-beta.1.nupkg`;
  const document: unknown = JSON.parse(
    JSON.stringify(registrationIndex({ base, hive: "semver2", records: [record] })),
  );
  expect(document).toEqual({
    "@id": index,
    "@type": ["catalog:CatalogRoot", "PackageRegistration", "catalog:Permalink"],
    count: 1,
    items: [
      {
        "@id": `${hive}/page/1.2.3-beta.1/1.2.3-beta.1.json`,
        "@type": "catalog:CatalogPage",
        count: 1,
        lower: "1.2.3-beta.1",
        upper: "1.2.3-beta.1",
        parent: index,
        items: [
          {
            "@id": leaf,
            "@type": "Package",
            packageContent: content,
            registration: index,
            catalogEntry: {
              "@id": leaf,
              "@type": "PackageDetails",
              id: "Acme.Widgets",
              version: "1.2.3-beta.1+meta.7",
              listed: false,
              published: "2026-01-02T03:04:05.678Z",
              authors: "acme",
              description: "Widgets.",
              tags: ["a"],
              projectUrl: "https://acme.example/",
              licenseExpression: "MIT",
              licenseUrl: "https://licenses.nuget.org/MIT",
              requireLicenseAcceptance: true,
              packageContent: content,
              packageTypes: [{ name: "Dependency" }],
              dependencyGroups: [
                {
                  targetFramework: "net8.0",
                  dependencies: [
                    {
                      id: "Contoso.X",
                      range: "[1.0.0, )",
                      registration: `${base}/v3/registration-gz-semver2/contoso.x/index.json`,
                    },
                  ],
                },
                { dependencies: [] },
              ],
            },
          },
        ],
      },
    ],
  });
});

test("shows deprecation and the advisories on the version", () => {
  const deprecation = {
    reasons: ["Legacy", "Other"],
    message: "Moved.",
    alternatePackage: { id: "Contoso.X", range: "*" },
  } as const;
  const records = [
    recordOf("Acme", "1.0.0", { deprecation }),
    recordOf("Acme", "2.0.0"),
    recordOf("Acme", "3.0.0"),
  ];
  const advisories = [
    { severity: 3, url: "https://advisories.example/1", versions: "(, 2.0.0)" },
    { severity: 0, url: "https://advisories.example/2", versions: "[1.0.0, 3.0.0)" },
  ] as const;
  const entries = entriesOf({ base, hive: "semver2", records, advisories });
  expect(entries.map((entry) => [entry["deprecation"], entry["vulnerabilities"]])).toEqual([
    [
      deprecation,
      [
        { advisoryUrl: "https://advisories.example/1", severity: "3" },
        { advisoryUrl: "https://advisories.example/2", severity: "0" },
      ],
    ],
    [undefined, [{ advisoryUrl: "https://advisories.example/2", severity: "0" }]],
    [undefined, undefined],
  ]);
});

const content = `${base}/v3/package/acme/1.0.0-beta`;
const remote = {
  iconUrl: "https://acme.example/i.png",
  licenseUrl: "https://acme.example/license",
};

test.each([
  ["nothing", {}, {}],
  ["addresses of the manifest", remote, remote],
  [
    "files of the package",
    {
      ...remote,
      icon: "i.png",
      readme: "docs/r.md",
      license: { type: "file", text: "LICENSE" },
    },
    {
      iconUrl: `${content}/icon`,
      licenseUrl: `${content}/license`,
      readmeUrl: `${content}/readme`,
    },
  ],
  [
    "an expression",
    { license: { type: "expression", text: "MIT OR Apache-2.0" } },
    {
      licenseUrl: "https://licenses.nuget.org/MIT%20OR%20Apache-2.0",
      licenseExpression: "MIT OR Apache-2.0",
    },
  ],
])("links to readme, icon and license: %s", (_, details, expected) => {
  const records = [recordOf("Acme", "1.0.0-Beta", { details: JSON.stringify(details) })];
  const [entry = {}] = entriesOf({ base, hive: "semver2", records });
  const names = ["iconUrl", "licenseUrl", "readmeUrl", "licenseExpression"];
  const links = Object.entries(entry).filter(([name]) => names.includes(name));
  expect(Object.fromEntries(links)).toEqual(expected);
});

test.each([
  "{}",
  "null",
  "[]",
  "",
  "not JSON",
  '{"tags":"a b","dependencyGroups":{},"license":"MIT","packageTypes":[null,{}],"title":7}',
  '{"dependencyGroups":[null,{"dependencies":[null,{"id":"X"},{"id":"Y","range":""}]}]}',
])("shows a version whose details are %j", (details) => {
  const [entry = {}] = entriesOf({
    base,
    hive: "semver2",
    records: [recordOf("Acme", "1.0.0", { details })],
  });
  expect(entry).toMatchObject({
    id: "Acme",
    authors: "",
    description: "",
    tags: [],
    packageTypes: [{ name: "Dependency" }],
    requireLicenseAcceptance: false,
  });
  const ranges = JSON.stringify(entry["dependencyGroups"]).match(/"range":"[^"]*"/g) ?? [];
  expect(new Set(ranges)).toEqual(new Set(details.includes("X") ? ['"range":"(, )"'] : []));
});

test.each([
  [1, 1, true],
  [64, 1, true],
  [65, 2, true],
  [127, 2, true],
  [128, 2, false],
  [130, 3, false],
])("puts %i versions on %i pages, inlined: %s", (versions, pages, isInlined) => {
  const index = indexOf(many(versions));
  expect(index.count).toBe(pages);
  expect(index.items.every((page) => (page.items !== undefined) === isInlined)).toBe(true);
  expect(index.items.reduce((sum, page) => sum + page.count, 0)).toBe(versions);
});

test("orders versions by precedence over all pages, and bounds each page rightly", () => {
  const records = many(130).toReversed();
  const index = indexOf(records);
  expect(index.items.map(({ lower, upper, count }) => [lower, upper, count])).toEqual([
    ["1.0.0", "1.63.0", 64],
    ["1.64.0", "1.127.0", 64],
    ["1.128.0", "1.129.0", 2],
  ]);
  const page = pageOf(records, "1.64.0", "1.127.0");
  expect(page).toMatchObject({ isCurrent: true, document: index.items[1] });
  const versions = (page?.document as Page | undefined)?.items?.map(
    (item) => item.catalogEntry.version,
  );
  expect(versions).toEqual(Array.from({ length: 64 }, (_, position) => `1.${position + 64}.0`));
});

test("still answers a page of an older index, and says that it is none of the present one", () => {
  const records = many(130);
  expect(pageOf(records, "1.64.0", "1.100.0")).toMatchObject({
    isCurrent: false,
    document: { count: 37, lower: "1.64.0", upper: "1.100.0" },
  });
  expect(pageOf(records, "2.0.0", "3.0.0")).toBeUndefined();
});

test("gives no page that is many pages long", () => {
  const records = many(300);
  expect(pageOf(records, "1.0.0", "1.255.0")).toMatchObject({ document: { count: 256 } });
  expect(pageOf(records, "1.0.0", "1.256.0")).toBeUndefined();
});

test("hides SemVer 2.0.0 packages from the older hive, whatever they are", () => {
  const records = [
    recordOf("Acme", "1.0.0"),
    recordOf("Acme", "2.0.0", { isSemVer2: true }),
    recordOf("Acme", "3.0.0-a.b"),
  ];
  const versions = indexOf(records, "semver1").items[0]?.items;
  expect(versions?.map((item) => item.catalogEntry.version)).toEqual(["1.0.0"]);
  expect(indexOf(records, "semver2").items[0]?.count).toBe(3);
  expect(registrationIndex({ base, hive: "semver1", records: records.slice(1) })).toBeUndefined();
});

test("gives a leaf for a version in any spelling", () => {
  const version = parsePackageVersion("01.0-BETA");
  if (!version) throw new Error("it is a version");
  const records = [recordOf("Acme", "1.0.0-Beta")];
  expect(registrationLeaf({ base, hive: "semver1", records }, version)).toMatchObject({
    "@id": `${base}/v3/registration/acme/1.0.0-beta.json`,
    listed: true,
    registration: `${base}/v3/registration/acme/index.json`,
  });
  // A reader that follows the address of the details finds them.
  const [page] = indexOf(records, "semver1").items;
  const entry = page?.items?.[0]?.catalogEntry;
  const leaf = registrationLeaf({ base, hive: "semver1", records }, version);
  expect(leaf).toMatchObject({
    catalogEntry: `${base}/v3/registration/acme/1.0.0-beta.json`,
    ...entry,
    "@type": expect.arrayContaining(["Package", "PackageDetails"]) as unknown,
  });
  expect(registrationLeaf({ base, hive: "semver1", records: [] }, version)).toBeUndefined();
});

function recordOf(
  id: string,
  version: string,
  overrides: Partial<PackageRecord> = {},
): PackageRecord {
  const { deprecation: _, ...rest } = newPackage({ id, version });
  const storedFields = { size: rest.blob.size, origin: "Published", publishedBy: "" } as const;
  return { ...rest, ...storedFields, listed: true, downloads: 0, ...overrides };
}

function entriesOf(registration: Registration): readonly Record<string, unknown>[] {
  const document = JSON.parse(JSON.stringify(registrationIndex(registration))) as {
    items: { items: { catalogEntry: Record<string, unknown> }[] }[];
  };
  return document.items.flatMap((page) => page.items.map((item) => item.catalogEntry));
}

function many(count: number): PackageRecord[] {
  return Array.from({ length: count }, (_, minor) => recordOf("Acme", `1.${minor}.0`));
}

function indexOf(records: readonly PackageRecord[], hive: "semver1" | "semver2" = "semver2") {
  return registrationIndex({ base, hive, records }) as Index;
}

function pageOf(records: readonly PackageRecord[], from: string, to: string) {
  const [lower, upper] = [parsePackageVersion(from), parsePackageVersion(to)];
  if (!lower || !upper) throw new Error("these are versions");
  const hive = "semver2";
  const page = versionsOfPage({ hive, records }, { lower, upper });
  if (!page) return undefined;
  const chosen = records.filter(({ version }) => page.versions.includes(version));
  return { ...page, document: registrationPage({ base, hive, records: chosen }) };
}
