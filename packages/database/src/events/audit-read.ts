import type { AuditQuery } from "@sealhouse/events";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { Dialect } from "../statements/dialects/dialect.ts";
import { param } from "../statements/kinds.ts";
import type { Values } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import { defineStatement } from "../statements/statement.ts";
import type { EVENT_COLUMNS } from "./event-rows.ts";

/**
 * The index that a read follows. `few`: the records with a prefix, which are so few that all are
 * read and sorted.
 */
export type AuditIndex = "time" | "actor" | "subject" | "type" | "few";

const FILTERS = {
  since: param.optional(param.time),
  until: param.optional(param.time),
  type: param.optional(param.text(64)),
  types: param.optional(param.texts),
  actor: param.optional(param.text(NAME_LENGTH.actor)),
  tokenId: param.optional(param.text(NAME_LENGTH.tokenId)),
  address: param.optional(param.text(NAME_LENGTH.address)),
  subject: param.optional(param.text(NAME_LENGTH.subject)),
  prefix: param.optional(param.text(NAME_LENGTH.subject)),
  /** After all subjects with the prefix. */
  prefixEnd: param.optional(param.text(NAME_LENGTH.subject)),
  /** Characters of `prefix`. */
  prefixLength: param.optional(param.whole),
  /** The key of the last record of the previous page. */
  afterTime: param.optional(param.time),
  afterId: param.optional(param.whole),
};

export type AuditFilters = {
  readonly [Name in keyof Values<typeof FILTERS>]?: Values<typeof FILTERS>[Name] | undefined;
};

/** A page to read, and the index for it. */
export type AuditReading = {
  readonly index: AuditIndex;
  readonly filters: AuditFilters;
  readonly order: AuditQuery["order"];
};

/** The filters that an index serves; the others look at each row. */
const SERVED: Readonly<Record<AuditIndex, readonly (keyof AuditFilters)[]>> = {
  time: [],
  actor: ["actor"],
  subject: ["subject"],
  type: ["type"],
  few: [],
};
const OF_ROWS = ["types", "actor", "tokenId", "address", "subject", "prefix"] as const;

/** The filters that look at each row, because the index does not serve them. */
export function rowFilters({ index, filters }: AuditReading): readonly (keyof AuditFilters)[] {
  return OF_ROWS.filter((name) => filters[name] !== undefined && !SERVED[index].includes(name));
}

type ReadStatement = ReturnType<typeof declaredRead>;
type EndStatement = ReturnType<typeof declaredEnd>;
const reads = new Map<string, ReadStatement>();
const ends = new Map<string, EndStatement>();

/** Reads a page. Where rows are filtered, it looks at no more than `scanned` of them. */
export function auditRead(reading: AuditReading): ReadStatement {
  const name = `audit-read-${nameOf(reading)}`;
  const statement = reads.get(name) ?? declaredRead(name, reading);
  reads.set(name, statement);
  return statement;
}

/** Reads the last of `scanned` rows, which a page with filtered rows looked at. */
export function auditEnd(reading: AuditReading): EndStatement {
  const name = `audit-end-${nameOf(reading)}`;
  const statement = ends.get(name) ?? declaredEnd(name, reading);
  ends.set(name, statement);
  return statement;
}

// Short, because PostgreSQL cuts names after 63 bytes.
function nameOf({ index, filters, order }: AuditReading): string {
  const names = Object.keys(FILTERS) as (keyof AuditFilters)[];
  const letters = names.map((name) => (filters[name] === undefined ? "0" : "1"));
  return `${index}-${order === "newest-first" ? "newest" : "oldest"}-${letters.join("")}`;
}

const COLUMNS = [
  "record.event_id",
  "record.type",
  "record.subject",
  "record.actor",
  "record.token_id",
  "record.address",
  "record.request_id",
  "record.detail",
  "record.at",
] as const satisfies readonly `record.${"event_id" | (typeof EVENT_COLUMNS)[number]}`[];

/**
 * Finds keys, and then their rows: MariaDB sorts the whole table for a list of rows, and reads the
 * index alone for a list of keys.
 */
function declaredRead(name: string, reading: AuditReading) {
  const kinds = { ...FILTERS, limit: param.whole, scanned: param.whole };
  return defineStatement(name, kinds, (db, parameters, own) => {
    const { prefix, prefixLength } = parameters;
    const filters = new Set(rowFilters(reading));
    const most = filters.size === 0 ? parameters.limit : parameters.scanned;
    const keys = own.limit(indexed(db, reading, parameters).select(["event_id", "at"]), most);
    let query = db
      .selectFrom(keys.as("found"))
      .innerJoin("audit_log as record", "record.event_id", "found.event_id")
      .select(COLUMNS);
    if (filters.has("types")) {
      query = query.where("record.type", "in", own.textsIn(parameters.types));
    }
    if (filters.has("actor")) query = query.where("record.actor", "=", parameters.actor);
    if (filters.has("tokenId")) query = query.where("record.token_id", "=", parameters.tokenId);
    if (filters.has("address")) query = query.where("record.address", "=", parameters.address);
    if (filters.has("subject")) query = query.where("record.subject", "=", parameters.subject);
    if (filters.has("prefix")) {
      // Not `like`, which ignores case on some databases.
      query = query.where(
        (row) => row.fn<string>("substring", ["record.subject", row.lit(1), prefixLength]),
        "=",
        prefix,
      );
    }
    const direction = directionOf(reading);
    const sorted = query.orderBy("found.at", direction).orderBy("found.event_id", direction);
    return own.limit(sorted, parameters.limit);
  });
}

function declaredEnd(name: string, reading: AuditReading) {
  const kinds = { ...FILTERS, skip: param.whole, one: param.whole };
  return defineStatement(name, kinds, (db, parameters, own) =>
    own.page(indexed(db, reading, parameters).select(["at", "event_id"]), {
      skip: parameters.skip,
      take: parameters.one,
    }),
  );
}

/** The rows of an index, in the order of the page; those of `few` by their subjects. */
function indexed(db: Dialect["db"], reading: AuditReading, parameters: Parameters<typeof FILTERS>) {
  const { index, filters, order } = reading;
  const { afterTime, afterId } = parameters;
  let query = db.selectFrom("audit_log");
  if (index === "actor") query = query.where("actor", "=", parameters.actor);
  if (index === "subject") query = query.where("subject", "=", parameters.subject);
  if (index === "type") query = query.where("type", "=", parameters.type);
  if (index === "few") {
    query = query
      .where("subject", ">=", parameters.prefix)
      .where("subject", "<", parameters.prefixEnd);
  }
  if (filters.since !== undefined) query = query.where("at", ">=", parameters.since);
  if (filters.until !== undefined) query = query.where("at", "<", parameters.until);
  if (filters.afterTime !== undefined) {
    const isNewest = order === "newest-first";
    const [beyond, orSame] = isNewest ? (["<", "<="] as const) : ([">", ">="] as const);
    // The first condition serves the index. `or` alone does not on each database.
    query = query
      .where("at", orSame, afterTime)
      .where((row) => row.or([row("at", beyond, afterTime), row("event_id", beyond, afterId)]));
  }
  const direction = directionOf(reading);
  if (index === "few") return query.orderBy("subject").orderBy("at");
  return query.orderBy("at", direction).orderBy("event_id", direction);
}

function directionOf({ order }: AuditReading): "asc" | "desc" {
  return order === "newest-first" ? "desc" : "asc";
}
