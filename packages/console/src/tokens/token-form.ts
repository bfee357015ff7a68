import {
  isTokenSettingError,
  parseExpiry,
  parseNetworks,
  parsePatterns,
  parseProtocols,
  parseScopes,
  PROTOCOLS,
  SCOPES,
  scopesWithin,
  tokenSettingWords,
} from "@sealhouse/identity";
import type { NewToken, Role, Scope } from "@sealhouse/identity";
import type { FieldProblem, FormField, FormValues } from "../kit/forms/form-fields.ts";
import { scopeFields } from "../kit/forms/scope-fields.ts";

const PROTOCOL_TEXTS = { nuget: "NuGet", npm: "npm", oci: "Images" } as const;

export const EXPIRES_FIELD: FormField = {
  name: "expires",
  label: "Expires",
  kind: "text",
  isRequired: true,
  lengthMax: 30,
  help: "A span such as 90d, 12h or 1y, a date such as 2027-01-31, or never.",
};

/** The field of a new token whose setting is refused; scopes and protocols have several boxes. */
const SETTING_FIELDS: Readonly<Record<string, string>> = {
  name: "name",
  scopes: "Scopes",
  protocols: "Protocols",
  patterns: "patterns",
  networks: "networks",
  expires: "expires",
  owner: "Token",
};

/** The fields of a new token: only scopes that the role may give. */
export function tokenFields(role: Role) {
  const own = scopesWithin(role, SCOPES);
  return {
    name: {
      name: "name",
      label: "Name",
      kind: "text",
      isRequired: true,
      lengthMax: 100,
      help: "For you, such as laptop. It is shown in the audit log.",
    },
    scopes: scopeFields(SCOPES.filter((scope) => own.includes(scope))),
    protocols: PROTOCOLS.map((protocol) => ({
      name: `protocol-${protocol}`,
      label: PROTOCOL_TEXTS[protocol],
      kind: "checkbox",
    })),
    patterns: {
      name: "patterns",
      label: "Names",
      kind: "lines",
      help: "Patterns such as Acme.*, @acme/* or team/app/**. Empty: all names.",
    },
    networks: {
      name: "networks",
      label: "Networks",
      kind: "lines",
      help: "Networks that the token is used from, such as 10.0.0.0/8. Empty: all.",
    },
    expires: EXPIRES_FIELD,
  } as const satisfies Readonly<Record<string, FormField | readonly FormField[]>>;
}

/** Values of an empty form. */
export const NEW_TOKEN_VALUES = { "scope-read": "true", expires: "90d" };

/** Result of the form of a new token. */
export type TokenFormOutcome =
  | { readonly status: "valid"; readonly newToken: NewToken }
  | { readonly status: "refused"; readonly problems: readonly FieldProblem[] };

/** Parses the form as the command line parses its options. */
export function parseTokenForm(form: FormValues, now: Date): TokenFormOutcome {
  const text = (name: string) => form.get(name) ?? "";
  const ticked = (kind: string, values: readonly string[]) =>
    values.filter((value) => text(`${kind}-${value}`) !== "").join(",");
  const problems: FieldProblem[] = [];
  const parsed = <T>(parse: () => T, otherwise: T): T => {
    try {
      return parse();
    } catch (error) {
      problems.push(problemIn(error));
      return otherwise;
    }
  };
  const newToken = {
    name: text("name").trim(),
    scopes: parsed<readonly Scope[]>(() => parseScopes(ticked("scope", SCOPES)), ["read"]),
    protocols: parsed(() => parseProtocols(ticked("protocol", PROTOCOLS)), []),
    patterns: parsed(() => parsePatterns(text("patterns")), []),
    networks: parsed(() => parseNetworks(text("networks")), []),
    expiresAt: parsed(() => parseExpiry(text("expires"), now), undefined),
  };
  if (problems.length > 0) return { status: "refused", problems };
  return { status: "valid", newToken };
}

/** Returns the problem with a setting. Rethrows any other error. */
export function problemIn(error: unknown): FieldProblem {
  if (!isTokenSettingError(error)) throw error;
  return {
    name: SETTING_FIELDS[error.setting] ?? error.setting,
    words: tokenSettingWords(error),
  };
}
