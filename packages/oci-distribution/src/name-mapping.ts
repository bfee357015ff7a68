import { OciError } from "./errors.ts";
import type { RepositoryName } from "./repository-name.ts";
import { parseRepositoryName } from "./repository-name.ts";

/**
 * Mapping between repository names and paths at one address. A segment `acme` owns all names that
 * begin with `acme/`. `acme/app` is `/v2/acme/app/…` at the root, `/acme/v2/app/…` for clients that
 * keep a path before `/v2/`, and `/v2/app/…` at a host name of the segment. Responses use the
 * mapping of the request.
 */
export type NameMapping = {
  /** Path before `/v2/` and `/token`: empty, or `/acme`. */
  readonly path: string;
  /** Prefix that names omit at this address: empty, or `acme/`. */
  readonly prefix: string;
  /** Prefix that names have in a view as of a time: `as-of-20261001t1200z/`. Default: empty. */
  readonly view?: string;
};

export const PLAIN: NameMapping = { path: "", prefix: "" };

/** Returns the mapping of a segment, at its path or at the root of its host name. */
export function mappingOfSegment(segment: string, place: "path" | "host"): NameMapping {
  return { path: place === "path" ? `/${segment}` : "", prefix: `${segment}/` };
}

/** Returns the full name from its form at this address. Throws `NAME_INVALID`. */
export function nameFrom({ prefix }: NameMapping, text: string): RepositoryName {
  return parseRepositoryName(`${prefix}${text}`);
}

/** Returns the form of a name at this address. Throws `NAME_UNKNOWN` if the address cannot serve
 * it. */
export function nameAt({ prefix, view = "" }: NameMapping, name: RepositoryName): string {
  if (name.startsWith(prefix)) return `${view}${name.slice(prefix.length)}`;
  throw new OciError("NAME_UNKNOWN", { details: [{ name }] });
}
