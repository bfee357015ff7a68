import type { Surface } from "@sealhouse/oci-distribution";
import type { Fragment } from "../../raw/query-port.ts";

/** Which rows of `oci_repositories`, called `r`, belong to a surface. */
export function belongsTo(surface: Surface): Fragment {
  if ("segment" in surface) return under(surface.segment);
  const others = surface.notUnder.map(under);
  return {
    sql: ["1 = 1", ...others.map(({ sql }) => `not (${sql})`)].join(" and "),
    parameters: others.flatMap(({ parameters }) => parameters),
  };
}

/** As a range, which an index serves: `0` comes right after `/`. */
function under(segment: string): Fragment {
  return { sql: "r.name >= ? and r.name < ?", parameters: [`${segment}/`, `${segment}0`] };
}
