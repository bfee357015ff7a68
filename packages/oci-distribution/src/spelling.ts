import { OciError } from "./errors.ts";
import type { RepositoryName } from "./repository-name.ts";
import { parseRepositoryName } from "./repository-name.ts";

/**
 * How one address calls the repositories. A segment `acme` owns all names that begin with `acme/`,
 * and drops that beginning where the address says it already: `acme/app` is `/v2/acme/app/…` at the
 * root, `/acme/v2/app/…` for clients that keep a path before `/v2/`, and `/v2/app/…` at a host name
 * of the segment's own. What comes back is spelled as the request was.
 */
export type Spelling = {
  /** Before `/v2/` and `/token`: empty, or `/acme`. */
  readonly path: string;
  /** What every name lacks there: empty, or `acme/`. */
  readonly prefix: string;
};

export const PLAIN: Spelling = { path: "", prefix: "" };

/** At a path of the segment's own, or at the root of its host name. */
export function spellingOfSegment(segment: string, at: "path" | "host"): Spelling {
  return { path: at === "path" ? `/${segment}` : "", prefix: `${segment}/` };
}

/** From how it is written there. Throws `NAME_INVALID`. */
export function nameFrom({ prefix }: Spelling, text: string): RepositoryName {
  return parseRepositoryName(`${prefix}${text}`);
}

/** As it is written there. Throws `NAME_UNKNOWN` for what cannot be named there. */
export function nameAt({ prefix }: Spelling, name: RepositoryName): string {
  if (name.startsWith(prefix)) return name.slice(prefix.length);
  throw new OciError("NAME_UNKNOWN", { details: [{ name }] });
}
