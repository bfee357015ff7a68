/** What the feed offers right now. */
export type Offer = {
  /** False in read-only mode: clients then say that pushing is not supported. */
  readonly takesPackages: boolean;
  readonly signsPackages: boolean;
};

/** Type strings real clients look up, by exact spelling, and where they lead. */
const READING: readonly (readonly [path: string, ...types: string[]])[] = [
  ["/v3/package/", "PackageBaseAddress/3.0.0"],
  [
    "/v3/registration/",
    "RegistrationsBaseUrl",
    "RegistrationsBaseUrl/3.0.0-beta",
    "RegistrationsBaseUrl/3.0.0-rc",
  ],
  ["/v3/registration-gz-semver1/", "RegistrationsBaseUrl/3.4.0"],
  ["/v3/registration-gz-semver2/", "RegistrationsBaseUrl/3.6.0"],
  ["/v3/search", ...versioned("SearchQueryService")],
  ["/v3/autocomplete", ...versioned("SearchAutocompleteService")],
];

/** The document a NuGet source is addressed by. `base` has no trailing slash. */
export function serviceIndex(base: string, offer: Offer): object {
  const resources = [...READING];
  if (offer.takesPackages) resources.push(["/api/v2/package", "PackagePublish/2.0.0"]);
  // Over plain http, clients treat a feed with this resource as broken, and every restore fails.
  if (offer.signsPackages && base.startsWith("https://")) {
    resources.push(["/v3/repository-signatures/index.json", ...SIGNATURES]);
  }
  return {
    version: "3.0.0",
    resources: resources.flatMap(([path, ...types]) =>
      types.map((type) => ({ "@id": `${base}${path}`, "@type": type })),
    ),
  };
}

const SIGNATURES = ["RepositorySignatures/5.0.0"] as const;

function versioned(name: string): string[] {
  return [name, `${name}/3.0.0-beta`, `${name}/3.0.0-rc`, `${name}/3.5.0`];
}
