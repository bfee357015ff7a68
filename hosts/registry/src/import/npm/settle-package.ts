import { latestOf, parseDistTag, parsePackageVersion } from "@sealhouse/npm-protocol";
import type {
  Caller,
  NpmLifecycle,
  NpmLookup,
  NpmOwners,
  NpmPackage,
  NpmRecorder,
} from "@sealhouse/npm-protocol";
import type { RemotePackument } from "@sealhouse/npm-protocol/client";

export type SettlePorts = {
  readonly lookup: Pick<NpmLookup, "find">;
  readonly recorder: Pick<NpmRecorder, "setTag">;
  readonly lifecycle: Pick<NpmLifecycle, "deprecate">;
  readonly owners: Pick<NpmOwners, "setMaintainers">;
};

type Settling = {
  readonly caller: Caller;
  /** There was no such package before this import. */
  readonly isNew: boolean;
};

/**
 * The tags of the source that shall point to this version here. One that points to a version which
 * the source does not know was set here, and stays.
 */
export function tagsToMove(
  packument: RemotePackument,
  here: Pick<NpmPackage, "distTags"> | undefined,
  version: string,
): readonly string[] {
  const known = new Set(packument.versions.map((one) => parsePackageVersion(one.version)));
  const wanted = parsePackageVersion(version);
  return [...packument.distTags]
    .filter(([tag, target]) => {
      if (parseDistTag(tag) === undefined || parsePackageVersion(target) !== wanted) return false;
      const now = here?.distTags[tag];
      return now === undefined || known.has(parsePackageVersion(now));
    })
    .map(([tag]) => tag);
}

/** What a package has beside its versions. Done in every import, so that one that was broken off
 * between the two is made good. */
export async function settlePackage(
  ports: SettlePorts,
  packument: RemotePackument,
  settling: Settling,
): Promise<void> {
  const here = await ports.lookup.find(packument.name);
  if (!here) return;
  await settleTags(ports, packument, { ...settling, here });
  await settleDeprecations(ports, packument, { ...settling, here });
  await settleOwners(ports, packument, settling);
}

type SettlingHere = Settling & { readonly here: NpmPackage };

async function settleTags(
  { recorder }: SettlePorts,
  packument: RemotePackument,
  { here, caller, isNew }: SettlingHere,
): Promise<void> {
  const { name, distTags, versions } = here;
  for (const { version } of versions) {
    for (const tag of tagsToMove(packument, here, version)) {
      if (distTags[tag] !== version) await recorder.setTag(name, tag, version, caller);
    }
  }
  const latest = parsePackageVersion(packument.distTags.get("latest") ?? "");
  if (!isNew || versions.some(({ version }) => version === latest)) return;
  // The version that the source has as latest could not be taken.
  const highest = latestOf(versions.map(({ version }) => version));
  if (highest === undefined || distTags["latest"] === highest) return;
  await recorder.setTag(name, "latest", highest, caller);
}

/** Lifts none: what was deprecated here stays so. */
async function settleDeprecations(
  { lifecycle }: SettlePorts,
  packument: RemotePackument,
  { here, caller }: SettlingHere,
): Promise<void> {
  const open = new Set(
    here.versions.filter((one) => one.deprecated === undefined).map(({ version }) => version),
  );
  const texts = packument.versions.flatMap(({ version, deprecated }) => {
    const wanted = parsePackageVersion(version);
    const isOpen = wanted !== undefined && open.has(wanted);
    return isOpen && deprecated !== undefined ? [[wanted, deprecated] as const] : [];
  });
  if (texts.length > 0) await lifecycle.deprecate(here.name, new Map(texts), caller);
}

/** Whoever imported is its owner at first; then those are whom the source names. */
async function settleOwners(
  { lookup, owners }: SettlePorts,
  { name, maintainers }: RemotePackument,
  { caller }: Settling,
): Promise<void> {
  const here = await lookup.find(name);
  const [owner, ...more] = here?.maintainers ?? [];
  const isImporters = owner?.name === caller.actor && more.length === 0;
  if (!here || !isImporters || maintainers.length === 0) return;
  // Should somebody change it just now, the next import looks again.
  await owners.setMaintainers(name, { maintainers, revision: here.revision }, caller);
}
