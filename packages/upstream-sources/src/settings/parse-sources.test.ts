import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSettings, readSources } from "@sealhouse/settings";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseMirror } from "./parse-mirror.ts";
import { sourceSurroundings } from "./source-surroundings.ts";
import { UPSTREAM_SETTINGS } from "./table.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-nuget-config-"));
});
afterAll(() => rm(folder, { recursive: true }));

function parsed(env: Record<string, string>) {
  const { entries } = readSources({
    table: UPSTREAM_SETTINGS,
    environmentKey: "App__Environment",
    env,
    args: [],
    folders: [],
    readFile: () => undefined,
  });
  const settings = createSettings(entries, { table: UPSTREAM_SETTINGS, env });
  const surroundings = { isAnonymousPull: false, ownOrigins: [], surfaces: ["docker"] };
  const config = parseMirror(settings, surroundings);
  return { ...config, problems: JSON.stringify(settings.problems) };
}

const URL = "https://feed.example/v3/index.json";
const base = { Mirror__PackageSource: URL };
const key = "Mirror__Authentication__";

test.each<[string, Record<string, string>, unknown]>([
  ["none", {}, undefined],
  [
    "a login",
    { [`${key}Type`]: "Basic", [`${key}Username`]: "ada", [`${key}Password`]: "pw" },
    { type: "basic", username: "ada", password: "pw" },
  ],
  [
    "a token",
    { [`${key}Type`]: "Bearer", [`${key}Token`]: "secret" },
    { type: "bearer", token: "secret" },
  ],
  [
    "headers",
    { [`${key}Type`]: "Custom", [`${key}CustomHeaders__X-Key`]: "v" },
    { type: "headers", headers: { "x-key": "v" } },
  ],
])("the source of hosts for .NET may have %s", (_, env, credentials) => {
  const { sources, problems } = parsed({ ...base, ...env });
  expect(problems).toBe("[]");
  expect(sources).toMatchObject([{ name: "mirror", protocol: "nuget", from: "configuration" }]);
  expect(sources[0]?.credentials).toEqual(credentials);
});

test.each<[Record<string, string>, string]>([
  [{ [`${key}Type`]: "Basic" }, `is required with ${key}Type=Basic`],
  [{ [`${key}Type`]: "Bearer", [`${key}Username`]: "ada" }, "does not fit"],
  [{ [`${key}Token`]: "secret" }, `does not fit ${key}Type=None`],
  [{ [`${key}Type`]: "Custom" }, `are required with ${key}Type=Custom`],
  [{ [`${key}CustomHeaders__A`]: "b" }, `do not fit ${key}Type=None`],
  [{ Mirror__Legacy: "true" }, "NuGet v2 feeds are not supported"],
])("refuses the source of hosts for .NET with %j", (env, expected) => {
  const { problems } = parsed({ ...base, ...env });
  expect(problems).toContain(expected);
  expect(problems).not.toContain("secret");
});

test("credentials without their source have no effect", () => {
  const env = { [`${key}Type`]: "Bearer", [`${key}Token`]: "secret" };
  expect(parsed(env).problems).toContain("has no effect without Mirror__PackageSource");
});

const configOf = (inner: string) =>
  `<?xml version="1.0"?><configuration><packageSources>${inner}</packageSources>`;

test("sources of a NuGet.Config come in its order, with mapping, age and logins", async () => {
  const path = join(folder, "NuGet.Config");
  const sources =
    `<add key="nuget.org" value="https://api.nuget.org/v3/index.json" />` +
    `<add key="Our Feed!" value="https://ours.example/v3/index.json" />` +
    `<add key="off" value="https://off.example/v3/index.json" />`;
  const mapping =
    `<packageSourceMapping><packageSource key="Our Feed!"><package pattern="Ours.*" />` +
    `</packageSource><packageSource key="off"><package pattern="*" /></packageSource>` +
    `</packageSourceMapping>`;
  const disabled = `<disabledPackageSources><add key="off" value="true"/></disabledPackageSources>`;
  await writeFile(path, `${configOf(sources)}${mapping}${disabled}</configuration>`);
  const { sources: found, problems } = parsed({ Mirror__NuGetConfigPath: path });
  expect(problems).toBe("[]");
  const shown = found.map(({ name, priority, isEnabled, settings }) => [
    name,
    priority,
    isEnabled,
    settings.allow,
  ]);
  expect(shown).toEqual([
    // With a mapping, a source outside of it is asked for nothing.
    ["nuget.org", 100, false, []],
    ["Our-Feed-", 101, true, ["Ours.*"]],
    ["off", 102, false, ["*"]],
  ]);
});

test.each([
  ["a file that is not there", undefined, "the file cannot be read: ENOENT"],
  ["no XML", "not xml", "Mirror__NuGetConfigPath"],
])("%s is a problem of the setting", async (name, text, expected) => {
  const path = join(folder, `${name.replaceAll(" ", "-")}.config`);
  if (text !== undefined) await writeFile(path, text);
  const { sources, problems } = parsed({ Mirror__NuGetConfigPath: path });
  expect([sources, problems]).toEqual([[], expect.stringContaining(expected)]);
});

test.each<[Record<string, string>, string]>([
  [
    { PackageSources__0__Name: "a", PackageSources__0__Protocol: "npm" },
    "is required for a source",
  ],
  [
    {
      PackageSources__0__Name: "a",
      PackageSources__0__Protocol: "npm",
      PackageSources__0__FeedUrl: "https://a.example",
      PackageSources__0__SignaturePolicy: "Merge",
    },
    "is only for sources of NuGet packages",
  ],
  [
    {
      Feed__Npm__Mirror__RegistryUrl: "https://a.example",
      Feed__Npm__Mirror__Registries__0__Url: "https://b.example",
    },
    "cannot be combined with Feed__Npm__Mirror__Registries",
  ],
])("refuses sources with %j", (env, expected) => {
  expect(parsed(env).problems).toContain(expected);
});

test("the addresses of a registry are those of its base and its host names", () => {
  const surroundings = sourceSurroundings({
    anonymousPull: true,
    publicBaseUrls: ["https://packages.example:8443/base"],
    npm: { hostNames: ["npm.example"] },
    oci: { segments: [{ name: "docker", hostNames: ["docker.example"] }] },
  });
  expect(surroundings).toEqual({
    isAnonymousPull: true,
    ownOrigins: [
      "https://packages.example:8443",
      "https://npm.example:8443",
      "https://docker.example:8443",
    ],
    surfaces: ["docker"],
  });
});
