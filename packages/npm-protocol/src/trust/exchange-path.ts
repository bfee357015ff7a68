import { rawPathBelow } from "../request-path.ts";

/** Where an ID token is given for one that publishes; the package's name follows. */
export const EXCHANGE_PATH = "/-/npm/v1/oidc/token/exchange/package/";

/** npm omits the registry's own path in this address, so it also exists at the root of the host. */
export function exchangePathOf(url: string): string | undefined {
  const path = rawPathBelow(url, "");
  return path?.startsWith(EXCHANGE_PATH) ? path : undefined;
}
