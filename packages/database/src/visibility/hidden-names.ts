import { sql } from "#kysely";
import type { Expression, RawBuilder, SqlBool } from "#kysely";
import type { HiddenNames, Protocol } from "@sealhouse/request-types";
import type { Dialect } from "../statements/dialects/dialect.ts";
import { param } from "../statements/kinds.ts";
import type { Values } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";

/** The visibilities that are hidden from a caller, and the owners that see them nevertheless. */
export const HIDDEN_NAMES = { hiddenKinds: param.texts, readers: param.texts };

/** Whether a name is hidden. `name`: the column of the outer query, NuGet ids in lower case. */
export function isHidden(
  protocol: Protocol,
  name: Expression<string>,
  { hiddenKinds, readers }: Parameters<typeof HIDDEN_NAMES>,
  own: Dialect,
): RawBuilder<SqlBool> {
  return hiddenSql(protocol, name, {
    kinds: own.textsIn(hiddenKinds),
    readers: own.textsIn(readers),
  });
}

/** The same for statements that are composed with their values. */
export function isHiddenFrom(
  protocol: Protocol,
  name: Expression<string>,
  hidden: HiddenNames,
): RawBuilder<SqlBool> {
  const { hiddenKinds, readers } = hiddenValues(hidden);
  // No id is empty.
  const ids = readers.length === 0 ? [""] : readers;
  return hiddenSql(protocol, name, {
    kinds: sql`(${sql.join(hiddenKinds)})`,
    readers: sql`(${sql.join(ids)})`,
  });
}

export function hiddenValues({
  isSignedIn,
  owners,
}: Pick<HiddenNames, "isSignedIn" | "owners">): Values<typeof HIDDEN_NAMES> {
  return { hiddenKinds: isSignedIn ? ["private"] : ["private", "internal"], readers: owners };
}

function hiddenSql(
  protocol: Protocol,
  name: Expression<string>,
  {
    kinds,
    readers,
  }: { readonly kinds: RawBuilder<unknown>; readonly readers: RawBuilder<unknown> },
): RawBuilder<SqlBool> {
  return sql`exists (select 1 from name_settings hidden
    where hidden.protocol = ${sql.lit(protocol)} and hidden.name_key = ${name}
      and hidden.visibility in ${kinds}
      and not exists (select 1 from ownerships reader
        where reader.protocol = hidden.protocol and reader.name_key = hidden.name_key
          and reader.owner_id in ${readers}))`;
}
