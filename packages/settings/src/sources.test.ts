import { expect, test } from "vitest";
import { createSettings, readSources, showSettings, typedSettings } from "./index.ts";
import type { Entries, SettingsTable } from "./index.ts";

const TABLE = {
  APP_ENVIRONMENT: { kind: { type: "text" }, fallback: "Production", about: "Environment." },
  Feed__Name: { kind: { type: "text" }, fallback: "default", about: "Name of the feed." },
  Feed__PublicBaseUrls: { kind: { type: "list", of: { type: "url" } }, about: "Addresses." },
  Feed__Npm__Enabled: { kind: { type: "boolean" }, fallback: "false", about: "Serves npm." },
  Host__ServerName: { kind: { type: "text" }, fallback: "Feed", about: "Name people see." },
  Host__TrustedProxies: { kind: { type: "list", of: { type: "network" } }, about: "Networks." },
  Host__Pepper: { kind: { type: "text" }, secret: true, about: "Secret." },
  Storage__Path: { kind: { type: "path" }, fallback: "./data", about: "Folder." },
  Signing__Mode: {
    kind: { type: "choice", values: ["SelfSigned", ""] },
    aliases: ["Signing__Provider"],
    about: "How packages are signed.",
  },
  ConnectionStrings: { kind: { type: "named" }, secret: true, about: "Connection strings." },
} as const satisfies SettingsTable;

const environmentKey = "APP_ENVIRONMENT";

function openSettings(entries: Entries) {
  const settings = createSettings(entries, { table: TABLE });
  return typedSettings(settings, TABLE);
}

const FILES: Record<string, string> = {
  "/a/appsettings.json": `{ "Feed": { "Name": "base", "PublicBaseUrls": ["https://one.example"] },
                            "Host": { "ServerName": "shipped" } }`,
  "/a/appsettings.Staging.json": `{ "feed": { "NAME": "staged" }, "Storage:Path": "/flat" }`,
  "/b/appsettings.json": `{ "Feed": { "Npm": { "Enabled": true } },
                            "Host": { "ServerName": null } }`,
};

function read(
  env: Record<string, string>,
  args: { key: string; text: string }[] = [],
  files: Record<string, string> = FILES,
) {
  return readSources({
    table: TABLE,
    environmentKey,
    env,
    args,
    folders: ["/a", "/b"],
    readFile: (path) => files[path],
  });
}

test("later sources win: files, environment, command line", () => {
  const env = { APP_ENVIRONMENT: "Staging" };
  const name = (sources: ReturnType<typeof read>) =>
    openSettings(sources.entries).get("Feed__Name");
  expect(name(read({}))).toBe("base");
  expect(name(read(env))).toBe("staged");
  expect(name(read({ ...env, FEED__NAME: "variable" }))).toBe("variable");
  const args = [{ key: "feed:name", text: "argument" }];
  expect(name(read({ ...env, FEED__NAME: "variable" }, args))).toBe("argument");
});

test("JSON sections, flat keys and arrays all become settings", () => {
  const settings = openSettings(read({ APP_ENVIRONMENT: "Staging" }).entries);
  expect(settings.get("Feed__PublicBaseUrls")).toEqual(["https://one.example"]);
  expect(settings.get("Storage__Path")).toBe("/flat");
  expect(settings.get("Feed__Npm__Enabled")).toBe(true);
  expect(settings.get("Host__ServerName")).toBe("shipped");
});

test("a list element of a later source replaces the one with its index", () => {
  const settings = openSettings(
    read({ Feed__PublicBaseUrls__0: "https://two.example", Feed__PublicBaseUrls__10: "http://c" })
      .entries,
  );
  expect(settings.get("Feed__PublicBaseUrls")).toEqual(["https://two.example", "http://c"]);
});

test("one value may hold a list, separated by commas", () => {
  const settings = openSettings(read({ Host__TrustedProxies: "10.0.0.0/8, ::1" }).entries);
  expect(settings.get("Host__TrustedProxies")).toEqual(["10.0.0.0/8", "::1"]);
});

test("within one source the name wins over its alias, but a later alias wins over the name", () => {
  const both = { Signing__Mode: "", Signing__Provider: "SelfSigned" };
  expect(openSettings(read(both).entries).get("Signing__Mode")).toBe("");
  const later = read({ Signing__Mode: "" }, [{ key: "Signing:Provider", text: "SelfSigned" }]);
  expect(openSettings(later.entries).get("Signing__Mode")).toBe("SelfSigned");
});

test.each([
  ["{ not json", /is not valid JSON/],
  ["[]", /must hold one JSON object/],
])("a settings file %j is a problem that names the file", (text, words) => {
  const { problems } = read({}, [], { "/a/appsettings.json": text });
  expect(problems).toEqual([expect.stringMatching(/^\/a\/appsettings\.json: /)]);
  expect(problems[0]).toMatch(words);
});

test("the environment's name cannot leave the folder", () => {
  const paths: string[] = [];
  readSources({
    table: TABLE,
    environmentKey,
    env: { APP_ENVIRONMENT: "../../etc/x" },
    args: [],
    folders: ["/a"],
    readFile: (path) => void paths.push(path),
  });
  expect(paths.every((path) => path.startsWith("/a/appsettings."))).toBe(true);
});

test("environment variables without a section are ignored", () => {
  expect(read({ HOST: "box", PATH: "/bin" }, [], {}).entries.size).toBe(0);
});

test("an invalid value is one problem, however often it is read", () => {
  const settings = openSettings(read({ Feed__Npm__Enabled: "yes" }).entries);
  expect([settings.get("Feed__Npm__Enabled"), settings.get("Feed__Npm__Enabled")]).toEqual([
    false,
    false,
  ]);
  expect(settings.problems).toEqual([
    'Feed__Npm__Enabled: "yes" is not allowed; allowed: true, false ' +
      "(from environment variable Feed__Npm__Enabled)",
  ]);
});

test("shown settings have their source, and secrets are masked", () => {
  const shown = showSettings(
    read({ Host__Pepper: "s3cret", ConnectionStrings__Main: "Password=s3cret" }).entries,
    new Map(Object.entries(TABLE)),
  );
  expect(JSON.stringify(shown)).not.toContain("s3cret");
  expect(shown).toContainEqual({
    key: "Host__Pepper",
    value: "********",
    source: "environment variable Host__Pepper",
  });
  expect(shown).toContainEqual({ key: "Storage__Path", value: "./data", source: "default" });
  expect(shown).toContainEqual({
    key: "Feed__Name",
    value: "base",
    source: "/a/appsettings.json",
    default: "default",
  });
});
