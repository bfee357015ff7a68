import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { startHost } from "../../src/testing/index.ts";
import { openFolder, run } from "../clients/client.ts";
import type { ClientName, Command } from "./installed-clients.ts";
import { commandOf, denoCommand } from "./installed-clients.ts";

const SUITE = fileURLToPath(
  new URL("node_modules/@verdaccio/e2e-cli/bin/e2e-cli.js", import.meta.url),
);
const SUITE_MS = 240_000;

/** The only one: it publishes new packages with upper-case names, which are refused here. */
const EXCEPTION = "package-names";
/** They load Verdaccio's plugins for yarn from the public registry, which does not have them. */
const OF_PLUGINS = ["deprecate", "login", "ping"];

/** By the suite's names of them. */
const CLIENTS: readonly (readonly [name: string, client: ClientName | "deno", passed: number])[] = [
  ["npm", "npm-12", 14],
  ["pnpm", "pnpm-12", 9],
  ["yarn-modern", "yarn-4", 5],
  ["bun", "bun", 6],
  ["deno", "deno", 3],
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
    host = cleanUp.use(await startHost({ env }));
    token = await host.makeToken({ name: "e2e", scopes: "read,write,delete" });
  });
  afterAll(() => cleanUp.disposeAsync());

  test.each(CLIENTS)(
    "%s passes, but for new upper-case names",
    async (name, client, passed) => {
      const command = client === "deno" ? denoCommand() : commandOf(client);
      if (!command) return;
      const home = join(folder, name);
      const program = await writeProgram(home, command);
      const skipped = name === "yarn-modern" ? [EXCEPTION, ...OF_PLUGINS] : [EXCEPTION];
      const words = [
        "--registry",
        host.url.replace("127.0.0.1", "localhost"),
        "--token",
        token,
        ...skipped.flatMap((one) => ["--skip-test", one]),
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
        PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
        NO_COLOR: "1",
      };
      const ran = await run(process.execPath, [SUITE, ...words], {
        cwd: home,
        timeoutMs: SUITE_MS,
        env,
      });
      expect(ran.code, ran.output).toBe(0);
      const text = stripVTControlCharacters(ran.output);
      expect(text).toContain(`Total: ${passed} passed, 0 failed`);
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
