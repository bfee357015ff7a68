import { coversName, isTokenSettingError, parsePatterns } from "@sealhouse/identity";
import type { OwnableName } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { printableLine } from "../printable.ts";
import { refuseBoth } from "../program-apply.ts";
import type { ApplyOptions } from "../program-apply.ts";
import { protocolIn } from "../sources/source-add.ts";
import { openOwners, requireOwner } from "./owner.ts";

export type AdoptOptions = Json &
  ApplyOptions & {
    readonly protocol?: string;
    /** `Acme.*,Other`; default: all names. */
    readonly pattern?: string;
  };

/** Makes an owner of the names that have none, or lists those names. */
export async function adoptNames(
  command: Command,
  handle: string | undefined,
  options: AdoptOptions,
): Promise<number> {
  refuseBoth(options);
  const { json, dryRun = false } = options;
  if (handle === undefined && !dryRun) {
    throw new CommandError("Name the user or team that becomes the owner, or pass --dry-run.");
  }
  const includes = filterOf(options);
  await using database = await openOwners(command);
  const { unowned } = database.ownership;
  const owner = handle === undefined ? undefined : await requireOwner(database, handle);
  const names: OwnableName[] = [];
  for await (const name of unowned.list()) {
    if (!includes(name)) continue;
    // Another command may have given it an owner since it was listed.
    const isOwned =
      dryRun || !owner || (await unowned.adopt(name, owner, operator())) === "adopted";
    if (!isOwned) continue;
    names.push(name);
    if (!json) command.stdout(printableLine(`${name.protocol}  ${name.name}`));
  }
  if (json) {
    const shown = { owner: owner?.handle, dryRun, names };
    command.stdout(JSON.stringify(shown, undefined, 2));
  }
  const count = names.length === 1 ? "1 name" : `${names.length} names`;
  command.stderr(
    dryRun ? `${count} without an owner.` : `${owner?.handle} owns ${count} that had no owner.`,
  );
  return 0;
}

/** @throws {CommandError} for an unknown protocol or an invalid pattern */
function filterOf({ protocol, pattern }: AdoptOptions): (name: OwnableName) => boolean {
  const only = protocol === undefined ? undefined : protocolIn(protocol);
  const patterns = patternsIn(pattern ?? "**");
  return (name) =>
    (only === undefined || name.protocol === only) &&
    patterns.some((one) => coversName(one, name.protocol, name.name));
}

function patternsIn(text: string): readonly string[] {
  try {
    return parsePatterns(text);
  } catch (error) {
    if (!isTokenSettingError(error)) throw error;
    throw new CommandError(`--pattern: ${error.message}`);
  }
}
