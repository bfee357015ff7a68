import { isTokenSettingError, LEVELS, nameKeyOf, PROTOCOLS } from "@sealhouse/identity";
import type { OwnableName, Owner } from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import { z } from "zod";
import { field } from "../field.ts";
import { absent, invalidField, RefusedActionError } from "../refusal.ts";
import type { NameRows } from "./parts.ts";

export const PROTOCOL = z.enum(PROTOCOLS);

/** The fields of a name of a protocol. */
export const NAME_FIELDS = {
  protocol: field(PROTOCOL, "Protocol", "The protocol: nuget, npm or oci."),
  name: field(z.string().min(1).max(255), "Name", "The name of a package or a repository."),
};

export const HANDLE = field(z.string().min(1).max(64), "Owner", "The handle of a user or a team.");

export const LEVEL = field(z.enum(LEVELS).default("manage"), "Level", "read, publish or manage.", {
  option: "--level <level>",
});

export const OWNER = z.strictObject({
  id: z.string(),
  kind: z.enum(["user", "team"]),
  handle: z.string(),
});

/** The form of a name that ownership compares. */
export function nameIn({ protocol, name }: { protocol: Protocol; name: string }): OwnableName {
  return { protocol, name: nameKeyOf(protocol, name) };
}

/** @throws RefusedActionError */
export async function requireOwner({ ownership }: NameRows, handle: string): Promise<Owner> {
  const owner = await ownership.ownerships.find(handle);
  if (owner) return owner;
  throw absent(`There is no user or team ${handle}. See: sealhouse user list, sealhouse team list`);
}

/**
 * Reads a text by a parser of the identity library.
 *
 * @throws RefusedActionError with the sentence of the parser
 */
export function readText<Value>(read: () => Value, name?: string): Value {
  try {
    return read();
  } catch (error) {
    if (!isTokenSettingError(error)) throw error;
    throw name === undefined
      ? new RefusedActionError("invalid", error.message)
      : invalidField(name, `is not valid: ${error.message}`);
  }
}
