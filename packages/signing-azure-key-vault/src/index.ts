import type { SigningExtension, SigningMode } from "@sealhouse/repo-signing";
import { SigningError } from "@sealhouse/repo-signing";
import { openVaultSigner } from "./open-vault-signer.ts";
import { VAULT_SETTINGS } from "./settings/table.ts";

const AZURE_KEY_VAULT: SigningMode = {
  settings: VAULT_SETTINGS,
  open: (context) => openVaultSigner(context),
  async openKey() {
    throw new SigningError(
      "signer",
      "Azure Key Vault makes requests and self-signed certificates itself, with the key: " +
        "az keyvault certificate create, and az keyvault certificate pending show --query csr.",
    );
  },
};

/** Brings the signing mode `AzureKeyVault`: the key signs inside the vault and never leaves it. */
export function azureKeyVaultSigning(): SigningExtension {
  return {
    name: "@sealhouse/signing-azure-key-vault",
    signingModes: { AzureKeyVault: AZURE_KEY_VAULT },
  };
}

/** The export that the host expects of an extension module. */
export const extension: SigningExtension = azureKeyVaultSigning();
