import { sql } from "#kysely";
import { idFormsOf } from "@sealhouse/nuget-protocol";
import type { Conditions, IdLimit } from "@sealhouse/nuget-protocol";
import { hiddenLists, isHidden } from "../../visibility/hidden-names.ts";
import { containing, escapeLike } from "../../raw/like.ts";
import { allOf, always, anyOf, not } from "../../search/conditions.ts";
import type { Condition } from "../../search/conditions.ts";
import type { SearchWay } from "./search-ways.ts";

// Conditions on `nuget_packages as p`.

/** Sorts after every text with the same prefix. */
const LAST = "\u{10ffff}";

export function idIs(id: string): Condition {
  return sql`p.lower_id = ${id}`;
}

export function idStarts(prefix: string): Condition {
  return sql`(p.lower_id >= ${prefix} and p.lower_id < ${prefix + LAST})`;
}

/** Returns conditions on the id, the newest version, and the ids that the caller may see. */
export function packageCondition({ ids, versions }: Conditions, way: SearchWay): Condition {
  const { contains, equals } = ids;
  return allOf([
    ...(contains ? [anyOf(contains.map((part) => idLike(containing(part))))] : []),
    ...(equals ? [anyOf(equals.map(idIs))] : []),
    ...(versions ? [newestIs(way, versions)] : []),
    visible(ids),
  ]);
}

/** Ids that the caller may see; `always` without a limit. */
export function visible({ names, hidden, ownOnly = false }: IdLimit): Condition {
  return allOf([
    namesOf(names),
    hidden ? not(isHidden("nuget", sql.ref<string>("p.lower_id"), hiddenLists(hidden))) : always,
    ownOnly ? IS_OWN : always,
  ]);
}

const IS_OWN: Condition = sql`not exists (select 1 from name_origins o
  where o.protocol = 'nuget' and o.name = p.lower_id and o.origin = 'mirrored')`;

function namesOf(names: IdLimit["names"]): Condition {
  if (names === undefined) return always;
  const patterns = idFormsOf(names).map((form) => form.map(escapeLike).join("%"));
  return anyOf(patterns.map(idLike));
}

function idLike(pattern: string): Condition {
  return sql`p.lower_id like ${pattern} escape '!'`;
}

/** Finds the version by its key: there is no index of versions without their package. */
function newestIs({ reference }: SearchWay, versions: readonly string[]): Condition {
  return sql`exists (select 1 from nuget_versions v
    where v.id = ${sql.ref(reference)} and v.lower_version in (${sql.join(versions)}))`;
}
