/** Current resources of the feed. */
export type ServiceIndexFeatures = {
  /** False in read-only mode: clients then say that pushing is not supported. */
  readonly acceptsPackages: boolean;
  /**
   * Packages with a repository signature: `all` only when that is true and the operator enabled the
   * statement.
   */
  readonly signs: "none" | "some" | "all";
  /** Whether there is any data about vulnerabilities: without, auditing would find nothing and
   * call it good. */
  readonly hasVulnerabilities: boolean;
  /** Where people report packages, with `{id}` and `{version}` to be replaced. */
  readonly reportAbuseUrl?: string;
  /** For a view as of a time, which has no search, no catalog and no pages. Default false. */
  readonly isView?: boolean;
};

type Resource = readonly [url: string, ...types: string[]];

/** The document a NuGet source is addressed by. `base` has no trailing slash. */
export function serviceIndex(base: string, features: ServiceIndexFeatures): object {
  const today = features.isView === true ? [] : [...QUERIES, ...LINKS];
  const resources = [
    ...[...READING, ...today].map(([path, ...types]): Resource => [`${base}${path}`, ...types]),
    ...optionalResources(base, features),
  ];
  return {
    version: "3.0.0",
    resources: resources.flatMap(([url, ...types]) =>
      types.map((type) => ({
        "@id": url,
        "@type": type,
        ...(type === VERSIONED && { clientVersion: VERSIONED_FROM }),
      })),
    ),
  };
}

/** Its clients state the version from which they use it, as nuget.org has it. */
const VERSIONED = "RegistrationsBaseUrl/Versioned";
const VERSIONED_FROM = "4.3.0-alpha";

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
  ["/v3/registration-gz-semver2/", "RegistrationsBaseUrl/3.6.0", VERSIONED],
];

/** Resources that a view as of a time lacks. */
const QUERIES: readonly Resource[] = [
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

/** Resources that depend on settings, or on the contents of the feed. */
function optionalResources(base: string, features: ServiceIndexFeatures): readonly Resource[] {
  const resources: Resource[] = [];
  if (features.acceptsPackages) {
    resources.push([`${base}/api/v2/package`, "PackagePublish/2.0.0"]);
    resources.push([`${base}/api/v2/symbolpackage`, "SymbolPackagePublish/4.9.0"]);
  }
  // Over plain http, clients treat a feed with this resource as broken, and every restore fails.
  if (features.signs !== "none" && base.startsWith("https://")) {
    resources.push([`${base}/v3/repository-signatures/index.json`, ...SIGNATURES[features.signs]]);
  }
  if (features.hasVulnerabilities) {
    resources.push([`${base}/v3/vulnerabilities/index.json`, "VulnerabilityInfo/6.7.0"]);
  }
  if (features.reportAbuseUrl !== undefined) {
    resources.push([
      features.reportAbuseUrl,
      "ReportAbuseUriTemplate/3.0.0",
      "ReportAbuseUriTemplate/3.0.0-beta",
      "ReportAbuseUriTemplate/3.0.0-rc",
    ]);
  }
  return resources;
}

/** The older types must never point to a document that declares all packages signed. */
const SIGNATURES = {
  some: ["RepositorySignatures/4.7.0", "RepositorySignatures/4.9.0", "RepositorySignatures/5.0.0"],
  all: ["RepositorySignatures/5.0.0"],
} as const;

function searching(name: string): string[] {
  return [name, `${name}/3.0.0-beta`, `${name}/3.0.0-rc`, `${name}/3.5.0`];
}
