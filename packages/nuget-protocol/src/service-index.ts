/** What the feed offers right now. */
export type Offer = {
  /** False in read-only mode: clients then say that pushing is not supported. */
  readonly takesPackages: boolean;
  /** Which packages leave with a repository signature: `all` only when it is the truth and the
   * operator said so. */
  readonly signs: "none" | "some" | "all";
  /** Whether there is any data about vulnerabilities: without, auditing would find nothing and
   * call it good. */
  readonly tellsVulnerabilities: boolean;
  /** Where people report packages, with `{id}` and `{version}` to be replaced. */
  readonly reportAbuseUrl?: string;
};

type Resource = readonly [url: string, ...types: string[]];

/** The document a NuGet source is addressed by. `base` has no trailing slash. */
export function serviceIndex(base: string, offer: Offer): object {
  const resources = [
    ...READING.map(([path, ...types]): Resource => [`${base}${path}`, ...types]),
    ...LINKS.map(([path, ...types]): Resource => [`${base}${path}`, ...types]),
    ...offered(base, offer),
  ];
  return {
    version: "3.0.0",
    resources: resources.flatMap(([url, ...types]) =>
      types.map((type) => ({ "@id": url, "@type": type })),
    ),
  };
}

/** Type strings real clients look up, by exact spelling, and where they lead. */
const READING: readonly Resource[] = [
  ["/v3/package/", "PackageBaseAddress/3.0.0"],
  [
    "/v3/registration/",
    "RegistrationsBaseUrl",
    "RegistrationsBaseUrl/3.0.0-beta",
    "RegistrationsBaseUrl/3.0.0-rc",
  ],
  ["/v3/registration-gz-semver1/", "RegistrationsBaseUrl/3.4.0"],
  ["/v3/registration-gz-semver2/", "RegistrationsBaseUrl/3.6.0"],
  ["/v3/search", ...searching("SearchQueryService")],
  ["/v3/autocomplete", ...searching("SearchAutocompleteService")],
  ["/v3/catalog/index.json", "Catalog/3.0.0"],
];

/** Addresses that clients fill in themselves; those of pages they ignore unless https. */
const LINKS: readonly Resource[] = [
  ["/v3/package/{lower_id}/{lower_version}/readme", "ReadmeUriTemplate/6.13.0"],
  ["/packages/{id}/{version}", "PackageDetailsUriTemplate/5.1.0"],
  ["/packages?q=owner:{owner}", "OwnerDetailsUriTemplate/6.11.0"],
];

/** What depends on settings, or on what the feed holds. */
function offered(base: string, offer: Offer): readonly Resource[] {
  const resources: Resource[] = [];
  if (offer.takesPackages) {
    resources.push([`${base}/api/v2/package`, "PackagePublish/2.0.0"]);
    resources.push([`${base}/api/v2/symbolpackage`, "SymbolPackagePublish/4.9.0"]);
  }
  // Over plain http, clients treat a feed with this resource as broken, and every restore fails.
  if (offer.signs !== "none" && base.startsWith("https://")) {
    resources.push([`${base}/v3/repository-signatures/index.json`, ...SIGNATURES[offer.signs]]);
  }
  if (offer.tellsVulnerabilities) {
    resources.push([`${base}/v3/vulnerabilities/index.json`, "VulnerabilityInfo/6.7.0"]);
  }
  if (offer.reportAbuseUrl !== undefined) {
    resources.push([
      offer.reportAbuseUrl,
      "ReportAbuseUriTemplate/3.0.0",
      "ReportAbuseUriTemplate/3.0.0-beta",
      "ReportAbuseUriTemplate/3.0.0-rc",
    ]);
  }
  return resources;
}

/** The older types must never lead to a document that says that everything is signed. */
const SIGNATURES = {
  some: ["RepositorySignatures/4.7.0", "RepositorySignatures/4.9.0", "RepositorySignatures/5.0.0"],
  all: ["RepositorySignatures/5.0.0"],
} as const;

function searching(name: string): string[] {
  return [name, `${name}/3.0.0-beta`, `${name}/3.0.0-rc`, `${name}/3.5.0`];
}
