import { createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import {
  issueTestCertificate,
  pemOf,
  testModeContext,
  testRootCertificate,
} from "@sealhouse/repo-signing/testing";
import type { TestModeContext } from "@sealhouse/repo-signing/testing";
import { VAULT_SETTINGS } from "../settings/table.ts";
import type { AzureKeyVaultStandIn, VersionInVault } from "./azure-key-vault-stand-in.ts";
import { openAzureKeyVaultStandIn } from "./azure-key-vault-stand-in.ts";

/** From now on this process trusts the stand-in, as a host does with NODE_EXTRA_CA_CERTS. */
export async function trustStandIn(): Promise<void> {
  const root = pemOf(await testRootCertificate());
  setDefaultCACertificates([...getCACertificates("default"), root]);
}

/** A version with a certificate from the test root. */
export async function makeVersion(
  options: {
    readonly key?: KeyObject;
    /** The certificate is valid from the day before. */
    readonly now?: Date;
    readonly validityInDays?: number;
  } & Partial<VersionInVault> = {},
): Promise<VersionInVault> {
  const { key = rsaKey(), now = new Date(), validityInDays = 365, ...changes } = options;
  const certificate = await issueTestCertificate({ publicKey: spkiOf(key), now, validityInDays });
  return { version: randomBytes(16).toString("hex"), certificate, key, ...changes };
}

export function rsaKey(): KeyObject {
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
}

/** A stand-in that holds one version of the certificate `feed`. */
export async function openVaultWithCertificate(
  version?: VersionInVault,
): Promise<AzureKeyVaultStandIn> {
  const vault = await openAzureKeyVaultStandIn();
  vault.certificates.set("feed", [version ?? (await makeVersion())]);
  return vault;
}

/** Settings with which an application signs with `feed`. */
export function settingsFor(vault: AzureKeyVaultStandIn): Record<string, string> {
  return {
    Signing__AzureKeyVault__VaultUri: vault.url,
    Signing__AzureKeyVault__CertificateName: "feed",
    Signing__AzureKeyVault__AuthenticationMode: "ClientSecret",
    Signing__AzureKeyVault__TenantId: vault.tenantId,
    Signing__AzureKeyVault__ClientId: vault.application.clientId,
    Signing__AzureKeyVault__ClientSecret: vault.application.clientSecret,
    Signing__AzureKeyVault__AuthorityHost: vault.url,
    Signing__AzureKeyVault__VerifyAuthority: "false",
    Signing__AzureKeyVault__VerifyChallengeResource: "false",
  };
}

/** The arguments that the host passes to the mode. */
export function contextWith(
  values: Readonly<Record<string, string | undefined>>,
  variables: Readonly<Record<string, string>> = {},
): TestModeContext {
  return testModeContext({ settings: VAULT_SETTINGS }, values, variables);
}

function spkiOf(key: KeyObject): Uint8Array {
  return createPublicKey(key).export({ format: "der", type: "spki" });
}
