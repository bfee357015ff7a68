import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { authoritiesProblems } from "./authorities-problem.ts";
import { createSource, credentialsFrom } from "./create-source.ts";
import type { CredentialTexts, SourceParts } from "./create-source.ts";
import { describeSource } from "./describe-source.ts";
import type { PackageSource } from "./package-source.ts";
import { publicPagesOf } from "./public-page.ts";
import { RefusedSourceError, refuseExposed } from "./refused-source.ts";
import { loginOf, withSecretHeaders } from "./source-credentials.ts";
import { sourceProblems } from "./source-problems.ts";
import type { SourceSurroundings } from "./source-problems.ts";
import { isExpresslyFor, sourcesFor } from "./sources-for.ts";
import type { WantedName } from "./sources-for.ts";

const SURROUNDINGS: SourceSurroundings = {
  isAnonymousPull: false,
  ownOrigins: ["https://packages.example"],
  surfaces: ["docker"],
};
const bearer = { type: "bearer", token: "secret" } as const;
const basic = { type: "basic", username: "ada", password: "secret" } as const;

const source = (parts: Partial<SourceParts> = {}): PackageSource =>
  createSource({
    name: "one",
    protocol: "npm",
    url: "https://registry.example",
    from: "database",
    ...parts,
  });

test.each<[string, Partial<SourceParts>, string]>([
  ["a name with a space", { name: "a b" }, "Name is not allowed"],
  ["a name that begins with a dash", { name: "-a" }, "Name is not allowed"],
  ["an empty name", { name: "" }, "Name is not allowed"],
  ["a long name", { name: "a".repeat(65) }, "Name is not allowed"],
  ["an address of files", { url: "file:///etc" }, "FeedUrl is not an http or https URL"],
  ["a user in the address", { url: "https://ada@x.example" }, "FeedUrl has credentials"],
  ["a password in the address", { url: "https://:pw@x.example" }, "FeedUrl has credentials"],
  ["the metadata service", { url: "http://169.254.169.254/" }, "FeedUrl is an address of a cloud"],
  ["this registry", { url: "https://packages.example/npm" }, "FeedUrl is an address of this"],
  [
    "authorities for http",
    { url: "http://x.example", settings: { caPath: "/ca.pem" } },
    "CaPath has no effect on an http URL",
  ],
  ["a surface for npm", { surface: "docker" }, "Surface is only for sources of images"],
  ["an unknown segment", { protocol: "oci", surface: "other" }, "Surface"],
  ["a bad pattern", { settings: { allow: ["a b"] } }, 'Allow "a b" is not a name pattern'],
  ["two patterns in one", { settings: { deny: ["a,b"] } }, 'Deny "a,b" is not a name pattern'],
  [
    "an origin with a path",
    { credentials: bearer, settings: { credentialOrigins: ["https://x.example/y"] } },
    'CredentialOrigins "https://x.example/y" is not an origin',
  ],
  [
    "origins without credentials",
    { settings: { credentialOrigins: ["https://x.example"] } },
    "CredentialOrigins has no effect without credentials",
  ],
  [
    "token services of npm",
    { credentials: bearer, settings: { tokenRealms: ["https://x.example"] } },
    "TokenRealms is only for sources of images",
  ],
  [
    "a short fingerprint",
    { settings: { trustedCertificates: ["ab"] } },
    'TrustedCertificates "ab" is not a SHA-256 fingerprint',
  ],
  [
    "TrustedCerts without certificates",
    { protocol: "nuget", signaturePolicy: "TrustedCerts" },
    "TrustedCertificates is required",
  ],
  [
    "certificates without TrustedCerts",
    { protocol: "nuget", settings: { trustedCertificates: ["a".repeat(64)] } },
    "TrustedCertificates has no effect",
  ],
])("refuses a source with %s", (_, parts, expected) => {
  const problems = sourceProblems(source(parts), SURROUNDINGS);
  expect(problems.map(({ part, words }) => `${part} ${words}`).join("\n")).toContain(expected);
  expect(JSON.stringify(problems)).not.toContain("secret");
});

test.each<[string, Partial<SourceParts>]>([
  ["plain", {}],
  ["for a segment", { protocol: "oci", surface: "docker" }],
  ["for the default surface", { protocol: "oci", surface: "default" }],
  [
    "with origins",
    {
      protocol: "oci",
      credentials: bearer,
      settings: { tokenRealms: ["https://auth.example"], credentialOrigins: ["http://x:81"] },
    },
  ],
  [
    "with certificates",
    {
      protocol: "nuget",
      signaturePolicy: "TrustedCerts",
      settings: { trustedCertificates: ["a".repeat(64)] },
    },
  ],
])("a source that is %s has no problems", (_, parts) => {
  expect(sourceProblems(source(parts), SURROUNDINGS)).toEqual([]);
});

test.each<[string, Partial<SourceParts>, boolean, boolean]>([
  ["has credentials", { credentials: bearer }, true, true],
  ["has credentials, and readers need a token", { credentials: bearer }, false, false],
  ["has no credentials", {}, true, false],
  ["is disabled", { credentials: bearer, isEnabled: false }, true, false],
  ["takes packages only", { credentials: bearer, type: "downstream" }, true, false],
  [
    "is public through here",
    { credentials: bearer, settings: { publicThroughHere: true } },
    true,
    false,
  ],
])("a host with a source that %s (anonymous reads: %s)", (...row) => {
  const [, parts, isAnonymousPull, isRefused] = row;
  const surroundings = { ...SURROUNDINGS, isAnonymousPull };
  const start = () => refuseExposed([source(), source(parts)], surroundings);
  if (!isRefused) expect(start).not.toThrow();
  else {
    expect(start).toThrow(RefusedSourceError);
    expect(start).toThrow(/"one" needs credentials.*sealhouse source disable one$/);
  }
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-sources-"));
  await writeFile(join(folder, "ca.pem"), "-----BEGIN CERTIFICATE-----\nMII=\n");
  await writeFile(join(folder, "key.pem"), "-----BEGIN PRIVATE KEY-----\nMII=\n");
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ["no file", undefined, undefined],
  ["a certificate", "ca.pem", undefined],
  ["a key", "key.pem", "has no PEM certificate"],
  ["a file that is not there", "nowhere.pem", "cannot be read: ENOENT"],
  ["a folder", "", "cannot be read: EISDIR"],
])("the file of authorities may be %s", (_, file, expected) => {
  const caPath = file === undefined ? undefined : join(folder, file);
  const settings = { ...source().settings, ...(caPath !== undefined && { caPath }) };
  const [problem] = authoritiesProblems({ settings });
  expect(problem?.words ?? "").toContain(expected ?? "");
  expect(problem === undefined).toBe(expected === undefined);
});

test.each<[string, PackageSource["protocol"], CredentialTexts, unknown]>([
  ["nothing", "npm", {}, { status: "none" }],
  ["no headers", "npm", { headers: {} }, { status: "none" }],
  [
    "a user and a password",
    "npm",
    { username: "ada", password: "" },
    {
      credentials: {
        ...basic,
        password: "",
      },
    },
  ],
  ["a user alone", "npm", { username: "ada" }, { status: "refused", part: "password" }],
  ["a password alone", "npm", { password: "x" }, { status: "refused", part: "username" }],
  ["a token", "oci", { token: "secret" }, { credentials: bearer }],
  ["an API key for npm", "npm", { apiKey: "secret" }, { credentials: bearer }],
  [
    "an API key for NuGet",
    "nuget",
    { apiKey: "k" },
    { credentials: { type: "api-key", key: "k" } },
  ],
  [
    "headers",
    "npm",
    { headers: { "X-Key": "v" } },
    {
      credentials: {
        type: "headers",
        headers: { "x-key": "v" },
      },
    },
  ],
  ["a token and a key", "npm", { token: "a", apiKey: "b" }, { status: "refused", part: "token" }],
  [
    "a key and a login",
    "npm",
    { apiKey: "a", username: "b", password: "c" },
    { status: "refused", part: "apiKey" },
  ],
  [
    "headers and a login",
    "npm",
    { headers: { a: "b" }, username: "b", password: "c" },
    { status: "refused", part: "headers" },
  ],
])("credentials of %s", (_, protocol, texts, expected) => {
  expect(credentialsFrom(protocol, texts)).toMatchObject(expected as object);
});

test.each([
  [basic, basic],
  [bearer, bearer],
  [{ type: "api-key", key: "k" } as const, { type: "bearer", token: "k" }],
  [{ type: "headers", headers: { a: "b" } } as const, undefined],
  [undefined, undefined],
])("the login of %j is %j", (credentials, expected) => {
  expect(loginOf(credentials)).toEqual(expected);
});

test("secret headers go to the origins of a source, and to no others", async () => {
  const sent: (string | null)[] = [];
  const headers = { "x-key": "secret" };
  const fetch = withSecretHeaders(
    source({
      credentials: { type: "headers", headers },
      settings: { credentialOrigins: ["https://files.example"] },
    }),
    async (_, init) => {
      sent.push(new Headers(init.headers).get("x-key"));
      return new Response();
    },
  );
  for (const url of [
    "https://registry.example/a",
    "https://files.example/b",
    "https://other.example/c",
    "http://registry.example/a",
    "https://registry.example:444/a",
  ]) {
    await fetch(new URL(url), {});
  }
  expect(sent).toEqual(["secret", "secret", null, null, null]);
});

const NOW = new Date("2026-03-01T00:00:00Z");
const before = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

test.each([
  ["unused", {}, {}],
  ["works", { lastSuccessAt: before(5) }, {}],
  ["failing", { lastErrorAt: before(5), lastError: "no" }, {}],
  ["failing", { lastErrorAt: before(5), lastSuccessAt: before(6) }, {}],
  ["works", { lastErrorAt: before(6), lastSuccessAt: before(5) }, {}],
  ["paused", { lastErrorAt: before(6), pausedUntil: before(-5) }, {}],
  ["failing", { lastErrorAt: before(6), pausedUntil: before(5) }, {}],
  ["disabled", { lastSuccessAt: before(5) }, { isEnabled: false }],
])("a source is %s with the state %j", (status, state, parts) => {
  const described = describeSource(source({ ...parts, credentials: basic }), {
    state,
    now: NOW,
    isReplaced: false,
  });
  expect(described).toMatchObject({ status, credentials: "basic", name: "one" });
  expect(JSON.stringify(described)).not.toContain("secret");
  expect("pausedUntil" in described).toBe(status === "paused");
});

test("the status of a configured source is replaced while the database has sources", () => {
  const described = describeSource(source(), { now: NOW, isReplaced: true });
  expect(described).toMatchObject({ status: "replaced", credentials: "none" });
});

const all = [
  source({ name: "rest", priority: 1 }),
  source({ name: "second", priority: 9, settings: { allow: ["@acme/*"] } }),
  source({ name: "first", priority: 2, settings: { allow: ["@acme/*", "left-pad"] } }),
  source({ name: "exact", priority: 50, settings: { allow: ["@acme/one"] } }),
  source({ name: "off", isEnabled: false, settings: { allow: ["@acme/one"] } }),
  source({ name: "out", type: "downstream", settings: { allow: ["@acme/one"] } }),
  source({ name: "picky", priority: 0, settings: { deny: ["@secret/*", "@ACME/*", "left-*"] } }),
  source({ name: "feed", protocol: "nuget", url: "https://feed.example/v3/index.json" }),
];

test.each([
  ["@acme/one", ["exact"]],
  ["@acme/two", ["first", "second"]],
  ["left-pad", ["first"]],
  ["right-pad", ["picky", "rest"]],
  ["@secret/x", ["rest"]],
])("%s goes to %j", (name, expected) => {
  const names = sourcesFor(all, { protocol: "npm", name }).map((one) => one.name);
  expect(names).toEqual(expected);
});

test("asks equal sources in the order of their names", () => {
  const equal = ["b", "a", "c"].map((name) => source({ name }));
  const names = sourcesFor(equal, { protocol: "npm", name: "x" }).map(({ name }) => name);
  expect(names).toEqual(["a", "b", "c"]);
});

test.each<[string, Partial<WantedName>, boolean]>([
  ["docker", {}, false],
  ["docker", { surface: "docker" }, true],
  ["default", {}, true],
  ["default", { surface: "docker" }, false],
  [undefined as never, { surface: "docker" }, true],
])("a source for the surface %s and the name %j: %s", (surface, wanted, isAsked) => {
  const image = source({ protocol: "oci", ...(surface && { surface }) });
  const found = sourcesFor([image], { protocol: "oci", name: "team/app", ...wanted });
  expect(found.length > 0).toBe(isAsked);
});

test("a pattern makes a source one that is expressly for a name", () => {
  const [rest, second] = all as [PackageSource, PackageSource];
  expect(isExpresslyFor(rest, { protocol: "npm", name: "@acme/two" })).toBe(false);
  expect(isExpresslyFor(second, { protocol: "npm", name: "@acme/two" })).toBe(true);
  expect(isExpresslyFor(second, { protocol: "nuget", name: "@acme/two" })).toBe(false);
});

test("packages of public registries have web pages", () => {
  const sources = [
    source({ url: "https://registry.npmjs.org", settings: { deny: ["@ours/*"] } }),
    source({ name: "ours", url: "https://npm.ours.example", settings: { allow: ["@ours/*"] } }),
    source({ name: "g", protocol: "nuget", url: "https://api.nuget.org/v3/index.json" }),
  ];
  expect([...publicPagesOf(sources, "npm", ["@acme/a", "left", "@ours/b", "a/../b"])]).toEqual([
    ["@acme/a", "https://www.npmjs.com/package/@acme/a"],
    ["left", "https://www.npmjs.com/package/left"],
  ]);
  expect(publicPagesOf(sources, "nuget", ["Acme.Core"]).get("Acme.Core")).toBe(
    "https://www.nuget.org/packages/Acme.Core",
  );
  expect(publicPagesOf(sources, "oci", ["team/app"]).size).toBe(0);
});
