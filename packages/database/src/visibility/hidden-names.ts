import { sql } from "#kysely";
import type { Expression, RawBuilder, SqlBool } from "#kysely";
import type { HiddenNames, Protocol } from "@sealhouse/request-types";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { Dialect } from "../statements/dialects/dialect.ts";
import { param } from "../statements/kinds.ts";
import type { Values } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";

/** The visibilities besides `public` that a caller sees, and the owners that see every one. */
export const HIDDEN_NAMES = { seenKinds: param.texts, readers: param.texts };

/** The values of `HIDDEN_NAMES`; without a limit no name is hidden. */
export function hiddenValues(
  hidden?: Pick<HiddenNames, "isSignedIn" | "owners">,
): Values<typeof HIDDEN_NAMES> {
  if (!hidden) return { seenKinds: ["private", "internal"], readers: [] };
  return { seenKinds: hidden.isSignedIn ? ["internal"] : [], readers: hidden.owners };
}

/** The values in lists that `isHidden` compares with. */
type Lists = { readonly [Name in keyof typeof HIDDEN_NAMES]: RawBuilder<unknown> };

/** The lists of a statement with the parameters of `HIDDEN_NAMES`. */
export function hiddenParameters(
  { seenKinds, readers }: Parameters<typeof HIDDEN_NAMES>,
  own: Dialect,
): Lists {
  return { seenKinds: own.textsIn(seenKinds), readers: own.textsIn(readers) };
}

/** The lists of a statement that is composed with its values. */
export function hiddenLists(hidden: HiddenNames): Lists {
  const { seenKinds, readers } = hiddenValues(hidden);
  return { seenKinds: listOf(seenKinds), readers: listOf(readers) };
}

function listOf(texts: readonly string[]): RawBuilder<unknown> {
  // No kind and no id is empty.
  return sql`(${sql.join(texts.length === 0 ? [""] : texts)})`;
}

/**
 * Whether a name is hidden. `name`: the column of the outer query, NuGet ids in lower case. This is
 * a `case`, because PostgreSQL turns a plain `exists` into a join, which reads all hidden names for
 * each row where it expects only one.
 */
export function isHidden(
  protocol: Protocol,
  name: Expression<string>,
  { seenKinds, readers }: Lists,
): RawBuilder<SqlBool> {
  return sql`case when exists (select 1 from name_settings hidden
    where hidden.protocol = ${sql.lit(protocol)} and hidden.name_key = ${name}
      and ${isRestricted(sql.ref("hidden.visibility"))} and hidden.visibility not in ${seenKinds}
      and not exists (select 1 from ownerships reader
        where reader.protocol = hidden.protocol and reader.name_key = hidden.name_key
          and reader.owner_id in ${readers})) then 1 else 0 end = 1`;
}

/** Whether a visibility hides its name from some callers. An unknown word does. */
export function isRestricted(visibility: Expression<string | null>): RawBuilder<SqlBool> {
  return sql`${visibility} <> 'public'`;
}

const RESTRICTED = defineStatement(
  "names-restricted",
  { protocol: param.text(NAME_LENGTH.protocol), names: param.texts },
  (db, { protocol, names }, own) =>
    db
      .selectFrom("name_settings")
      .where("protocol", "=", protocol)
      .where((row) => own.isIn(row.ref("name_key"), names))
      .where((row) => isRestricted(row.ref("visibility")))
      .select("name_key"),
);

/** Returns the names that some callers do not see. NuGet ids are in lower case. */
export async function restrictedNames(
  queries: Queries,
  protocol: Protocol,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await queries.all(RESTRICTED, { protocol, names: [...new Set(names)] });
  return new Set(rows.map(({ name_key: name }) => name));
}
