import { expect, test } from "vitest";
import { NUGET_CONFIG_BYTES_MAX, readNuGetConfig } from "./nuget-config.ts";
import { sourcesForId } from "./source-mapping.ts";

const ENV = { FEED: "https://feed.example/v3/index.json", PASSWORD: "p<w", EMPTY: "" };
const FEED = "https://feed.example/v3/index.json";

test("reads sources with credentials, ages and a mapping", () => {
  const config = read(`<!-- of the team -->
    <packageSources>
      <add key="gone" value="${FEED}" />
      <clear />
      <add key="My Feed" value="%FEED%" protocolVersion="3" minPublishAgeHours="72" />
      <add key="plain" value="http://10.0.0.1/v3/index.json" allowInsecureConnections="True" />
      <add key="Off" value="https://off.example/nuget/a%20b%20c" protocolVersion="3" />
    </packageSources>
    <packageSourceCredentials>
      <My_x0020_Feed>
        <add key="Username" value="builder" /><add key="ClearTextPassword" value="%PASSWORD%" />
        <add key="ValidAuthenticationTypes" value="negotiate,basic" />
      </My_x0020_Feed>
    </packageSourceCredentials>
    <disabledPackageSources><add key="off" value="true" /><add key="plain" value="false" />
    </disabledPackageSources>
    <packageSourceMapping>
      <packageSource key="My Feed">
        <package pattern="Acme.*" /><package pattern="a*b" />
      </packageSource>
      <packageSource key="plain"><package pattern="*" /></packageSource>
    </packageSourceMapping>`);
  expect(config).toEqual({
    sources: [
      {
        key: "My Feed",
        url: FEED,
        protocolVersion: 3,
        isDisabled: false,
        allowInsecureConnections: false,
        minPublishAgeHours: 72,
        credentials: { type: "basic", username: "builder", password: "p<w" },
      },
      {
        key: "plain",
        url: "http://10.0.0.1/v3/index.json",
        protocolVersion: 3,
        isDisabled: false,
        allowInsecureConnections: true,
      },
      {
        key: "Off",
        url: "https://off.example/nuget/a%20b%20c",
        protocolVersion: 3,
        isDisabled: true,
        allowInsecureConnections: false,
      },
    ],
    mapping: [
      { key: "My Feed", patterns: ["Acme.*"] },
      { key: "plain", patterns: ["*"] },
    ],
    remarks: [{ kind: "ignored", key: "My Feed", text: expect.stringContaining('"a*b"') }],
  });
});

test.each([
  ["an unset variable", 'value="https://%HOST%/index.json"', "refused", "%HOST%"],
  ["a relative path", 'value="packages"', "refused", "is a folder"],
  ["an absolute path", 'value="/srv/packages"', "refused", "is a folder"],
  ["a Windows path", 'value="C:\\packages"', "refused", "is a folder"],
  ["a file URL", 'value="file:///srv/packages"', "refused", "is a folder"],
  ["an empty variable", 'value="%EMPTY%"', "refused", "has no value"],
  ["a v2 feed by its version", `value="${FEED}" protocolVersion="2"`, "refused", "NuGet v2"],
  ["a v2 feed by its URL", 'value="https://a.example/api/v2/"', "refused", "NuGet v2"],
  ["http", 'value="http://a.example/index.json"', "refused", "allowInsecureConnections"],
  ["credentials in the URL", 'value="https://a:b@c.example/i.json"', "refused", "in its URL"],
  ["a bad age", `value="${FEED}" minPublishAgeHours="soon"`, "refused", "minPublishAgeHours"],
  [
    "no TLS check",
    `value="${FEED}" disableTLSCertificateValidation="true"`,
    "ignored",
    "authority",
  ],
])("remarks on %s and names the source", (_, attributes, kind, text) => {
  const config = read(`<packageSources><add key="acme" ${attributes} /></packageSources>`);
  expect(config.remarks).toEqual([{ kind, key: "acme", text: expect.stringContaining(text) }]);
  expect(config.remarks[0]?.text).toContain('"acme"');
  expect(config.sources).toHaveLength(kind === "refused" ? 0 : 1);
});

test.each([
  ["an encrypted password", { Username: "a", Password: "AQAAANCMnd8" }, "ignored", "encrypted"],
  ["no password", { Username: "a" }, "ignored", "without"],
  ["an unset variable", { Username: "a", ClearTextPassword: "%NOPE%" }, "refused", "%NOPE%"],
])("remarks on credentials with %s", (_, values, kind, text) => {
  const added = Object.entries(values).map(
    ([key, value]) => `<add key="${key}" value="${value}"/>`,
  );
  const config = read(`<packageSources><add key="acme" value="${FEED}" /></packageSources>
    <packageSourceCredentials><ACME>${added.join("")}</ACME></packageSourceCredentials>`);
  expect(config.remarks).toEqual([{ kind, key: "acme", text: expect.stringContaining(text) }]);
  expect(config.sources.map(({ credentials }) => credentials)).toEqual(
    kind === "refused" ? [] : [undefined],
  );
});

test("uses credentials without basic, and remarks on it", () => {
  const config = read(`<packageSources><add key="acme" value="${FEED}" /></packageSources>
    <packageSourceCredentials><acme><add key="username" value="a"/>
    <add key="CLEARTEXTPASSWORD" value="b"/><add key="ValidAuthenticationTypes" value="ntlm"/>
    </acme></packageSourceCredentials>`);
  expect(config.remarks).toMatchObject([
    { kind: "ignored", text: expect.stringContaining("ntlm") },
  ]);
  expect(config.sources[0]?.credentials).toMatchObject({ username: "a", password: "b" });
});

test("takes the credentials of an environment variable before those of the file", () => {
  const variable = { NuGetPackageSourceCredentials_acme: "Username=ci; Password=x=y" };
  const text = `<packageSources><add key="acme" value="${FEED}" /></packageSources>
    <packageSourceCredentials><acme><add key="Username" value="a"/>
    <add key="ClearTextPassword" value="b"/></acme></packageSourceCredentials>`;
  const { sources, remarks } = read(text, variable);
  expect(remarks).toEqual([]);
  expect(sources[0]?.credentials).toEqual({ type: "basic", username: "ci", password: "x=y" });
});

test("takes the last of two sources with one key, and no mapping from an empty section", () => {
  const config = read(`<packageSources><add key="a" value="${FEED}" /></packageSources>
    <packageSources><add key="A" value="https://b.example/index.json" /></packageSources>
    <packageSourceMapping></packageSourceMapping>`);
  expect(config.sources.map(({ url }) => url)).toEqual(["https://b.example/index.json"]);
  expect(config.mapping).toBeUndefined();
});

test.each([
  ["a document type", "<!DOCTYPE a [<!ENTITY x 'y'>]><configuration>&x;</configuration>"],
  ["another root", "<settings />"],
  ["broken markup", "<configuration>"],
  ["too many bytes", `<configuration>${" ".repeat(NUGET_CONFIG_BYTES_MAX)}</configuration>`],
])("refuses %s", (_, text) => {
  expect(readNuGetConfig(Buffer.from(text), {})).toMatchObject({
    status: "unreadable",
    problem: expect.stringContaining("NuGet.config"),
  });
});

test.each([
  ["Acme.Widgets", ["exact"]],
  ["acme.widgets", ["exact"]],
  ["Acme.Core.Json", ["deep", "deep too"]],
  ["Acme.Other", ["team"]],
  ["Acme", ["all"]],
  ["Newtonsoft.Json", ["all"]],
])("the longest pattern for %s decides", (id, keys) => {
  const mapping = [
    { key: "all", patterns: ["*"] },
    { key: "team", patterns: ["Acme.*", "Acme.Cor*"] },
    { key: "exact", patterns: ["Acme.Widgets"] },
    { key: "deep", patterns: ["ACME.Core.*"] },
    { key: "deep too", patterns: ["acme.core.*"] },
  ];
  expect(sourcesForId(mapping, id)).toEqual(keys);
});

test("an id that no pattern matches has no source, unless there is no mapping", () => {
  expect(sourcesForId([{ key: "team", patterns: ["Acme.*"] }], "Other")).toEqual([]);
  expect(sourcesForId([], "Other")).toEqual([]);
  expect(sourcesForId(undefined, "Other")).toBeUndefined();
});

function read(sections: string, env: Readonly<Record<string, string>> = ENV) {
  const text = `\ufeff<?xml version="1.0" encoding="utf-8"?>
    <configuration>${sections}</configuration>`;
  const outcome = readNuGetConfig(Buffer.from(text), env);
  if (outcome.status === "unreadable") throw new Error(outcome.problem);
  return outcome.config;
}
