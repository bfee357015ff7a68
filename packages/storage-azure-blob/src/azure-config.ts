import { typedValues } from "@sealhouse/settings";
import { StorageSettingError } from "@sealhouse/storage-providers";
import type { StorageContext } from "@sealhouse/storage-providers";
import { connectionStringOf } from "@sealhouse/storage-providers/remote";
import { AZURE_BLOB_SETTINGS } from "./settings/table.ts";

/** Credentials and address of the storage account. */
export type AzureAccount =
  /** `key` is the setting that holds the text, which errors name. */
  | { readonly type: "connection-string"; readonly text: string; readonly key: string }
  | {
      readonly type: "access-key";
      readonly url: string;
      readonly name: string;
      readonly accessKey: string;
    }
  /** Without `clientId` the system-assigned identity. */
  | { readonly type: "managed-identity"; readonly url: string; readonly clientId?: string };

/** A container, and how to reach it. */
export type AzureConfig = {
  readonly account: AzureAccount;
  readonly container: string;
  readonly prefix?: string;
};

/** A container, as `AzureConfig`; a connection string needs no `key`. */
export type AzureOptions = Omit<AzureConfig, "account"> & {
  readonly account: AzureAccount | { readonly type: "connection-string"; readonly text: string };
};

const CONTAINER = /^[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){2,62}$/;
const ACCOUNT = /^[a-z0-9]{3,24}$/;

/** @throws {StorageSettingError} that names the setting to correct */
export function readAzureConfig(context: StorageContext): AzureConfig {
  const values = typedValues(AZURE_BLOB_SETTINGS, context.values);
  const container = values.get("Storage__Container") || "packages";
  if (!CONTAINER.test(container)) {
    throw new StorageSettingError(
      "Storage__Container",
      `"${container}" is not a container name: 3 to 63 letters a-z, digits and single hyphens`,
    );
  }
  const prefix = values.get("Storage__Prefix");
  return { account: readAccount(context), container, ...(prefix && { prefix }) };
}

const ACCOUNT_KEYS = [
  "Storage__AccountName",
  "Storage__AccessKey",
  "Storage__ManagedIdentityClientId",
  "Storage__ServiceUrl",
] as const;

function readAccount(context: StorageContext): AzureAccount {
  const connection = connectionStringOf(context);
  const values = typedValues(AZURE_BLOB_SETTINGS, context.values);
  const usesIdentity = values.get("Storage__UseInstanceProfile");
  if (connection) {
    const second =
      ACCOUNT_KEYS.find((key) => values.get(key)) ??
      (usesIdentity ? "Storage__UseInstanceProfile" : undefined);
    if (second === undefined) return { type: "connection-string", ...connection };
    throw new StorageSettingError(
      second,
      `contradicts ${connection.key}, which names the account and its key; remove one of the two`,
    );
  }
  const name = values.get("Storage__AccountName");
  const accessKey = values.get("Storage__AccessKey");
  if (name !== undefined && !ACCOUNT.test(name)) {
    throw new StorageSettingError(
      "Storage__AccountName",
      `"${name}" is not an account name: 3 to 24 lower-case letters and digits`,
    );
  }
  const url = readServiceUrl(values.get("Storage__ServiceUrl"), name);
  if (!usesIdentity)
    return keyAccount({
      url,
      name,
      accessKey,
      clientId: values.get("Storage__ManagedIdentityClientId"),
    });
  if (accessKey !== undefined) {
    throw new StorageSettingError(
      "Storage__AccessKey",
      "contradicts Storage__UseInstanceProfile=true; remove one of the two",
    );
  }
  const clientId = values.get("Storage__ManagedIdentityClientId");
  return { type: "managed-identity", url, ...(clientId && { clientId }) };
}

function readServiceUrl(serviceUrl: string | undefined, name: string | undefined): string {
  if (serviceUrl !== undefined) return serviceUrl;
  if (name !== undefined) return `https://${name}.blob.core.windows.net`;
  throw new StorageSettingError(
    "Storage__AccountName",
    "is required when Storage__Type is AzureBlobStorage, or Storage__ConnectionString instead",
  );
}

function keyAccount(parts: {
  readonly url: string;
  readonly name: string | undefined;
  readonly accessKey: string | undefined;
  readonly clientId: string | undefined;
}): AzureAccount {
  const { url, name, accessKey, clientId } = parts;
  if (clientId !== undefined) {
    throw new StorageSettingError(
      "Storage__ManagedIdentityClientId",
      "has no effect without Storage__UseInstanceProfile=true",
    );
  }
  if (accessKey === undefined) {
    throw new StorageSettingError(
      "Storage__AccessKey",
      "is required, or Storage__UseInstanceProfile=true for a managed identity",
    );
  }
  if (name === undefined) {
    throw new StorageSettingError("Storage__AccountName", "is required with Storage__AccessKey");
  }
  if (!/^[A-Za-z0-9+/]{16,}={0,2}$/.test(accessKey)) {
    throw new StorageSettingError("Storage__AccessKey", "is not a key: the value is not base64");
  }
  return { type: "access-key", url, name, accessKey };
}
