import type { Settings } from "@sealhouse/settings";
import { LEAKED_TOKENS_SETTINGS } from "./leaked-tokens-table.ts";

/** Settings of reports by secret scanners. */
export type LeakedTokensConfig = {
  /** Undefined: signed reports are refused. */
  readonly publicKeysUrl?: string;
};

const KEY = "Host__LeakedTokens__PublicKeysUrl";

/** Parses the settings of reports by secret scanners. */
export function parseLeakedTokens(
  settings: Settings,
  { allowHttp }: { readonly allowHttp: boolean },
): LeakedTokensConfig {
  const url = settings.of(LEAKED_TOKENS_SETTINGS).get(KEY);
  if (url === undefined) return {};
  if (!url.startsWith("https:") && !allowHttp) {
    settings.problem(KEY, "must begin with https; otherwise an attacker could sign reports");
  }
  return { publicKeysUrl: url };
}
