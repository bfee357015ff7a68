import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

// The file of a tarball vanishes from the storage: publishing the same version again restores it.
// npm refuses a version that exists before it sends anything, unless it is forced.

const CASES = [
  { name: "npm-11", isNoticed: true },
  { name: "npm-12", isNoticed: false },
] as const;
const cases = CASES.filter(({ name }) => installedClients().includes(name));
/** Larger than a file that is stored in a row of the database. */
const TARBALL_BYTES = 100_000;
const SLOW_MS = 240_000;

describe.skipIf(cases.length === 0)("a lost tarball", () => {
  let clients: NpmClients;

  beforeAll(async () => {
    clients = await openNpmClients({ only: cases.map(({ name }) => name) });
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  async function removeTarballs(): Promise<void> {
    const root = join(clients.host.folder, "packages");
    const all = await readdir(root, { recursive: true, withFileTypes: true });
    const files = all.filter(
      (entry) => entry.isFile() && join(entry.parentPath, entry.name).includes("/npm/blobs/"),
    );
    expect(files.length).toBeGreaterThan(0);
    for (const { parentPath, name } of files) await rm(join(parentPath, name));
  }

  test.each(cases)(
    "$name publish --force restores it (an install noticed the loss before: $isNoticed)",
    async ({ name, isNoticed }) => {
      const client = clients.client(name);
      const called = `lost-${name}`;
      const content = randomBytes(TARBALL_BYTES).toString("hex");
      const folder = await client.folder({ name: called, version: "1.0.0" }, { "a.txt": content });
      const published = await client.publish(folder);
      expect(published.code, published.output).toBe(0);
      const install = async () => {
        await client.clearCache();
        return client.install(await client.project({ [called]: "1.0.0" }));
      };
      await removeTarballs();
      if (isNoticed) expect((await install()).output).toMatch(/E404|404 Not Found/);
      const refused = await client.publish(folder);
      expect(refused.output).toContain("cannot publish over the previously published versions");
      const again = await client.publish(folder, "--force");
      expect(again.code, again.output).toBe(0);
      const installed = await install();
      expect(installed.code, installed.output).toBe(0);
    },
    SLOW_MS,
  );
});
