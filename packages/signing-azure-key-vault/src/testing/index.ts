export {
  appServiceEnvironment,
  instanceMetadataEnvironment,
  openAzureKeyVaultStandIn,
} from "./azure-key-vault-stand-in.ts";
export type { AzureKeyVaultStandIn, VersionInVault } from "./azure-key-vault-stand-in.ts";
export { makeVersion, openVaultWithCertificate, settingsFor } from "./vault-with-certificate.ts";
