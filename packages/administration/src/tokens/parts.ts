import type {
  HolderSources,
  TokenAdministration,
  TokenLists,
  TokenLookup,
} from "@sealhouse/identity";

/** Rows of tokens and their holders. */
export type TokenRows = HolderSources & {
  readonly tokens: Pick<TokenLookup, "findById"> &
    TokenLists &
    Pick<TokenAdministration, "insert" | "replace" | "revoke">;
};

export type TokenParts = {
  /** The secret that the hashes of tokens depend on. */
  pepper(): Promise<string>;
};
