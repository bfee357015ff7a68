import { PROTOCOLS } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";
import { operator } from "../operator.ts";
import { openRows } from "../open-feed.ts";

/** `sealhouse erase`: removes deleted content that views as of a time still show. */
export async function eraseDeleted(
  command: Command,
  target: { readonly protocol: string; readonly name: string; readonly item?: string | undefined },
): Promise<number> {
  const protocol = PROTOCOLS.find((known) => known === target.protocol);
  if (!protocol) throw new CommandError(`The protocol must be one of ${PROTOCOLS.join(", ")}.`);
  await using database = await openRows(command);
  // NuGet compares ids and versions without regard to letter case.
  const cased = (text: string) => (protocol === "nuget" ? text.toLowerCase() : text);
  const { name, item } = target;
  const content = {
    protocol,
    name: cased(name),
    ...(item !== undefined && { item: cased(item) }),
  };
  const count = await database.history.erase(content, operator());
  if (count === 0)
    command.stderr(`Views keep no deleted content of ${[name, item].join(" ").trim()}.`);
  else command.stdout(`${count} erased`);
  return count > 0 ? 0 : 1;
}
