import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";

/** Longer than the id of any passkey (1,023 bytes). */
const ID_LENGTH_MAX = 1_400;
/** Longer than any attestation that is requested. */
const FIELD_LENGTH_MAX = 64 * 1024;

/** Whether a value has the form of `credential.toJSON()` of a new passkey. */
export function isRegistrationAnswer(value: unknown): value is RegistrationResponseJSON {
  return isAnswer(value, ["clientDataJSON", "attestationObject"]);
}

/** Whether a value has the form of `credential.toJSON()` of a used passkey. */
export function isConfirmationAnswer(value: unknown): value is AuthenticationResponseJSON {
  return isAnswer(value, ["clientDataJSON", "authenticatorData", "signature"]);
}

function isAnswer(value: unknown, names: readonly string[]): boolean {
  const answer = fieldsOf(value);
  const response = fieldsOf(answer.get("response"));
  const id = answer.get("id");
  return (
    isText(id, ID_LENGTH_MAX) &&
    answer.get("rawId") === id &&
    answer.get("type") === "public-key" &&
    names.every((name) => isText(response.get(name), FIELD_LENGTH_MAX))
  );
}

function isText(value: unknown, most: number): boolean {
  return typeof value === "string" && value !== "" && value.length <= most;
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
}
