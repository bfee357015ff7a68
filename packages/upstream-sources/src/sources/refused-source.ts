import type { PackageSource } from "./package-source.ts";
import { sourceProblems } from "./source-problems.ts";
import type { SourceSurroundings } from "./source-problems.ts";

/** A source of the database does not fit the settings of the host. */
export class RefusedSourceError extends Error {
  override readonly name = "RefusedSourceError";
  readonly code = "source-refused";
}

/**
 * Refuses sources that would give packages for which credentials are needed to everyone. A host
 * with other settings may have added them.
 *
 * @throws RefusedSourceError
 */
export function refuseExposed(
  sources: readonly PackageSource[],
  surroundings: SourceSurroundings,
): void {
  for (const source of sources) {
    const exposed = sourceProblems(source, surroundings).find(
      ({ part }) => part === "PublicThroughHere",
    );
    if (!exposed) continue;
    throw new RefusedSourceError(
      `The package source "${source.name}" needs credentials, and ` +
        "Feed__Authentication__AllowAnonymousPull is on: without a token, everyone could read " +
        "its packages from this registry. Disable anonymous pulls, or the source: " +
        `sealhouse source disable ${source.name}`,
    );
  }
}
