import type { AuditQuery } from "@sealhouse/events";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { param } from "../statements/kinds.ts";
import type { Values } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { EVENT_COLUMNS } from "./event-rows.ts";

const FILTERS = {
  since: param.optional(param.time),
  until: param.optional(param.time),
  types: param.optional(param.texts),
  actor: param.optional(param.text(NAME_LENGTH.actor)),
  tokenId: param.optional(param.text(NAME_LENGTH.tokenId)),
  subject: param.optional(param.text(NAME_LENGTH.subject)),
  prefix: param.optional(param.text(NAME_LENGTH.subject)),
  /** Characters of `prefix`. */
  prefixLength: param.optional(param.whole),
  after: param.optional(param.whole),
};

type FilterValues = { readonly [Name in keyof Values<typeof FILTERS>]?: unknown };
type ReadStatement = ReturnType<typeof declared>;

const statements = new Map<string, ReadStatement>();

/** The statement with the conditions that the query has, so that each can use its index. */
export function auditReadStatement(
  filterValues: FilterValues,
  order: AuditQuery["order"],
): ReadStatement {
  const filters = new Set(
    Object.keys(FILTERS).filter((name) => filterValues[name as never] !== undefined),
  );
  const newestFirst = order === "newest-first";
  // Short, because PostgreSQL cuts names after 63 bytes.
  const letters = Object.keys(FILTERS).map((name) => (filters.has(name) ? "1" : "0"));
  const name = `audit-read-${newestFirst ? "newest" : "oldest"}-${letters.join("")}`;
  const statement = statements.get(name) ?? declared(name, filters, newestFirst);
  statements.set(name, statement);
  return statement;
}

function declared(name: string, filters: ReadonlySet<string>, newestFirst: boolean) {
  return defineStatement(name, { ...FILTERS, limit: param.whole }, (db, parameters, own) => {
    let query = db.selectFrom("audit_log").select(["event_id", ...EVENT_COLUMNS]);
    if (filters.has("since")) query = query.where("at", ">=", parameters.since);
    if (filters.has("until")) query = query.where("at", "<", parameters.until);
    if (filters.has("types")) query = query.where("type", "in", own.textsIn(parameters.types));
    if (filters.has("actor")) query = query.where("actor", "=", parameters.actor);
    if (filters.has("tokenId")) query = query.where("token_id", "=", parameters.tokenId);
    if (filters.has("subject")) query = query.where("subject", "=", parameters.subject);
    if (filters.has("prefix")) {
      // Not `like`, which ignores case on some databases.
      query = query.where(
        (row) => row.fn<string>("substr", ["subject", row.lit(1), parameters.prefixLength]),
        "=",
        parameters.prefix,
      );
    }
    if (filters.has("after"))
      query = query.where("event_id", newestFirst ? "<" : ">", parameters.after);
    return own.limit(query.orderBy("event_id", newestFirst ? "desc" : "asc"), parameters.limit);
  });
}
