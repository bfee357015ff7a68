import { PROTOCOLS, VISIBILITIES } from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { openFeed } from "../open-feed.ts";
import { operator } from "../operator.ts";

/** Changes who may see a name, given as `npm:@acme/bar`. */
export async function setVisibility(
  command: Command,
  { name: text, visibility: word }: { readonly name: string; readonly visibility: string },
): Promise<number> {
  const { protocol, name } = nameIn(text);
  const visibility = VISIBILITIES.find((known) => known === word);
  if (!visibility) {
    throw new CommandError(`"${word}" is not a visibility. Use ${VISIBILITIES.join(", ")}.`);
  }
  await using resources = await openFeed(command);
  const { visibilities } = resources.database;
  const outcome = await visibilities.set(protocol, name, { visibility, by: operator() });
  if (outcome === "absent") {
    throw new CommandError(`There is no ${protocol} package or repository with the name ${name}.`);
  }
  command.stderr(
    outcome === "set" ? `${name} is ${visibility} now.` : `${name} is ${visibility} already.`,
  );
  return 0;
}

/** Lists the names that are not public. */
export async function listVisibilities(command: Command, { json }: Json): Promise<number> {
  await using resources = await openFeed(command);
  const { visibilities } = resources.database;
  const names = [];
  for (const protocol of PROTOCOLS) {
    for (const { name, visibility } of await visibilities.list(protocol)) {
      names.push({ protocol, name, visibility });
    }
  }
  if (json) command.stdout(JSON.stringify(names, undefined, 2));
  else for (const entry of names) command.stdout(Object.values(entry).join("  "));
  if (!json && names.length === 0) command.stderr("All names are public.");
  return 0;
}

function nameIn(text: string): { readonly protocol: Protocol; readonly name: string } {
  const [, word, name] = /^(\w+):(.+)$/s.exec(text) ?? [];
  const protocol = PROTOCOLS.find((known) => known === word);
  if (protocol && name !== undefined) return { protocol, name };
  throw new CommandError(
    `"${text}" is not a name with its protocol: npm:@acme/bar, nuget:Acme.Core or oci:team/app`,
  );
}
