import type { Extension } from "../extension.ts";
import { CHECK_SETTINGS } from "./check-settings.ts";
import { NPM_SETTINGS } from "./npm-settings.ts";
import { OCI_SETTINGS } from "./oci-settings.ts";
import { SIGNING_SETTINGS } from "./signing-settings.ts";
import type { Setting } from "@sealhouse/settings";

const SECOND_MS = 1000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

/** Every setting, once. The documentation is made from this table. */
export const SETTINGS = {
  ASPNETCORE_ENVIRONMENT: {
    kind: { type: "text" },
    fallback: "Production",
    aliases: ["SEALHOUSE_ENVIRONMENT"],
    about:
      "Name of the environment; selects `appsettings.{Environment}.json`, and " +
      "`Development` relaxes the rules for secrets.",
  },
  ASPNETCORE_URLS: {
    kind: { type: "text" },
    fallback: "http://+:8080",
    aliases: ["Urls"],
    about:
      "Addresses to listen on, separated by `;`; `+` and `*` mean all interfaces, port 0 " +
      "any free port.",
  },
  Kestrel__Certificates__Default__Path: {
    kind: { type: "path" },
    about: "Certificate for https addresses: a PFX file, or a PEM file with the chain.",
  },
  Kestrel__Certificates__Default__KeyPath: {
    kind: { type: "path" },
    about: "PEM file with the private key that belongs to a PEM certificate.",
  },
  Kestrel__Certificates__Default__Password: {
    kind: { type: "text" },
    secret: true,
    about: "Password of the PFX file or of the encrypted PEM key.",
  },
  Host__DataPath: {
    kind: { type: "path" },
    fallback: "./data",
    about: "Folder from which every file default derives; relative to the working folder.",
  },
  Host__ServerName: {
    kind: { type: "text" },
    fallback: "Sealhouse",
    aliases: ["Shield__ServerName"],
    about: "Name people see, and the common name of a self-signed certificate.",
  },
  Host__Extensions: {
    kind: { type: "list", of: { type: "text" } },
    about:
      "Modules that bring further modes: names of installed packages, or paths; each exports " +
      "an `Extension` by the name `extension`.",
  },
  Host__TokenHashPepper: {
    kind: { type: "text" },
    secret: true,
    otherwise: "required; generated and kept under `Host__DataPath` in Development",
    about:
      "Secret that keys the hashes of API tokens: 32 bytes or more, the same on every " +
      "instance, and never changed.",
  },
  Host__DataProtection__KeyPath: {
    kind: { type: "path" },
    otherwise: "`dataprotection-keys` under `Host__DataPath`",
    about:
      "Folder of the key ring that encrypts secrets where they are stored, such as the keys of " +
      "npm's signatures; must outlive the process, and be the same on all instances.",
  },
  Host__DataProtection__ApplicationName: {
    kind: { type: "text" },
    fallback: "Sealhouse",
    about: "Name the keys are scoped to; the same on all instances of one feed.",
  },
  Host__ShutdownTimeout: {
    kind: { type: "time-span", minMs: 0, maxMs: DAY_MS },
    fallback: "00:00:30",
    about: "How long running requests may finish after a stop signal.",
  },
  Host__IdleTimeout: {
    kind: { type: "time-span", minMs: SECOND_MS, maxMs: DAY_MS },
    fallback: "00:02:00",
    about: "A connection on which nothing moves for this long in the middle of a request is cut.",
  },
  Host__Audit__Retention: {
    kind: { type: "time-span", minMs: DAY_MS, maxMs: 36_500 * DAY_MS },
    otherwise: "records are kept forever",
    about: "How long records stay in the audit log; older ones are deleted within an hour.",
  },
  Host__BodyRate__BytesPerSecond: {
    kind: { type: "integer", min: 0, max: 1_000_000_000 },
    fallback: "512",
    about:
      "Least average rate at which a client sends a request body. A slower one is refused with " +
      "408 and its connection is closed; 0 allows any rate.",
  },
  Host__BodyRate__Window: {
    kind: { type: "time-span", minMs: SECOND_MS, maxMs: DAY_MS },
    fallback: "00:02:00",
    about:
      "Time over which the rate of a request body is averaged, and the time that each body has " +
      "before it is first measured. Only waiting for the client counts.",
  },
  Host__TrustedProxies: {
    kind: { type: "list", of: { type: "network" } },
    otherwise: "loopback only",
    about:
      "Networks whose forwarded headers (`X-Forwarded-For`, `-Proto`, `-Host`, `-Prefix`) " +
      "and `X-Request-Id` are believed.",
  },
  Host__AllowInsecurePublicUrl: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Allows `http:` public addresses in Production. Clients then send tokens without encryption.",
  },
  Host__Cors__Origins: {
    kind: { type: "list", of: { type: "text" } },
    otherwise: "`*`",
    about:
      "Origins whose web pages may read documents that need no token, such as " +
      "`https://docs.example.com`; `*` allows every origin, `none` allows no origin.",
  },
  Host__OutgoingRequests__AllowPrivateAddresses: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Lets the host itself call addresses of private networks, such as an own time-stamp server.",
  },
  Logging__LogLevel__Default: {
    kind: {
      type: "choice",
      values: ["Trace", "Debug", "Information", "Warning", "Error", "Critical", "None"],
    },
    fallback: "Information",
    about: "Least level that is logged; reads are logged one by one at `Debug`.",
  },
  Logging__Format: {
    kind: { type: "choice", values: ["Json", "Text"] },
    otherwise: "`Text` in Development, else `Json`",
    about: "Form of the log on standard output: one JSON object per line, or lines for people.",
  },
  Feed__Name: {
    kind: { type: "text" },
    fallback: "default",
    about: "Id of the feed, in health reports, metrics and the OCI token service.",
  },
  Feed__PublicBaseUrl: {
    kind: { type: "url" },
    otherwise: "taken from the request",
    about: "Address clients reach this host by; every absolute link starts with it.",
  },
  Feed__PublicBaseUrls: {
    kind: { type: "list", of: { type: "url" } },
    otherwise: "`Feed__PublicBaseUrl` alone",
    about: "Several allowed addresses; an answer uses the one its request came by, else the first.",
  },
  Feed__Authentication__AllowAnonymousPull: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Lets everybody read and pull without a token, in all three protocols.",
  },
  ...NPM_SETTINGS,
  Feed__NuGet__MaxPackageBytes: {
    kind: { type: "integer", min: 1024, max: Number.MAX_SAFE_INTEGER },
    otherwise: "no limit of its own",
    about: "Largest NuGet package that is accepted, in bytes.",
  },
  Feed__NuGet__ReportAbuseUrl: {
    kind: { type: "url" },
    otherwise: "none; Visual Studio then links to the public gallery",
    about:
      "Where NuGet clients send people who report a package; `{id}` and `{version}` are replaced.",
  },
  Feed__Vulnerabilities__Sources: {
    kind: {
      type: "sections",
      fields: { Name: { type: "text" }, Path: { type: "path" }, Url: { type: "url" } },
    },
    otherwise: "none; vulnerabilities are then not told",
    about:
      "Where advisories about NuGet and npm packages come from: a `Name` of your choice, and a " +
      "folder or file of OSV documents (`Path`) or the address of some, of a NuGet vulnerability " +
      "index or of a NuGet feed (`Url`).",
  },
  Feed__Vulnerabilities__RefreshInterval: {
    kind: { type: "time-span", minMs: 60 * SECOND_MS, maxMs: 30 * DAY_MS },
    otherwise: "every six hours",
    about: "How often the sources of advisories are read again.",
  },
  Feed__NuGet__Vulnerabilities__Sources: {
    kind: {
      type: "sections",
      fields: { Name: { type: "text" }, Path: { type: "path" }, Url: { type: "url" } },
    },
    otherwise: "none",
    about: "More of `Feed__Vulnerabilities__Sources`, under the name they had first.",
  },
  Feed__NuGet__Vulnerabilities__RefreshInterval: {
    kind: { type: "time-span", minMs: 60 * SECOND_MS, maxMs: 30 * DAY_MS },
    fallback: "06:00:00",
    about: "The former name of `Feed__Vulnerabilities__RefreshInterval`, which counts before it.",
  },
  ...OCI_SETTINGS,
  ...CHECK_SETTINGS,
  IsReadOnlyMode: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Refuses every change of the NuGet feed with 405: push, delete, relist, deprecate.",
  },
  AllowPackageOverwrites: {
    kind: { type: "choice", values: ["false", "true", "PrereleaseOnly"] },
    fallback: "false",
    about: "Which NuGet versions a push may give other bytes once they are there.",
  },
  PackageDeletionBehavior: {
    kind: { type: "choice", values: ["Unlist", "HardDelete"] },
    fallback: "Unlist",
    about:
      "What deleting a NuGet version means: hidden from search and still restorable, or gone " +
      "for good.",
  },
  Retention__Enabled: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Applies the rules below to the NuGet prereleases published here, on a schedule; stable, " +
      "mirrored and cached versions always stay.",
  },
  Retention__MaxPrereleaseVersionsPerPackage: {
    kind: { type: "integer", min: 1, max: 1_000_000 },
    otherwise: "however many there are",
    about: "The newest prereleases this many stay of each package, by version; older ones go.",
  },
  Retention__MaxPrereleaseAgeDays: {
    kind: { type: "integer", min: 1, max: 36_500 },
    otherwise: "however old they are",
    about: "Prereleases published longer ago than this many days go.",
  },
  Retention__ExcludedPackageIds: {
    kind: { type: "list", of: { type: "text" } },
    otherwise: "none",
    about: "Packages from which nothing goes, in any casing; `Acme.*` for all that begin so.",
  },
  Retention__DryRun: {
    kind: { type: "boolean" },
    fallback: "true",
    about: "Only logs what would go.",
  },
  Retention__ScanInterval: {
    kind: { type: "time-span", minMs: 60 * SECOND_MS, maxMs: 365 * DAY_MS },
    fallback: "1.00:00:00",
    about: "How long after one run the next begins.",
  },
  Retention__Action: {
    kind: { type: "choice", values: ["Delete", "Unlist"] },
    fallback: "Delete",
    about: "Whether versions are deleted for good, or hidden from search.",
  },
  RunMigrationsAtStartup: {
    kind: { type: "boolean" },
    fallback: "true",
    about:
      "Brings the database schema up to date when the host starts; `sealhouse migrate` " +
      "does it alone.",
  },
  Database__Type: {
    kind: {
      type: "choice",
      values: ["Sqlite", "PostgreSQL", "MySql"],
      spellings: { Postgres: "PostgreSQL", MariaDb: "MySql" },
    },
    fallback: "Sqlite",
    about: "Kind of database; MySql and MariaDb are the same.",
  },
  Database__Version: {
    kind: { type: "text" },
    otherwise: "nothing",
    about: "Accepted and not needed: a server tells its version itself.",
  },
  Database__ConnectionString: {
    kind: { type: "text" },
    secret: true,
    otherwise: "for Sqlite the file `sealhouse.db` under `Host__DataPath`",
    about: "Connection string, as `Key=Value;…` or as a URL; wins over a named one.",
  },
  Database__StartTimeout: {
    kind: { type: "time-span", minMs: 0, maxMs: DAY_MS },
    fallback: "00:01:00",
    about: "How long the host waits at its start for a database that does not answer yet.",
  },
  Database__ConnectionStringName: {
    kind: { type: "text" },
    otherwise: "the value of `Database__Type`",
    about: "Which entry of `ConnectionStrings` to use.",
  },
  ConnectionStrings: {
    kind: { type: "named" },
    secret: true,
    about: "Named connection strings: `ConnectionStrings__{name}`.",
  },
  Storage__Type: {
    kind: { type: "choice", values: ["FileSystem"], spellings: { FileStorage: "FileSystem" } },
    fallback: "FileSystem",
    about:
      "Where artifacts are kept. Further values come with a storage driver in `Host__Extensions`.",
  },
  Storage__Path: {
    kind: { type: "path" },
    otherwise: "`packages` under `Host__DataPath`",
    about: "Folder of file-backed storage.",
  },
  ...SIGNING_SETTINGS,
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingKey = keyof typeof SETTINGS;

/** The table with what extensions bring. */
export function settingsTable(extensions: readonly Extension[]): ReadonlyMap<string, Setting> {
  const table = new Map<string, Setting>(Object.entries(SETTINGS));
  for (const { signingModes = {}, storageTypes = {} } of extensions) {
    const options = [...Object.values(signingModes), ...Object.values(storageTypes)];
    for (const option of options) {
      for (const [key, setting] of Object.entries(option.settings)) table.set(key, setting);
    }
  }
  return table;
}
