import type { Call, Surfaces } from "./call.ts";
import { OciError } from "./errors.ts";
import type { RepositoryName } from "./repository-name.ts";

/** Returns the segment that owns a name; undefined for the default surface. */
export function segmentOf(segments: readonly string[], name: string): string | undefined {
  return segments.find((segment) => name.startsWith(`${segment}/`));
}

/** Returns true if a segment or the default surface owns the name. */
export function isOwned({ segments, hasDefault }: Surfaces, name: RepositoryName): boolean {
  return hasDefault || segmentOf(segments, name) !== undefined;
}

/** Throws `NAME_UNKNOWN` for a name that no surface owns, for every caller. */
export function refuseUnowned({ registry: { surfaces } }: Call, name: RepositoryName): void {
  if (isOwned(surfaces, name)) return;
  const places = surfaces.segments.map((segment) => `${segment}/`).join(", ");
  const message = `repositories are below ${places} here`;
  throw new OciError("NAME_UNKNOWN", { message, details: [{ name }] });
}
