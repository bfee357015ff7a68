import { isRepositoryName } from "@sealhouse/oci-distribution";
import type { ImageSources } from "@sealhouse/oci-distribution";
import type { Wanted, WantedList } from "../wanted/wanted.ts";

/** Replaces the registry that an image names with the repository here that mirrors it. Images of
 * other registries do not change. */
export async function placeImages(
  sources: Pick<ImageSources, "repositoryAt">,
  lists: readonly WantedList[],
): Promise<readonly WantedList[]> {
  const placed: WantedList[] = [];
  for (const { wanted, unbundled } of lists) {
    const entries: Wanted[] = [];
    for (const entry of wanted) entries.push(await placedEntry(sources, entry));
    placed.push({ wanted: entries, unbundled });
  }
  return placed;
}

async function placedEntry(
  sources: Pick<ImageSources, "repositoryAt">,
  entry: Wanted,
): Promise<Wanted> {
  if (entry.protocol !== "oci" || entry.host === undefined) return entry;
  const { host, ...rest } = entry;
  if (!isRepositoryName(entry.name)) return entry;
  const name = await sources.repositoryAt(host, entry.name);
  return name === undefined ? entry : { ...rest, name };
}
