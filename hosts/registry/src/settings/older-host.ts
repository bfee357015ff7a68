/** A setting of the older .NET host, or of BaGet, that this host does not have. Ignoring it would
 * change what the operator means, so it stops the start and names what to use instead. */
export type OlderSetting = {
  /** A key, or a section with all keys below it; `*` matches one name. The first match decides. */
  readonly section: string;
  /** Values that mean what this host does anyway; an empty value always does. */
  readonly harmless?: readonly string[];
  /** A key and its value that disable the section, so that its other keys ask for nothing. */
  readonly disabledBy?: { readonly key: string; readonly value: string };
  /** A key whose own problem is enough. */
  readonly selectedBy?: string;
  /** Sentences: the reason, if there is one, and what to do. */
  readonly instead: string;
};

const TOKENS = "create a token with `sealhouse token create --scopes write`";
const NO_SFTP_KEYS = "leave it out; SFTP and FTP stores are not supported";

export const OLDER_SETTINGS: readonly OlderSetting[] = [
  { section: "ApiKey", instead: TOKENS },
  { section: "PackageFeed__ApiKey", instead: TOKENS },
  { section: "Feed__Authentication__ApiKey", instead: TOKENS },
  {
    section: "Authentication",
    instead:
      "create tokens with `sealhouse token create`; clients send them in place of API keys and " +
      "passwords",
  },
  {
    section: "PathBase",
    instead:
      "serve the host below a path with a proxy that sends X-Forwarded-Prefix, and set " +
      "Feed__PublicBaseUrl",
  },
  {
    section: "AllowedHosts",
    harmless: ["*"],
    instead: "name the addresses of the feed in Feed__PublicBaseUrl or Feed__PublicBaseUrls",
  },
  { section: "Shields", instead: "set Host__ServerName" },
  {
    section: "MaxPackageSizeGiB",
    instead: "set Feed__NuGet__MaxPackageBytes",
  },
  {
    section: "EnableVulnerabilityInfo",
    harmless: ["false"],
    instead: "name the sources of advisories in Feed__Vulnerabilities__Sources",
  },
  {
    section: "EnablePackageMetadataBackfill",
    harmless: ["false"],
    instead: "leave it out; a push stores all metadata of a package",
  },
  {
    section: "ValidateServiceProviders",
    harmless: ["false"],
    instead: "leave it out; this host has no service providers",
  },
  {
    section: "HealthCheck__Path",
    harmless: ["/health", "health"],
    instead: "leave it out; health is at /health, /health/live and /health/feeds",
  },
  { section: "HealthCheck", instead: "leave it out; the fields of /health/feeds are fixed" },
  {
    section: "Search__Type",
    harmless: ["Database"],
    instead: "leave it out; search always uses the database",
  },
  { section: "Search", instead: "leave it out; search always uses the database" },
  {
    section: "Caching",
    disabledBy: { key: "Caching__Type", value: "None" },
    instead: "leave it out; documents are stored and small files are cached without settings",
  },
  {
    section: "Feed__Npm__IncludeMirroredPackages",
    harmless: ["true"],
    instead: "set Search__IncludeMirroredPackages, which applies to npm, too",
  },
  {
    section: "Feed__Npm__MaxPublishBodyBytes",
    instead: "set Feed__Npm__MaxTarballBytes, from which the limit of the request follows",
  },
  {
    section: "Feed__Oci__*__Profile",
    harmless: ["General"],
    instead: "leave it out; every segment takes images, Helm charts and other artifacts",
  },
  {
    section: "Feed__Oci__*__AllowUnknownMediaTypes",
    harmless: ["true"],
    instead: "leave it out; every segment takes all media types",
  },
  {
    section: "Feed__Storage__Prefix",
    instead:
      "leave it out; name the folder or bucket in Storage__Path or the storage's own settings",
  },
  {
    section: "Host__Access",
    instead:
      "use Feed__Authentication__AllowAnonymousPull for reading and tokens with patterns and " +
      "networks for the rest",
  },
  ...["MaxMajorVersions", "MaxMinorVersions", "MaxPatchVersions"].map((name) => ({
    section: `Retention__${name}`,
    instead: "leave it out; retention deletes prereleases only",
  })),
  {
    section: "Retention__MaxPrereleaseVersions",
    instead: "set Retention__MaxPrereleaseVersionsPerPackage",
  },
  ...[
    "Host",
    "Port",
    "Username",
    "Password",
    "PrivateKeyPath",
    "PrivateKeyPassphrase",
    "RemotePath",
    "ConnectionTimeout",
    "OperationTimeout",
    "MaxConnections",
    "UseSsl",
    "UsePassiveMode",
    "PassiveAddress",
    "DataConnectionPortMin",
    "DataConnectionPortMax",
    "ConnectTimeout",
    "ReadTimeout",
  ].map((name) => ({
    section: `Storage__${name}`,
    selectedBy: "Storage__Type",
    instead: NO_SFTP_KEYS,
  })),
];

/** Keys without a section, which the environment may also have. */
export const OLDER_ROOT_KEYS: readonly string[] = OLDER_SETTINGS.map(
  ({ section }) => section,
).filter((section) => !section.includes("__"));

const NO_SAFE_WRITES =
  "has no conditional writes and no safe rename, so two pushes could overwrite each other";

/** Values that this host will not have, each with the reason. */
export const VALUES_REFUSED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Storage__Type: {
    Sftp: `SFTP ${NO_SAFE_WRITES}`,
    Ftp: `FTP ${NO_SAFE_WRITES}`,
    Null: "packages need a storage",
  },
};

/** The reason why a storage address is refused, by its scheme. */
export function refusedAddress(address: string): string | undefined {
  const scheme = /^(sftp|ftps?):/i.exec(address.trim())?.[1]?.toUpperCase();
  return scheme === undefined ? undefined : `${scheme} ${NO_SAFE_WRITES}`;
}

/** The older setting that a key belongs to. */
export function olderSettingOf(key: string): OlderSetting | undefined {
  return OLDER_SETTINGS.find(({ section }) => isInSection(key, section));
}

/** Whether a key is `section` or below it. A `*` in the section matches one name. */
export function isInSection(key: string, section: string): boolean {
  const parts = key.toLowerCase().split("__");
  return section
    .toLowerCase()
    .split("__")
    .every((part, index) => (part === "*" ? parts[index] !== undefined : part === parts[index]));
}
