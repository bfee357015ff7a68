import { parsePackument } from "@sealhouse/npm-protocol/client";
import { parsePackageVersion } from "@sealhouse/npm-protocol";
import type { NpmSource, SourcePackage } from "../import/npm/npm-source.ts";
import { SourceError } from "../source-error.ts";
import type { Bundle } from "./read-bundle.ts";

type Version = Bundle["npm"][number];

/** The npm packages of a bundle as the source of an import. */
export function bundledNpm({ npm, file }: Pick<Bundle, "npm" | "file">): NpmSource {
  const byName = Map.groupBy(npm, ({ config }) => config.name);
  return {
    names: async () => ({ names: [...byName.keys()], remarks: [] }),
    async open(name) {
      const versions = byName.get(name);
      return versions && packageOf(name, versions, file);
    },
  };
}

function packageOf(
  name: string,
  versions: readonly Version[],
  file: Bundle["file"],
): SourcePackage {
  const packument = parsePackument(documentOf(name, versions), name);
  if (!packument) throw new SourceError(`The bundle has no valid description of ${name}.`);
  const find = (version: string) =>
    versions.find(({ config }) => config.version === parsePackageVersion(version));
  return {
    packument,
    isNear: true,
    async tarball({ version }, signal) {
      const found = find(version);
      if (!found) return undefined;
      const body = file.read(found.layer, signal);
      return { body, [Symbol.asyncDispose]: async () => undefined };
    },
    provenance: async ({ version }) => find(version)?.config.provenance,
  };
}

/** The packument of the versions in the bundle. */
function documentOf(name: string, versions: readonly Version[]): object {
  const configs = versions.map(({ config }) => config);
  const latest = configs.find(({ tags }) => tags.includes("latest"));
  const tags = configs.flatMap(({ version, tags: names }) =>
    names.map((tag) => [tag, version] as const),
  );
  return {
    name,
    versions: Object.fromEntries(configs.map(({ version, manifest }) => [version, manifest])),
    "dist-tags": Object.fromEntries(tags),
    time: Object.fromEntries(configs.map(({ version, publishedAt }) => [version, publishedAt])),
    maintainers: (latest ?? configs.at(-1))?.maintainers,
    readme: latest?.readme,
    readmeFilename: latest?.readmeFilename,
  };
}
