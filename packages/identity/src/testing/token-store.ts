import type { TokenAdministration, TokenLeaks, TokenLookup, TokenUse } from "../ports.ts";

/** Everything a place for tokens must answer; one object may meet all ports. */
export type TokenStore = TokenLookup & TokenAdministration & TokenLeaks & TokenUse;

export type TokenStoreTest = {
  readonly name: string;
  readonly run: (store: TokenStore) => Promise<void>;
};
