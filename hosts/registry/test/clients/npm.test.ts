import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import type { Ran } from "./client.ts";
import { hasClient, openFolder, run } from "./client.ts";

const PNPM = "pnpm@12.21.0";

describe.skipIf(!hasClient("npm"))("npm and pnpm against the host", () => {
  const cleanUp = new AsyncDisposableStack();
  let host: TestHost;
  let home: string;
  let registry: string;
  let pnpm: string;

  beforeAll(async () => {
    host = cleanUp.use(await spawnHost());
    home = cleanUp.use(await openFolder()).path;
    registry = `${host.url}/npm/`;
    // Fetched before any registry but the machine's own is configured.
    pnpm = (await run("npx", ["-y", "-p", PNPM, "-c", "command -v pnpm"])).stdout.trim();
    const token = await host.makeToken({ scopes: "read,write" });
    await writeFile(
      join(home, ".npmrc"),
      [
        `registry=${registry}`,
        `//${new URL(registry).host}/npm/:_authToken=${token}`,
        "update-notifier=false",
        "fund=false",
        "",
      ].join("\n"),
    );
  });
  afterAll(() => cleanUp.disposeAsync());

  function client(name: "npm" | "pnpm", args: readonly string[], cwd: string): Promise<Ran> {
    return run(name === "npm" ? "npm" : pnpm, args, {
      cwd,
      env: {
        HOME: home,
        npm_config_userconfig: join(home, ".npmrc"),
        npm_config_cache: join(home, "npm-cache"),
        XDG_DATA_HOME: join(home, "data"),
        XDG_CACHE_HOME: join(home, "cache"),
      },
    });
  }

  async function project(name: string, manifest: object): Promise<string> {
    const folder = join(home, "projects", name.replace("/", "-"), String(Math.random()).slice(2));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest, null, 2));
    return folder;
  }

  async function source(name: string, version: string): Promise<string> {
    const folder = await project(name, { name, version, main: "index.js", license: "MIT" });
    await writeFile(join(folder, "index.js"), `module.exports = ${JSON.stringify(version)};\n`);
    await writeFile(join(folder, "README.md"), `# ${name}\n`);
    return folder;
  }

  test("npm publishes, views and installs a plain package", async () => {
    const published = await client("npm", ["publish"], await source("plain-thing", "1.0.0"));
    expect(published.output).toContain("+ plain-thing@1.0.0");
    expect(published.code).toBe(0);

    const viewed = await client("npm", ["view", "plain-thing", "version"], home);
    expect(viewed.stdout.trim()).toBe("1.0.0");

    const consumer = await project("consumer", { name: "consumer", version: "1.0.0" });
    const installed = await client("npm", ["install", "plain-thing"], consumer);
    expect(installed.output).toContain("added 1 package");
    const lock = await readFile(join(consumer, "package-lock.json"), "utf8");
    expect(lock).toContain("sha512-");
  });

  test("npm publishes a scoped package, and npm ci installs it from the lock file", async () => {
    const published = await client("npm", ["publish"], await source("@acme/thing", "1.2.3"));
    expect(published.output).toContain("+ @acme/thing@1.2.3");

    const consumer = await project("ci", {
      name: "ci",
      version: "1.0.0",
      dependencies: { "@acme/thing": "^1.0.0" },
    });
    expect((await client("npm", ["install"], consumer)).code).toBe(0);
    const again = await client("npm", ["ci"], consumer);
    expect(again.output).toContain("added 1 package");
    const loaded = await run("node", ["-p", "require('@acme/thing')"], { cwd: consumer });
    expect(loaded.stdout.trim()).toBe("1.2.3");
  });

  test("npm shows why it cannot publish a version twice", async () => {
    await client("npm", ["publish"], await source("once", "1.0.0"));
    const other = await source("once", "1.0.0");
    await writeFile(join(other, "index.js"), "module.exports = 'other';\n");
    const again = await client("npm", ["publish", "--force"], other);
    expect(again.code).not.toBe(0);
    expect(again.output).toContain("You cannot publish over the previously published versions");
  });

  test("npm moves and removes dist-tags", async () => {
    await client("npm", ["publish"], await source("tagged", "1.0.0"));
    const next = await client("npm", ["publish", "--tag", "next"], await source("tagged", "2.0.0"));
    expect(next.code).toBe(0);
    expect((await client("npm", ["dist-tag", "ls", "tagged"], home)).stdout.trim()).toBe(
      "latest: 1.0.0\nnext: 2.0.0",
    );
    expect((await client("npm", ["dist-tag", "add", "tagged@2.0.0", "stable"], home)).code).toBe(0);
    expect((await client("npm", ["dist-tag", "rm", "tagged", "next"], home)).code).toBe(0);
    expect((await client("npm", ["dist-tag", "ls", "tagged"], home)).stdout.trim()).toBe(
      "latest: 1.0.0\nstable: 2.0.0",
    );
  });

  test("npm pings, shows its account and finds published packages", async () => {
    await client("npm", ["publish"], await source("findable-widget", "1.0.0"));
    expect((await client("npm", ["ping"], home)).code).toBe(0);
    expect((await client("npm", ["whoami"], home)).stdout.trim()).not.toBe("");
    expect((await client("npm", ["search", "findable"], home)).stdout).toContain("findable-widget");
  });

  test("npm says E401 and why when the token is wrong", async () => {
    const folder = await source("refused", "1.0.0");
    await writeFile(
      join(folder, ".npmrc"),
      `//${new URL(registry).host}/npm/:_authToken=shp_wrong\nregistry=${registry}\n`,
    );
    const refused = await client("npm", ["publish"], folder);
    expect(refused.code).not.toBe(0);
    expect(refused.output).toContain("E401");
  });

  test("pnpm publishes, installs, and installs again from its frozen lock file", async () => {
    const folder = await source("@acme/by-pnpm", "1.0.0");
    const published = await client("pnpm", ["publish", "--no-git-checks"], folder);
    expect(published.output).toContain("@acme/by-pnpm@1.0.0");
    expect(published.code).toBe(0);

    const consumer = await project("pnpm-consumer", {
      name: "pnpm-consumer",
      version: "1.0.0",
      dependencies: { "@acme/by-pnpm": "1.0.0" },
    });
    await writeFile(join(consumer, "pnpm-workspace.yaml"), "minimumReleaseAge: 0\n");
    const installed = await client("pnpm", ["install"], consumer);
    expect(installed.output).toContain("@acme/by-pnpm 1.0.0");
    const lock = await readFile(join(consumer, "pnpm-lock.yaml"), "utf8");
    expect(lock).not.toContain(host.url);
    const frozen = await client("pnpm", ["install", "--frozen-lockfile", "--force"], consumer);
    expect(frozen.code).toBe(0);
  });
});
