import { SKIP_MAX, TEXT_LENGTH_MAX } from "../kit/forms/search-fields.ts";
import type { NpmQuery } from "./model.ts";

const TAKE = 20;

/** Parses the query parameters of the npm search. The default includes all packages. */
export function parseNpmQuery(parameters: URLSearchParams): NpmQuery {
  const text = (parameters.get("q") ?? "").trim().slice(0, TEXT_LENGTH_MAX).toWellFormed();
  const skip = parameters.get("skip") ?? "";
  const isIn = (name: string) => parameters.get(name)?.toLowerCase() !== "false";
  return {
    text,
    deprecated: isIn("deprecated"),
    unstable: isIn("unstable"),
    skip: /^\d{1,9}$/.test(skip) ? Math.min(Number(skip), SKIP_MAX) : 0,
    take: TAKE,
  };
}

/** Returns the query parameters of a search, without default values. */
export function npmParametersOf(query: NpmQuery): URLSearchParams {
  const { text, deprecated, unstable, skip } = query;
  return new URLSearchParams({
    ...(text !== "" && { q: text }),
    ...(!deprecated && { deprecated: "false" }),
    ...(!unstable && { unstable: "false" }),
    ...(skip > 0 && { skip: String(skip) }),
  });
}
