import type { AuditLog, AuditQuery, RegistryEvent } from "@sealhouse/events";
import { batches } from "../raw/batches.ts";
import { UniqueKeyError } from "../raw/query-port.ts";
import type { Parameter, QueryPort, Statement } from "../raw/query-port.ts";
import { numberOf } from "../raw/row.ts";
import { EVENT_COLUMNS, eventIdOf, eventOf } from "./event-rows.ts";

const ROW = "(?, ?, ?, ?, ?, ?, ?, ?, ?)";
const INSERT = `insert into audit_log (event_id, ${EVENT_COLUMNS}) values`;
const APPEND: Statement = { name: "audit-append", sql: `${INSERT} ${ROW}` };
/** Rows in one statement. */
const ROWS_AT_ONCE = 50;
const OLD: Statement = {
  name: "audit-old",
  sql: "select event_id from audit_log where at < ? order by event_id limit ?",
};

/** Append-only: no statement here changes a record, and only `trim` removes any. */
export function createAuditLog(port: QueryPort): AuditLog {
  return {
    async append(events) {
      for (const some of batches(events, ROWS_AT_ONCE)) await appendSome(port, some);
    },
    async read(query) {
      const { where, parameters } = conditionsOf(query);
      const order = query.order === "newest-first" ? "desc" : "asc";
      const sql = `select event_id, ${EVENT_COLUMNS} from audit_log${where}
        order by event_id ${order} limit ?`;
      const rows = await port.all({ sql }, [...parameters, query.limit]);
      return rows.map((row) => eventOf(row, "event_id"));
    },
    async trim(before) {
      const ids = (await port.all(OLD, [before, ROWS_AT_ONCE])).map((row) =>
        numberOf(row, "event_id"),
      );
      if (ids.length === 0) return 0;
      const list = ids.map(() => "?").join(", ");
      return port.run({ sql: `delete from audit_log where event_id in (${list})` }, ids);
    },
  };
}

function conditionsOf(query: AuditQuery): { where: string; parameters: readonly Parameter[] } {
  const { since, until, types, actor, tokenId, subject, after, order } = query;
  const afterId = after === undefined ? undefined : (eventIdOf(after) ?? 0);
  const conditions: readonly (readonly [sql: string, ...parameters: Parameter[]] | undefined)[] = [
    since && ["at >= ?", since],
    until && ["at < ?", until],
    types && [`type in (${types.map(() => "?").join(", ")})`, ...types],
    actor === undefined ? undefined : ["actor = ?", actor],
    tokenId === undefined ? undefined : ["token_id = ?", tokenId],
    subject === undefined ? undefined : subjectCondition(subject),
    afterId === undefined
      ? undefined
      : [order === "newest-first" ? "event_id < ?" : "event_id > ?", afterId],
  ];
  const given = conditions.filter((one) => one !== undefined);
  return {
    where: given.length === 0 ? "" : ` where ${given.map(([sql]) => sql).join(" and ")}`,
    parameters: given.flatMap(([, ...parameters]) => parameters),
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

/** Not `like`, which ignores case on some databases. */
function subjectCondition(subject: string): readonly [sql: string, ...parameters: Parameter[]] {
  if (!subject.endsWith("*")) return ["subject = ?", subject];
  const prefix = subject.slice(0, -1);
  return ["substr(subject, 1, ?) = ?", Array.from(prefix).length, prefix];
}
