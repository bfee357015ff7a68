import { expect, test } from "vitest";
import { parseConfig } from "./config.ts";
import type { Config } from "./config.ts";
import { openSettings, readEntries } from "./settings.ts";
import type { SettingArgument } from "@sealhouse/settings";

const PEPPER = "q8Zr2LwX5vTn7KcB1MjH4GfD9SaP6YuE3WiO0RxQ";
const PRODUCTION = { Host__TokenHashPepper: PEPPER };

function parsed(
  env: Record<string, string>,
  args: readonly SettingArgument[] = [],
): { config: Config; problems: readonly string[] } {
  const { entries } = readEntries({ env, args, folders: [], readFile: () => undefined });
  const settings = openSettings(entries, env);
  const config = parseConfig(settings);
  return { config, problems: settings.problems };
}

test("the defaults make a whole configuration, given a pepper", () => {
  const { config, problems } = parsed({ ...PRODUCTION, Host__DataPath: "/srv/feed" });
  expect(problems).toEqual([]);
  expect(config.database).toEqual({
    type: "Sqlite",
    path: "/srv/feed/sealhouse.db",
    setting: "Host__DataPath",
  });
  expect(config.storage).toEqual({
    type: "FileSystem",
    path: "/srv/feed/packages",
    redirectsDownloads: false,
  });
  expect(config.signing).toEqual({ mode: "off" });
  expect(config.host.keyRing.path).toBe("/srv/feed/dataprotection-keys");
  expect(config.host.addresses).toEqual([
    { protocol: "http", hosts: [undefined], port: 8080, text: "http://+:8080" },
  ]);
  expect(config.feed).toMatchObject({ name: "default", anonymousPull: false });
});

test("reports all problems at once, each with its key, its source and the valid values", () => {
  const { problems } = parsed({
    ...PRODUCTION,
    Storage__Type: "Tape",
    feed__npm__enabled: "yes",
    Host__ShutdownTimeout: "30s",
    ASPNETCORE_URLS: "ftp://x",
    Host__TrustedProxies__1: "10.0.0.0/99",
  });
  expect(problems).toHaveLength(5);
  const all = problems.join("\n");
  expect(all).toMatch(
    /Storage__Type: "Tape" is not allowed; allowed: FileSystem, FileStorage, AwsS3, /,
  );
  expect(all).toMatch(/Feed__Npm__Enabled: "yes".*true, false.*variable feed__npm__enabled/);
  expect(all).toMatch(/Host__ShutdownTimeout: "30s".*a time span/);
  expect(all).toMatch(/ASPNETCORE_URLS: "ftp:\/\/x" is not an address/);
  expect(all).toMatch(/Host__TrustedProxies__1: "10.0.0.0\/99"/);
});

test.each([
  ["Storage__Type", "AwsS3", /requires the package @sealhouse\/storage-aws-s3/],
  ["Storage__Type", "AzureBlobStorage", /requires the package @sealhouse\/storage-azure-blob/],
  [
    "Signing__Provider",
    "AwsKms",
    /"AwsKms" requires the package @sealhouse\/signing-aws: run "npx .* install" in \//,
  ],
  ["Host__Authentication__RequireMfa", "true", /requires an identity provider/],
  ["Host__Webhooks__Subscriptions__0__Secret", "x", /Subscriptions__0__Url: is required/],
  ["Host__Webhooks__Subscriptions__0__Url", "ftp://x", /not allowed/],
])("refuses %s=%s, and names what is missing", (key, value, words) => {
  const { problems } = parsed({ ...PRODUCTION, [key]: value });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(words);
});

test.each([
  ["EmailSettings__Provider", "None"],
  ["Host__Authentication__Microsoft__ClientId", ""],
  ["Feed__Oci__Docker__Enabled", "false"],
])("%s=%s asks for nothing and passes", (key, value) => {
  expect(parsed(PRODUCTION, [{ key, text: value }]).problems).toEqual([]);
});

test("what garbage of images may be is in the settings, and an hour is the least age", () => {
  const section = "Feed__Operations__OciGarbageCollection";
  const day = 24 * 60 * 60_000;
  const { config } = parsed(PRODUCTION);
  const defaults = { enabled: false, dryRun: true, everyMs: day, minimumAgeMs: day };
  expect(config.ociGarbage).toEqual({ ...defaults, keepUntaggedMs: 0 });
  const forEver = parsed({ ...PRODUCTION, [`${section}__KeepUntaggedManifests`]: "-1" });
  expect(forEver.config.ociGarbage.keepUntaggedMs).toBe(Number.POSITIVE_INFINITY);
  const { problems } = parsed({ ...PRODUCTION, [`${section}__MinimumAge`]: "00:59:59" });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/OciGarbageCollection__MinimumAge: "00:59:59".*01:00:00/);
});

test.each([
  [{}, "never", "unlist", false],
  [{ AllowPackageOverwrites: "True", IsReadOnlyMode: "true" }, "always", "unlist", true],
  [{ AllowPackageOverwrites: "prereleaseonly" }, "prerelease", "unlist", false],
  [{ PackageDeletionBehavior: "HardDelete" }, "never", "delete", false],
])("the feed takes changes as %j says", (env, overwrites, deletion, isReadOnlyMode) => {
  const { config, problems } = parsed({ ...PRODUCTION, ...env });
  expect(problems).toEqual([]);
  expect(config.feed.nuget).toMatchObject({ overwrites, deletion, isReadOnlyMode });
});

const WITH_NPM = {
  ...PRODUCTION,
  Feed__Npm__Enabled: "true",
  Feed__PublicBaseUrl: "https://packages.example:8443",
};

test("npm may have its own host names", () => {
  const names = { Feed__Npm__HostNames__0: "NPM.Example", Feed__Npm__HostNames__1: "npm" };
  const { config, problems } = parsed({ ...WITH_NPM, ...names });
  expect(problems).toEqual([]);
  expect(config.feed.npm.hostNames).toEqual(["npm.example", "npm"]);
  const off = { ...WITH_NPM, ...names, Feed__Npm__Enabled: "false" };
  expect(parsed(off).config.feed.npm.hostNames).toEqual([]);
});

test.each([
  ["packages.example", /^Feed__Npm__HostNames: "packages.example" is the host of Feed__Public/],
  ["npm.example:8080", /^Feed__Npm__HostNames__0: "npm.example:8080" is not allowed.*a host name/],
  ["https://npm.example", /^Feed__Npm__HostNames__0: .*without scheme and port/],
  ["10.0.0.1", /^Feed__Npm__HostNames__0: /],
  ["*.example", /^Feed__Npm__HostNames__0: /],
])("npm cannot have the host name %s", (name, words) => {
  const { problems } = parsed({ ...WITH_NPM, Feed__Npm__HostNames__0: name });
  expect(problems).toEqual([expect.stringMatching(words)]);
});

test("a host name for npm takes an address for everything else", () => {
  const { Feed__PublicBaseUrl: _, ...without } = WITH_NPM;
  const { problems } = parsed({ ...without, Feed__Npm__HostNames: "npm.example" });
  expect(problems).toEqual([expect.stringMatching(/HostNames: needs Feed__PublicBaseUrl/)]);
});

test("retention is disabled and in dry-run mode by default", () => {
  const { config } = parsed(PRODUCTION);
  const rules = { excludedIds: [], action: "Delete" };
  expect(config.retention).toEqual({ enabled: false, rules, dryRun: true, everyMs: 86_400_000 });
});

test("reads the rules of retention, and refuses contradictory ones", () => {
  const section = {
    Retention__Enabled: "true",
    Retention__MaxPrereleaseVersionsPerPackage: "10",
    Retention__MaxPrereleaseAgeDays: "90",
    Retention__ExcludedPackageIds__0: "Acme.Core",
    Retention__ExcludedPackageIds__1: "Acme.Tools.*",
    Retention__DryRun: "false",
    Retention__ScanInterval: "12:00:00",
    Retention__Action: "unlist",
  };
  const { config, problems } = parsed({ ...PRODUCTION, ...section });
  expect(problems).toEqual([]);
  expect(config.retention).toEqual({
    enabled: true,
    rules: {
      versionsMax: 10,
      ageDaysMax: 90,
      excludedIds: ["Acme.Core", "Acme.Tools.*"],
      action: "Unlist",
    },
    dryRun: false,
    everyMs: 12 * 3_600_000,
  });
  const wrong = {
    Retention__MaxPrereleaseVersionsPerPackage: "0",
    Retention__MaxPrereleaseAgeDays: "-1",
    Retention__Action: "Burn",
  };
  expect(parsed({ ...PRODUCTION, ...wrong }).problems).toHaveLength(3);
});

test.each([
  [undefined, /is required/],
  ["short", /only 5 bytes/],
  ["<TOKEN_HASH_PEPPER>", /placeholder/],
  ["change-me-change-me-change-me-change-me", /placeholder/],
  ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", /repeats a few characters/],
])("in Production the pepper %j stops the start, and the log omits it", (pepper, words) => {
  const { problems } = parsed(pepper === undefined ? {} : { Host__TokenHashPepper: pepper });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(words);
  if (pepper !== undefined) expect(problems[0]).not.toContain(pepper);
});

test("in Development the host creates a missing pepper in the data folder", () => {
  const { config, problems } = parsed({
    SEALHOUSE_ENVIRONMENT: "Development",
    Host__DataPath: "/tmp/d",
  });
  expect(problems).toEqual([]);
  expect(config.host.pepper).toEqual({ type: "generated", path: "/tmp/d/token-hash-pepper" });
  expect(config.host.log.format).toBe("Text");
});

test.each([
  [{ Database__ConnectionString: "Data Source=/x/a.db" }, "/x/a.db", "Database__ConnectionString"],
  [
    { Database__ConnectionStringName: "Main", ConnectionStrings__Main: "/x/b.db" },
    "/x/b.db",
    "ConnectionStrings__Main",
  ],
  [{ ConnectionStrings__Sqlite: "Data Source=/x/c.db" }, "/x/c.db", "ConnectionStrings__Sqlite"],
  [
    { Database__ConnectionString: "/x/a.db", ConnectionStrings__Sqlite: "Data Source=/x/c.db" },
    "/x/a.db",
    "Database__ConnectionString",
  ],
])("takes the connection string from %j", (env, path, setting) => {
  const { config, problems } = parsed({ ...PRODUCTION, ...env });
  expect(problems).toEqual([]);
  expect(config.database).toEqual({ type: "Sqlite", path, setting });
});

test.each([
  ["MySql", "ConnectionStrings__MySql"],
  ["mariadb", "ConnectionStrings__MariaDb"],
  ["MariaDb", "ConnectionStrings__mysql"],
  ["MySql", "Database__ConnectionString"],
])("%s finds its server by %s, with any version", (type, key) => {
  const place = "Server=db;Database=feed;User=u;Password=p";
  const { config, problems } = parsed({
    ...PRODUCTION,
    Database__Type: type,
    Database__Version: "8.0.36-mysql",
    [key]: place,
  });
  expect(problems).toEqual([]);
  const server = { host: "db", port: 3306, user: "u", password: "p", database: "feed" };
  expect(config.database).toEqual({ type: "MySql", ...server, ssl: "prefer" });
});

test("SqlServer finds its server by ConnectionStrings__SqlServer", () => {
  const { config, problems } = parsed({
    ...PRODUCTION,
    Database__Type: "SqlServer",
    ConnectionStrings__SqlServer: "Server=tcp:db,1500;Database=feed;User Id=u;Password=p",
  });
  expect(problems).toEqual([]);
  const server = { host: "db", port: 1500, user: "u", password: "p", database: "feed" };
  expect(config.database).toEqual({ type: "SqlServer", ...server, ssl: "verify-full" });
});

test.each(["PostgreSQL", "Postgres", "postgresql", "MySql", "SqlServer"])(
  "%s needs a connection string",
  (type) => {
    const { problems } = parsed({ ...PRODUCTION, Database__Type: type });
    expect(problems).toEqual([expect.stringMatching(/Database__ConnectionString: is required/)]);
  },
);

test("a named connection string that is not there is a problem", () => {
  const { problems } = parsed({ ...PRODUCTION, Database__ConnectionStringName: "Main" });
  expect(problems[0]).toMatch(/there is no ConnectionStrings__Main/);
});

test("self-signed signing is on by configuration alone, under either name", () => {
  for (const key of ["Signing__Mode", "Signing__Provider"]) {
    const { config } = parsed({
      ...PRODUCTION,
      [key]: "selfsigned",
      Shield__ServerName: "Acme Feed",
      Signing__SelfSigned__Country: "nl",
      Signing__TimestampServerUrl: "",
    });
    expect(config.signing).toEqual({
      mode: "SelfSigned",
      policy: "ReSign",
      advertiseAllRepositorySigned: false,
      resignAfterRotation: false,
      timestamps: { servers: [] },
      certificatePath: "certs/repository-signing.pfx",
      subject: { commonName: "Acme Feed", country: "NL" },
      keySize: 4096,
      validityInDays: 3650,
      hash: "SHA256",
    });
  }
});

test("reads the certificate password from the named setting", () => {
  const env = {
    ...PRODUCTION,
    Signing__Mode: "SelfSigned",
    Signing__CertificatePasswordSecret: "PW",
  };
  expect(parsed({ ...env, PW: "hush" }).config.signing).toMatchObject({ password: "hush" });
  expect(parsed(env).problems[0]).toMatch(/no setting or environment variable named PW/);
});

test.each(["../x.pfx", "/etc/x.pfx", "a//b.pfx"])("refuses a certificate path %j", (path) => {
  const { problems } = parsed({
    ...PRODUCTION,
    Signing__Mode: "SelfSigned",
    Signing__SelfSigned__CertificatePath: path,
  });
  expect(problems[0]).toMatch(/is not a path in the storage/);
});

test("an https address needs a certificate", () => {
  const { problems } = parsed({ ...PRODUCTION, ASPNETCORE_URLS: "http://+:80;https://+:443" });
  expect(problems).toEqual([expect.stringMatching(/Kestrel__Certificates__Default__Path/)]);
});

test.each([
  ["http://localhost:8080", "http", ["127.0.0.1", "::1"], 8080],
  ["http://*", "http", [undefined], 80],
  ["http://[::1]:5000/", "http", ["::1"], 5000],
  ["http://0.0.0.0:0", "http", ["0.0.0.0"], 0],
])("listens for %s", (text, protocol, hosts, port) => {
  const { config } = parsed({ ...PRODUCTION, ASPNETCORE_URLS: text });
  expect(config.host.addresses).toEqual([{ protocol, hosts, port, text }]);
});

test("public addresses lose their trailing slash and their repetitions", () => {
  const { config } = parsed({
    ...PRODUCTION,
    Feed__PublicBaseUrl: "https://feed.example/",
    Feed__PublicBaseUrls__1: "https://feed.example",
    Feed__PublicBaseUrls__0: "https://other.example/sub/",
  });
  expect(config.feed.publicBaseUrls).toEqual(["https://feed.example", "https://other.example/sub"]);
});

test.each([
  ["https://abuse.example/{id}/{version}", "https://abuse.example/{id}/{version}"],
  ["https://abuse.example/?package={id}", "https://abuse.example/?package={id}"],
  ["https://abuse.example/report", "https://abuse.example/report"],
])("accepts reports of packages at %s", (text, expected) => {
  const { config, problems } = parsed({ ...PRODUCTION, Feed__NuGet__ReportAbuseUrl: text });
  expect(problems).toEqual([]);
  expect(config.feed.nuget.reportAbuseUrl).toBe(expected);
});
