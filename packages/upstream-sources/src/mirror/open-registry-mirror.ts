import type { PackageSource } from "../sources/package-source.ts";
import { refuseExposed } from "../sources/refused-source.ts";
import type { SourceSurroundings } from "../sources/source-problems.ts";
import type { RefreshableSourceList } from "./choice/source-list.ts";
import { openMirror } from "./mirror.ts";
import type { Mirror, MirrorParts } from "./mirror.ts";
import type { SourceList } from "./ports.ts";

/** The mirror of a registry, whose sources change while it runs. */
export type RegistryMirror = Mirror & {
  /** The sources, disabled ones too, of the last request for a package that may come from one. */
  knownSources(): readonly PackageSource[];
  /** Makes the next request read the sources of the database. */
  refreshSources(): void;
};

/**
 * Opens the mirror of package sources. It reads the sources of the database now, and when a client
 * asks for a package that may come from one, every two seconds at most.
 *
 * @throws RefusedSourceError
 */
export async function openRegistryMirror({
  list,
  surroundings,
  log,
  ...parts
}: Omit<MirrorParts, "sources" | "onFailure"> & {
  readonly list: RefreshableSourceList;
  readonly surroundings: SourceSurroundings;
  readonly log: { warn(fields: object, message: string): void };
}): Promise<RegistryMirror> {
  let known = await list.current();
  refuseExposed(known, surroundings);
  const sources: SourceList = {
    current: async () => (known = await list.current()),
  };
  const mirror = openMirror({
    ...parts,
    sources,
    onFailure: ({ source, error }) => log.warn({ source, err: error }, "a package source failed"),
  });
  const refreshSources = () => {
    list.refresh();
    // Reports of health show the change before the next request asks for the sources.
    sources.current().catch((error: unknown) => {
      log.warn({ err: error }, "could not read the package sources after a change; will retry");
    });
  };
  return { ...mirror, knownSources: () => known, refreshSources };
}
