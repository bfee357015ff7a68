import { randomBytes } from "node:crypto";
import { openAuthenticator } from "../authenticator.ts";
import type { Authenticator, AuthenticatorOptions } from "../authenticator.ts";
import { createBearerTokens } from "../bearer-tokens.ts";
import type { BearerOptions } from "../bearer-tokens.ts";
import { createRefreshTokens } from "../refresh-tokens.ts";
import type { RefreshTokenStore } from "../refresh-tokens.ts";
import type { TokenLookup, TokenUse } from "../ports.ts";
import { createNameViews } from "../visibility/visibility.ts";
import type { AccessRules } from "./access-rules.ts";
import type { RequestOrigins } from "./identification.ts";

/** Dependencies and settings of `openAccessRules`. */
export type OpenRulesOptions<Contexts extends RequestOrigins> = Omit<
  AccessRules,
  "authenticator" | "bearerTokens" | "refreshTokens" | "contexts" | "views"
> &
  Omit<AuthenticatorOptions, "tokens" | "use" | "limits"> &
  Pick<BearerOptions, "issuer" | "service" | "lifetimeSeconds"> & {
    readonly database: {
      readonly tokens: TokenLookup & TokenUse;
      readonly refreshTokens: RefreshTokenStore;
      readonly visibilities: Parameters<typeof createNameViews>[0];
    };
    readonly contexts: Contexts;
    /** Replaces the authentication by API tokens. */
    readonly authenticator?: Authenticator;
  };

/** Opens the access rules of all protocols. Disposal of their authenticator writes last uses. */
export function openAccessRules<Contexts extends RequestOrigins>({
  database,
  contexts,
  pepper,
  issuer,
  service,
  lifetimeSeconds,
  ...options
}: OpenRulesOptions<Contexts>): Omit<AccessRules, "contexts"> & { readonly contexts: Contexts } {
  const { tokens, refreshTokens: store, visibilities } = database;
  const { now, failures, flushMs, onError, onUserSeen, authenticator, ...rules } = options;
  const common = { tokens, now, random: randomBytes };
  return {
    ...rules,
    authenticator:
      authenticator ??
      openAuthenticator({
        tokens,
        use: tokens,
        pepper,
        now,
        ...(failures && { failures }),
        ...(flushMs !== undefined && { flushMs }),
        ...(onError && { onError }),
        ...(onUserSeen && { onUserSeen }),
      }),
    bearerTokens: createBearerTokens({
      ...common,
      pepper,
      issuer,
      service,
      ...(lifetimeSeconds !== undefined && { lifetimeSeconds }),
    }),
    refreshTokens: createRefreshTokens({ ...common, store }),
    views: createNameViews(visibilities),
    contexts,
    now,
  };
}
