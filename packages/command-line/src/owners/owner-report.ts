import { timeIn } from "@sealhouse/administration";
import { auditRecords, drainAudit } from "@sealhouse/events";
import type { AuditLog, RegistryEvent } from "@sealhouse/events";
import type { Command, Json } from "../command.ts";
import { printableLine } from "../printable.ts";
import { openOwners } from "./owner.ts";

type Row = {
  readonly actor: string;
  readonly subject: string;
  readonly action: string;
  readonly reason: string;
  readonly last: Date;
};

/** Prints who would be refused, once for each caller, name and action. */
export async function reportOwners(
  command: Command,
  { json, since }: Json & { readonly since: string },
): Promise<number> {
  await using database = await openOwners(command);
  const { audit, outbox } = database.events;
  await drainAudit(outbox, audit);
  const rows = await rowsSince(audit, timeIn("since", since, new Date()));
  if (json) {
    command.stdout(JSON.stringify(rows, undefined, 2));
    return 0;
  }
  if (rows.length === 0) {
    command.stderr(
      "Nothing would have been refused. Requests count since Host__Access__Owners is report.",
    );
  }
  for (const { last, actor, subject, action, reason } of rows) {
    const time = last.toISOString();
    command.stdout([time, printableLine(actor), action, subject, printableLine(reason)].join("  "));
  }
  return 0;
}

async function rowsSince(audit: AuditLog, since: Date): Promise<readonly Row[]> {
  const rows = new Map<string, Row>();
  const query = { since, types: ["access.would-refuse"], order: "oldest-first" } as const;
  for await (const record of auditRecords(audit, query)) {
    const row = rowOf(record);
    rows.set(JSON.stringify([row.actor, row.subject, row.action]), row);
  }
  return [...rows.values()];
}

function rowOf({ caller, subject, detail = {}, at }: RegistryEvent): Row {
  const { action, reason } = detail;
  return { actor: caller.actor, subject, action: String(action), reason: String(reason), last: at };
}
