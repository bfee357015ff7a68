import { glob, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { extendedTest } from "../../src/testing/index.ts";
import type { Ran } from "./client.ts";
import { hasClient, openFolder } from "./client.ts";
import type { ClockedFeed } from "./clocked-feed.ts";
import { openClockedFeed } from "./clocked-feed.ts";
import { createDotnetClient } from "./dotnet-client.ts";

const MINUTE_MS = 60_000;

/** A client that requires signatures of the certificates it has pinned, and keeps its cache. */
async function openClient(feed: ClockedFeed, folder: string) {
  const dotnet = await createDotnetClient({
    folder,
    source: feed.source,
    config: "<!-- signers -->",
    env: { SSL_CERT_FILE: feed.authority, DOTNET_NUGET_SIGNATURE_VERIFICATION: "true" },
  });
  const file = join(folder, "nuget.config");
  const plain = await readFile(file, "utf8");
  return {
    async pin(fingerprints: readonly string[]): Promise<void> {
      await writeFile(file, plain.replace("<!-- signers -->", signersOf(feed, fingerprints)));
    },
    async restore(id: string): Promise<Ran> {
      return dotnet.run(["restore"], await dotnet.consumer({ id, version: "1.0.0" }));
    },
    /** Makes the entries of the client's cache older. */
    async age(ms: number): Promise<void> {
      const cached = await Array.fromAsync(glob("http-cache/**/*.dat", { cwd: folder }));
      expect(cached).not.toEqual([]);
      for (const name of cached) {
        const path = join(folder, name);
        const { mtimeMs } = await stat(path);
        await utimes(path, new Date(mtimeMs - ms), new Date(mtimeMs - ms));
      }
    },
  };
}

function signersOf({ source }: ClockedFeed, fingerprints: readonly string[]): string {
  const certificates = fingerprints.map(
    (fingerprint) =>
      `<certificate fingerprint="${fingerprint}" hashAlgorithm="SHA256" allowUntrustedRoot="true" />`,
  );
  return `<config><add key="signatureValidationMode" value="require" /></config>
<trustedSigners><repository name="sealhouse" serviceIndex="${source}">
${certificates.join("\n")}
</repository></trustedSigners>`;
}

describe.skipIf(!hasClient("dotnet"))("dotnet that requires signatures", () => {
  test("restores through a rotation, whatever list it keeps, unless it was forced", async () => {
    await using feed = await openClockedFeed();
    await using folder = await openFolder();
    const client = await openClient(feed, folder.path);
    const pushed = async (id: string) => expect(await feed.push(id)).toBe(201);
    const restored = async (id: string) => {
      const { code, output } = await client.restore(id);
      expect(output).not.toMatch(/NU30(18|34)/);
      expect(code).toBe(0);
    };
    await pushed("Acme.Before");
    await client.pin(await feed.pins());
    await restored("Acme.Before");

    expect((await feed.cli("signing", "rotate")).code).toBe(0);
    const both = await feed.pins();
    expect(both).toHaveLength(2);
    await client.pin(both);
    // The client keeps the list from before, with the old certificate alone.
    feed.clock.aheadMs = 2 * MINUTE_MS;
    await pushed("Acme.During");
    await restored("Acme.During");
    feed.clock.aheadMs = 61 * MINUTE_MS;
    await client.age(61 * MINUTE_MS);
    await pushed("Acme.After");
    const listed = await feed.cli("signing", "list");
    expect(listed.printed).toMatch(/ {2}2 versions {2}[^]* {2}1 version {2}/);
    await restored("Acme.After");

    expect((await feed.cli("signing", "rotate", "--now")).stderr).toMatch(/NU3034/);
    const all = await feed.pins();
    expect(all).toHaveLength(3);
    await client.pin(all);
    feed.clock.aheadMs = 63 * MINUTE_MS;
    await pushed("Acme.Forced");
    const refused = await client.restore("Acme.Forced");
    expect(refused.output).toMatch(/error NU3034/);
    expect(refused.code).toBe(1);
    await client.age(31 * MINUTE_MS);
    await restored("Acme.Forced");
  }, 180_000);

  extendedTest(
    "refuses what a new key signs after the old one was deleted, until it has the new list",
    async () => {
      await using feed = await openClockedFeed();
      await using folder = await openFolder();
      const client = await openClient(feed, folder.path);
      expect(await feed.push("Acme.Before")).toBe(201);
      await client.pin(await feed.pins());
      expect((await client.restore("Acme.Before")).code).toBe(0);

      await rm(join(feed.folder, "packages", "certs", "repository-signing.pfx"));
      feed.clock.aheadMs = MINUTE_MS;
      expect(await feed.push("Acme.After")).toBe(201);
      const pins = await feed.pins();
      expect(pins).toHaveLength(2);
      await client.pin(pins);
      expect((await client.restore("Acme.After")).output).toMatch(/error NU3034/);
      await client.age(31 * MINUTE_MS);
      const restored = await client.restore("Acme.After");
      expect(restored.output).not.toMatch(/NU30(18|34)/);
      expect(restored.code).toBe(0);
    },
    240_000,
  );
});
