import type { Caller } from "@sealhouse/request-types";
import { latestOf, parseDistTag, parsePackageVersion } from "@sealhouse/npm-protocol";
import type {
  NpmLifecycle,
  NpmLookup,
  NpmOwners,
  NpmPackage,
  NpmRecorder,
} from "@sealhouse/npm-protocol";
import type { RemotePackument } from "@sealhouse/npm-protocol/client";

export type FinishPorts = {
  readonly lookup: Pick<NpmLookup, "find">;
  readonly recorder: Pick<NpmRecorder, "setTag">;
  readonly lifecycle: Pick<NpmLifecycle, "deprecate">;
  readonly owners: Pick<NpmOwners, "setMaintainers">;
};

type FinishOptions = {
  readonly caller: Caller;
  /** This import created the package. */
  readonly isNew: boolean;
};

/**
 * Returns the dist-tags of the source to set to this version. Keeps a tag that points to a version
 * which the source does not have: a user of this registry set it.
 */
export function tagsToMove(
  packument: RemotePackument,
  local: Pick<NpmPackage, "distTags"> | undefined,
  version: string,
): readonly string[] {
  const sourceVersions = new Set(
    packument.versions.map((listed) => parsePackageVersion(listed.version)),
  );
  const parsed = parsePackageVersion(version);
  return [...packument.distTags]
    .filter(([tag, target]) => {
      if (parseDistTag(tag) === undefined || parsePackageVersion(target) !== parsed) return false;
      const current = local?.distTags[tag];
      return current === undefined || sourceVersions.has(parsePackageVersion(current));
    })
    .map(([tag]) => tag);
}

/** Imports dist-tags, deprecations and maintainers. Runs in every import, so that it completes an
 * interrupted one. */
export async function finishPackage(
  ports: FinishPorts,
  packument: RemotePackument,
  options: FinishOptions,
): Promise<void> {
  const local = await ports.lookup.find(packument.name);
  if (!local) return;
  await importTags(ports, packument, { ...options, local });
  await importDeprecations(ports, packument, { ...options, local });
  await importOwners(ports, packument, options);
}

type LocalPackage = FinishOptions & { readonly local: NpmPackage };

async function importTags(
  { recorder }: FinishPorts,
  packument: RemotePackument,
  { local, caller, isNew }: LocalPackage,
): Promise<void> {
  const { name, distTags, versions } = local;
  for (const { version } of versions) {
    for (const tag of tagsToMove(packument, local, version)) {
      if (distTags[tag] === version) continue;
      await recorder.setTag(name, { tag, version, isImported: true }, caller);
    }
  }
  const latest = parsePackageVersion(packument.distTags.get("latest") ?? "");
  if (!isNew || versions.some(({ version }) => version === latest)) return;
  // The latest version of the source was not imported.
  const highest = latestOf(versions.map(({ version }) => version));
  if (highest === undefined || distTags["latest"] === highest) return;
  const target = { tag: "latest", version: highest, isImported: true } as const;
  await recorder.setTag(name, target, caller);
}

/** Adds deprecations and removes none. */
async function importDeprecations(
  { lifecycle }: FinishPorts,
  packument: RemotePackument,
  { local, caller }: LocalPackage,
): Promise<void> {
  const undeprecated = new Set(
    local.versions
      .filter((version) => version.deprecated === undefined)
      .map(({ version }) => version),
  );
  const texts = packument.versions.flatMap(({ version, deprecated }) => {
    const parsed = parsePackageVersion(version);
    const isOpen = parsed !== undefined && undeprecated.has(parsed);
    return isOpen && deprecated !== undefined ? [[parsed, deprecated] as const] : [];
  });
  if (texts.length > 0) await lifecycle.deprecate(local.name, new Map(texts), caller);
}

/** Gives a package without maintainers those of the source. Earlier imports were maintainers. */
async function importOwners(
  { lookup, owners }: FinishPorts,
  { name, maintainers }: RemotePackument,
  { caller }: FinishOptions,
): Promise<void> {
  const local = await lookup.find(name);
  const [owner, ...more] = local?.maintainers ?? [];
  const isImporters = !owner || (owner.name === caller.actor && more.length === 0);
  if (!local || !isImporters || maintainers.length === 0) return;
  if (maintainers.length === 1 && maintainers[0]?.name === owner?.name) return;
  // After a concurrent change, the next import tries again.
  await owners.setMaintainers(name, { maintainers, revision: local.revision }, caller);
}
