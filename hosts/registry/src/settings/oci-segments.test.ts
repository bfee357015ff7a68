import { expect, test } from "vitest";
import { parseFeed } from "./feed.ts";
import { showSettings, unknownKeys } from "@sealhouse/settings";
import { openSettings, readEntries } from "./settings.ts";
import { settingsTable } from "./table.ts";

const ADDRESS = { Feed__PublicBaseUrl: "https://packages.example" };

function entriesOf(env: Record<string, string>) {
  return readEntries({ env, args: [], folders: [], readFile: () => undefined }).entries;
}

function parsed(env: Record<string, string>) {
  const settings = openSettings(entriesOf(env));
  const { oci } = parseFeed(settings);
  return { oci, problems: settings.problems };
}

test("a segment is whatever name is switched on, in lower case", () => {
  const { oci, problems } = parsed({
    ...ADDRESS,
    Feed__Oci__Default__Enabled: "true",
    Feed__Oci__Docker__Enabled: "true",
    feed__oci__helm__enabled: "True",
    Feed__Oci__Helm__HostNames__0: "Charts.example",
    Feed__Oci__Helm__HostNames__1: "helm.example",
    Feed__Oci__Helm__IncludeMirroredInCatalog: "true",
    Feed__Oci__Helm__PlatformPolicy__AllowedOs__0: "Linux",
    Feed__Oci__Helm__PlatformPolicy__AllowedOs__1: "freebsd",
    Feed__Oci__Off__Enabled: "false",
    Feed__Oci__Off__HostNames: "off.example",
  });
  expect(problems).toEqual([]);
  expect(oci).toMatchObject({ enabled: true, hasDefault: true });
  expect(oci.segments).toEqual([
    { name: "docker", hostNames: [], mirrored: { inCatalog: false, allowedOs: [] } },
    {
      name: "helm",
      hostNames: ["charts.example", "helm.example"],
      mirrored: { inCatalog: true, allowedOs: ["linux", "freebsd"] },
    },
  ]);
});

test("segments work without a default surface, and their names do not clash with settings", () => {
  const only = parsed({ Feed__Oci__Acme__Enabled: "true" });
  expect(only.oci).toMatchObject({ enabled: true, hasDefault: false });
  const none = parsed({ Feed__Oci__TagRules__0__Immutable: "true", Feed__Oci__UploadExpiry: "1" });
  expect(none.oci).toMatchObject({ enabled: false, segments: [] });
});

const TAKEN = "v3 V2 images npm npm-packages api token health packages sign-in shield";

test.each(TAKEN.split(" "))("%s is the path of something else", (name) => {
  const { problems } = parsed({ [`Feed__Oci__${name}__Enabled`]: "true" });
  const words = new RegExp(`^Feed__Oci__${name}__Enabled: "/${name.toLowerCase()}" is the path`);
  expect(problems).toEqual([expect.stringMatching(words)]);
});

test.each(["-acme", "ac me", "acme.", "a/b", "ä", "a".repeat(65), "a..b"])(
  "%s cannot begin a repository's name",
  (name) => {
    const { problems } = parsed({ [`Feed__Oci__${name}__Enabled`]: "true" });
    expect(problems).toEqual([
      expect.stringMatching(/Enabled: .*cannot begin a repository's name/),
    ]);
  },
);

test.each([
  [{ Feed__Oci__Acme__Enabled: "yes" }, /^Feed__Oci__Acme__Enabled: "yes" is not allowed/],
  [{ Feed__Oci__Acme__HostNames: "https://a" }, /^Feed__Oci__Acme__HostNames: .*a host name/],
  [{ Feed__Oci__Acme__HostNames: "packages.example" }, /^Feed__Oci__Acme__HostNames: .*\/acme;/],
  [
    { Feed__Npm__Enabled: "true", Feed__Npm__HostNames: "a.b", Feed__Oci__Acme__HostNames: "a.b" },
    /^Feed__Oci__Acme__HostNames: "a.b" is also in Feed__Npm__HostNames/,
  ],
  [
    {
      Feed__Oci__Zoo__Enabled: "true",
      Feed__Oci__Acme__HostNames: "a.b",
      Feed__Oci__Zoo__HostNames: "A.B",
    },
    /^Feed__Oci__(?:Acme|Zoo)__HostNames: "a.b" is also in Feed__Oci__(?:Acme|Zoo)__HostNames/,
  ],
])("refuses %j with the key's name", (env, words) => {
  const { problems } = parsed({ ...ADDRESS, Feed__Oci__Acme__Enabled: "true", ...env });
  expect(problems).toEqual([expect.stringMatching(words)]);
});

test("a host name for a segment takes an address for everything else", () => {
  const env = { Feed__Oci__Acme__Enabled: "true", Feed__Oci__Acme__HostNames__0: "acme.example" };
  expect(parsed(env).problems).toEqual([
    "Feed__Oci__Acme__HostNames: needs Feed__PublicBaseUrl, the address of everything but the " +
      "segment acme",
  ]);
});

test("keys of segments are known, and misspelt ones are not", () => {
  const right = { Feed__Oci__Acme__Enabled: "true", Feed__Oci__Acme__HostNames__0: "a.b" };
  const wrong = {
    Feed__Oci__Acme__HostName: "a.b",
    Feed__Oci__Default__HostNames__0: "a.b",
    Feed__Oci__Acme__Enabled__0: "true",
  };
  const table = settingsTable([]);
  const warnings = unknownKeys(entriesOf({ ...right, ...wrong }), table);
  expect(warnings.map((warning) => warning.split(" ")[0])).toEqual(Object.keys(wrong));
  const shown = showSettings(entriesOf(right), table).filter(({ source }) => source !== "default");
  expect(shown.map(({ key }) => key)).toEqual(Object.keys(right));
});
