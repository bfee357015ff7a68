import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { certificateOfKey, certificateSettings, certificatesIn } from "./key-certificate.ts";
import { namedBy } from "./signing-mode.ts";
import { createTestSigner, pemOf, testModeContext, testRootCertificate } from "../testing/index.ts";

const SECTION = "Signing__Own";
const CONTEXT = { settings: certificateSettings(SECTION) };
const LEAF = pemOf((await createTestSigner()).chain[0] ?? new Uint8Array());
const ROOT = pemOf(await testRootCertificate());

const folder = await mkdtemp(join(tmpdir(), "key-certificate-"));
afterAll(() => rm(folder, { recursive: true }));
const path = join(folder, "feed.pem");
await writeFile(path, `${ROOT}${LEAF}`);

const contextOf = (own: Readonly<Record<string, string>>) =>
  testModeContext(
    CONTEXT,
    Object.fromEntries(Object.entries(own).map(([name, text]) => [`${SECTION}__${name}`, text])),
  );

test.each([
  ["CertificatePath", path],
  ["CertificatePem", `${ROOT}${LEAF}`],
  ["CertificatePem", `${ROOT}${LEAF}`.replaceAll("\n", "\\n")],
])("%s has the certificate first, and then its issuers (%#)", async (setting, text) => {
  const keyCertificate = await certificateOfKey(SECTION, contextOf({ [setting]: text }));
  expect(keyCertificate.setting).toBe(`${SECTION}__${setting}`);
  expect(keyCertificate.chain.map(pemOf)).toEqual([LEAF, ROOT]);
});

test.each([
  ["CertificatePath", {}, /or Signing__Own__CertificatePem to its text/],
  ["CertificatePem", { CertificatePath: path, CertificatePem: LEAF }, /Path is set, too; remove/],
  ["CertificatePath", { CertificatePath: "/no/feed.pem" }, /not found: \/no\/feed\.pem .*ENOENT/],
  ["CertificatePem", { CertificatePem: "feed" }, /it holds no certificate/],
])("%s is corrected when the settings are %j", async (key, own, message) => {
  await expect(certificateOfKey(SECTION, contextOf(own))).rejects.toMatchObject({
    name: "ModeSettingError",
    key: `${SECTION}__${key}`,
    message: expect.stringMatching(message),
  });
});

test("certificates that need not be there are asked for without a complaint", async () => {
  expect(await certificatesIn(`${SECTION}__Issuers`, contextOf({}))).toBeUndefined();
});

test("a secret is where its setting says, or the setting is to be corrected", () => {
  const key = `${SECTION}__SecretConfigurationKey`;
  const context = (name: string) => testModeContext(CONTEXT, { [key]: name }, { VAULT: "secret" });
  expect(namedBy(key, context("VAULT"))).toBe("secret");
  expect(namedBy(key, context(""))).toBeUndefined();
  expect(() => namedBy(key, context("VALUT"))).toThrow(
    expect.objectContaining({ key, message: expect.stringContaining("named VALUT") }),
  );
});
