import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSettings, readSources, showSettings, unknownKeys } from "@sealhouse/settings";
import { expect, test } from "vitest";
import { parseMirror } from "./parse-mirror.ts";
import { parseUpstreamSearch } from "./parse-search.ts";
import { UPSTREAM_SETTINGS } from "./table.ts";

const TABLE = new Map(Object.entries(UPSTREAM_SETTINGS));
const ONE = "PackageSources__0__";
const npmjs = {
  [`${ONE}Name`]: "npmjs",
  [`${ONE}Protocol`]: "npm",
  [`${ONE}FeedUrl`]: "https://registry.npmjs.org/",
};
const login = { [`${ONE}Username`]: "ada", [`${ONE}Password`]: "secret" };

function parsed(env: Record<string, string>, isAnonymousPull = false) {
  const { entries } = readSources({
    table: UPSTREAM_SETTINGS,
    environmentKey: "App__Environment",
    env,
    args: [],
    folders: [],
    readFile: () => undefined,
  });
  const settings = createSettings(entries, { table: UPSTREAM_SETTINGS, env });
  const surroundings = {
    isAnonymousPull,
    ownOrigins: ["https://packages.example"],
    surfaces: ["docker"],
  };
  const config = parseMirror(settings, surroundings);
  const search = parseUpstreamSearch(settings);
  const { problems } = settings;
  return { ...config, search, problems, unknown: unknownKeys(entries, TABLE), entries };
}

test("nothing is mirrored, and search stays here, unless configured", () => {
  const { problems, isEnabled, isOffline, sources, search } = parsed({});
  expect({ problems, isEnabled, isOffline, sources, search }).toEqual({
    problems: [],
    isEnabled: true,
    isOffline: false,
    sources: [],
    search: {
      isEnabled: false,
      timeoutMs: 2_000,
      mergeStrategy: "LocalPreferred",
      includesMirrored: true,
    },
  });
});

test("a source has its values, and defaults for the others", () => {
  const { sources, problems, unknown } = parsed({
    ...npmjs,
    ...login,
    Mirror__DefaultCachingStrategy: "cacheonly",
    [`${ONE}Priority`]: "5",
    [`${ONE}Allow__0`]: "@acme/*",
    [`${ONE}Allow__1`]: "left-pad",
    [`${ONE}Deny`]: "@acme/secret, evil",
    [`${ONE}RevalidateAfter`]: "00:01:00",
    [`${ONE}CredentialOrigins__0`]: "https://files.example",
    [`${ONE}PublicThroughHere`]: "true",
    [`${ONE}OnRemoved`]: "deny",
    [`${ONE}FirstContact`]: "hold",
  });
  expect([problems, unknown]).toEqual([[], []]);
  expect(sources).toMatchObject([
    {
      name: "npmjs",
      protocol: "npm",
      type: "upstream",
      priority: 5,
      strategy: "CacheOnly",
      signaturePolicy: "Resign",
      isEnabled: true,
      from: "configuration",
      credentials: { type: "basic", username: "ada", password: "secret" },
      settings: {
        allow: ["@acme/*", "left-pad"],
        deny: ["@acme/secret", "evil"],
        revalidateAfterMs: 60_000,
        staleIfErrorMs: 7 * 24 * 60 * 60_000,
        credentialOrigins: ["https://files.example"],
        publicThroughHere: true,
        onRemoved: "Deny",
        firstContact: "Hold",
      },
    },
  ]);
  expect(sources[0]?.url.href).toBe("https://registry.npmjs.org/");
});

test.each([
  [
    "the NuGet source of hosts for .NET",
    {
      Mirror__PackageSource: "https://nuget.example/v3/index.json",
      Mirror__Authentication__Type: "Custom",
      Mirror__Authentication__CustomHeaders__Authorization: "Bearer x",
    },
    [
      {
        name: "mirror",
        protocol: "nuget",
        credentials: { type: "headers", headers: { authorization: "Bearer x" } },
      },
    ],
  ],
  [
    "one npm registry",
    { Feed__Npm__Mirror__RegistryUrl: "https://registry.npmjs.org" },
    [{ name: "npm-mirror", protocol: "npm" }],
  ],
  [
    "several npm registries",
    {
      Feed__Npm__Mirror__CachingStrategy: "ProxyOnly",
      Feed__Npm__Mirror__Registries__0__Url: "https://one.example",
      Feed__Npm__Mirror__Registries__0__Token: "t",
      Feed__Npm__Mirror__Registries__1__Url: "https://two.example",
      Feed__Npm__Mirror__Registries__1__Priority: "1",
    },
    [
      {
        name: "npm-mirror-0",
        strategy: "ProxyOnly",
        credentials: { type: "bearer", token: "t" },
      },
      { name: "npm-mirror-1", priority: 1 },
    ],
  ],
  [
    "registries of images, for the default surface and a segment",
    {
      Feed__Oci__Mirror__Registries__0__Url: "https://docker.io",
      Feed__Oci__Docker__Mirror__Registries__0__Url: "https://ghcr.io",
      Feed__Oci__Docker__Mirror__CachingStrategy: "CacheOnly",
    },
    [
      { name: "oci-mirror-0", surface: "default", strategy: "IndexAndCache" },
      { name: "oci-mirror-docker-0", surface: "docker", strategy: "CacheOnly" },
    ],
  ],
])("reads %s", (_, env, expected) => {
  const { sources, problems, unknown } = parsed(env);
  expect([problems, unknown]).toEqual([[], []]);
  expect(sources).toMatchObject(expected);
});

test("Docker Hub has the address of its registry", () => {
  const { sources } = parsed({ Feed__Oci__Mirror__Registries__0__Url: "https://docker.io" });
  expect(sources[0]?.url.href).toBe("https://registry-1.docker.io/");
});

test.each([
  [
    { [`${ONE}Name`]: "npmjs" },
    /Sources__0__Protocol: is required.*Sources__0__FeedUrl: is requi/s,
  ],
  [{ ...npmjs, [`${ONE}Username`]: "ada" }, /__0__Password: is required together/],
  [{ ...npmjs, [`${ONE}Password`]: "x" }, /__0__Username: is required together/],
  [{ ...npmjs, ...login, [`${ONE}Token`]: "x" }, /__0__Token: is a second kind of credentials/],
  [{ ...npmjs, [`${ONE}Name`]: "a b" }, /__0__Name: is not allowed/],
  [{ ...npmjs, [`${ONE}FeedUrl`]: "https://packages.example/npm" }, /mirror of itself/],
  [
    { ...npmjs, [`${ONE}FeedUrl`]: "http://[64:ff9b::a9fe:a9fe]/" },
    /__0__FeedUrl: is an address of a cloud.s metadata service/,
  ],
  [
    { ...npmjs, [`${ONE}FeedUrl`]: "ftp://x.example" },
    /__0__FeedUrl: "ftp:\/\/x.example" is not al/,
  ],
  [{ ...npmjs, [`${ONE}Surface`]: "docker" }, /__0__Surface: is only for sources of images/],
  [
    { ...npmjs, [`${ONE}SignaturePolicy`]: "Merge" },
    /__0__SignaturePolicy: is only for sources of/,
  ],
  [{ ...npmjs, [`${ONE}Allow__0`]: "a b" }, /__0__Allow: "a b" is not a name pattern/],
  [{ ...npmjs, [`${ONE}CredentialOrigins__0`]: "https://a.example" }, /no effect without credent/],
  [
    { ...npmjs, ...login, [`${ONE}CredentialOrigins__0`]: "https://a.example/x" },
    /__0__CredentialOrigins: .* is not an origin/,
  ],
  [
    { ...npmjs, [`${ONE}Protocol`]: "oci", [`${ONE}Surface`]: "helm" },
    /__0__Surface: "helm" is not a segment of images/,
  ],
  [
    { ...npmjs, [`${ONE}Protocol`]: "nuget", [`${ONE}SignaturePolicy`]: "TrustedCerts" },
    /__0__TrustedCertificates: is required/,
  ],
  [
    { ...npmjs, Feed__Npm__Mirror__RegistryUrl: "https://a.example", PackageSources__1__Name: "x" },
    /PackageSources__1__Protocol: is required/,
  ],
  [{ ...npmjs, [`${ONE}CaPath`]: "/nowhere/ca.pem" }, /__0__CaPath: cannot be read: ENOENT/],
  [{ ...npmjs, [`${ONE}CaPath`]: "/etc/hostname" }, /__0__CaPath: .* has no PEM certificate/],
  [{ Mirror__Legacy: "true" }, /Mirror__Legacy: NuGet v2 feeds are not supported/],
  [
    { Mirror__Authentication__Token: "x" },
    /__Token: does not fit Mirror__Authentication__Type=None/,
  ],
  [{ Mirror__Authentication__Type: "Bearer" }, /__Token: is required.*no effect without/s],
  [
    { Mirror__NuGetConfigPath: "/nowhere/NuGet.config" },
    /NuGetConfigPath: the file cannot be read/,
  ],
  [{ Feed__Npm__Mirror__CachingStrategy: "CacheOnly" }, /has no effect without/],
  [{ Feed__Npm__Mirror__Registries__0__Token: "x" }, /Registries__0__Url: is required/],
  [
    {
      Feed__Npm__Mirror__RegistryUrl: "https://a.example",
      Feed__Npm__Mirror__Registries__0__Url: "https://b.example",
    },
    /RegistryUrl: cannot be combined/,
  ],
  [
    { Feed__Oci__Helm__Mirror__Registries__0__Url: "https://a.example" },
    /Feed__Oci__Helm__Mirror__Registries__0: "helm" is not a segment/,
  ],
  [
    { ...npmjs, PackageSources__1__Name: "NPMJS", PackageSources__1__Protocol: "npm" },
    /PackageSources__1__FeedUrl: is required/,
  ],
])("%j is a problem", (env, words) => {
  expect(parsed(env).problems.join("\n")).toMatch(words);
});

test("two sources with one name are a problem", () => {
  const second = Object.entries(npmjs).map(([key, text]) => [key.replace("__0__", "__1__"), text]);
  const { problems } = parsed({ ...npmjs, ...Object.fromEntries(second) });
  expect(problems).toEqual([expect.stringMatching(/__1__Name: the source of PackageSources__0/)]);
});

test("credentials and anonymous pulls together need consent, also for single registries", () => {
  expect(parsed({ ...npmjs, ...login }).problems).toEqual([]);
  expect(parsed({ ...npmjs }, true).problems).toEqual([]);
  expect(parsed({ ...npmjs, ...login }, true).problems).toEqual([
    expect.stringMatching(/^PackageSources__0__PublicThroughHere: .*AllowAnonymousPull/),
  ]);
  expect(
    parsed({ ...npmjs, ...login, [`${ONE}PublicThroughHere`]: "true" }, true).problems,
  ).toEqual([]);
  const single = {
    Feed__Npm__Mirror__Registries__0__Url: "https://one.example",
    Feed__Npm__Mirror__Registries__0__Token: "t",
  };
  expect(parsed(single, true).problems).toHaveLength(1);
});

test("a disabled mirror ignores what its sources would need", () => {
  const { problems, isEnabled } = parsed({ ...npmjs, ...login, Mirror__Enabled: "false" }, true);
  expect([problems, isEnabled]).toEqual([[], false]);
});

test("secrets of sources are masked, and a refused URL does not show its password", () => {
  const url = "https://ada:hidden@registry.example";
  const env = { ...npmjs, ...login, [`${ONE}FeedUrl`]: url, Feed__Npm__Mirror__RegistryUrl: url };
  const { entries, problems } = parsed({
    ...env,
    Feed__Npm__Mirror__Registries__0__Token: "hidden",
    Feed__Oci__Docker__Mirror__Registries__0__Password: "hidden",
  });
  const shown = showSettings(entries, TABLE);
  const texts = JSON.stringify([shown, problems]);
  expect(texts).not.toMatch(/hidden|"secret"/);
  expect(shown).toContainEqual(expect.objectContaining({ key: `${ONE}Name`, value: "npmjs" }));
});

test("a misspelt field is an unknown key", () => {
  const { unknown } = parsed({ ...npmjs, [`${ONE}Url`]: "x", Mirror__Ofline: "true" });
  expect(unknown.join("\n")).toMatch(
    /Sources__0__Url .* not a known.*did you mean Mirror__Offline/s,
  );
});

test("sources of a NuGet.config follow its mapping, and its remarks are warnings", () => {
  const folder = mkdtempSync(join(tmpdir(), "nuget-config-"));
  try {
    const path = join(folder, "NuGet.config");
    writeFileSync(
      path,
      `<configuration>
        <packageSources>
          <add key="nuget.org" value="https://api.nuget.org/v3/index.json" protocolVersion="3" />
          <add key="Acme feed" value="https://acme.example/v3/index.json" />
          <add key="unmapped" value="https://other.example/v3/index.json" />
          <add key="folder" value="./packages" />
        </packageSources>
        <packageSourceCredentials>
          <Acme_x0020_feed>
            <add key="Username" value="ada" />
            <add key="ClearTextPassword" value="%ACME_PASSWORD%" />
          </Acme_x0020_feed>
        </packageSourceCredentials>
        <packageSourceMapping>
          <packageSource key="nuget.org"><package pattern="*" /></packageSource>
          <packageSource key="Acme feed"><package pattern="Acme.*" /></packageSource>
        </packageSourceMapping>
      </configuration>`,
    );
    const env = { Mirror__NuGetConfigPath: path, ACME_PASSWORD: "secret" };
    const { sources, warnings, problems } = parsed(env);
    expect(problems).toEqual([]);
    expect(sources).toMatchObject([
      { name: "nuget.org", isEnabled: true, settings: { allow: ["*"] } },
      {
        name: "Acme-feed",
        isEnabled: true,
        credentials: { type: "basic", username: "ada", password: "secret" },
        settings: { allow: ["Acme.*"] },
      },
      { name: "unmapped", isEnabled: false },
    ]);
    expect(warnings).toEqual([expect.stringMatching(/NuGetConfigPath: .*"folder" is a folder/)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
