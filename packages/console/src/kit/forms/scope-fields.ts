import { SCOPES } from "@sealhouse/identity";
import type { Scope } from "@sealhouse/identity";
import type { FormField, FormValues } from "./form-fields.ts";

const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
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

/** A box for each scope. */
export function scopeFields(scopes: readonly Scope[]): readonly FormField[] {
  return scopes.map((scope) => ({
    name: nameOf(scope),
    label: SCOPE_TEXTS[scope],
    kind: "checkbox",
  }));
}

/** Returns the scopes whose boxes are ticked. */
export function tickedScopes(values: FormValues): readonly Scope[] {
  return SCOPES.filter((scope) => (values.get(nameOf(scope)) ?? "") !== "");
}

/** The values of a form in which these boxes are ticked. */
export function valuesOfScopes(scopes: readonly Scope[]): FormValues {
  return new URLSearchParams(Object.fromEntries(scopes.map((scope) => [nameOf(scope), "true"])));
}

function nameOf(scope: Scope): string {
  return `scope-${scope}`;
}
