import type { Database } from "@sealhouse/database";
import type { Caller, Protocol } from "@sealhouse/request-types";
import type { Command } from "../command.ts";
import { CommandError } from "../command.ts";

/** An option of every import. */
export type OwnerOption = {
  /** Handle of the user or team that owns the new names. */
  readonly owner?: string;
};

/**
 * Returns the caller of an import. Its names belong to the owner from their first version on.
 * @throws {CommandError} when there is no such user or team
 */
export async function importCaller(database: Database, { owner }: OwnerOption): Promise<Caller> {
  const actor = "import";
  if (owner === undefined) return { actor };
  const holder = await database.ownership.ownerships.find(owner);
  if (holder) return { actor, holderId: holder.id };
  throw new CommandError(
    `There is no user or team ${owner}. See: sealhouse user list, sealhouse team list`,
  );
}

/** Prints the number of names of the protocol without an owner, and the command to change it. */
export async function printUnowned(
  { stderr }: Pick<Command, "stderr">,
  { ownership }: Pick<Database, "ownership">,
  protocol: Protocol,
): Promise<void> {
  let count = 0;
  for await (const name of ownership.unowned.list()) {
    if (name.protocol === protocol) count += 1;
  }
  if (count === 0) return;
  const which = count === 1 ? "1 name has" : `${count} names have`;
  stderr(
    `${which} no owner: only administrators and tokens without a user publish them. ` +
      `List them: sealhouse owner adopt --protocol ${protocol} --dry-run. ` +
      `Give them an owner: sealhouse owner adopt --protocol ${protocol} --pattern 'PATTERN' OWNER`,
  );
}
