import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestCredential } from "@sealhouse/repo-signing/testing";
import { createTestCredential } from "@sealhouse/repo-signing/testing";
import { expect, test } from "vitest";
import type { ClockedFeed } from "./clients/clocked-feed.ts";
import { openClockedFeed } from "./clients/clocked-feed.ts";
import { openFolder } from "./clients/client.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The host looks every five seconds. */
const SOON = { timeout: 60_000, interval: 250 };

const expiring = { Signing__SelfSigned__ValidityInDays: "1" };

/** Makes the old key unable to sign. */
type Loss = (feed: ClockedFeed) => Promise<void>;

const expire: Loss = async ({ clock }) => void (clock.aheadMs = 2 * DAY_MS);
const deleteFile: Loss = async ({ clock, folder }) => {
  await rm(join(folder, "packages", "certs", "repository-signing.pfx"));
  // The host looks at the file once a minute.
  clock.aheadMs = MINUTE_MS;
};

test.each([
  ["has expired", expiring, expire],
  ["was deleted", {}, deleteFile],
])("a key that %s: the next one signs at once, and health and log warn", async (...row) => {
  const [, env, lose] = row;
  await using feed = await openClockedFeed(env);
  await expectReplacement(feed, () => lose(feed));
});

test("a key in a file that was replaced: the new one signs at once, and both warn", async () => {
  await using folder = await openFolder();
  const path = join(folder.path, "feed.pem");
  const store = async ({ keyPem, certificatePem, issuersPem }: TestCredential) => {
    await writeFile(`${path}.new`, keyPem + certificatePem + issuersPem);
    await rename(`${path}.new`, path);
  };
  await store(await createTestCredential());
  const mode = "StoredCertificate";
  await using feed = await openClockedFeed({
    Signing__Mode: mode,
    Signing__StoredCertificate__FilePath: path,
  });
  await expectReplacement(feed, async () => store(await createTestCredential()));
});

async function expectReplacement(feed: ClockedFeed, lose: () => Promise<void>): Promise<void> {
  expect(await feed.push("Acme.Before")).toBe(201);
  const [old] = await feed.pins();
  await expect.poll(() => feed.signingHealth(), SOON).toMatchObject({ status: "healthy" });

  await lose();
  expect(await feed.push("Acme.After")).toBe(201);
  await expect
    .poll(() => feed.signingHealth(), SOON)
    .toMatchObject({
      status: "degraded",
      description: expect.stringMatching(
        /^clients may refuse the new signing certificate until \d{4}-.*Z \(NU3034\)$/,
      ) as string,
    });
  const listed = await feed.cli("signing", "list", "--json");
  const certificates = JSON.parse(listed.printed) as { fingerprint: string; versions: number }[];
  const other = certificates.find(({ fingerprint }) => fingerprint.toUpperCase() !== old);
  expect(other).toMatchObject({ versions: 1 });
  const warnings = feed.lines.filter((line) => line.includes("was not listed for an hour"));
  expect(warnings).toEqual([expect.stringContaining(other?.fingerprint ?? "")]);
  expect(warnings[0]).toContain('"level":"warn"');
  expect(warnings[0]).toContain("NU3034");

  feed.clock.aheadMs += 61 * MINUTE_MS;
  await expect.poll(() => feed.signingHealth(), SOON).toMatchObject({ status: "healthy" });
}
