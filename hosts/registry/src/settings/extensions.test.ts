import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadExtensions } from "./extensions.ts";
import { ConfigError, loadConfig } from "./load.ts";
import { configurationPage } from "./page.ts";

let folder = "";
const MODE = `{ settings: {
  Signing__Vault__Key: { kind: { type: "text" }, required: true, about: "Name of the key." },
  Signing__Vault__Pin: { kind: { type: "text" }, required: { unless: "Signing__Vault__Card" },
    about: "Its PIN." },
  Signing__Vault__Card: { kind: { type: "text" }, aliases: ["Signing__Vault__Chip"],
    about: "A card in place of a PIN." },
  Signing__Vault__Slots: { kind: { type: "list", of: { type: "integer", min: 0, max: 9 } },
    about: "Slots of the reader." },
}, open: async () => { throw new Error("not opened here"); } }`;

const TAPE = `export const extension = { name: "acme-tape", storageTypes: { AcmeTape: { settings: {
  Storage__AcmeTape__Drive: { kind: { type: "text" }, required: true, about: "The drive." },
}, open: async () => { throw new Error("not opened here"); } } } };`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "extensions-"));
  const installed = join(folder, "node_modules", "acme-signing");
  await mkdir(installed, { recursive: true });
  const manifest = { name: "acme-signing", type: "module", exports: "./main.js" };
  await writeFile(join(installed, "package.json"), JSON.stringify(manifest));
  const code = `export const extension = { name: "acme", signingModes: { AcmeVault: ${MODE} } };`;
  await writeFile(join(installed, "main.js"), code);
  const tape = join(folder, "node_modules", "acme-tape");
  await mkdir(tape);
  await writeFile(join(tape, "package.json"), JSON.stringify({ ...manifest, name: "acme-tape" }));
  await writeFile(join(tape, "main.js"), TAPE);
  await writeFile(join(folder, "own.mjs"), code.replace("AcmeVault", "OwnVault"));
  await writeFile(join(folder, "empty.mjs"), "export const extension = { name: 'nothing' };");
  await writeFile(join(folder, "broken.mjs"), "throw new Error('no such card reader');");
});
afterAll(() => rm(folder, { recursive: true }));

const selectionOf = (env: Readonly<Record<string, string>>) => ({
  env,
  args: [],
  workingFolder: folder,
});
const modesOf = async (env: Readonly<Record<string, string>>) =>
  (await loadExtensions(selectionOf(env))).flatMap((extension) =>
    Object.keys(extension.signingModes ?? {}),
  );

test("loads modules by package or by path, with modes and settings", async () => {
  const env = { Host__Extensions__0: "acme-signing", Host__Extensions__1: "./own.mjs" };
  expect(await modesOf(env)).toEqual(["AcmeVault", "OwnVault"]);
  const extensions = await loadExtensions(selectionOf(env));
  const load = (more: Readonly<Record<string, string>>) =>
    loadConfig({
      ...selectionOf({ ...env, ASPNETCORE_ENVIRONMENT: "Development", ...more }),
      extensions,
    });
  expect(() => load({ Signing__Mode: "acmevault" })).toThrow(
    "Signing__Vault__Key: is required; allowed: any text",
  );
  expect(() => load({ Signing__Mode: "acmevault" })).toThrow(
    "Signing__Vault__Pin: is required, or Signing__Vault__Card; allowed: any text",
  );
  const set = { Signing__Mode: "acmevault", Signing__Vault__Key: "k1" };
  const { config } = load({ ...set, Signing__Vault__Card: "c1" });
  expect(config.signing).toMatchObject({
    mode: "Extension",
    name: "AcmeVault",
    values: { Signing__Vault__Key: "k1", Signing__Vault__Card: "c1" },
  });
});

test("settings of extensions may be lists and have aliases", async () => {
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__Extensions__0: "./own.mjs",
    Signing__Mode: "OwnVault",
    Signing__Vault__Key: "k1",
    Signing__Vault__Chip: "c1",
    Signing__Vault__Slots__0: "3",
    Signing__Vault__Slots__1: "7",
  };
  const extensions = await loadExtensions(selectionOf(env));
  const load = (more: Readonly<Record<string, string>>) =>
    loadConfig({ ...selectionOf({ ...env, ...more }), extensions });
  const { config, warnings } = load({});
  expect(config.signing).toMatchObject({
    values: {
      Signing__Vault__Card: "c1",
      Signing__Vault__Slots__0: "3",
      Signing__Vault__Slots__1: "7",
    },
  });
  expect(warnings).toEqual([]);
  expect(() => load({ Signing__Vault__Slots__1: "x" })).toThrow(
    'Signing__Vault__Slots__1: "x" is not allowed; allowed: a whole number from 0 to 9',
  );
});

test.each([
  ["AwsKms", "Signing__AwsKms__Regoin", "Signing__AwsKms__Region"],
  ["GcpKms", "Signing__GcpKms__KeyRng", "Signing__GcpKms__KeyRing"],
  ["OwnVault", "Signing__Vault__Crad", "Signing__Vault__Card"],
  ["OwnVault", "Signing__Valt__Card", "Signing__Vault__Card"],
])("in mode %s the unknown key %s gets a warning with %s", async (mode, key, near) => {
  const env = { Host__Extensions__0: "./own.mjs", Signing__Mode: mode, [key]: "x" };
  const extensions = await loadExtensions(selectionOf(env));
  let warnings: readonly string[] = [];
  try {
    warnings = loadConfig({ ...selectionOf(env), extensions }).warnings;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    warnings = error.warnings;
  }
  expect(warnings).toContainEqual(expect.stringContaining(`did you mean ${near}?`));
});

test("ignores keys of signing modes without a loaded package", () => {
  const env = { ASPNETCORE_ENVIRONMENT: "Development", Signing__AwsKms__Region: "eu-west-1" };
  expect(loadConfig(selectionOf(env)).warnings).toEqual([]);
});

test("loads the package of a cloud mode because the mode requires it", async () => {
  expect(await modesOf({})).toEqual([]);
  expect(await modesOf({ Signing__Mode: "SelfSigned" })).toEqual([]);
  const [extension] = await loadExtensions(selectionOf({ Signing__Provider: "awskms" }));
  expect(extension?.name).toBe("@sealhouse/signing-aws");
});

test.each([
  ["acme-missing", /Host__Extensions__0: the package acme-missing is not installed/],
  ["./missing.mjs", /Host__Extensions__0: \.\/missing\.mjs cannot be loaded/],
  ["./broken.mjs", /Host__Extensions__0: \.\/broken\.mjs cannot be loaded: no such card reader/],
  ["./empty.mjs", /Host__Extensions__0: \.\/empty\.mjs exports no "extension"/],
])("%s stops the start with the reason", async (name, message) => {
  const loading = loadExtensions(selectionOf({ Host__Extensions__0: name }));
  await expect(loading).rejects.toThrow(message);
  await expect(loading).rejects.toBeInstanceOf(ConfigError);
});

test("loads the package of a storage type and explains its misspelt key", async () => {
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Storage__Type: "acmetape",
    Storage__AcmeTape__Drive: "/dev/st0",
    Storage__AcmeTape__Driv: "/dev/st1",
  };
  const packages = { Signing__Mode: {}, Storage__Type: { AcmeTape: "acme-tape" } };
  const extensions = await loadExtensions(selectionOf(env), packages);
  expect(extensions.map(({ name }) => name)).toEqual(["acme-tape"]);
  const { config, warnings } = loadConfig({ ...selectionOf(env), extensions });
  expect(config.storage).toMatchObject({ type: "Extension", name: "AcmeTape" });
  expect(warnings).toEqual([
    expect.stringMatching(/^Storage__AcmeTape__Driv .*did you mean Storage__AcmeTape__Drive\?$/),
  ]);
});

test("documents the settings of a storage type in a separate section", async () => {
  const packages = { Signing__Mode: {}, Storage__Type: { AcmeTape: "acme-tape" } };
  const extensions = await loadExtensions(selectionOf({ Storage__Type: "AcmeTape" }), packages);
  expect(configurationPage(extensions)).toContain(
    "## Storage: AcmeTape\n\nFrom the package `acme-tape`.\n\n| Key",
  );
});
