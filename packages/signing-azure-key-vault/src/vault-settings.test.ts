import { ModeSettingError } from "@sealhouse/repo-signing";
import { expect, test } from "vitest";
import { contextWith } from "./testing/vault-with-certificate.ts";
import { readVaultSettings } from "./vault-settings.ts";

const short = (settings: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [`Signing__AzureKeyVault__${key}`, value]),
  );

const LEAST = { VaultUri: "https://acme.vault.azure.net/", CertificateName: "feed" };
const APPLICATION = {
  ...LEAST,
  AuthenticationMode: "ClientSecret",
  TenantId: "acme.example",
  ClientId: "id",
  ClientSecret: "secret",
};

function failureOf(settings: Readonly<Record<string, string | undefined>>): ModeSettingError {
  try {
    readVaultSettings(contextWith(short(settings)));
  } catch (error) {
    if (error instanceof ModeSettingError) return error;
  }
  throw new Error("The settings were taken.");
}

test("address and name are enough", () => {
  expect(readVaultSettings(contextWith(short(LEAST)))).toEqual({
    vaultUrl: "https://acme.vault.azure.net",
    certificateName: "feed",
    hash: "SHA256",
    identity: { type: "default" },
    verifyAuthority: true,
    verifyChallengeResource: true,
  });
});

test("every setting is read", () => {
  const settings = {
    ...APPLICATION,
    CertificateVersion: "0123456789abcdef0123456789abcdef",
    HashAlgorithm: "SHA512",
    AuthorityHost: "https://login.microsoftonline.us",
    VerifyAuthority: "false",
    VerifyChallengeResource: "false",
  };
  expect(readVaultSettings(contextWith(short(settings)))).toEqual({
    vaultUrl: "https://acme.vault.azure.net",
    certificateName: "feed",
    certificateVersion: "0123456789abcdef0123456789abcdef",
    hash: "SHA512",
    identity: {
      type: "client-secret",
      tenantId: "acme.example",
      clientId: "id",
      clientSecret: "secret",
    },
    authorityHost: "https://login.microsoftonline.us",
    verifyAuthority: false,
    verifyChallengeResource: false,
  });
});

test.each([
  ["Default", { TenantId: "t", ClientId: "c" }, { type: "default", tenantId: "t", clientId: "c" }],
  ["ManagedIdentity", {}, { type: "managed-identity" }],
  ["ManagedIdentity", { ClientId: "c" }, { type: "managed-identity", clientId: "c" }],
])("who the host is with %s and %j", (AuthenticationMode, rest, identity) => {
  const context = contextWith(short({ ...LEAST, AuthenticationMode, ...rest }));
  expect(readVaultSettings(context).identity).toEqual(identity);
});

test("a secret that is kept elsewhere goes before one that is not", () => {
  const settings = { ...APPLICATION, ClientSecretConfigurationKey: "VAULT_SECRET" };
  const context = contextWith(short(settings), { VAULT_SECRET: "elsewhere" });
  expect(readVaultSettings(context).identity).toMatchObject({ clientSecret: "elsewhere" });
});

test("a tenant that has no effect is pointed out", () => {
  const settings = { ...LEAST, AuthenticationMode: "ManagedIdentity", TenantId: "t" };
  const context = contextWith(short(settings));
  readVaultSettings(context);
  expect(context.warnings).toEqual([expect.stringContaining("TenantId has no effect")]);
});

test("everything that is missing is named at once", () => {
  const failure = failureOf({ ...LEAST, AuthenticationMode: "ClientSecret" });
  expect(failure.key).toBe("Signing__AzureKeyVault__TenantId");
  expect(failure.message).toMatch(
    /^is required when .*Mode is ClientSecret; .*__ClientId: .*; .*Secret: or .*Key is required/,
  );
});

test.each([
  [
    { VaultUri: "http://acme.vault.azure.net" },
    "VaultUri",
    /write https:\/\/acme\.vault\.azure\.net$/,
  ],
  [
    { VaultUri: "https://acme.vault.azure.net/certificates/feed/01" },
    "VaultUri",
    /write https:\/\/acme\.vault\.azure\.net$/,
  ],
  [{ CertificateName: "feed/01" }, "CertificateName", /letters, digits and hyphens/],
  [{ CertificateVersion: "latest" }, "CertificateVersion", /32 letters and digits/],
  [{ TenantId: "a b" }, "TenantId", /is not a directory/],
  [{ AuthorityHost: "http://login.example" }, "AuthorityHost", /not an https address/],
  [{ AuthorityHost: "https://login.example/t" }, "AuthorityHost", /without a path/],
  [
    { ClientSecret: undefined, ClientSecretConfigurationKey: "MISSING" },
    "ClientSecretConfigurationKey",
    /no setting or environment variable named MISSING/,
  ],
  [
    { AuthenticationMode: "ManagedIdentity" },
    "ClientSecret",
    /is not used while .*AuthenticationMode is ManagedIdentity/,
  ],
  [{ AuthenticationMode: undefined }, "ClientSecret", /AuthenticationMode is Default/],
])("%j is refused by its key", (changes, key, words) => {
  const failure = failureOf({ ...APPLICATION, ...changes });
  expect(failure.key).toBe(`Signing__AzureKeyVault__${key}`);
  expect(failure.message).toMatch(words);
  expect(failure.message).not.toContain('"secret"');
});
