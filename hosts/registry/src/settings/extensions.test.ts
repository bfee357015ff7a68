import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadExtensions } from "./extensions.ts";
import { ConfigError, loadConfig } from "./load.ts";

let folder = "";
const MODE = `{ settings: {
  Signing__Vault__Key: { kind: { type: "text" }, required: true, about: "Name of the key." },
  Signing__Vault__Pin: { kind: { type: "text" }, required: { unless: "Signing__Vault__Card" },
    about: "Its PIN." },
  Signing__Vault__Card: { kind: { type: "text" }, about: "A card in place of a PIN." },
}, open: async () => { throw new Error("not opened here"); } }`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "extensions-"));
  const installed = join(folder, "node_modules", "acme-signing");
  await mkdir(installed, { recursive: true });
  const manifest = { name: "acme-signing", type: "module", exports: "./main.js" };
  await writeFile(join(installed, "package.json"), JSON.stringify(manifest));
  const code = `export const extension = { name: "acme", signingModes: { AcmeVault: ${MODE} } };`;
  await writeFile(join(installed, "main.js"), code);
  await writeFile(join(folder, "own.mjs"), code.replace("AcmeVault", "OwnVault"));
  await writeFile(join(folder, "empty.mjs"), "export const extension = { name: 'nothing' };");
  await writeFile(join(folder, "broken.mjs"), "throw new Error('no such card reader');");
});
afterAll(() => rm(folder, { recursive: true }));

const asked = (env: Readonly<Record<string, string>>) => ({ env, args: [], workingFolder: folder });
const modesOf = async (env: Readonly<Record<string, string>>) =>
  (await loadExtensions(asked(env))).flatMap((one) => Object.keys(one.signingModes ?? {}));

test("modules are named by package or by path, and bring modes with settings", async () => {
  const env = { Host__Extensions__0: "acme-signing", Host__Extensions__1: "./own.mjs" };
  expect(await modesOf(env)).toEqual(["AcmeVault", "OwnVault"]);
  const extensions = await loadExtensions(asked(env));
  const load = (more: Readonly<Record<string, string>>) =>
    loadConfig({
      ...asked({ ...env, ASPNETCORE_ENVIRONMENT: "Development", ...more }),
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

test("the package of a cloud mode is loaded because the mode asks for it", async () => {
  expect(await modesOf({})).toEqual([]);
  expect(await modesOf({ Signing__Mode: "SelfSigned" })).toEqual([]);
  const [extension] = await loadExtensions(asked({ Signing__Provider: "awskms" }));
  expect(extension?.name).toBe("@sealhouse/signing-aws");
});

test.each([
  ["acme-missing", /Host__Extensions__0: the package acme-missing is not installed/],
  ["./missing.mjs", /Host__Extensions__0: \.\/missing\.mjs cannot be loaded/],
  ["./broken.mjs", /Host__Extensions__0: \.\/broken\.mjs cannot be loaded: no such card reader/],
  ["./empty.mjs", /Host__Extensions__0: \.\/empty\.mjs exports no "extension"/],
])("%s stops the start and says why", async (name, message) => {
  const loading = loadExtensions(asked({ Host__Extensions__0: name }));
  await expect(loading).rejects.toThrow(message);
  await expect(loading).rejects.toBeInstanceOf(ConfigError);
});
