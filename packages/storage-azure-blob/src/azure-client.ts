import type { BlobSASPermissions, BlobServiceClient, ContainerClient } from "@azure/storage-blob";
import { StorageSettingError } from "@sealhouse/storage-providers";
import type { AzureAccount, AzureConfig } from "./azure-config.ts";

/** A container with what differs between the kinds of credentials. */
export type AzureClient = {
  readonly container: ContainerClient;
  /** Settings to check when the service refuses the credentials. */
  readonly hint: string;
  /** Settings to check when the service cannot be reached. */
  readonly addressKey: string;
  /**
   * Returns an address for reading a blob; undefined when the credentials cannot sign one, as those
   * of a shared access signature.
   */
  readonly presign?: (name: string, expiresOn: Date) => Promise<string>;
};

const ADDRESS_KEY = "Storage__ServiceUrl or Storage__AccountName";

/** A key of Microsoft Entra signs addresses for this long, at most seven days. */
const DELEGATION_MS = 6 * 60 * 60 * 1000;
/** The clocks of the host and of Azure may differ. */
const CLOCK_MS = 15 * 60 * 1000;

/** Azurite verifies signatures with a delegation key of this version, and not of the newest. */
const SAS_VERSION = "2022-11-02";

/** One attempt only: the calls of the store retry, with a timeout for each attempt. */
const PIPELINE = {
  retryOptions: { maxTries: 1 },
  userAgentOptions: { userAgentPrefix: "sealhouse" },
};

/** Loads the SDK. Sends no request. */
export async function connectAzure({ account, container }: AzureConfig): Promise<AzureClient> {
  const azure = await import("@azure/storage-blob");
  const permissions = azure.BlobSASPermissions.parse("r");
  switch (account.type) {
    case "connection-string": {
      const service = parseConnection(account, (text) =>
        azure.BlobServiceClient.fromConnectionString(text, PIPELINE),
      );
      const client = service.getContainerClient(container);
      const canSign = service.credential instanceof azure.StorageSharedKeyCredential;
      return {
        container: client,
        hint: account.key,
        addressKey: account.key,
        ...(canSign && keySigning(client, permissions)),
      };
    }
    case "access-key": {
      const { name, accessKey, url } = account;
      const credential = new azure.StorageSharedKeyCredential(name, accessKey);
      const service = new azure.BlobServiceClient(url, credential, PIPELINE);
      const client = service.getContainerClient(container);
      const hint = "Storage__AccountName and Storage__AccessKey";
      return {
        container: client,
        hint,
        addressKey: ADDRESS_KEY,
        ...keySigning(client, permissions),
      };
    }
    case "managed-identity": {
      const { ManagedIdentityCredential } = await import("@azure/identity");
      const { clientId, url } = account;
      const credential = new ManagedIdentityCredential(clientId === undefined ? {} : { clientId });
      const service = new azure.BlobServiceClient(url, credential, PIPELINE);
      const client = service.getContainerClient(container);
      const hint =
        "Storage__UseInstanceProfile, Storage__ManagedIdentityClientId and the identity's role " +
        "Storage Blob Data Contributor";
      const signing = delegatedSigning(service, client, permissions);
      return { container: client, hint, addressKey: ADDRESS_KEY, ...signing };
    }
  }
}

function parseConnection<T>(
  { key, text }: AzureAccount & { readonly type: "connection-string" },
  parse: (text: string) => T,
): T {
  try {
    return parse(text);
  } catch {
    throw new StorageSettingError(
      key,
      "is not a connection string of a storage account: " +
        "DefaultEndpointsProtocol=https;AccountName=…;AccountKey=…;EndpointSuffix=core.windows.net",
    );
  }
}

type Signing = Required<Pick<AzureClient, "presign">>;

function keySigning(container: ContainerClient, permissions: BlobSASPermissions): Signing {
  return {
    presign: (name, expiresOn) =>
      container
        .getBlobClient(name)
        .generateSasUrl({ permissions, expiresOn, version: SAS_VERSION }),
  };
}

/** Signs with a key that Azure gives to the identity, and asks for a new one before it expires. */
function delegatedSigning(
  service: BlobServiceClient,
  container: ContainerClient,
  permissions: BlobSASPermissions,
): Signing {
  type DelegationKey = Awaited<ReturnType<typeof service.getUserDelegationKey>>;
  let latest: { readonly key: Promise<DelegationKey>; readonly until: number } | undefined;
  const keyFor = (expiresMs: number): Promise<DelegationKey> => {
    if (latest && latest.until > expiresMs) return latest.key;
    const until = expiresMs + DELEGATION_MS;
    const start = new Date(Date.now() - CLOCK_MS);
    const key = service.getUserDelegationKey(start, new Date(until));
    latest = { key, until };
    key.catch(() => (latest = undefined));
    return key;
  };
  return {
    async presign(name, expiresOn) {
      const key = await keyFor(expiresOn.getTime());
      const blob = container.getBlobClient(name);
      const options = { permissions, expiresOn, version: SAS_VERSION };
      return blob.generateUserDelegationSasUrl(options, key);
    },
  };
}
