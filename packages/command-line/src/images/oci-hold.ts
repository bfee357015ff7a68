import { parseExpiry } from "@sealhouse/identity";
import type { Digest } from "@sealhouse/oci-distribution";
import { isDigest } from "@sealhouse/oci-distribution";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";
import { openRows } from "../open-feed.ts";

export type OciHoldOptions = { readonly until: string };

const HOLDS_SHOWN = 10_000;
/** Each digest has its own holder, so that one hold can be released without the others. */
const HOLDER = "operator:";

export async function addHold(
  command: Command,
  text: string,
  { until: expiry }: OciHoldOptions,
): Promise<number> {
  const digest = digestIn(text);
  const until = parseExpiry(expiry, new Date());
  await using database = await openRows(command);
  await database.oci.holds.hold([digest], `${HOLDER}${digest}`, until);
  const end = until ? `until ${until.toISOString()}` : "until it is released";
  command.stderr(`${digest} is held ${end}: it cannot be deleted, and is not collected.`);
  return 0;
}

export async function removeHold(command: Command, text: string): Promise<number> {
  const digest = digestIn(text);
  await using database = await openRows(command);
  await database.oci.holds.release(`${HOLDER}${digest}`);
  command.stderr(`${digest} is no longer held by operators.`);
  return 0;
}

export async function listHolds(
  command: Command,
  { json }: { readonly json?: true },
): Promise<number> {
  await using database = await openRows(command);
  const holds = await database.oci.holds.list(HOLDS_SHOWN);
  if (json) {
    command.stdout(JSON.stringify(holds, undefined, 2));
    return 0;
  }
  if (holds.length === 0) command.stderr("Nothing is held.");
  for (const { digest, holder, until } of holds) {
    const by = holder.startsWith(HOLDER) ? "operator" : holder;
    command.stdout([digest, by, until ? `until ${until.toISOString()}` : "no end"].join("  "));
  }
  return 0;
}

function digestIn(text: string): Digest {
  if (isDigest(text)) return text;
  throw new CommandError(
    `${JSON.stringify(text)} is not a digest. Digests are like sha256:<64 lower-case hex digits>.`,
  );
}
