import { lowerId, lowerVersion } from "@sealhouse/nuget-protocol";
import type { Wanted, WantedList, WantedPackage } from "./wanted.ts";

/** Joins lists, each entry once. A version that several files have keeps every integrity. */
export function joinWanted(lists: readonly WantedList[]): WantedList {
  const wanted = new Map<string, Wanted>();
  for (const entry of lists.flatMap((list) => list.wanted)) {
    const key = keyOf(entry);
    const known = wanted.get(key);
    wanted.set(key, known ? merged(known, entry) : entry);
  }
  const unbundled = new Map(
    lists.flatMap((list) => list.unbundled).map((entry) => [JSON.stringify(entry), entry]),
  );
  return { wanted: [...wanted.values()], unbundled: [...unbundled.values()] };
}

function keyOf(entry: Wanted): string {
  const { protocol, name } = entry;
  switch (protocol) {
    case "nuget":
      return JSON.stringify([protocol, lowerId(name), lowerVersion(entry.version)]);
    case "npm":
      return JSON.stringify([protocol, name, entry.version]);
    case "oci":
      return JSON.stringify([protocol, entry.host, name, entry.reference, entry.tag]);
  }
}

/** A version that one file needs on every platform is needed on every platform. */
function merged(known: Wanted, other: Wanted): Wanted {
  if (known.protocol === "oci" || other.protocol === "oci") return known;
  const { os: _os, cpu: _cpu, integrity: _integrity, ...rest } = known;
  const integrity = [
    ...new Set([known, other].flatMap((entry) => entry.integrity?.split(/\s+/) ?? [])),
  ].join(" ");
  const os = either(known.os, other.os);
  const cpu = either(known.cpu, other.cpu);
  return {
    ...rest,
    ...(integrity !== "" && { integrity }),
    ...(os && { os }),
    ...(cpu && { cpu }),
  };
}

function either(
  left: readonly string[] | undefined,
  right: readonly string[] | undefined,
): readonly string[] | undefined {
  return left && right && left.join() === right.join() ? left : undefined;
}

/** Platforms to keep; undefined keeps all. */
export type Platforms = {
  /** As in Node's `process.platform`: `linux`, `win32`, `darwin`. */
  readonly os?: readonly string[] | undefined;
  /** As in Node's `process.arch`: `x64`, `arm64`. */
  readonly cpu?: readonly string[] | undefined;
};

/** Whether a package is installed on one of the platforms. */
export function fitsPlatforms(
  { os, cpu }: Pick<WantedPackage, "os" | "cpu">,
  platforms: Platforms,
): boolean {
  return isAllowed(os, platforms.os) && isAllowed(cpu, platforms.cpu);
}

function isAllowed(
  listed: readonly string[] | undefined,
  kept: readonly string[] | undefined,
): boolean {
  if (!listed || !kept || listed.includes("any")) return true;
  const allowed = listed.filter((name) => !name.startsWith("!"));
  return kept.some(
    (name) => !listed.includes(`!${name}`) && (allowed.length === 0 || allowed.includes(name)),
  );
}
