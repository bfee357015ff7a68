import { fieldsOf } from "./json-fields.ts";

/** Values with which a provider can be asked again; a secret. */
export type Grant = Readonly<Record<string, string | number>>;

/** For `VerifiedPerson.grant`. */
export function encodeGrant(grant: Grant): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(grant));
}

/** Undefined when the bytes do not contain these texts. */
export function decodeGrant<Key extends string>(
  bytes: Uint8Array,
  keys: readonly Key[],
): (Readonly<Record<Key, string>> & Grant) | undefined {
  const fields = parseFields(bytes);
  const isWhole = keys.every((key) => typeof fields[key] === "string");
  return isWhole ? (fields as Readonly<Record<Key, string>> & Grant) : undefined;
}

function parseFields(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return {};
  }
}
