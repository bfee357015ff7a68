import type { NewToken } from "./create-token.ts";

/** Actions that give lasting power, let others or foreign bytes in, or cannot be undone. */
export const LASTING_ACTIONS = [
  "add-trust",
  "create-token",
  "revoke-token",
  "approve-login",
  "publish-name",
  "delete-permanently",
  "change-packages",
  "change-passkeys",
  "change-owners",
  "change-users",
  "change-signing",
  "change-sources",
  "change-rules",
  "change-reservations",
  "change-webhooks",
  "change-targets",
  "run-releases",
  "run-jobs",
] as const;

/** An action that a session confirms with a passkey, a new sign-in or its token. */
export type LastingAction = (typeof LASTING_ACTIONS)[number];

/** Milliseconds after a sign-in in which a first passkey may follow it without a confirmation. */
export const FIRST_PASSKEY_MS = 10 * 60_000;
/** Milliseconds by which the clocks of two instances may differ. */
const SKEW_MS = 60_000;

/** Names of the actions, for pages: "You are about to …". */
export const LASTING_ACTION_TEXTS: Readonly<Record<LastingAction, string>> = {
  "add-trust": "change trusted publishers",
  "create-token": "create a token",
  "revoke-token": "revoke a token and those made with it",
  "approve-login": "let a command-line client sign in as you",
  "publish-name": "change who sees a name",
  "delete-permanently": "delete permanently",
  "change-packages": "change published packages or images",
  "change-passkeys": "add or remove a passkey",
  "change-owners": "change the owners of a name",
  "change-users": "change users, teams or service accounts",
  "change-signing": "change signing keys or certificates",
  "change-sources": "change package sources",
  "change-rules": "change rules about versions",
  "change-reservations": "change reserved or mirrored names",
  "change-webhooks": "change webhooks or the delivery of events",
  "change-targets": "change publish targets, groups or syndications",
  "run-releases": "publish to other registries",
  "run-jobs": "run a job of the registry",
};

/**
 * Whether a session must confirm a new token: when it does more than read, or outlives the session.
 * Limits to names, networks or protocols do not matter.
 */
export function isLastingToken(
  { scopes, expiresAt }: Pick<NewToken, "scopes" | "expiresAt">,
  session: { readonly endsAt: Date },
): boolean {
  return scopes.some((scope) => scope !== "read") || !expiresAt || expiresAt > session.endsAt;
}

/**
 * Returns the limits of a token that exclude something. The pattern `**` covers all names, a
 * network with `/0` all addresses.
 */
export function effectiveLimits({
  patterns = [],
  networks = [],
}: Pick<NewToken, "patterns" | "networks">): Required<Pick<NewToken, "patterns" | "networks">> {
  return {
    patterns: patterns.includes("**") ? [] : patterns,
    networks: networks.some((network) => network.endsWith("/0")) ? [] : networks,
  };
}

/**
 * Whether a session may register a passkey without a confirmation: the first one of its user, soon
 * after the sign-in, where nothing else can confirm it.
 */
export function mayRegisterPasskey(
  session: { readonly createdAt: Date },
  registering: { readonly isFirst: boolean; readonly canAskAgain: boolean; readonly now: Date },
): boolean {
  const { isFirst, canAskAgain, now } = registering;
  const ageMs = now.getTime() - session.createdAt.getTime();
  return isFirst && !canAskAgain && ageMs >= -SKEW_MS && ageMs < FIRST_PASSKEY_MS;
}
