import type { PolicyRule } from "./policy-rule.ts";
import { MINIMUM_RELEASE_AGE } from "./wanted-version.ts";
import type { WantedVersion } from "./wanted-version.ts";

/** States why a young version is refused, until when, and whom to ask. */
export function heldText(wanted: WantedVersion, until: Date): string {
  const { name, version, source, publishedAt, isDateUnknown } = wanted;
  const since = `${isDateUnknown ? "first seen here" : "published"} at ${timeText(publishedAt)}`;
  return (
    `${name} ${version} is held back until ${timeText(until)}: it was ${since}, and this ` +
    `registry waits ${spanText(source?.minimumReleaseAgeMs ?? 0)} before it takes versions from ` +
    `the package source "${source?.name}". Use an older version, or ask the administrators of ` +
    "this registry for an exception."
  );
}

/** States why a tag answers with an older image; ASCII without quotes, for a header. */
export function movedText({ name, version, digest, source }: WantedVersion, until: Date): string {
  return (
    `${name}:${version} is an older image here. Its newest image, ${digest}, is held back until ` +
    `${timeText(until)} by ${MINIMUM_RELEASE_AGE} of the package source ${source?.name}.`
  );
}

/**
 * States why a version is denied, until when, and whom to ask. It does not name the author of the
 * rule, because every client may read it.
 */
export function deniedText(
  { name, version }: Pick<WantedVersion, "name" | "version">,
  { reason, expiresAt }: Pick<PolicyRule, "reason" | "expiresAt">,
): string {
  const end = expiresAt ? ` until ${timeText(expiresAt)}` : "";
  return (
    `${name} ${version} is denied on this registry${end}: ${sentence(reason)} Use another ` +
    "version, or ask the administrators of this registry."
  );
}

/** States that a source has removed a version, and whom to ask. */
export function removedText({
  name,
  version,
  source,
}: Pick<WantedVersion, "name" | "version"> & { readonly source: string | undefined }): string {
  return (
    `${name} ${version} was removed by the package source "${source}", which this registry takes ` +
    "for a denial. Use another version, or ask the administrators of this registry."
  );
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function timeText(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

const UNITS = [
  ["day", 24 * 60 * 60_000],
  ["hour", 60 * 60_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

function spanText(ms: number): string {
  const [name, size] = UNITS.find(([, unit]) => ms >= unit && ms % unit === 0) ?? UNITS[3];
  const count = Math.ceil(ms / size);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
