import { OciError } from "./errors.ts";
import type { RepositoryName } from "./repository-name.ts";
import type { NameMapping } from "./name-mapping.ts";
import { PLAIN, nameFrom } from "./name-mapping.ts";

/** A parsed path of the distribution API. Digests, references and ids are not validated yet. */
export type Route = { readonly type: "ping" } | { readonly type: "catalog" } | RepositoryRoute;

/** A route below a repository, with the values in its path. */
export type RepositoryRoute =
  | { readonly type: "uploads"; readonly name: RepositoryName }
  | { readonly type: "upload"; readonly name: RepositoryName; readonly id: string }
  | { readonly type: "blob"; readonly name: RepositoryName; readonly digest: string }
  | { readonly type: "manifest"; readonly name: RepositoryName; readonly reference: string }
  | { readonly type: "tags"; readonly name: RepositoryName }
  | { readonly type: "referrers"; readonly name: RepositoryName; readonly digest: string };

/**
 * Parses a path from the right, because a repository can be named `a/blobs/b`. `path` is raw; each
 * segment is percent-decoded once, so an encoded slash is not a separator. Returns full names for
 * every `mapping`; undefined for an unknown path. Throws `NAME_INVALID` for an invalid name.
 */
export function parseRoute(path: string, mapping: NameMapping = PLAIN): Route | undefined {
  const below = `${mapping.path}/v2`;
  if (path === below || path === `${below}/`) return { type: "ping" };
  if (!path.startsWith(`${below}/`)) return undefined;
  const segments = path
    .slice(below.length + 1)
    .split("/")
    .map(decodeSegment);
  if (segments.length === 1 && segments[0] === "_catalog") return { type: "catalog" };

  return segments.length < 3 ? undefined : repositoryRoute(segments, mapping);
}

function repositoryRoute(
  segments: readonly string[],
  mapping: NameMapping,
): RepositoryRoute | undefined {
  const [before, verb, last = ""] = segments.slice(-3);
  const name = () => nameOf(segments.slice(0, -2), mapping);
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
      return before === "blobs" ? uploadRoute(segments.slice(0, -3), last, mapping) : undefined;
    default:
      return undefined;
  }
}

function uploadRoute(
  segments: readonly string[],
  id: string,
  mapping: NameMapping,
): RepositoryRoute | undefined {
  if (segments.length === 0) return undefined;
  const name = nameOf(segments, mapping);
  return id === "" ? { type: "uploads", name } : { type: "upload", name, id };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    const message = "the path is not valid percent-encoded UTF-8";
    throw new OciError("NAME_INVALID", { message, cause });
  }
}

function nameOf(segments: readonly string[], mapping: NameMapping): RepositoryName {
  // After joining, it would look like two segments.
  const sneaky = segments.find((segment) => segment.includes("/"));
  if (sneaky !== undefined) {
    const message = "a repository name must not hold an encoded slash";
    throw new OciError("NAME_INVALID", { message, details: [{ segment: sneaky.slice(0, 300) }] });
  }
  return nameFrom(mapping, segments.join("/"));
}
