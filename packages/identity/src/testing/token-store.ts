import type {
  TokenAdministration,
  TokenLeaks,
  TokenLists,
  TokenLookup,
  TokenUse,
} from "../ports.ts";

/** Everything a place for tokens must answer; one object may meet all ports. */
export type TokenStore = TokenLookup & TokenAdministration & TokenLists & TokenLeaks & TokenUse;

export type TokenStoreTest = {
  readonly name: string;
  readonly run: (store: TokenStore) => Promise<void>;
};
