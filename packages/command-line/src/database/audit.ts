import { realDate } from "@sealhouse/administration";
import { openDatabase } from "@sealhouse/database";
import { drainAudit, EVENT_TYPES } from "@sealhouse/events";
import type { AuditLog, AuditQuery, EventType, RegistryEvent } from "@sealhouse/events";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";

export type AuditFilters = {
  readonly since?: string;
  readonly until?: string;
  readonly type?: string;
  readonly actor?: string;
  readonly token?: string;
  readonly subject?: string;
};

export type AuditListOptions = AuditFilters & { readonly limit: string; readonly json?: true };

const LIMIT_MAX = 1_000;
const PAGE = 500;

/** Prints the newest records that match, the newest first. */
export async function listAudit(command: Command, options: AuditListOptions): Promise<number> {
  const limit = parseLimit(options.limit);
  const query = parseFilters(options, new Date());
  return readAudit(command, async (audit) => {
    const records = await audit.read({ ...query, order: "newest-first", limit });
    if (options.json) {
      command.stdout(JSON.stringify(records.map(shownRecord), undefined, 2));
      return;
    }
    if (records.length === 0) command.stderr("No audit records match.");
    for (const record of records) command.stdout(lineOf(record));
    if (records.length === limit) {
      command.stderr(
        `Showing the newest ${limit}. Use --limit, a filter, or "sealhouse audit export".`,
      );
    }
  });
}

/** Prints all records that match as JSON lines, the oldest first. */
export async function exportAudit(command: Command, options: AuditFilters): Promise<number> {
  const query = parseFilters(options, new Date());
  return readAudit(command, async (audit) => {
    let after: string | undefined;
    for (let more = true; more && !command.stop.aborted;) {
      const page: AuditQuery = { ...query, order: "oldest-first", limit: PAGE };
      const records = await audit.read({ ...page, ...(after !== undefined && { after }) });
      for (const record of records) command.stdout(JSON.stringify(shownRecord(record)));
      after = records.at(-1)?.id;
      more = records.length === PAGE;
    }
  });
}

async function readAudit(
  command: Command,
  read: (audit: AuditLog) => Promise<void>,
): Promise<number> {
  const { config } = command.load();
  await using database = await openDatabase(config.database, { migrate: config.migrateAtStart });
  const { outbox, audit } = database.events;
  await drainAudit(outbox, audit);
  await read(audit);
  return 0;
}

function shownRecord({ id, at: time, type, subject, caller, detail }: RegistryEvent) {
  return { id, time: time.toISOString(), type, subject, ...caller, ...(detail && { detail }) };
}

function lineOf({ at: time, type, subject, caller }: RegistryEvent): string {
  const { actor, tokenId, address } = caller;
  const token = tokenId === undefined ? [] : [`token ${tokenId}`];
  const from = address === undefined ? [] : [`from ${address}`];
  return [time.toISOString(), type, subject, [`by ${actor}`, ...token, ...from].join(" ")].join(
    "  ",
  );
}

type Filters = Omit<AuditQuery, "order" | "after" | "limit">;

function parseFilters(filters: AuditFilters, now: Date): Filters {
  const { since, until, type, actor, token, subject } = filters;
  return {
    ...(since !== undefined && { since: parseTime("--since", since, now) }),
    ...(until !== undefined && { until: parseTime("--until", until, now) }),
    ...(type !== undefined && { types: parseTypes(type) }),
    ...(actor !== undefined && { actor }),
    ...(token !== undefined && { tokenId: token }),
    ...(subject !== undefined && { subject }),
  };
}

function parseLimit(text: string): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > LIMIT_MAX) {
    throw new CommandError(`--limit must be a whole number from 1 to ${LIMIT_MAX}.`);
  }
  return limit;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** A span back from now (`12h`, `30d`), or a date with or without a time. */
export function parseTime(option: string, text: string, now: Date): Date {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  if (unitMs !== undefined) return new Date(now.getTime() - Number(count) * unitMs);
  const time = realDate(text);
  if (time) return time;
  throw new CommandError(
    `${option} must be a span such as 12h, 30d or 4w, or a date such as 2027-01-31 or ` +
      "2027-01-31T12:00:00Z.",
  );
}

/** Comma-separated event types; `token.*` means all that begin so. */
function parseTypes(text: string): readonly EventType[] {
  return text.split(",").flatMap((word) => {
    const pattern = word.trim();
    const isPrefix = pattern.endsWith("*");
    const types = EVENT_TYPES.filter((type) =>
      isPrefix ? type.startsWith(pattern.slice(0, -1)) : type === pattern,
    );
    if (types.length > 0) return types;
    throw new CommandError(
      `"${pattern}" is not an event type. Types are ${EVENT_TYPES.join(", ")}; ` +
        "token.* means all that begin with token.",
    );
  });
}
