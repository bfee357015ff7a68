import { expect, test } from "vitest";
import { openSettings, readEntries } from "./settings.ts";
import { showSettings } from "@sealhouse/settings";
import { settingsTable } from "./table.ts";
import { unknownKeysOf } from "./unknown-keys.ts";

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
  return readEntries({ env, args, folders: ["/a", "/b"], readFile: (path) => files[path] });
}

test("files, environment and command line follow each other, later wins", () => {
  const env = { ASPNETCORE_ENVIRONMENT: "Staging" };
  const name = (sources: ReturnType<typeof read>) =>
    openSettings(sources.entries).get("Feed__Name");
  expect(name(read({}))).toBe("base");
  expect(name(read(env))).toBe("staged");
  expect(name(read({ ...env, FEED__NAME: "variable" }))).toBe("variable");
  const args = [{ key: "feed:name", text: "argument" }];
  expect(name(read({ ...env, FEED__NAME: "variable" }, args))).toBe("argument");
});

test("JSON sections, flat keys and arrays all become settings", () => {
  const settings = openSettings(read({ ASPNETCORE_ENVIRONMENT: "Staging" }).entries);
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

test("a list may also stand in one value, separated by commas", () => {
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
  const asked: string[] = [];
  readEntries({
    env: { ASPNETCORE_ENVIRONMENT: "../../etc/x" },
    args: [],
    folders: ["/a"],
    readFile: (path) => void asked.push(path),
  });
  expect(asked.every((path) => path.startsWith("/a/appsettings."))).toBe(true);
});

test("environment variables that only look like sections are left alone", () => {
  expect(read({ HOST: "box", PATH: "/bin" }, [], {}).entries.size).toBe(0);
});

test.each([
  ["Storage__Typ", "Storage__Type"],
  ["Feed__Oci__Default__Enable", "Feed__Oci__Default__Enabled"],
  ["Signing__SelfSigned__KeySizes", "Signing__SelfSigned__KeySize"],
  ["Host__TrustedProxy__0", "Host__TrustedProxies"],
  ["Databse__Type", "Database__Type"],
  ["DATABASES__TYPE", "Database__Type"],
  ["Sttorage__Path", "Storage__Path"],
  ["Feeed__PublicBaseUrl", "Feed__PublicBaseUrl"],
  ["Hosts__DataPath", "Host__DataPath"],
])("the unknown key %s is warned about with %s", (key, near) => {
  const warnings = unknownKeysOf(read({ [key]: "x" }, [], {}).entries, []);
  expect(warnings).toEqual([expect.stringContaining(`did you mean ${near}?`)]);
});

test("keys of other programs and of later versions are not warned about", () => {
  const env = {
    npm__config: "x",
    Retention__MaxPrereleaseAgeDays: "3",
    Host__Authentication__Google__HostedDomain: "example.com",
    Host__TrustedProxies__0: "::1",
    ConnectionStrings__Main: "x",
    Postbox__Type: "x",
    Post__Type: "x",
  };
  expect(unknownKeysOf(read(env, [], {}).entries, [])).toEqual([]);
});

test("shown settings carry their source, and no secret", () => {
  const shown = showSettings(
    read({ Host__TokenHashPepper: "s3cret", ConnectionStrings__Main: "Password=s3cret" }).entries,
    settingsTable([]),
  );
  expect(JSON.stringify(shown)).not.toContain("s3cret");
  expect(shown).toContainEqual({
    key: "Host__TokenHashPepper",
    value: "********",
    source: "environment variable Host__TokenHashPepper",
  });
  expect(shown).toContainEqual({ key: "Storage__Type", value: "FileSystem", source: "default" });
  expect(shown).toContainEqual({ key: "Feed__Name", value: "base", source: "/a/appsettings.json" });
});
