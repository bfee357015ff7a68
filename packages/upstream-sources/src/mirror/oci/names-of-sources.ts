import type { RepositoryName } from "@sealhouse/oci-distribution";
import type { PackageSource } from "../../sources/package-source.ts";
import { isExpresslyFor, sourcesFor } from "../../sources/sources-for.ts";
import { isNameOfHub, registryNamesOf } from "../../sources/registry-name.ts";
import { wantedImage } from "./image-locator.ts";

/**
 * Returns the source whose image clients expect under a name, although nothing of it is here: names
 * below the name of a source's registry, enabled or not, which clients also ask for with `ns`;
 * names that an allow pattern of a source is for; and `library/NAME` where a source of Docker Hub
 * is asked, as docker does with `registry-mirrors`.
 */
export function sourceOfName(
  repository: RepositoryName,
  places: { readonly segments: readonly string[]; readonly sources: readonly PackageSource[] },
): PackageSource | undefined {
  const { sources } = places;
  const wanted = wantedImage(repository, places);
  const { registry } = wanted;
  if (registry !== undefined) {
    return sources.find((source) => registryNamesOf(source).includes(registry));
  }
  return sourcesFor(sources, wanted).find(
    (source) => isExpresslyFor(source, wanted) || isNameOfHub(source, wanted.nameAtSource),
  );
}
