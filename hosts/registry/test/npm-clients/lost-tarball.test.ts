import { randomBytes } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { ClientName } from "./installed-clients.ts";
import { quickClients } from "./installed-clients.ts";
import type { NpmClient } from "./npm-client.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import type { Packument } from "./packuments.ts";

// The file of a tarball vanishes from the storage. The registry notices it at a download or a
// check, and leaves the version out of the packument. A plain publish of the same version restores
// it: npm refuses a version that the packument lists before it sends anything.

const names = quickClients();
const npms = names.filter((name) => name === "npm-11" || name === "npm-12");
/** Larger than a file that is stored in a row of the database. */
const TARBALL_BYTES = 100_000;
const SLOW_MS = 240_000;

describe.skipIf(names.length === 0)("a lost tarball", () => {
  let clients: NpmClients;

  beforeAll(async () => {
    clients = await openNpmClients({ only: names });
    // Packuments get signatures when the keys are listed, about a second after the start.
    const keys = async () => (await clients.host.fetch("/npm/-/npm/v1/keys", auth())).text();
    await vi.waitFor(async () => expect(await keys()).toContain("keyid"), 30_000);
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  async function tarballFiles(): Promise<readonly string[]> {
    const root = join(clients.host.folder, "packages");
    const all = await readdir(root, { recursive: true, withFileTypes: true });
    return all
      .filter((one) => one.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => path.includes("/npm/blobs/"));
  }

  /** Publishes the version, and returns how to publish it again and how to lose its tarball. */
  async function publishOne(client: NpmClient, called: string, version: string) {
    const content = randomBytes(TARBALL_BYTES).toString("hex");
    const manifest = { name: called, version, license: "MIT" };
    const folder = await client.folder(manifest, { "a.txt": content, "yarn.lock": "" });
    const before = await tarballFiles();
    const publish = (...words: readonly string[]) => client.publish(folder, ...words);
    const published = await publish();
    expect(published.code, published.output).toBe(0);
    const [file, ...more] = (await tarballFiles()).filter((path) => !before.includes(path));
    expect(more).toEqual([]);
    const remove = () => rm(file ?? "");
    const lose = async () => {
      await remove();
      const read = () => clients.host.fetch(`/npm/${called}/-/${called}-${version}.tgz`, auth());
      expect((await read()).status).toBe(404);
    };
    return { publish, remove, lose };
  }

  function auth() {
    return { headers: { authorization: `Bearer ${clients.token}` } };
  }

  /** As installers read it. */
  async function packument(called: string): Promise<Packument> {
    return (await (await clients.host.fetch(`/npm/${called}`, auth())).json()) as Packument;
  }

  async function shown(called: string) {
    const { versions, "dist-tags": tags } = await packument(called);
    return { versions: Object.keys(versions), tags };
  }

  /** Installs without anything that was downloaded before; returns the installed version. */
  async function install(client: NpmClient, called: string, wanted: string) {
    await client.clearCache();
    const project = await client.project({ [called]: wanted });
    const { code, output } = await client.install(project);
    if (code !== 0) return { output };
    return { output, version: await installedVersion(client.name, project, called) };
  }

  test.each(names)(
    "%s installs the version before, and a plain publish restores the lost one with its tags",
    async (name) => {
      const client = clients.client(name);
      const called = `lost-${name}`;
      await publishOne(client, called, "1.0.0");
      const { publish, lose } = await publishOne(client, called, "2.0.0");
      const before = await packument(called);
      await lose();
      expect(await shown(called)).toEqual({ versions: ["1.0.0"], tags: { latest: "1.0.0" } });
      expect((await install(client, called, "2.0.0")).version).toBeUndefined();
      const other = await install(client, called, "latest");
      expect(other.version, other.output).toBe("1.0.0");
      const again = await publish();
      expect(again.code, again.output).toBe(0);
      expect(await packument(called)).toEqual(before);
      const healed = await install(client, called, "latest");
      expect(healed.version, healed.output).toBe("2.0.0");
    },
    SLOW_MS,
  );

  test.each(names)(
    "%s installs nothing of a package whose only version is lost, and a plain publish restores it",
    async (name) => {
      const client = clients.client(name);
      const called = `only-${name}`;
      const { publish, lose } = await publishOne(client, called, "1.0.0");
      const before = await packument(called);
      await lose();
      expect(await shown(called)).toEqual({ versions: [], tags: {} });
      const failed = await install(client, called, "latest");
      expect(failed.version, failed.output).toBeUndefined();
      const again = await publish();
      expect(again.code, again.output).toBe(0);
      expect(await packument(called)).toEqual(before);
      const healed = await install(client, called, "latest");
      expect(healed.version, healed.output).toBe("1.0.0");
    },
    SLOW_MS,
  );

  test.each(npms)(
    "%s restores a version below the latest one with --tag, which moves no tag",
    async (name) => {
      const client = clients.client(name);
      const called = `lower-${name}`;
      const { publish, lose } = await publishOne(client, called, "1.0.0");
      await publishOne(client, called, "2.0.0");
      const before = await packument(called);
      await lose();
      expect((await publish()).output).toContain("You must specify a tag using --tag");
      const again = await publish("--tag", "old");
      expect(again.code, again.output).toBe(0);
      expect(again.output).toContain(`Restored the lost tarball of ${called}@1.0.0`);
      expect(await packument(called)).toEqual(before);
    },
    SLOW_MS,
  );

  test.each(npms)(
    "%s restores a version with --force before the registry has noticed the loss",
    async (name) => {
      const client = clients.client(name);
      const called = `forced-${name}`;
      const { publish, remove } = await publishOne(client, called, "1.0.0");
      await remove();
      expect((await publish()).output).toContain("over the previously published versions");
      const again = await publish("--force");
      expect(again.code, again.output).toBe(0);
      const healed = await install(client, called, "latest");
      expect(healed.version, healed.output).toBe("1.0.0");
    },
    SLOW_MS,
  );

  test.each(npms)(
    "%s unpublishes a lost version",
    async (name) => {
      const client = clients.client(name);
      const called = `leaving-${name}`;
      await publishOne(client, called, "1.0.0");
      const { lose } = await publishOne(client, called, "2.0.0");
      await lose();
      const token = await clients.host.makeToken({ name: "alice", scopes: "read,write,delete" });
      await client.useToken(token);
      const unpublished = await client.run(["unpublish", `${called}@2.0.0`]);
      await client.useToken(clients.token);
      expect(unpublished.code, unpublished.output).toBe(0);
      expect(await shown(called)).toEqual({ versions: ["1.0.0"], tags: { latest: "1.0.0" } });
      expect((await install(client, called, "latest")).version).toBe("1.0.0");
    },
    SLOW_MS,
  );
});

/** yarn 4 keeps packages in archives; its lock file names the version. */
async function installedVersion(name: ClientName, project: string, called: string) {
  if (name === "yarn-4") {
    const lock = await readFile(join(project, "yarn.lock"), "utf8");
    return /^ {2}version: (\d+\.\d+\.\d+)$/m.exec(lock)?.[1];
  }
  const file = join(project, "node_modules", called, "package.json");
  return (JSON.parse(await readFile(file, "utf8")) as { readonly version: string }).version;
}
