import type {
  HolderSources,
  LoginSessions,
  TokenAdministration,
  TokenLists,
  TokenLookup,
} from "@sealhouse/identity";

/** Rows of tokens and their holders. */
export type TokenRows = HolderSources & {
  /** Sign-ins of clients that wait for a decision. */
  readonly loginSessions: Pick<LoginSessions, "findByCode" | "decide">;
  readonly tokens: Pick<TokenLookup, "findById"> &
    TokenLists &
    Pick<TokenAdministration, "insert" | "replace" | "revoke">;
};

export type TokenParts = {
  /** The secret that the hashes of tokens depend on. */
  pepper(): Promise<string>;
  /** Whether people sign in at an identity provider. */
  hasProvider(): boolean;
};
