import { coversName, isTokenSettingError, parsePatterns } from "@sealhouse/identity";
import type { OwnableName } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { printableLine } from "../printable.ts";
import { refuseBoth } from "../program-apply.ts";
import type { ApplyOptions } from "../program-apply.ts";
import { protocolIn } from "../sources/protocol-in.ts";
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
  // Another command may have given it an owner since it was listed.
  const adopt = async (name: OwnableName) =>
    dryRun || !owner || (await unowned.adopt(name, owner, operator())) === "adopted";
  const names: OwnableName[] = [];
  for await (const name of unowned.list()) {
    if (includes(name) && (await adopt(name))) names.push(name);
  }
  printAdopted(command, names, { json, owner: owner?.handle, dryRun });
  return 0;
}

function printAdopted(
  { stdout, stderr }: Command,
  names: readonly OwnableName[],
  {
    json,
    owner,
    dryRun,
  }: {
    readonly json: true | undefined;
    readonly owner: string | undefined;
    readonly dryRun: boolean;
  },
): void {
  if (json) stdout(JSON.stringify({ owner, dryRun, names }, undefined, 2));
  else for (const { protocol, name } of names) stdout(printableLine(`${protocol}  ${name}`));
  const total = names.length === 1 ? "1 name" : `${names.length} names`;
  stderr(dryRun ? `${total} without an owner.` : `${owner} owns ${total} that had no owner.`);
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
