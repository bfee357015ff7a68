import type { Call, Surfaces } from "./call.ts";
import { OciError } from "./errors.ts";
import type { RepositoryName } from "./repository-name.ts";

/** The segment that owns a name; undefined: the default surface does. */
export function segmentOf(segments: readonly string[], name: string): string | undefined {
  return segments.find((segment) => name.startsWith(`${segment}/`));
}

/** Whether there is a surface for a name at all. */
export function isOwned({ segments, hasDefault }: Surfaces, name: RepositoryName): boolean {
  return hasDefault || segmentOf(segments, name) !== undefined;
}

/** Throws `NAME_UNKNOWN` for a name that no surface owns, whoever asks. */
export function refuseUnowned({ registry: { surfaces } }: Call, name: RepositoryName): void {
  if (isOwned(surfaces, name)) return;
  const places = surfaces.segments.map((segment) => `${segment}/`).join(", ");
  const message = `repositories are below ${places} here`;
  throw new OciError("NAME_UNKNOWN", { message, details: [{ name }] });
}
