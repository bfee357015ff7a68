import type { RepositoriesQuery, TagsQuery } from "./model.ts";

export const QUERY_LENGTH_MAX = 200;
const REPOSITORIES_PER_PAGE = 20;
const TAGS_PER_PAGE = 50;

/** Parses the query parameters of the repository search. */
export function parseRepositoriesQuery(parameters: URLSearchParams): RepositoriesQuery {
  return {
    text: textIn(parameters, "q"),
    after: textIn(parameters, "after"),
    take: REPOSITORIES_PER_PAGE,
  };
}

/** Parses the query parameters of a repository's tag list. */
export function parseTagsQuery(parameters: URLSearchParams): TagsQuery {
  const page = parameters.get("page") ?? "";
  return {
    text: textIn(parameters, "tag"),
    withAttached: parameters.get("attached") === "true",
    page: /^\d{1,6}$/.test(page) ? Math.max(Number(page), 1) : 1,
    size: TAGS_PER_PAGE,
  };
}

/** Returns the query parameters of a page of tags, without default values. */
export function tagsParametersOf({ text, withAttached, page }: TagsQuery): URLSearchParams {
  return new URLSearchParams({
    ...(text !== "" && { tag: text }),
    ...(withAttached && { attached: "true" }),
    ...(page > 1 && { page: String(page) }),
  });
}

function textIn(parameters: URLSearchParams, name: string): string {
  return (parameters.get(name) ?? "").trim().slice(0, QUERY_LENGTH_MAX).toWellFormed();
}
