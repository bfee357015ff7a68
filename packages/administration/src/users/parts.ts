import type { Passkeys, People } from "@sealhouse/identity";

/** Rows of users. */
export type UserRows = {
  readonly people: Pick<People, "add" | "find" | "list" | "setRole" | "setState" | "unblock">;
  readonly passkeys: Pick<Passkeys, "list" | "remove">;
};
