import { AUDIT_KEY } from "@sealhouse/events";
import type { AuditPage, AuditQuery, RegistryEvent } from "@sealhouse/events";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { auditEnd, auditRead, rowFilters } from "./audit-read.ts";
import type { AuditFilters, AuditReading } from "./audit-read.ts";
import { eventOf } from "./event-rows.ts";

/** Rows that a page looks at where no index has its filters: some 10 ms. */
const SCANNED_MAX = 5_000;
/** Records with a prefix up to which all are read and sorted. */
const FEW_MAX = 2_000;
/** Types up to which each is read by its index. */
const TYPES_MAX = 16;

const MANY = defineStatement(
  "audit-many",
  {
    prefix: param.text(NAME_LENGTH.subject),
    prefixEnd: param.text(NAME_LENGTH.subject),
    skip: param.whole,
    take: param.whole,
  },
  (db, { prefix, prefixEnd, skip, take }, own) =>
    own.page(
      db
        .selectFrom("audit_log")
        .select("subject")
        .where("subject", ">=", prefix)
        .where("subject", "<", prefixEnd)
        .orderBy("subject"),
      { skip, take },
    ),
);

/** Reads a page of records. */
export async function readAuditPage(queries: Queries, query: AuditQuery): Promise<AuditPage> {
  const { order, limit } = query;
  const sign = order === "newest-first" ? -1 : 1;
  const readings = await readingsOf(queries, query);
  const scanned = Math.ceil(SCANNED_MAX / readings.length);
  const parts = await Promise.all(
    readings.map((reading) => readPart(queries, reading, { limit, scanned })),
  );
  const ends = parts.flatMap(({ end }) => (end ? [end] : []));
  // Beyond the first of the ends, a part may have more records.
  const end = ends.toSorted((a, b) => sign * compared(a, b))[0];
  const found = parts
    .flatMap(({ records }) => records)
    .filter((record) => !end || sign * compared(keyOf(record), end) <= 0)
    .toSorted((a, b) => sign * compared(keyOf(a), keyOf(b)));
  const records = found.slice(0, limit);
  const last = records.at(-1);
  const next = last && found.length > records.length ? keyOf(last) : end;
  return { records, ...(next && { next: `${next.time}-${next.id}` }) };
}

/** The place of a record in the order. */
type Key = { readonly time: number; readonly id: number };
/** The records that one statement finds, and how far it read; no end: as far as there are any. */
type Part = { readonly records: readonly RegistryEvent[]; readonly end?: Key };

function keyOf({ at, id }: RegistryEvent): Key {
  return { time: at.getTime(), id: Number(id) };
}

function compared(a: Key, b: Key): number {
  return a.time - b.time || a.id - b.id;
}

async function readPart(
  queries: Queries,
  reading: AuditReading,
  { limit, scanned }: { readonly limit: number; readonly scanned: number },
): Promise<Part> {
  const { index, filters } = reading;
  const values = { ...NO_FILTERS, ...filters };
  const most = { limit: limit + 1, scanned: index === "few" ? FEW_MAX : scanned };
  const rows = await queries.all(auditRead(reading), { ...values, ...most });
  const records = rows.slice(0, limit).map((row) => eventOf(row.event_id, row));
  const last = records.at(-1);
  if (last && rows.length > limit) return { records, end: keyOf(last) };
  if (index === "few" || rowFilters(reading).length === 0) return { records };
  const end = await queries.one(auditEnd(reading), { ...values, skip: scanned - 1, one: 1 });
  return { records, ...(end && { end: { time: end.at.getTime(), id: end.event_id } }) };
}

/** One reading, or one for each of several types. */
async function readingsOf(queries: Queries, query: AuditQuery): Promise<readonly AuditReading[]> {
  const { since, until, types, actor, tokenId, address, order } = query;
  const [, time, id] = AUDIT_KEY.exec(query.after ?? "") ?? [];
  const after = time !== undefined && { afterTime: new Date(Number(time)), afterId: Number(id) };
  const prefix = prefixOf(query);
  const subject = prefix ? undefined : query.subject;
  const shared = { since, until, ...after };
  const filters = { ...shared, types, actor, tokenId, address, subject, ...prefix };
  if (subject !== undefined) return [{ index: "subject", filters, order }];
  if (prefix && (await areFew(queries, prefix))) return [{ index: "few", filters, order }];
  if (actor !== undefined) return [{ index: "actor", filters, order }];
  const all = [...new Set(types ?? [])];
  if (types === undefined || all.length > TYPES_MAX) return [{ index: "time", filters, order }];
  return all.map((type) => {
    const ofType = { ...shared, type, tokenId, address, ...prefix };
    return { index: "type", filters: ofType, order };
  });
}

type Prefix = {
  readonly prefix: string;
  readonly prefixEnd: string;
  readonly prefixLength: number;
};

function prefixOf({ subject }: AuditQuery): Prefix | undefined {
  if (subject?.endsWith("*") !== true) return undefined;
  const prefix = subject.slice(0, -1);
  // The last of all characters: texts compare by their code points.
  return { prefix, prefixEnd: `${prefix}\u{10FFFF}`, prefixLength: Array.from(prefix).length };
}

async function areFew(queries: Queries, { prefix, prefixEnd }: Prefix): Promise<boolean> {
  const values = { prefix, prefixEnd, skip: FEW_MAX, take: 1 };
  return (await queries.one(MANY, values)) === undefined;
}

const NO_FILTERS = {
  since: undefined,
  until: undefined,
  type: undefined,
  types: undefined,
  actor: undefined,
  tokenId: undefined,
  address: undefined,
  subject: undefined,
  prefix: undefined,
  prefixEnd: undefined,
  prefixLength: undefined,
  afterTime: undefined,
  afterId: undefined,
} satisfies AuditFilters;
