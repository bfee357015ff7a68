import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { COMPILED_CODE, isExtended, spawnHost } from "../../src/testing/index.ts";
import { openFolder, run } from "../clients/client.ts";
import type { ClientName, Command } from "./installed-clients.ts";
import { commandOf, denoCommand } from "./installed-clients.ts";

const SUITE = fileURLToPath(
  new URL("node_modules/@verdaccio/e2e-cli/bin/e2e-cli.js", import.meta.url),
);
const SUITE_MS = 900_000;
/** For each test of the suite. */
const TEST_MS = 300_000;

/** Takes the names out of the suite that `refused` has. */
const NAMES = fileURLToPath(new URL("verdaccio-names.mjs", import.meta.url));
/**
 * The exceptions: new names with upper-case letters, and with a hyphen at the beginning, which npm
 * 11 and 12 refuse as well.
 */
const refused = ["JSONStream-new", "-x-new"];
/** They load Verdaccio's plugins for yarn from the public registry, which does not have them. */
const OF_PLUGINS = ["deprecate", "login", "ping"];
/** Scenarios that need no upstream registry. */
const SCENARIOS = ["install-multiple-deps", "tarballs", "metadata", "search"];

type SuiteClient = readonly [name: string, client: ClientName | "deno", passed: number];

/** The suite takes minutes with these, so that it runs with `pnpm test:extended` only. */
const SLOW_CLIENTS: readonly SuiteClient[] = isExtended
  ? [
      ["npm", "npm-11", 15],
      ["npm", "npm-12", 15],
      ["yarn-modern", "yarn-4", 6],
    ]
  : [];

/** By the suite's names of them. */
const CLIENTS: readonly SuiteClient[] = [
  ...SLOW_CLIENTS,
  ["pnpm", "pnpm-12", 10],
  ["bun", "bun", 7],
  ["deno", "deno", 4],
];

describe("Verdaccio's own end-to-end suite", () => {
  const cleanUp = new AsyncDisposableStack();
  let host: TestHost;
  let folder: string;
  let token: string;

  beforeAll(async () => {
    folder = cleanUp.use(await openFolder()).path;
    // The suite writes its token for the root of the host.
    const env = { Feed__PublicBaseUrl: "http://127.0.0.1", Feed__Npm__HostNames__0: "localhost" };
    host = cleanUp.use(await spawnHost({ env }));
    token = await host.makeToken({ name: "e2e", scopes: "read,write,delete" });
  });
  afterAll(() => cleanUp.disposeAsync());

  test.each(refused)("the new name %s of the suite is refused", async (name) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const put = { method: "PUT", headers, body: publishBody({ name }) };
    const answer = await host.fetch(`/npm/${name}`, put);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(name)]);
  });

  test.each(CLIENTS)(
    "%s (%s) passes, except for refused names",
    async (name, client, passed) => {
      const command = client === "deno" ? denoCommand() : commandOf(client);
      if (!command) return;
      const home = join(folder, client);
      const program = await writeProgram(home, command);
      const skipped = name === "yarn-modern" ? OF_PLUGINS : [];
      const words = [
        "--registry",
        host.url.replace("127.0.0.1", "localhost"),
        "--token",
        token,
        "--timeout",
        String(TEST_MS),
        ...skipped.flatMap((testName) => ["--skip-test", testName]),
        "--pm",
        `${name}=${program}`,
      ];
      const env = {
        HOME: home,
        TMPDIR: home,
        XDG_CACHE_HOME: join(home, "cache"),
        XDG_DATA_HOME: join(home, "data"),
        DENO_DIR: join(home, "deno"),
        BUN_INSTALL_CACHE_DIR: join(home, "bun"),
        npm_config_cache: join(home, "npm"),
        // The suite sets this only when yarn tells its version within five seconds.
        YARN_NPM_MINIMAL_AGE_GATE: "0",
        ...COMPILED_CODE,
        PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
        NO_COLOR: "1",
      };
      const ran = await run(process.execPath, ["--import", NAMES, SUITE, ...words], {
        cwd: home,
        timeoutMs: SUITE_MS,
        env,
      });
      expect(ran.code, ran.output).toBe(0);
      const text = stripVTControlCharacters(ran.output);
      expect(text).toContain(`Total: ${passed} passed, 0 failed`);
      expect(text).toContain("PASS package-names");
      if (name !== "npm") return;
      for (const scenario of SCENARIOS)
        expect(text).toMatch(new RegExp(`(PASS|✓) scenario:${scenario}`));
    },
    SUITE_MS,
  );
});

/** The suite starts a client as one program. */
async function writeProgram(home: string, command: Command): Promise<string> {
  await mkdir(home);
  const path = join(home, "client");
  const words = command.map((word) => `'${word}'`).join(" ");
  await writeFile(path, `#!/bin/sh\nexec ${words} "$@"\n`);
  await chmod(path, 0o755);
  return path;
}
