import type { ManifestRecords } from "../scrub/check-manifests.ts";
import type { State } from "./memory-state.ts";

/** Records of the catalog in memory for a check of manifests. */
export function createMemoryRecords(state: State): ManifestRecords {
  return {
    async manifests({ limit, after = 0 }) {
      const all = [...state.repositories].flatMap(([repository, { manifests }]) =>
        [...manifests.values()].map(({ id, manifest }) => {
          return { id, repository, digest: manifest.digest, bytes: manifest.bytes };
        }),
      );
      const rest = all
        .filter(({ id }) => id > after)
        .toSorted((record, other) => record.id - other.id);
      return rest.slice(0, limit);
    },
  };
}
