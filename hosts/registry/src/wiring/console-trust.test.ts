import { openTestDatabase } from "@sealhouse/database/testing";
import type { Database } from "@sealhouse/database";
import { createTestSigner } from "@sealhouse/repo-signing/testing";
import { certificateRecordOf } from "@sealhouse/repo-signing";
import { expect, test } from "vitest";
import { loadConfig } from "../settings/load.ts";
import { activeCertificates, trustPage } from "./console-trust.ts";

const configWith = (env: Record<string, string> = {}) =>
  loadConfig({ env: { ASPNETCORE_ENVIRONMENT: "Development", ...env }, workingFolder: "/" }).config;

/** Signs with a certificate of the test root at a time, and resolves to its fingerprint. */
async function use(database: Pick<Database, "certificates">, at: Date): Promise<string> {
  const [der = new Uint8Array()] = (await createTestSigner({ now: at })).chain;
  const record = certificateRecordOf(der);
  await database.certificates.used(record, at);
  return record.fingerprint;
}

test("the page has every certificate that signed, last used first", async () => {
  await using database = await openTestDatabase({});
  const config = configWith();
  expect(await trustPage({ config, database })).toEqual({ certificates: [], example: undefined });
  const older = await use(database, new Date("2026-01-01T00:00:00Z"));
  const newer = await use(database, new Date("2026-02-01T00:00:00Z"));
  const page = await trustPage({ config, database });
  expect(page?.certificates?.map(({ fingerprint }) => fingerprint)).toEqual([newer, older]);
  expect(page?.certificates?.[0]).toMatchObject({
    subject: "CN=Sealhouse Test Repository, O=Sealhouse Test",
    issuer: "CN=Sealhouse Test Root, O=Sealhouse Test",
  });
});

test("where images alone are signed, it is about them", async () => {
  await using database = await openTestDatabase({});
  const env = { Signing__Mode: "", Signing__Oci__Enabled: "true" };
  const page = await trustPage({ config: configWith(env), database });
  expect(page).toEqual({ certificates: undefined, images: true, example: undefined });
});

test("there is none while signing is off", async () => {
  await using database = await openTestDatabase({});
  const config = configWith({ Signing__Mode: "" });
  expect(await trustPage({ config, database })).toBeUndefined();
  expect(await activeCertificates({ config, database })).toBeUndefined();
});

test("the example is the newest NuGet package, where names are for everybody", async () => {
  await using database = await openTestDatabase({});
  const latest = [
    { protocol: "npm", name: "left", version: "1.0.0", publishedAt: new Date() },
    { protocol: "nuget", name: "Acme.Core", version: "1.2.0", publishedAt: new Date() },
  ] as const;
  const { certificates } = database;
  const asked = { certificates, latestPackages: async () => latest };
  const open = await trustPage({ config: configWith(), database: asked });
  expect(open?.example).toEqual({ id: "Acme.Core", version: "1.2.0" });
  const closed = configWith({ Feed__Authentication__AllowAnonymousPull: "false" });
  expect((await trustPage({ config: closed, database: asked }))?.example).toBeUndefined();
});
