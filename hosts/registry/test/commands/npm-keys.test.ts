import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../../src/log.ts";
import { openRegistry } from "../../src/registry.ts";
import { loadConfig } from "../../src/settings/load.ts";
import { runInProcess } from "../../src/testing/run-in-process.ts";

const SILENT = createLog({ level: "None", format: "Json" }, () => undefined);

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-npm-keys-"));
});
afterEach(() => rm(folder, { recursive: true }));

const settings = () => ({ ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: folder });

const run = (...words: readonly string[]) => runInProcess(words, { folder, env: settings() });

test("says that there is no key before the first start", async () => {
  const { code, printed, stderr } = await run("npm", "keys", "list");
  expect([code, printed]).toEqual([0, ""]);
  expect(stderr).toMatch(/the first start makes it/);
});

test("lists the signing key, replaces it while a host runs, and revokes it", async () => {
  const { config } = loadConfig({ env: settings(), workingFolder: folder });
  await using host = await openRegistry(config, { log: SILENT });
  const keys = async () => {
    const answer = await host.fetch(new Request("http://host/npm/-/npm/v1/keys"));
    return answer.ok ? ((await answer.json()) as { keys: readonly Key[] }).keys : [];
  };
  await expect.poll(keys, { timeout: 20_000 }).toHaveLength(1);
  const [first] = await keys();
  const before = await run("npm", "keys", "list");
  expect(before.printed).toMatch(/^SHA256:\S{43} {2}own {2}signs {2}announced {2}made \d{4}-/);

  const rotated = await run("npm", "keys", "rotate");
  expect(rotated.code).toBe(0);
  expect(rotated.stderr).toMatch(/on every instance/);
  const [old, current] = await keys();
  expect(old).toMatchObject({ keyid: first?.keyid, expires: expect.any(String) as string });
  expect(current).toMatchObject({ keyid: rotated.printed, expires: null });
  const listed = JSON.parse((await run("npm", "keys", "list", "--json")).printed) as object[];
  expect(listed).toMatchObject([{ signs: false }, { keyId: rotated.printed, signs: true }]);
  expect(JSON.stringify(listed)).not.toMatch(/encryptedKey|private/i);

  expect((await run("npm", "keys", "revoke", rotated.printed)).stderr).toMatch(/npm keys rotate/);
  expect((await run("npm", "keys", "revoke", "SHA256:none")).stderr).toMatch(/npm keys list/);
  expect(await run("npm", "keys", "revoke", first?.keyid ?? "")).toMatchObject({
    code: 0,
    printed: first?.keyid,
  });
  expect((await keys()).map(({ keyid }) => keyid)).toEqual([rotated.printed]);
});

type Key = { readonly keyid: string; readonly expires: string | null };
