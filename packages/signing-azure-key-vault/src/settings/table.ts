import type { SettingsTable } from "@sealhouse/settings";

/** Settings of the signing mode `AzureKeyVault`. */
export const VAULT_SETTINGS = {
  Signing__AzureKeyVault__VaultUri: {
    kind: { type: "url" },
    required: true,
    about: "Address of the vault: `https://acme.vault.azure.net`.",
  },
  Signing__AzureKeyVault__CertificateName: {
    kind: { type: "text" },
    required: true,
    about: "Name of the certificate in the vault.",
  },
  Signing__AzureKeyVault__CertificateVersion: {
    kind: { type: "text" },
    otherwise: "the latest version, looked for again every hour",
    about: "Version of the certificate: 32 letters and digits.",
  },
  Signing__AzureKeyVault__ChainPath: {
    kind: { type: "path" },
    about:
      "PEM file with the certificates of the issuers, which the vault gives only together with " +
      "the private key.",
  },
  Signing__AzureKeyVault__ChainPem: {
    kind: { type: "text" },
    about: "The same certificates as text; `\\n` may replace line ends.",
  },
  Signing__AzureKeyVault__HashAlgorithm: {
    kind: { type: "choice", values: ["SHA256", "SHA384", "SHA512"] },
    fallback: "SHA256",
    about: "Hash algorithm of the signatures.",
  },
  Signing__AzureKeyVault__AuthenticationMode: {
    kind: { type: "choice", values: ["Default", "ManagedIdentity", "ClientSecret"] },
    fallback: "Default",
    about:
      "How the host proves to Azure who it is; `Default` tries the environment, workload " +
      "identity, managed identity and the developer's command-line tools.",
  },
  Signing__AzureKeyVault__TenantId: {
    kind: { type: "text" },
    about: "Directory of the application; `ClientSecret` needs it.",
  },
  Signing__AzureKeyVault__ClientId: {
    kind: { type: "text" },
    about:
      "Identifier of the application, which `ClientSecret` needs, or of a user-assigned managed " +
      "identity.",
  },
  Signing__AzureKeyVault__ClientSecret: {
    kind: { type: "text" },
    secret: true,
    about: "Secret of the application; better kept elsewhere and named by the next setting.",
  },
  Signing__AzureKeyVault__ClientSecretConfigurationKey: {
    kind: { type: "text" },
    about:
      "Name of the setting or environment variable that holds the application's secret; goes " +
      "before `ClientSecret`.",
  },
  Signing__AzureKeyVault__AuthorityHost: {
    kind: { type: "url" },
    otherwise: "`AZURE_AUTHORITY_HOST`, else `https://login.microsoftonline.com`",
    about: "Where tokens come from; sovereign clouds have their own address.",
  },
  Signing__AzureKeyVault__VerifyAuthority: {
    kind: { type: "boolean" },
    fallback: "true",
    about:
      "Looks the token server up at Microsoft before it is believed; a cloud without internet " +
      "needs `false`.",
  },
  Signing__AzureKeyVault__VerifyChallengeResource: {
    kind: { type: "boolean" },
    fallback: "true",
    about:
      "Sends tokens only to a vault whose address belongs to the cloud it names; a vault behind " +
      "your own address needs `false`.",
  },
} as const satisfies SettingsTable;
