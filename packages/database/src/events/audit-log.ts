import type { AuditLog, RegistryEvent } from "@sealhouse/events";
import { UniqueKeyError } from "../raw/query-port.ts";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { EVENT_COLUMNS, eventIdOf, eventOf } from "./event-rows.ts";

const APPEND: Statement = {
  name: "audit-append",
  sql: `insert into audit_log (event_id, ${EVENT_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
};
const LATEST: Statement = {
  name: "audit-latest",
  sql: `select event_id, ${EVENT_COLUMNS} from audit_log order by event_id desc limit ?`,
};

/** Append-only: there is no statement here that changes or removes a record. */
export function createAuditLog(port: QueryPort): AuditLog {
  return {
    async append(events) {
      for (const event of events) await append(port, event);
    },
    async latest(limit) {
      return (await port.all(LATEST, [limit])).map((row) => eventOf(row, "event_id"));
    },
  };
}

async function append(port: QueryPort, event: RegistryEvent): Promise<void> {
  const { type, subject, caller, detail, at } = event;
  const id = eventIdOf(event.id);
  if (id === undefined) throw new TypeError(`"${event.id}" is no event id.`);
  const { actor, tokenId, address, requestId } = caller;
  const text = detail === undefined ? undefined : JSON.stringify(detail);
  try {
    await port.run(APPEND, [id, type, subject, actor, tokenId, address, requestId, text, at]);
  } catch (error) {
    // Delivered before; the first wording stays.
    if (!(error instanceof UniqueKeyError)) throw error;
  }
}
