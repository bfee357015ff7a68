import { sql } from "#kysely";
import type { Protocol } from "@sealhouse/request-types";
import type { NameOrigin, NameOrigins } from "@sealhouse/upstream-sources";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { UnexpectedRowError } from "../errors.ts";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/statement.ts";
import type { Unit } from "../transactions/unit-of-work.ts";

const PROTOCOL = { protocol: param.text(NAME_LENGTH.protocol) };
const NAME = { name: param.text(255) };

const FIND = defineStatement("name-origin", { ...PROTOCOL, ...NAME }, (db, { protocol, name }) =>
  db
    .selectFrom("name_origins")
    .where("protocol", "=", protocol)
    .where("name", "=", name)
    .select(["origin", "source", "since"]),
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
/** Names that were published here before there were rows of origins. */
const OWN = {
  nuget: defineStatement("name-own-nuget", NAME, (db, { name }) =>
    db
      .selectFrom("nuget_packages")
      .where("lower_id", "=", name)
      .select(sql.lit(1).as("one"))
      .unionAll(
        db.selectFrom("nuget_tombstones").where("lower_id", "=", name).select(sql.lit(1).as("one")),
      ),
  ),
  npm: defineStatement("name-own-npm", NAME, (db, { name }) =>
    db
      .selectFrom("npm_packages")
      .where("name", "=", name)
      .select(sql.lit(1).as("one"))
      .unionAll(
        db.selectFrom("npm_tombstones").where("name", "=", name).select(sql.lit(1).as("one")),
      ),
  ),
  oci: defineStatement("name-own-oci", NAME, (db, { name }) =>
    db.selectFrom("oci_repositories").where("name", "=", name).select(sql.lit(1).as("one")),
  ),
} as const;

export function createNameOrigins({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): NameOrigins {
  return {
    find: (protocol, name) => originOf(queries, protocol, name),
    claim: (protocol, name, source) =>
      changes.transaction(async (unit) => {
        // Publishes of the name wait for the same row.
        await changes.stale(unit, `${protocol}/${name}`);
        const before = await originOf(unit.queries, protocol, name);
        if (before) return before;
        const since = changes.now();
        await unit.queries.run(INSERT, { protocol, name, origin: "mirrored", source, since });
        return { origin: "mirrored", source, since };
      }),
  };
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
  if (row?.origin === "mirrored") return { mirroredFrom: row.source ?? "" };
  if (!row) {
    await unit.queries.run(INSERT, { protocol, name, origin: "own", source: null, since: now });
  }
  return undefined;
}

/** The source of a name, when it is mirrored. Reads only. */
export async function mirroredFrom(
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
  const row = await queries.one(FIND, { protocol, name });
  if (row) return parsed(row);
  const own = await queries.one(OWN[protocol], { name });
  return own && { origin: "own", since: new Date(0) };
}

function parsed({ origin, source, since }: RowOf<typeof FIND>): NameOrigin {
  if (origin === "mirrored" && source !== null) return { origin, source, since };
  if (origin === "own" || origin === "reserved") return { origin, since };
  throw new UnexpectedRowError("an origin of a name", origin);
}
