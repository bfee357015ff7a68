import type { Protocol } from "@sealhouse/request-types";
import { TokenSettingError } from "./errors.ts";
import type { AdministrativeScope, Scope } from "./ports.ts";

/** Scopes of the parts of the administration, in display order. */
export const ADMINISTRATIVE_SCOPES = [
  "audit:read",
  "people:write",
  "tokens:write",
  "sources:write",
  "rules:write",
  "targets:write",
  "releases:run",
  "signing:write",
  "settings:read",
  "storage:write",
] as const satisfies readonly AdministrativeScope[];

/** In display order. */
export const SCOPES = [
  "read",
  "stage",
  "publish",
  "write",
  "delete",
  "admin",
  ...ADMINISTRATIVE_SCOPES,
] as const satisfies readonly Scope[];

/** Rights of a token with a scope, for people. */
export const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  read: "read: get packages and images",
  stage: "stage: submit versions for approval",
  publish: "publish: add versions",
  write: "write: add and change versions",
  delete: "delete: delete versions",
  admin: "admin: administer the registry",
  "audit:read": "audit:read: read the audit log",
  "people:write": "people:write: change users, teams and service accounts",
  "tokens:write": "tokens:write: create, replace and revoke tokens",
  "sources:write": "sources:write: change package sources",
  "rules:write": "rules:write: change rules about versions",
  "targets:write": "targets:write: change targets, groups and syndications",
  "releases:run": "releases:run: start and undo releases",
  "signing:write": "signing:write: change signing keys and certificates",
  "settings:read": "settings:read: read the settings and the API's description",
  "storage:write": "storage:write: run retention, checks and the collection of garbage",
};

/** Whether a scope only administers a part of the registry. */
export function isAdministrative(scope: string): scope is AdministrativeScope {
  return ADMINISTRATIVE_SCOPES.some((one) => one === scope);
}
/** The protocols that a token can be limited to. */
export const PROTOCOLS = ["nuget", "npm", "oci"] as const satisfies readonly Protocol[];

const SCOPES_BY_NAME: Readonly<Record<string, readonly Scope[]>> = {
  read: ["read"],
  stage: ["stage"],
  publish: ["publish"],
  write: ["write"],
  readwrite: ["read", "write"],
  delete: ["delete"],
  admin: ["admin"],
  ...Object.fromEntries(ADMINISTRATIVE_SCOPES.map((scope) => [scope, [scope]])),
};

/**
 * Parses scopes such as `read,write`. Accepts the earlier host's names `Read`, `Write` and
 * `ReadWrite`.
 *
 * @throws TokenSettingError when a name is unknown or the list is empty
 */
export function parseScopes(text: string): readonly Scope[] {
  const namedScopes = new Set(wordsOf(text).flatMap(scopesNamed));
  if (namedScopes.size === 0) throw badScopes("A token requires at least one scope.");
  return SCOPES.filter((scope) => namedScopes.has(scope));
}

/**
 * Reads `nuget,npm`; an empty text means all protocols.
 *
 * @throws TokenSettingError when a name is unknown
 */
export function parseProtocols(text: string): readonly Protocol[] {
  const words = wordsOf(text);
  const unknown = words.find((word) => !PROTOCOLS.some((protocol) => protocol === word));
  if (unknown !== undefined) {
    throw new TokenSettingError(
      "protocols",
      `"${unknown}" is not a protocol of this registry. Use any of: ${PROTOCOLS.join(", ")}.`,
    );
  }
  return PROTOCOLS.filter((protocol) => words.includes(protocol));
}

function scopesNamed(word: string): readonly Scope[] {
  const scopes = Object.hasOwn(SCOPES_BY_NAME, word) ? SCOPES_BY_NAME[word] : undefined;
  if (!scopes) throw badScopes(`"${word}" is not a scope.`);
  return scopes;
}

function badScopes(problem: string): TokenSettingError {
  return new TokenSettingError("scopes", `${problem} Use any of: ${SCOPES.join(", ")}.`);
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== "");
}
