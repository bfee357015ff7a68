import type { NamedSection, Settings } from "@sealhouse/settings";
import { OCI_SETTINGS } from "./table.ts";

/** A part of the OCI registry with its own `/v2/`: all repositories below its name. */
export type OciSegment = {
  /** Lower-case; also the path before its `/v2/`. */
  readonly name: string;
  /** Host names with the segment at their root; lower-case, without port. */
  readonly hostNames: readonly string[];
  readonly mirrored: MirroredOptions;
};

/** Options of one surface for the repositories that it mirrors. */
export type MirroredOptions = {
  /** Whether `_catalog` lists them. */
  readonly inCatalog: boolean;
  /** Lower-case; empty: all operating systems. */
  readonly allowedOs: readonly string[];
};

const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const LENGTH_MAX = 64;

export type SegmentOptions = {
  /** Names that cannot be segments, because their paths belong to other parts of the host. */
  readonly reserved: readonly string[];
  /** Checks the host names of one part. */
  readonly hostNames: HostNames;
};

/** Checks the host names of one part of a host. `key`: the setting; `what`: the part; `path`: its
 * path at the main address. */
export type HostNames = (part: {
  readonly key: string;
  readonly names: readonly string[];
  readonly what: string;
  readonly path: string;
}) => readonly string[];

/** Returns the enabled segments. */
export function parseOciSegments(
  settings: Settings,
  { reserved, hostNames }: SegmentOptions,
): readonly OciSegment[] {
  const sections = settings.of(OCI_SETTINGS).get("Feed__Oci");
  const enabled = sections.filter(({ fields }) => isOn(fields["Enabled"]));
  return enabled.map((section) => {
    const { name, key, fields } = section;
    refuseName(settings, section, reserved);
    const names = fields["HostNames"] ?? [];
    const part = { key: `${key}__HostNames`, what: `the segment ${name}`, path: `/${name}` };
    const mirrored = {
      inCatalog: isOn(fields["IncludeMirroredInCatalog"]),
      allowedOs: lowerCased(fields["PlatformPolicy__AllowedOs"]),
    };
    return { name, hostNames: hostNames({ ...part, names }), mirrored };
  });
}

function refuseName(
  settings: Settings,
  { name, key }: NamedSection,
  reserved: readonly string[],
): void {
  const enabled = `${key}__Enabled`;
  if (reserved.includes(name)) {
    settings.problem(enabled, `"/${name}" is the path of something else; allowed: another name`);
  } else if (name.length > LENGTH_MAX || !COMPONENT.test(name)) {
    settings.problem(
      enabled,
      `"${name}" cannot begin a repository's name; allowed: up to ${LENGTH_MAX} lower-case ` +
        "letters and digits, parted by . _ or -",
    );
  }
}

export function lowerCased(values: readonly string[] = []): readonly string[] {
  return values.map((value) => value.toLowerCase());
}

function isOn(values: readonly string[] = []): boolean {
  return values[0] === "true";
}
