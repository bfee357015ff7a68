import type { Surface } from "@sealhouse/oci-distribution";
import type { Parameter } from "../../raw/query-port.ts";

export type Condition = { readonly sql: string; readonly parameters: readonly Parameter[] };

/** Which rows of `oci_repositories`, called `r`, belong to a surface. */
export function belongsTo(surface: Surface): Condition {
  if ("segment" in surface) return under(surface.segment);
  const others = surface.notUnder.map(under);
  return {
    sql: ["1 = 1", ...others.map(({ sql }) => `not (${sql})`)].join(" and "),
    parameters: others.flatMap(({ parameters }) => parameters),
  };
}

/** As a range, which an index serves: `0` comes right after `/`. */
function under(segment: string): Condition {
  return { sql: "r.name >= ? and r.name < ?", parameters: [`${segment}/`, `${segment}0`] };
}
