import { expect, test } from "vitest";
import { ownExtensions } from "./extensions.ts";
import { STORE_KEYS } from "./store-keys.ts";
import { parseConfig } from "./config.ts";
import { openSettings, readEntries } from "./settings.ts";
import { settingsTable } from "./table.ts";
import { unknownKeysOf } from "./unknown-keys.ts";
import { refuseKeys } from "./refused-keys.ts";

const PEPPER = "q8Zr2LwX5vTn7KcB1MjH4GfD9SaP6YuE3WiO0RxQ";

/** Problems of settings in the environment. */
function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  const all = { Host__TokenHashPepper: PEPPER, ...env };
  const sources = { env: all, args: [], folders: [], readFile: () => undefined };
  const settings = openSettings(readEntries(sources).entries, all);
  parseConfig(settings);
  return settings.problems;
}

test.each([
  ["ApiKey", "secret", /create a token/],
  ["APIKEY", "secret", /create a token/],
  ["PackageFeed__ApiKey", "secret", /create a token/],
  ["Feed__Authentication__ApiKey", "secret", /create a token/],
  ["Authentication__Credentials__0__Username", "ada", /create tokens/],
  ["Authentication__ApiKeys__0__Key", "secret", /create tokens/],
  ["PathBase", "/feed", /X-Forwarded-Prefix/],
  ["AllowedHosts", "packages.example", /Feed__PublicBaseUrl/],
  ["Shields__ServerName", "Acme", /Host__ServerName/],
  ["MaxPackageSizeGiB", "8", /Feed__NuGet__MaxPackageBytes/],
  ["EnableVulnerabilityInfo", "true", /Feed__Vulnerabilities__Sources/],
  ["EnablePackageMetadataBackfill", "true", /leave it out/],
  ["ValidateServiceProviders", "true", /leave it out/],
  ["HealthCheck__Path", "/ready", /\/health\/live/],
  ["HealthCheck__StatusPropertyName", "state", /fixed/],
  ["Search__Type", "Elasticsearch", /search always uses the database/],
  ["Search__Endpoint", "http://search", /search always uses the database/],
  ["Search__ReconcileBatchSize", "100", /search always uses the database/],
  ["Caching__Type", "Hybrid", /leave it out/],
  ["Caching__RedisConnection", "redis", /leave it out/],
  ["Caching__DefaultTTLMinutes", "10", /leave it out/],
  ["Feed__Npm__IncludeMirroredPackages", "false", /set Search__IncludeMirroredPackages/],
  ["Feed__Npm__MaxPublishBodyBytes", "104857600", /Feed__Npm__MaxTarballBytes/],
  ["Feed__Oci__Docker__Profile", "HelmCharts", /every segment takes/],
  ["Feed__Oci__Docker__AllowUnknownMediaTypes", "false", /all media types/],
  ["Feed__Storage__Prefix", "feed", /Storage__Path/],
  ["Host__Access__Mode", "Closed", /AllowAnonymousPull/],
  ["Retention__MaxMajorVersions", "3", /prereleases only/],
  ["Retention__MaxMinorVersions", "3", /prereleases only/],
  ["Retention__MaxPatchVersions", "3", /prereleases only/],
  ["Retention__MaxPrereleaseVersions", "3", /MaxPrereleaseVersionsPerPackage/],
  ["Storage__Bucket", "packages", /storage types AwsS3, Gcs, and Storage__Type is FileSystem/],
  ["Storage__AccountName", "acme", /storage type AzureBlobStorage/],
  ["Storage__RemotePath", "/", /SFTP and FTP stores are not supported/],
  ["Storage__Type", "Sftp", /SFTP has no conditional writes and no safe rename/],
  ["Storage__Type", "ftp", /FTP has no conditional writes and no safe rename/],
  ["Storage__ConnectionString", "sftp://ada@files.example/feed", /SFTP has no conditional writes/],
  ["Storage__ConnectionString", "FTPS://files.example", /FTPS has no conditional writes/],
  ["Storage__ConnectionString", "s3://bucket", /storage types AwsS3, AzureBlobStorage, Gcs/],
])("refuses %s=%s of another host by name, in the environment", (key, value, reason) => {
  const problems = problemsOf({ [key]: value });
  expect(problems).toEqual([expect.stringMatching(reason)]);
  expect(problems[0]).toMatch(new RegExp(`^${key}: .*\\(from environment variable ${key}\\)$`));
});

test.each([
  [{ AllowedHosts: "*" }],
  [{ ApiKey: "" }],
  [{ Caching__Type: "None", Caching__DefaultTTLMinutes: "10" }],
  [{ EnableVulnerabilityInfo: "False" }],
  [{ Feed__Oci__Docker__IncludeMirroredInCatalog: "true" }],
  [{ Feed__Oci__Docker__PlatformPolicy__AllowedOs__0: "linux" }],
  [{ Feed__Oci__Docker__Profile: "General" }],
  [{ HealthCheck__Path: "/health" }],
  [
    {
      Host__Authentication__GitHub__TeamSlugs: "",
      Host__Authentication__Google__ClientId: "",
      Host__Authentication__Microsoft__AdminRoleGroupIds__0: "0f2d8cf2-1a36-4ac7-8e1c-9b1f0d6d1a51",
      Host__Authentication__Microsoft__AllowedEmailDomains__0: "acme.example",
      Host__Authentication__Microsoft__ClientId: "3f8f1c1e-7a0b-4d0f-9f5e-2f6f3b6b1d11",
      Host__Authentication__Microsoft__ClientSecret: "secret",
      Host__Authentication__Microsoft__TenantId: "5B6D5B1C-2A3E-4F4D-9A7B-1C2D3E4F5A6B",
    },
  ],
  [{ LocalCache__Enabled: "false", LocalCache__Path: "/cache" }],
  [{ Mirror__Enabled: "false", Mirror__PackageSource: "https://api.nuget.org/v3/index.json" }],
  [{ Search__Type: "Database", Search__EnableUpstreamSearch: "false" }],
  [{ Search__IncludeMirroredPackages: "true", Search__MergeStrategy: "union" }],
])("%j asks for nothing that this host lacks", (env) => {
  expect(problemsOf(env)).toEqual([]);
});

test("a refused kind of storage is one problem, whatever other keys it has", () => {
  const sftp = { Storage__Type: "Sftp", Storage__Host: "files.example", Storage__Port: "22" };
  expect(problemsOf(sftp)).toHaveLength(1);
  const s3 = { Storage__Type: "AwsS3", Storage__Region: "eu-west-1", Storage__Bucket: "packages" };
  expect(problemsOf(s3)).toEqual([expect.stringMatching(/storage-aws-s3/)]);
});

test("a key of a loaded extension belongs to the extension", () => {
  const env = { Storage__Bucket: "packages", Storage__ConnectionString: "sftp://files.example" };
  const { entries } = readEntries({ env, args: [], folders: [], readFile: () => undefined });
  const table = new Map(settingsTable([]));
  for (const key of Object.keys(env)) table.set(key, { kind: { type: "text" }, about: "Its own." });
  const settings = openSettings(entries, env);
  refuseKeys(settings, table);
  expect(settings.problems).toEqual([]);
});

test("a refused key gives no warning besides", () => {
  const env = { ApiKey: "x", Search__Endpoint: "x" };
  const { entries } = readEntries({ env, args: [], folders: [], readFile: () => undefined });
  expect(unknownKeysOf(entries, [])).toEqual([]);
});

test("keys of our storage packages are explained while another store is selected", async () => {
  const typesOf = new Map<string, string[]>();
  for (const { storageTypes = {} } of await ownExtensions()) {
    const [type, first] = Object.entries(storageTypes)[0] ?? [];
    if (type === undefined || first === undefined) continue;
    for (const key of Object.keys(first.settings)) {
      typesOf.set(key, [...(typesOf.get(key) ?? []), type].toSorted());
    }
  }
  expect(Object.fromEntries(typesOf)).toEqual(STORE_KEYS);
});
