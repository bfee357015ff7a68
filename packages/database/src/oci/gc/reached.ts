import { KEEPINGS } from "@sealhouse/oci-distribution";
import type { Keeping } from "@sealhouse/oci-distribution";
import type { Parameter } from "../../raw/query-port.ts";
import { fill, isKept } from "./kept-by.ts";
import type { Values } from "./kept-by.ts";

/** Whether the manifest `m` is a root. */
export const IS_ROOT = isKept("manifest", {
  digest: "m.digest",
  clocks: { manifest: "m.touched_at" },
  namedBy: {
    tags: {
      sql: "select 1 from oci_tags t where t.manifest_id = m.id and t.subject is null",
      takes: [],
    },
  },
});

/** The rows of a `Keeping`, as `f`, and the id of the manifest to which each belongs. */
const ROWS: Readonly<
  Record<Keeping["rows"], { readonly from: string; readonly manifest: string }>
> = {
  edges: { from: "oci_manifest_edges f", manifest: "f.manifest_id" },
  manifests: { from: "oci_manifests f", manifest: "f.id" },
  tags: { from: "oci_tags f", manifest: "f.manifest_id" },
};

type KeepingSql = { readonly keeper: string; readonly kept: string; readonly from: string };

/** A keeping as ids of manifests: `f` names one of them by its digest, which `o` is. */
function sqlOf({ rows, keeper, kept }: Keeping): KeepingSql {
  const { from, manifest } = ROWS[rows];
  const digest = keeper === "manifest" ? kept : keeper;
  const named = `oci_manifests o on o.repository_id = f.repository_id and o.digest = f.${digest}`;
  return {
    keeper: keeper === "manifest" ? manifest : "o.id",
    kept: kept === "manifest" ? manifest : "o.id",
    from: `${from} join ${named}`,
  };
}

/** Who keeps whom within one repository; takes the repository for each keeping. */
const KEEPS = KEEPINGS.map(sqlOf)
  .map(
    ({ keeper, kept, from }) =>
      `select ${keeper} as keeper, ${kept} as kept from ${from} where f.repository_id = ?`,
  )
  .join("\n  union all\n  ");

function keepsIn(repository: number): readonly number[] {
  return KEEPINGS.map(() => repository);
}

/** The ids of all manifests of a repository that a root reaches, as `reached` (rule R15). */
export const REACHED = `with recursive reached (id) as (
  select m.id from oci_manifests m where m.repository_id = ? and ${IS_ROOT.sql}
  union
  select k.kept from reached r join (${KEEPS}) k on k.keeper = r.id)`;

export function reachedFrom(repository: number, values: Values): readonly Parameter[] {
  return [repository, ...fill(IS_ROOT, values), ...keepsIn(repository)];
}

/** The other way: a manifest and all that keep it, as `keepers`. */
export const KEEPERS = `with recursive keepers (id) as (
  select m.id from oci_manifests m where m.id = ?
  union
  select k.keeper from keepers r join (${KEEPS}) k on k.kept = r.id)`;

export function keepersOf(manifest: number, repository: number): readonly Parameter[] {
  return [manifest, ...keepsIn(repository)];
}

/** Other manifests that keep one and must go first (rule R6); takes the id twice for each of
 * `blockers`. */
function blockers(blocks: Keeping["blocks"]): { readonly sql: string; readonly parts: number } {
  const queries = KEEPINGS.filter((one) => one.blocks === blocks)
    .map(sqlOf)
    .map(({ keeper, kept, from }) => {
      return `select 1 from ${from} where ${kept} = ? and ${keeper} <> ?`;
    });
  return { sql: `${queries.join(" union all ")} limit 1`, parts: queries.length };
}

export const BLOCKERS: Readonly<Record<Keeping["blocks"], ReturnType<typeof blockers>>> = {
  always: blockers("always"),
  "if-reached": blockers("if-reached"),
};

/** Whether the repository lacks a subject of manifest `m`. */
export const LACKS_SUBJECT = KEEPINGS.filter(({ keeper }) => keeper === "subject")
  .map(({ rows }) => {
    const { from, manifest } = ROWS[rows];
    return `exists (select 1 from ${from} where ${manifest} = m.id and f.subject is not null
      and not exists (select 1 from oci_manifests o
        where o.repository_id = f.repository_id and o.digest = f.subject))`;
  })
  .join(" or ");
