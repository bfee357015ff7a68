import { realDate } from "@sealhouse/administration";
import type { HistoryEntry } from "@sealhouse/database";
import { PROTOCOLS } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";
import { limitIn } from "../limit.ts";
import { openRows } from "../open-feed.ts";

export type HistoryOptions = {
  readonly protocol?: string;
  readonly at?: string;
  readonly limit: string;
  readonly json?: true;
};

const LIMIT_MAX = 10_000;

/** Prints the history of a name, the newest entry first. */
export async function printHistory(
  command: Command,
  name: string,
  options: HistoryOptions,
): Promise<number> {
  const limit = limitIn(options.limit, LIMIT_MAX);
  const protocols = parseProtocol(options.protocol);
  const time = options.at === undefined ? undefined : parseTime(options.at);
  await using database = await openRows(command);
  const entries = await database.history.of(name, {
    protocols,
    limit,
    ...(time !== undefined && { at: time }),
  });
  if (options.json) {
    command.stdout(JSON.stringify(entries, undefined, 2));
    return 0;
  }
  if (entries.length === 0) command.stderr(`The history has no entries of "${name}".`);
  for (const entry of entries) command.stdout(lineOf(entry));
  if (entries.length === limit) command.stderr(`Showing ${limit} entries. Use --limit for more.`);
  return 0;
}

function lineOf({ protocol, name, kind, item, value, from, until }: HistoryEntry): string {
  const times = `${from.toISOString()}  ${until?.toISOString() ?? "now".padEnd(24)}`;
  const subject = item === "" ? `${protocol}/${name}` : `${protocol}/${name} ${item}`;
  return [times, kind, subject, value].join("  ");
}

function parseProtocol(text: string | undefined): readonly (typeof PROTOCOLS)[number][] {
  if (text === undefined) return PROTOCOLS;
  const protocol = PROTOCOLS.find((name) => name === text);
  if (!protocol) throw new CommandError(`--protocol must be one of ${PROTOCOLS.join(", ")}.`);
  return [protocol];
}

function parseTime(text: string): Date {
  const time = realDate(text);
  if (time) return time;
  throw new CommandError("--at must be a date or time, such as 2027-01-31 or 2027-01-31T12:00Z.");
}
