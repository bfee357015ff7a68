import type { AuditLog, RegistryEvent } from "@sealhouse/events";
import { batches } from "../raw/batches.ts";
import { UniqueKeyError } from "../raw/query-port.ts";
import type { Parameter, QueryPort, Statement } from "../raw/query-port.ts";
import { EVENT_COLUMNS, eventIdOf, eventOf } from "./event-rows.ts";

const ROW = "(?, ?, ?, ?, ?, ?, ?, ?, ?)";
const INSERT = `insert into audit_log (event_id, ${EVENT_COLUMNS}) values`;
const APPEND: Statement = { name: "audit-append", sql: `${INSERT} ${ROW}` };
/** Rows in one statement. */
const ROWS_AT_ONCE = 50;
const LATEST: Statement = {
  name: "audit-latest",
  sql: `select event_id, ${EVENT_COLUMNS} from audit_log order by event_id desc limit ?`,
};

/** Append-only: there is no statement here that changes or removes a record. */
export function createAuditLog(port: QueryPort): AuditLog {
  return {
    async append(events) {
      for (const some of batches(events, ROWS_AT_ONCE)) await appendSome(port, some);
    },
    async latest(limit) {
      return (await port.all(LATEST, [limit])).map((row) => eventOf(row, "event_id"));
    },
  };
}

/** One by one where some of them were delivered before. */
async function appendSome(port: QueryPort, events: readonly RegistryEvent[]): Promise<void> {
  if (await inserted(port, events)) return;
  if (events.length > 1) for (const event of events) await inserted(port, [event]);
}

/** All or none of them; none when one is there already, whose first wording stays. */
async function inserted(port: QueryPort, events: readonly RegistryEvent[]): Promise<boolean> {
  const rows = events.map(() => ROW).join(", ");
  const statement = events.length === 1 ? APPEND : { sql: `${INSERT} ${rows}` };
  try {
    await port.run(statement, events.flatMap(parametersOf));
    return true;
  } catch (error) {
    if (!(error instanceof UniqueKeyError)) throw error;
    return false;
  }
}

function parametersOf({ id, type, subject, caller, detail, at }: RegistryEvent): Parameter[] {
  const eventId = eventIdOf(id);
  if (eventId === undefined) throw new TypeError(`"${id}" is no event id.`);
  const { actor, tokenId, address, requestId } = caller;
  const text = detail === undefined ? undefined : JSON.stringify(detail);
  return [eventId, type, subject, actor, tokenId, address, requestId, text, at];
}
