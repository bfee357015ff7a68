import type { TokenCredential } from "@azure/identity";
import type { VaultConfig } from "./vault-settings.ts";

/**
 * Number and spacing of the SDK's own retries. The deadline of the whole call ends them earlier.
 */
export const RETRIES = { maxRetries: 2, retryDelayInMs: 250, maxRetryDelayInMs: 2_000 } as const;

/** A command-line tool of a developer is given up after this. */
const TOOL_TIMEOUT_MS = 5_000;

/** Loads the identity SDK; asks for no token yet. */
export async function credentialFor(config: VaultConfig): Promise<TokenCredential> {
  const azure = await import("@azure/identity");
  const { identity, authorityHost, verifyAuthority } = config;
  const common = {
    retryOptions: RETRIES,
    ...(authorityHost !== undefined && { authorityHost }),
  };
  const disableInstanceDiscovery = !verifyAuthority;
  switch (identity.type) {
    case "client-secret": {
      const { tenantId, clientId, clientSecret } = identity;
      const options = { ...common, disableInstanceDiscovery };
      return new azure.ClientSecretCredential(tenantId, clientId, clientSecret, options);
    }
    case "managed-identity": {
      const { clientId } = identity;
      return new azure.ManagedIdentityCredential({ ...common, ...(clientId && { clientId }) });
    }
    case "default": {
      const { tenantId, clientId } = identity;
      return new azure.DefaultAzureCredential({
        ...common,
        disableInstanceDiscovery,
        processTimeoutInMs: TOOL_TIMEOUT_MS,
        ...(tenantId && { tenantId }),
        ...(clientId && { managedIdentityClientId: clientId, workloadIdentityClientId: clientId }),
      });
    }
  }
}
