import { sql } from "#kysely";
import type { Kysely } from "#kysely";
import type { NameLimit, OriginLimit } from "@sealhouse/npm-protocol";
import { allOf, not } from "../../search/conditions.ts";
import type { Condition } from "../../search/conditions.ts";
import type { Dialect } from "../../statements/dialects/dialect.ts";
import { param } from "../../statements/kinds.ts";
import type { Parameters } from "../../statements/parameter.ts";
import type { Tables } from "../../statements/tables.ts";
import { HIDDEN_NAMES, hiddenParameters, isHidden } from "../../visibility/hidden-names.ts";
import { NAME_PATTERNS, nameMatches } from "../name-limit.ts";

/** The parameters of the names that a caller may see. */
export const LIMITS = {
  ...NAME_PATTERNS,
  ...HIDDEN_NAMES,
  /** Names of the sources whose packages are left out. */
  notFrom: param.texts,
};

/** Parts from which a statement is composed. */
export type Composing = {
  readonly db: Kysely<Tables>;
  readonly parameters: Parameters<typeof LIMITS>;
  readonly own: Dialect;
};

/** A condition on `npm_search_entries as e`; `always` without a limit. */
export function limitCondition(
  { names, hidden, ownOnly = false, notFrom }: NameLimit & OriginLimit,
  { parameters, own }: Composing,
): Condition {
  const name = sql.ref<string>("e.name");
  return allOf([
    ...(names === undefined ? [] : [nameMatches(name, parameters, own)]),
    ...(hidden === undefined
      ? []
      : [not(isHidden("npm", name, hiddenParameters(parameters, own)))]),
    ...(ownOnly ? [sql<boolean>`not exists (${MIRRORED})`] : []),
    ...(notFrom === undefined
      ? []
      : [
          sql<boolean>`not exists (${MIRRORED} and o.source in ${own.textsIn(parameters.notFrom)})`,
        ]),
  ]);
}

/** The row of a name that was found at a source. */
const MIRRORED = sql`select 1 from name_origins o
  where o.protocol = 'npm' and o.name = e.name and o.origin = 'mirrored'`;
