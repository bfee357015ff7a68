/**
 * Returns the licence expression of a manifest. Old packages have objects with the field `type`,
 * and lists of them, in `license` or `licenses`: a list is a choice, as npm documents it. Undefined
 * where nothing states a licence.
 */
export function licenseIn(manifest: unknown): string | undefined {
  if (typeof manifest !== "object" || manifest === null) return undefined;
  const { license, licenses } = manifest as { license?: unknown; licenses?: unknown };
  return expressionOf(license) ?? expressionOf(licenses);
}

function expressionOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return textOf(value);
  const choices = value.flatMap((one: unknown) => textOf(one) ?? []);
  if (choices.length <= 1) return choices[0];
  return choices.map((choice) => `(${choice})`).join(" OR ");
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (typeof value !== "object" || value === null) return undefined;
  const { type, name } = value as { type?: unknown; name?: unknown };
  return [type, name].find((text) => typeof text === "string" && text.trim() !== "") as
    | string
    | undefined;
}
