import type { SettingsTable } from "@sealhouse/settings";

/** Settings of the storage type `AzureBlobStorage`. */
export const AZURE_BLOB_SETTINGS = {
  Storage__ConnectionString: {
    kind: { type: "text" },
    secret: true,
    about:
      "Connection string of the storage account, with its key or a shared access signature; " +
      "replaces the next settings of the account.",
  },
  Storage__ConnectionStringName: {
    kind: { type: "text" },
    about:
      "Name of the connection string in `ConnectionStrings__{name}`, or of an environment " +
      "variable; used when `Storage__ConnectionString` is not set.",
  },
  Storage__AccountName: {
    kind: { type: "text" },
    about: "Name of the storage account; needs `Storage__AccessKey` or a managed identity.",
  },
  Storage__AccessKey: {
    kind: { type: "text" },
    secret: true,
    about: "Key of the storage account, in base64.",
  },
  Storage__UseInstanceProfile: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Uses the managed identity of the machine instead of a key.",
  },
  Storage__ManagedIdentityClientId: {
    kind: { type: "text" },
    otherwise: "the system-assigned identity",
    about: "Client id of a user-assigned managed identity.",
  },
  Storage__ServiceUrl: {
    kind: { type: "url" },
    otherwise: "`https://{account}.blob.core.windows.net`",
    about: "Address of the blob service, for other clouds and private endpoints.",
  },
  Storage__Container: {
    kind: { type: "text" },
    fallback: "packages",
    about: "Name of the container. It must exist.",
  },
  Storage__Prefix: {
    kind: { type: "text" },
    about: "Folder of all objects in the container, such as `feeds/acme`.",
  },
} as const satisfies SettingsTable;
