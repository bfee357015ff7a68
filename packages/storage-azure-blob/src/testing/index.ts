export { openStore } from "./azure-store.ts";
export { AZURITE_ACCOUNT, AZURITE_KEY, startAzurite } from "./azurite.ts";
export type { Azurite, AzuriteOptions } from "./azurite.ts";
export { startIdentityEndpoint } from "./identity-stand-in.ts";
export type { IdentityStandIn } from "./identity-stand-in.ts";
