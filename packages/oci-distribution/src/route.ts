import { OciError } from "./errors.ts";
import type { RepositoryName } from "./repository-name.ts";
import type { Spelling } from "./spelling.ts";
import { PLAIN, nameFrom } from "./spelling.ts";

/** A path of the distribution API, taken apart. What follows the name is still text. */
export type Route = { readonly type: "ping" } | { readonly type: "catalog" } | RepositoryRoute;

export type RepositoryRoute =
  | { readonly type: "uploads"; readonly name: RepositoryName }
  | { readonly type: "upload"; readonly name: RepositoryName; readonly id: string }
  | { readonly type: "blob"; readonly name: RepositoryName; readonly digest: string }
  | { readonly type: "manifest"; readonly name: RepositoryName; readonly reference: string }
  | { readonly type: "tags"; readonly name: RepositoryName }
  | { readonly type: "referrers"; readonly name: RepositoryName; readonly digest: string };

/**
 * Reads a path from the right, because a repository may itself be called `a/blobs/b`. `path` is
 * raw; each segment is percent-decoded once, so an encoded slash never parts anything. Undefined
 * for paths the API does not have; throws `NAME_INVALID` for a name outside the grammar. Names come
 * back in full, however `spelling` writes them.
 */
export function parseRoute(path: string, spelling: Spelling = PLAIN): Route | undefined {
  const below = `${spelling.path}/v2`;
  if (path === below || path === `${below}/`) return { type: "ping" };
  if (!path.startsWith(`${below}/`)) return undefined;
  const segments = path
    .slice(below.length + 1)
    .split("/")
    .map(decodeSegment);
  if (segments.length === 1 && segments[0] === "_catalog") return { type: "catalog" };

  return segments.length < 3 ? undefined : repositoryRoute(segments, spelling);
}

function repositoryRoute(
  segments: readonly string[],
  spelling: Spelling,
): RepositoryRoute | undefined {
  const [before, verb, last = ""] = segments.slice(-3);
  const name = () => nameOf(segments.slice(0, -2), spelling);
  switch (verb) {
    case "manifests":
      return { type: "manifest", name: name(), reference: last };
    case "referrers":
      return { type: "referrers", name: name(), digest: last };
    case "tags":
      return last === "list" ? { type: "tags", name: name() } : undefined;
    case "blobs":
      if (last === "uploads") return { type: "uploads", name: name() };
      return { type: "blob", name: name(), digest: last };
    case "uploads":
      return before === "blobs" ? uploadRoute(segments.slice(0, -3), last, spelling) : undefined;
    default:
      return undefined;
  }
}

function uploadRoute(
  segments: readonly string[],
  id: string,
  spelling: Spelling,
): RepositoryRoute | undefined {
  if (segments.length === 0) return undefined;
  const name = nameOf(segments, spelling);
  return id === "" ? { type: "uploads", name } : { type: "upload", name, id };
}

/** The path of a URL exactly as it was sent: no decoding, no query. */
export function rawPathOf(url: string): string {
  const authority = url.startsWith("/") ? -1 : url.indexOf("://");
  const start = authority < 0 ? 0 : url.indexOf("/", authority + 3);
  if (start < 0) return "/";
  const end = url.slice(start).search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    const message = "the path is not valid percent-encoded UTF-8";
    throw new OciError("NAME_INVALID", { message, cause });
  }
}

function nameOf(segments: readonly string[], spelling: Spelling): RepositoryName {
  // Joined they would pass for two segments.
  const sneaky = segments.find((segment) => segment.includes("/"));
  if (sneaky !== undefined) {
    const message = "a repository name must not hold an encoded slash";
    throw new OciError("NAME_INVALID", { message, details: [{ segment: sneaky.slice(0, 300) }] });
  }
  return nameFrom(spelling, segments.join("/"));
}
