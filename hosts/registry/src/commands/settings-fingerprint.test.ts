import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OLDER_ROOT_KEYS } from "../settings/older-host.ts";
import { SETTINGS } from "../settings/table.ts";
import { splitArguments } from "./setting-arguments.ts";
import { ROOT_KEYS, writtenSettings } from "./settings-fingerprint.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-written-"));
});
afterAll(() => rm(folder, { recursive: true }));

function read(env: Readonly<Record<string, string>> = {}, args: readonly string[] = []) {
  return writtenSettings({ env, args, workingFolder: folder });
}

test("the same settings have the same fingerprint, wherever they are written", () => {
  const both = { Host__DataPath: "/srv/feed", Feed__Npm__Enabled: "false" };
  const { fingerprint, dataPath } = read(both);
  expect(dataPath).toBe("/srv/feed");
  const turned = { FEED__NPM__ENABLED: "false", host__datapath: "/srv/feed", PATH: "/bin" };
  expect(read(turned).fingerprint).toBe(fingerprint);
  const args = ["--Host:DataPath=/srv/feed", "token", "list", "--Feed:Npm:Enabled", "false"];
  expect(read({}, args)).toEqual({ fingerprint, dataPath, words: ["token", "list"] });
  expect(
    read({ ...both, Logging__Format: "Json", ASPNETCORE_URLS: "http://+:1" }).fingerprint,
  ).toBe(fingerprint);
});

test("each other setting, folder or file has another fingerprint", async () => {
  const none = read();
  expect(none.dataPath).toBe(join(folder, "data"));
  const seen = new Set([none.fingerprint]);
  const keys = Object.keys(SETTINGS)
    .map((key) => key.replaceAll("*", "0"))
    .filter((key) => !/^(?:Logging|Kestrel)__|_URLS$/.test(key));
  for (const key of keys) {
    seen.add(read({ [key]: "x" }).fingerprint);
    seen.add(read({}, [`--${key}=y`]).fingerprint);
  }
  expect(seen.size).toBe(keys.length * 2 + 1);
  seen.add(writtenSettings({ env: {}, args: [], workingFolder: tmpdir() }).fingerprint);
  await writeFile(join(folder, "appsettings.json"), "{}");
  seen.add(read().fingerprint);
  await writeFile(join(folder, "appsettings.Test.json"), "{}");
  seen.add(read({ SEALHOUSE_ENVIRONMENT: "Test" }).fingerprint);
  expect(seen.size).toBe(keys.length * 2 + 4);
});

test("knows all settings without a section", () => {
  const aliases = Object.values(SETTINGS).flatMap((one) => ("aliases" in one ? one.aliases : []));
  const names = [...Object.keys(SETTINGS), ...aliases, ...OLDER_ROOT_KEYS];
  const alone = names.filter((name) => !name.includes("__")).map((name) => name.toLowerCase());
  expect(new Set(alone)).toEqual(ROOT_KEYS);
});

test("splits words and settings as the command itself does it", () => {
  for (const args of [
    ["token", "list", "--json"],
    ["token", "create", "--name", "a:b", "--scopes=read"],
    ["--Urls=http://+:1", "token", "list"],
    ["--ASPNETCORE_ENVIRONMENT", "Development", "token", "list"],
    ["webhook", "add", "https://example.com/?a=b__c", "--apply"],
    ["--settings-of=12", "token", "list"],
  ]) {
    expect(read({}, args).words).toEqual(splitArguments(args).rest);
  }
});
