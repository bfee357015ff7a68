import { SCOPE_TEXTS, SCOPES } from "@sealhouse/identity";
import type { Scope } from "@sealhouse/identity";
import type { FormField, FormValues } from "./form-fields.ts";

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
