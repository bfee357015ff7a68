import { parseHostNames } from "./host-names.ts";
import type { NamedSection } from "@sealhouse/settings";
import type { Settings } from "./settings.ts";

/** A surface of its own in the OCI registry: all repositories below its name. */
export type OciSegment = {
  /** Lower-case; also the path before its `/v2/`. */
  readonly name: string;
  /** Lower-case, without port: where it stands at the root. */
  readonly hostNames: readonly string[];
};

const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const LENGTH_MAX = 64;

/** The first parts of paths that belong to something else, or did in the older host. */
export const RESERVED_SEGMENTS: readonly string[] = [
  ..."account admin api assets audit default docs events favicon.ico feed groups".split(" "),
  ..."health images metrics npm npm-packages nuget oci packages repositories".split(" "),
  ..."search settings shield sign-in sign-out sources static symbols targets".split(" "),
  ..."token tokens trust users v1 v2 v3".split(" "),
];

/** Those that are switched on. `taken` are the host names that lead elsewhere. */
export function parseOciSegments(
  settings: Settings,
  publicBaseUrls: readonly string[],
  taken: Map<string, string>,
): readonly OciSegment[] {
  const sections = settings.get("Feed__Oci").filter(({ fields }) => isOn(fields["Enabled"]));
  return sections.map((section) => {
    const { name, key, fields } = section;
    refuseName(settings, section);
    const hostNames = parseHostNames(settings, publicBaseUrls, {
      key: `${key}__HostNames`,
      names: fields["HostNames"] ?? [],
      what: `the segment ${name}`,
      path: `/${name}`,
      taken,
    });
    return { name, hostNames };
  });
}

function refuseName(settings: Settings, { name, key }: NamedSection): void {
  const enabled = `${key}__Enabled`;
  if (RESERVED_SEGMENTS.includes(name)) {
    settings.problem(enabled, `"/${name}" is the path of something else; allowed: another name`);
  } else if (name.length > LENGTH_MAX || !COMPONENT.test(name)) {
    settings.problem(
      enabled,
      `"${name}" cannot begin a repository's name; allowed: up to ${LENGTH_MAX} lower-case ` +
        "letters and digits, parted by . _ or -",
    );
  }
}

function isOn(values: readonly string[] = []): boolean {
  return values[0] === "true";
}
