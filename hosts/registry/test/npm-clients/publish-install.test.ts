import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectGolden } from "./golden.ts";
import type { ClientName } from "./installed-clients.ts";
import { installedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

const LOCK_FILE: Readonly<Partial<Record<ClientName, string>>> = {
  "npm-11": "package-lock.json",
  "npm-12": "package-lock.json",
  "pnpm-10": "pnpm-lock.yaml",
  "pnpm-12": "pnpm-lock.yaml",
  "yarn-1": "yarn.lock",
  "yarn-4": "yarn.lock",
  bun: "bun.lock",
};

type Packument = {
  readonly versions: Readonly<
    Record<string, { readonly dist: object; readonly _npmUser: object } | undefined>
  >;
};

const names = installedClients();
const published = names.flatMap((name) => [`plain-${name}`, `@acme/${name}`]);
const cleanUp = new AsyncDisposableStack();
let clients: NpmClients;
const projects = new Map<ClientName, string>();

beforeAll(async () => {
  clients = cleanUp.use(await openNpmClients());
});
afterAll(() => cleanUp.disposeAsync());

describe("publishing", () => {
  test.concurrent.each(names)("%s publishes a plain and a scoped package", async (name) => {
    const client = clients.client(name);
    for (const called of [`plain-${name}`, `@acme/${name}`]) {
      const more = { description: `by ${name}`, bin: "./index.js", author: "Ann <a@b.test>" };
      const sent = await client.publish(await client.source(called, "1.0.0", more));
      expect(sent.code, sent.output).toBe(0);
    }
    await expectGolden(`${name}/publish`, client.requests());
  });

  test.each(published)("%s shows the server's result", async (called) => {
    const response = await clients.host.fetch(`/npm/${called.replace("/", "%2f")}`, {
      headers: { authorization: `Bearer ${clients.token}` },
    });
    const text = await response.text();
    const { "1.0.0": version } = (JSON.parse(text) as Packument).versions;
    expect(version).toMatchObject({
      name: called,
      bin: { [called.slice(called.indexOf("/") + 1)]: "index.js" },
      _npmUser: { name: "alice" },
      dist: {
        integrity: expect.stringMatching(/^sha512-[\w+/]{86}==$/),
        fileCount: expect.any(Number),
        unpackedSize: expect.any(Number),
        tarball: `${clients.host.url}/npm/${called}/-/${called.replace("@acme/", "")}-1.0.0.tgz`,
      },
    });
    expect(text).not.toMatch(/"_resolved"|"_from"|"_integrity"|sealhouse-client-/);
  });
});

describe("installing what all of them published", () => {
  test.concurrent.each(names)("%s installs the %# others", async (name) => {
    const client = clients.client(name);
    // What a client has published it would not download again.
    await client.clearCache();
    const project = await client.project(
      Object.fromEntries(published.map((packageName) => [packageName, "1"])),
    );
    const installed = await client.install(project);
    expect(installed.code, installed.output).toBe(0);
    expectInstalled(project);
    await expectGolden(`${name}/install`, client.requests());
    projects.set(name, project);
  });

  test.each(names)("the lock file of %s has canonical addresses or no addresses", async (name) => {
    const lock = await readFile(join(projectOf(name), LOCK_FILE[name] ?? ""), "utf8");
    expect(lock).toMatch(/sha512-|checksum: /);
    const { registry } = clients.client(name);
    if (/^pnpm|^yarn-4/.test(name)) expect(lock).not.toContain(new URL(registry).host);
    else expect(lock).toContain(`"${registry}${published[0]}/-/${published[0]}-1.0.0.tgz`);
  });

  test.concurrent.each(names)("%s installs again from its lock file alone", async (name) => {
    const client = clients.client(name);
    const project = projectOf(name);
    await client.clearCache();
    await client.removeInstalled(project);
    const installed = await client.installFrozen(project);
    expect(installed.code, installed.output).toBe(0);
    expectInstalled(project);
    const requests = client.requests();
    const documents = requests.filter(({ path }) => !/\.tgz$|\/-\/|\/pnpm$/.test(path));
    if (name.startsWith("npm-")) expect(documents).toEqual([]);
    await expectGolden(`${name}/install-frozen`, requests);
  });
});

/** The project of a client, which exists when its installation succeeded. */
function projectOf(name: ClientName): string {
  const project = projects.get(name);
  if (project === undefined) throw new Error(`${name} has not installed the packages`);
  return project;
}

function expectInstalled(project: string): void {
  const load = createRequire(join(project, "package.json"));
  expect(published.map((name) => load(name))).toEqual(published.map((name) => `${name}@1.0.0`));
}
