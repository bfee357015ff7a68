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

type Given = { readonly [Name in keyof Values<typeof FILTERS>]?: unknown };
type ReadStatement = ReturnType<typeof declared>;

const known = new Map<string, ReadStatement>();

/** The statement with the conditions that the query has, so that each can use its index. */
export function auditReadStatement(given: Given, order: AuditQuery["order"]): ReadStatement {
  const filters = new Set(
    Object.keys(FILTERS).filter((name) => given[name as never] !== undefined),
  );
  const newestFirst = order === "newest-first";
  // Short, because PostgreSQL cuts names after 63 bytes.
  const letters = Object.keys(FILTERS).map((name) => (filters.has(name) ? "1" : "0"));
  const name = `audit-read-${newestFirst ? "newest" : "oldest"}-${letters.join("")}`;
  const statement = known.get(name) ?? declared(name, filters, newestFirst);
  known.set(name, statement);
  return statement;
}

function declared(name: string, filters: ReadonlySet<string>, newestFirst: boolean) {
  return defineStatement(name, { ...FILTERS, limit: param.whole }, (db, given, own) => {
    let query = db.selectFrom("audit_log").select(["event_id", ...EVENT_COLUMNS]);
    if (filters.has("since")) query = query.where("at", ">=", given.since);
    if (filters.has("until")) query = query.where("at", "<", given.until);
    if (filters.has("types")) query = query.where("type", "in", own.textsIn(given.types));
    if (filters.has("actor")) query = query.where("actor", "=", given.actor);
    if (filters.has("tokenId")) query = query.where("token_id", "=", given.tokenId);
    if (filters.has("subject")) query = query.where("subject", "=", given.subject);
    if (filters.has("prefix")) {
      // Not `like`, which ignores case on some databases.
      query = query.where(
        (row) => row.fn<string>("substr", ["subject", row.lit(1), given.prefixLength]),
        "=",
        given.prefix,
      );
    }
    if (filters.has("after")) query = query.where("event_id", newestFirst ? "<" : ">", given.after);
    return own.limit(query.orderBy("event_id", newestFirst ? "desc" : "asc"), given.limit);
  });
}
