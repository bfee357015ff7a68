import { expressionBuilder, sql } from "#kysely";
import type { Expression, SqlBool } from "#kysely";
import type { Surface } from "@sealhouse/oci-distribution";
import type { Dialect } from "../../statements/dialects/dialect.ts";
import { param } from "../../statements/kinds.ts";
import type { Values } from "../../statements/kinds.ts";
import type { Parameters } from "../../statements/parameter.ts";
import type { Tables } from "../../statements/tables.ts";
import { ociParam } from "../oci-param.ts";

/** Names from `first` on and before `end`: a range, which an index serves. */
type NameRange = { readonly first: string; readonly end: string };

/** Parameters of a surface: the range of its repositories, and ranges in it that are not its. */
export const SURFACE = {
  first: ociParam.repositoryName,
  end: ociParam.repositoryName,
  except: param.records,
};

/** Names of repositories consist of characters before this one. */
const AFTER_ALL_NAMES = "{";

/** The values of a surface. */
export function surfaceValues(surface: Surface): Values<typeof SURFACE> {
  return "segment" in surface
    ? { ...under(surface.segment), except: [] }
    : { first: "", end: AFTER_ALL_NAMES, except: surface.notUnder.map(under) };
}

/** Whether a row of `oci_repositories as r` belongs to the surface. */
export function belongsTo(
  own: Dialect,
  parameters: Parameters<typeof SURFACE>,
): Expression<SqlBool> {
  const eb = expressionBuilder<Tables & { r: Tables["oci_repositories"] }, "r">();
  const excepted = eb
    .selectFrom(own.records(parameters.except, { first: "text", end: "text" }).as("other"))
    .where("other.first", "<=", sql.ref<string>("r.name"))
    .where("other.end", ">", sql.ref<string>("r.name"))
    .select("other.first");
  return eb.and([
    eb("r.name", ">=", parameters.first),
    eb("r.name", "<", parameters.end),
    eb.not(eb.exists(excepted)),
  ]);
}

/** `0` comes right after `/`. */
function under(segment: string): NameRange {
  return { first: `${segment}/`, end: `${segment}0` };
}
