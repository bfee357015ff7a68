import type { AttackedSource } from "./attacked-sources.ts";

const NAMES = { nuget: "NuGet", npm: "Npm", oci: "Oci" };

/** Sources on the same machine, as settings of a host. */
export function settingsOf(sources: readonly AttackedSource[]): Record<string, string> {
  const entries = sources.flatMap(({ added: { name, protocol, url } }, index) => {
    const key = `PackageSources__${index}__`;
    return [
      [`${key}Name`, name],
      [`${key}Protocol`, NAMES[protocol]],
      [`${key}FeedUrl`, url],
      [`${key}AllowPrivateNetwork`, "true"],
      [`${key}Allow__0`, name.slice(protocol.length + 1)],
    ];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}
