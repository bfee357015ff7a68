import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { startHost } from "../../src/testing/index.ts";
import type { Ran } from "./client.ts";
import { hasClient, openFolder, run } from "./client.ts";
import type { SigstoreStandIn } from "./sigstore-stand-in.ts";
import { openSigstoreStandIn } from "./sigstore-stand-in.ts";

const CLIENTS = { "npm 11": "npm@11.21.2", "npm 12": "npm@12.2.0", "pnpm 12": "pnpm@12.21.0" };
type Client = keyof typeof CLIENTS;
const clients = ["npm 11", "npm 12", "pnpm 12"] as const satisfies readonly Client[];

describe.skipIf(!hasClient("npm"))("the registry's signatures, as clients verify them", () => {
  const cleanUp = new AsyncDisposableStack();
  const programs = new Map<Client, string>();
  let folder: string;
  let sigstore: SigstoreStandIn;
  let host: TestHost;

  beforeAll(async () => {
    folder = cleanUp.use(await openFolder()).path;
    sigstore = cleanUp.use(await openSigstoreStandIn(folder));
    // Fetched before any registry but the machine's own is configured.
    for (const client of clients) {
      const program = client.startsWith("pnpm") ? "pnpm" : "npm";
      const found = ["-y", "-p", CLIENTS[client], "-c", `command -v ${program}`];
      programs.set(client, (await run("npx", found)).stdout.trim());
    }
    host = cleanUp.use(await startHost());
    await keysOf(host);
    const token = await host.makeToken({ scopes: "read,write" });
    for (const client of clients) {
      const home = homeOf(client);
      await mkdir(home, { recursive: true });
      await sigstore.seed(join(home, "cache"));
      await writeFile(
        join(home, ".npmrc"),
        [
          `registry=${host.url}/npm/`,
          `//${new URL(host.url).host}/npm/:_authToken=${token}`,
          "update-notifier=false",
          "fund=false",
          "audit=false",
          "",
        ].join("\n"),
      );
    }
    await publish("signed-one", "1.0.0");
    await publish("@acme/signed-two", "1.0.0");
  });
  afterAll(() => cleanUp.disposeAsync());

  const homeOf = (client: Client) => join(folder, client.replace(" ", "-"));

  function ask(client: Client, args: readonly string[], cwd: string): Promise<Ran> {
    const home = homeOf(client);
    return run(programs.get(client) ?? "", args, {
      cwd,
      env: {
        HOME: home,
        npm_config_userconfig: join(home, ".npmrc"),
        npm_config_cache: join(home, "cache"),
        XDG_DATA_HOME: join(home, "data"),
        XDG_CACHE_HOME: join(home, "xdg-cache"),
        ...sigstore.env,
      },
    });
  }

  async function publish(name: string, version: string): Promise<void> {
    const source = join(folder, "sources", name, version);
    await mkdir(source, { recursive: true });
    await writeFile(join(source, "package.json"), JSON.stringify({ name, version }));
    const { code, output } = await ask("npm 12", ["publish"], source);
    if (code !== 0) throw new Error(output);
  }

  async function project(client: Client, dependencies: Record<string, string>): Promise<string> {
    const path = join(homeOf(client), "projects", String(Math.random()).slice(2));
    await mkdir(path, { recursive: true });
    const manifest = { name: "consumer", version: "1.0.0", dependencies };
    await writeFile(join(path, "package.json"), JSON.stringify(manifest));
    await writeFile(join(path, "pnpm-workspace.yaml"), "minimumReleaseAge: 0\n");
    const { code, output } = await ask(client, ["install"], path);
    if (code !== 0) throw new Error(output);
    return path;
  }

  test.each(clients)("%s finds every package signed", async (client) => {
    const path = await project(client, { "signed-one": "1.0.0", "@acme/signed-two": "1.0.0" });
    const audited = await ask(client, ["audit", "signatures"], path);
    expect(audited.output).toMatch(/2 packages have verified registry signatures/);
    expect(audited.output).not.toMatch(/missing|invalid/i);
    expect(audited.code).toBe(0);
  });

  test.each(clients)("%s accepts what a key signed before it was replaced", async (client) => {
    const version = `1.0.${clients.indexOf(client) + 1}`;
    await publish("rotated", version);
    const [before] = (await keysOf(host)).filter(({ expires }) => expires === null);
    const rotated = await host.cli("npm", "keys", "rotate", "--json");
    expect(rotated.stderr).toBe("");
    expect(rotated.code).toBe(0);
    await publish("signed-after", version);
    const keys = await keysOf(host);
    expect(keys.find(({ keyid }) => keyid === before?.keyid)?.expires).toMatch(/^\d{4}-/);
    const path = await project(client, { rotated: version, "signed-after": version });
    const audited = await ask(client, ["audit", "signatures"], path);
    expect(audited.output).toMatch(/2 packages have verified registry signatures/);
    expect(audited.code).toBe(0);
  });
});

type Key = { readonly keyid: string; readonly expires: string | null; readonly key: string };

/** As clients are told; waits for the host to make its key. */
async function keysOf(host: TestHost): Promise<readonly Key[]> {
  for (let attempts = 0; attempts < 100; attempts += 1) {
    const answer = await host.fetch("/npm/-/npm/v1/keys");
    if (answer.ok) return ((await answer.json()) as { keys: readonly Key[] }).keys;
    await delay(100);
  }
  throw new Error(`no keys: ${host.output()}`);
}
