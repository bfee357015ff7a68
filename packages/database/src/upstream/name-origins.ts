import { sql } from "#kysely";
import type { Caller, Protocol } from "@sealhouse/request-types";
import { coversAnyCase, lowerCaseTwin } from "@sealhouse/identity";
import type {
  NameClaim,
  NameOrigin,
  NameOrigins,
  ReleaseOutcome,
  ReserveOutcome,
} from "@sealhouse/upstream-sources";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { UnexpectedRowError } from "../errors.ts";
import type { PortContext } from "../port-context.ts";
import { batches } from "../raw/batches.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { isPublished, ownNames } from "./own-names.ts";

const NAMES_AT_ONCE = 1_000;
const PROTOCOL = { protocol: param.text(NAME_LENGTH.protocol) };
const NAME = { name: param.text(255) };

const FIND = defineStatement("name-origin", { ...PROTOCOL, ...NAME }, (db, { protocol, name }) =>
  db
    .selectFrom("name_origins")
    .where("protocol", "=", protocol)
    .where("name", "=", name)
    .select(["origin", "source", "since"]),
);
const SOURCES_OF = defineStatement(
  "name-origins-sources",
  { ...PROTOCOL, names: param.texts },
  (db, { protocol, names }, own) =>
    db
      .selectFrom("name_origins")
      .where("protocol", "=", protocol)
      .where("name", "in", own.textsIn(names))
      .where("origin", "=", sql.lit("mirrored"))
      .select(["name", "source"]),
);
const INSERT = defineStatement(
  "name-origin-insert",
  {
    ...PROTOCOL,
    ...NAME,
    origin: param.text(16),
    source: param.optional(param.text(64)),
    since: param.time,
  },
  (db, parameters) => db.insertInto("name_origins").values(parameters),
);
const UPDATE = defineStatement(
  "name-origin-update",
  { ...PROTOCOL, ...NAME, origin: param.text(16), since: param.time },
  (db, { protocol, name, origin, since }) =>
    db
      .updateTable("name_origins")
      .set({ origin, since, source: null })
      .where("protocol", "=", protocol)
      .where("name", "=", name),
);
const DELETE = defineStatement(
  "name-origin-delete",
  { ...PROTOCOL, ...NAME },
  (db, { protocol, name }) =>
    db.deleteFrom("name_origins").where("protocol", "=", protocol).where("name", "=", name),
);
const PATTERNS = defineStatement(
  "name-origin-patterns",
  PROTOCOL,
  (db, { protocol }) =>
    db.selectFrom("name_origins").where("protocol", "=", protocol).select(["name", "since"]),
  { recall: "rows" },
);
/** The row of a name, and those of all patterns. */
const FIND_ALL = defineStatement(
  "name-origin-and-patterns",
  { ...PROTOCOL, ...NAME, patterns: param.text(NAME_LENGTH.protocol) },
  (db, { protocol, name, patterns }) =>
    db
      .selectFrom("name_origins")
      .where((row) =>
        row.or([
          row.and([row("protocol", "=", protocol), row("name", "=", name)]),
          row("protocol", "=", patterns),
        ]),
      )
      .select(["protocol", "name", "origin", "source", "since"]),
);

export function createNameOrigins({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): NameOrigins {
  return {
    find: (protocol, name) => originOf(queries, protocol, name),
    sourcesOf: (protocol, names) => sourcesOf(queries, protocol, names),
    claim: (protocol, name, source) =>
      changes.transaction(async (unit) => {
        await changes.stale(unit, claimGroupOf({ protocol, name }));
        return claimMirrored(unit, { protocol, name, source }, changes.now());
      }),
    reserve: (protocol, pattern, caller) =>
      changes.transaction((unit) => reserve(changes, unit, { protocol, pattern, caller })),
    release: (protocol, pattern, caller) =>
      changes.transaction((unit) => release(changes, unit, { protocol, pattern, caller })),
    ownNames: (protocol, page) => ownNames(queries, protocol, page),
  };
}

/** The group that must be locked before a name is claimed: publishes of the name wait for it. */
export function claimGroupOf({ protocol, name }: Pick<NameClaim, "protocol" | "name">): string {
  return `${protocol}/${name}`;
}

/** Marks a name without an origin as found at a source. Call with the group of the name locked. */
export async function claimMirrored(
  { queries }: Pick<Unit, "queries">,
  { protocol, name, source }: NameClaim,
  since: Date,
): Promise<NameOrigin> {
  const before = await originOf(queries, protocol, name);
  if (before) return before;
  await queries.run(INSERT, { protocol, name, origin: "mirrored", source, since });
  return { origin: "mirrored", source, since };
}

type Ask = { readonly protocol: Protocol; readonly pattern: string; readonly caller: Caller };

async function reserve(
  changes: PortContext["changes"],
  unit: Unit,
  { protocol, pattern, caller }: Ask,
): Promise<ReserveOutcome> {
  const key = rowKeyOf(protocol, pattern);
  const subject = `${protocol}/${key.name}`;
  await changes.stale(unit, subject);
  const row = await unit.queries.one(FIND, key);
  if (row?.origin === "mirrored") return { status: "mirrored", source: row.source ?? "" };
  if (row) return { status: row.origin === "reserved" ? "repeated" : "own" };
  if (await isPublished(unit.queries, protocol, key.name)) return { status: "own" };
  const since = changes.now();
  await unit.queries.run(INSERT, { ...key, origin: "reserved", source: null, since });
  await changes.event(unit, { type: "name.reserved", subject, caller });
  return { status: "reserved" };
}

async function release(
  changes: PortContext["changes"],
  unit: Unit,
  { protocol, pattern, caller }: Ask,
): Promise<ReleaseOutcome> {
  const key = rowKeyOf(protocol, pattern);
  const subject = `${protocol}/${key.name}`;
  await changes.stale(unit, subject);
  const row = await unit.queries.one(FIND, key);
  if (row?.origin === "own") return { status: "own" };
  if (row?.origin === "mirrored") {
    const source = row.source ?? "";
    await unit.queries.run(UPDATE, { ...key, origin: "own", since: changes.now() });
    const detail = { source };
    await changes.event(unit, { type: "name.released", subject, caller, detail });
    return { status: "released", source };
  }
  if (row) {
    await unit.queries.run(DELETE, key);
    await changes.event(unit, { type: "name.released", subject, caller });
    return { status: "ended" };
  }
  const isOwn = await isPublished(unit.queries, protocol, key.name);
  return { status: isOwn ? "own" : "absent" };
}

/**
 * Notes that a new name is published here. Call with the group of the name locked. Returns the
 * source when the name is mirrored: then it must not be published.
 */
export async function claimOwn(
  unit: Pick<Unit, "queries">,
  {
    protocol,
    name,
    now,
  }: { readonly protocol: Protocol; readonly name: string; readonly now: Date },
): Promise<{ readonly mirroredFrom: string } | undefined> {
  const row = await unit.queries.one(FIND, { protocol, name });
  if (!row) await noteOwn(unit, { protocol, name, now });
  if (row?.origin === "mirrored") {
    const pattern = await reservedPattern(unit.queries, protocol, name);
    if (!pattern) return { mirroredFrom: row.source ?? "" };
    await unit.queries.run(UPDATE, { protocol, name, origin: "own", since: now });
  }
  return undefined;
}

/** The same for a name without an origin. */
export async function noteOwn(
  { queries }: Pick<Unit, "queries">,
  { protocol, name, now }: Parameters<typeof claimOwn>[1],
): Promise<void> {
  await queries.run(INSERT, { protocol, name, origin: "own", since: now, source: null });
}

/** The source of a name, when it is mirrored and no reserved pattern covers it. Reads only. */
export async function mirroredUnlessReserved(
  { queries }: Pick<Unit, "queries">,
  wantedName: { readonly protocol: Protocol; readonly name: string },
): Promise<{ readonly mirroredFrom: string } | undefined> {
  const found = await mirroredFrom(queries, wantedName);
  if (!found) return undefined;
  const { protocol, name } = wantedName;
  return (await reservedPattern(queries, protocol, name)) ? undefined : found;
}

/** The source of a name, when it is mirrored. Reads only. */
async function mirroredFrom(
  queries: Queries,
  wantedName: { readonly protocol: Protocol; readonly name: string },
): Promise<{ readonly mirroredFrom: string } | undefined> {
  const row = await queries.one(FIND, wantedName);
  return row?.origin === "mirrored" ? { mirroredFrom: row.source ?? "" } : undefined;
}

async function originOf(
  queries: Queries,
  protocol: Protocol,
  name: string,
): Promise<NameOrigin | undefined> {
  const rows = await queries.all(FIND_ALL, { protocol, name, patterns: patternsOf(protocol) });
  const row = rows.find((found) => found.protocol === protocol);
  if (row && row.origin !== "mirrored") return parsed(row);
  const pattern = rows.find(
    (found) => found.protocol !== protocol && coversAnyCase(found.name, protocol, name),
  );
  if (pattern) return { origin: "reserved", since: pattern.since };
  if (row) return parsed(row);
  if (await isPublished(queries, protocol, name)) return { origin: "own", since: new Date(0) };
  const twin = lowerCaseTwin(protocol, name);
  const other = twin === undefined ? undefined : await originOf(queries, protocol, twin);
  return other?.origin === "mirrored" ? undefined : other;
}

async function sourcesOf(
  queries: Queries,
  protocol: Protocol,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const patterns = await queries.all(PATTERNS, { protocol: patternsOf(protocol) });
  const sources = new Map<string, string>();
  for (const some of batches(names, NAMES_AT_ONCE)) {
    for (const { name, source } of await queries.all(SOURCES_OF, { protocol, names: some })) {
      const isReserved = patterns.some((pattern) => coversAnyCase(pattern.name, protocol, name));
      if (!isReserved) sources.set(name, source ?? "");
    }
  }
  return sources;
}

async function reservedPattern(
  queries: Queries,
  protocol: Protocol,
  name: string,
): Promise<{ readonly since: Date } | undefined> {
  const patterns = await queries.all(PATTERNS, { protocol: patternsOf(protocol) });
  return patterns.find((pattern) => coversAnyCase(pattern.name, protocol, name));
}

/** Where the row of a name or pattern is. Patterns have their own value in the first column of the
 * key, so that a lookup reads no other rows. */
function rowKeyOf(protocol: Protocol, pattern: string) {
  return {
    protocol: pattern.includes("*") ? patternsOf(protocol) : protocol,
    name: protocol === "nuget" ? pattern.toLowerCase() : pattern,
  };
}

function patternsOf(protocol: Protocol): string {
  return `${protocol}*`;
}

function parsed({ origin, source, since }: RowOf<typeof FIND>): NameOrigin {
  if (origin === "mirrored" && source !== null) return { origin, source, since };
  if (origin === "own" || origin === "reserved") return { origin, since };
  throw new UnexpectedRowError("an origin of a name", origin);
}
