import type { Passkeys, People, PeoplePages } from "@sealhouse/identity";

/** Rows of users. */
export type UserRows = {
  readonly people: PeoplePages & Pick<People, "add" | "find" | "setRole" | "setState" | "unblock">;
  readonly passkeys: Pick<Passkeys, "list" | "remove">;
};
