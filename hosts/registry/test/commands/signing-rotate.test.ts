import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Signer } from "@sealhouse/repo-signing";
import { createTestSigner } from "@sealhouse/repo-signing/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Extension } from "../../src/extension.ts";
import { createLog } from "../../src/log.ts";
import { openRegistry } from "../../src/registry.ts";
import { loadConfig } from "../../src/settings/load.ts";
import { runInProcess } from "../../src/testing/index.ts";

const SILENT = createLog({ level: "None", format: "Json" }, () => undefined);

/** Files that the operator has put at the configured paths. */
const configured: { signer?: Signer } = {};
const extension: Extension = {
  name: "acme",
  signingModes: {
    AcmeVault: {
      settings: {},
      async open() {
        if (configured.signer) return configured.signer;
        throw new Error("the vault does not answer");
      },
    },
  },
};

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-rotate-"));
  configured.signer = await signerOf(1);
});
afterEach(() => rm(folder, { recursive: true }));

/** The same key with another certificate that became valid `daysAgo` days ago. */
function signerOf(days: number): Promise<Signer> {
  return createTestSigner({ now: new Date(Date.now() - days * 86_400_000) });
}

function settings() {
  return {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: folder,
    Signing__Mode: "AcmeVault",
  };
}

function run(...words: readonly string[]) {
  return runInProcess(words, { folder, env: settings(), extensions: [extension] });
}

async function fingerprints(): Promise<readonly string[]> {
  const { printed } = await run("signing", "list", "--json");
  return (JSON.parse(printed) as { fingerprint: string }[]).map(({ fingerprint }) => fingerprint);
}

test("records the configured certificate, and refuses an earlier one", async () => {
  const first = await run("signing", "rotate");
  expect(first).toMatchObject({
    code: 0,
    printed: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  expect(first.stderr).toMatch(/is listed now\. Configure it on the hosts from 20.*Z, not before/);
  const now = await run("signing", "rotate", "--now");
  expect(now).toMatchObject({ code: 0, printed: first.printed });
  const again = await run("signing", "rotate");
  expect(again).toMatchObject({ code: 1, printed: "" });
  expect(again.stderr).toMatch(
    /still name CN=Sealhouse Test Repository.*Configure the new certificate/,
  );
  configured.signer = await signerOf(2);
  const second = await run("signing", "rotate");
  expect(await fingerprints()).toEqual([first.printed, second.printed]);
});

test("refuses a certificate that no client would take, and keeps no record of it", async () => {
  configured.signer = await signerOf(400);
  const { code, stderr } = await run("signing", "rotate");
  expect(code).toBe(78);
  expect(stderr).toMatch(/^The host cannot sign packages: Signing__AcmeVault: .* ends on /);
  expect(await fingerprints()).toEqual([]);
});

test("does not start with a retired certificate, and reports the reason", async () => {
  const old = (await run("signing", "rotate")).printed;
  const first = configured.signer;
  configured.signer = await signerOf(2);
  await run("signing", "rotate");
  expect((await run("signing", "retire", old)).code).toBe(0);
  if (first) configured.signer = first;
  const { config } = loadConfig({
    env: settings(),
    workingFolder: folder,
    extensions: [extension],
  });
  const starting = openRegistry(config, { log: SILENT, extensions: [extension] });
  await expect(starting).rejects.toThrow(
    /cannot sign packages: Signing__AcmeVault: The signing certificate .* was retired/,
  );
  expect((await run("signing", "rotate")).code).toBe(78);
});

test("retires while the key service is unavailable, because that may be the reason", async () => {
  const old = (await run("signing", "rotate")).printed;
  delete configured.signer;
  const { code, stderr } = await run("signing", "retire", old);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^Not checked whether it still signs: .*the vault does not answer/);
  expect((await run("signing", "retire", old, "--resign")).code).toBe(0);
});
