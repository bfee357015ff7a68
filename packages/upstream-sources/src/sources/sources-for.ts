import type { Protocol } from "@sealhouse/request-types";
import { coversAnyCase, coversName } from "@sealhouse/identity";
import { DEFAULT_SURFACE } from "./package-source.ts";
import type { PackageSource } from "./package-source.ts";
import { nameWithinSource, registryNamesOf } from "./registry-name.ts";

/** The name that a source is wanted for. */
export type WantedName = {
  readonly protocol: Protocol;
  readonly name: string;
  /** OCI segment; undefined outside of segments and for other protocols. */
  readonly surface?: string | undefined;
  /** OCI: its name at the source, where it differs. Patterns may match either name. */
  readonly nameAtSource?: string | undefined;
  /** OCI: only sources of this registry, one of their `registryNamesOf`. */
  readonly registry?: string | undefined;
};

/**
 * Returns the sources to ask for a name, in order. Of the sources that match, only those with the
 * longest matching allow pattern are asked; a source without patterns matches every name with the
 * shortest pattern, `**`.
 */
export function sourcesFor(
  sources: readonly PackageSource[],
  wantedName: WantedName,
): readonly PackageSource[] {
  const matching = sources.flatMap((source) => {
    const length = isUpstream(source, wantedName) ? matchLength(source, wantedName) : undefined;
    return length === undefined ? [] : [{ source, length }];
  });
  const longest = Math.max(...matching.map(({ length }) => length));
  return matching
    .filter(({ length }) => length === longest)
    .map(({ source }) => source)
    .toSorted((a, b) => a.priority - b.priority || (a.name < b.name ? -1 : 1));
}

function isUpstream(source: PackageSource, wantedName: WantedName): boolean {
  const { protocol, surface, registry } = wantedName;
  if (!source.isEnabled || source.type === "downstream") return false;
  if (registry !== undefined && !registryNamesOf(source).includes(registry)) return false;
  const isFor = source.surface === undefined || source.surface === (surface ?? DEFAULT_SURFACE);
  return source.protocol === protocol && isFor;
}

/**
 * Whether a source is for a name by one of its patterns, and not because it is for all names.
 */
export function isExpresslyFor(source: PackageSource, wantedName: WantedName): boolean {
  return isUpstream(source, wantedName) && (matchLength(source, wantedName) ?? 0) > 0;
}

/** Length of the longest allow pattern that matches, without its wildcards; undefined when the
 * source is not asked. */
function matchLength(source: PackageSource, wantedName: WantedName): number | undefined {
  const { allow, deny } = source.settings;
  const { protocol } = wantedName;
  const names = namesOf(source, wantedName);
  const covers = (pattern: string) => names.some((name) => coversName(pattern, protocol, name));
  const isDenied = (pattern: string) =>
    names.some((name) => coversAnyCase(pattern, protocol, name));
  if (deny.some(isDenied)) return undefined;
  if (allow.length === 0) return 0;
  const lengths = allow
    .filter(covers)
    // An exact name is longer than a pattern with the same letters.
    .map((pattern) => (pattern.includes("*") ? pattern.replaceAll("*", "").length : Infinity));
  return lengths.length > 0 ? Math.max(...lengths) : undefined;
}

/** The name here and at the source. */
function namesOf(
  source: PackageSource,
  { protocol, name, nameAtSource = name }: WantedName,
): readonly string[] {
  const names = [name, nameAtSource];
  return protocol === "oci" ? [...names, nameWithinSource(source, nameAtSource)] : names;
}
