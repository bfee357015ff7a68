import type { SettingsTable } from "@sealhouse/settings";

/** Settings of reports by secret scanners. */
export const LEAKED_TOKENS_SETTINGS = {
  Host__LeakedTokens__PublicKeysUrl: {
    kind: { type: "url" },
    otherwise: "signed reports are refused",
    about:
      "Public keys of the secret scanner that reports leaked tokens: " +
      "`https://api.github.com/meta/public_keys/secret_scanning` for GitHub.",
  },
} as const satisfies SettingsTable;
