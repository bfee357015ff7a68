import type { Protocol } from "@sealhouse/request-types";

/**
 * The way past the least age for versions that fix a vulnerability. Attackers write advisories,
 * too, so only those of the listed sources count.
 */
export type FastLane = {
  /** Names of sources of advisories. */
  readonly sources: readonly string[];
  /** Called after a version has been stored that its age alone would have held back. */
  note(admitted: AdmittedVersion): Promise<void>;
};

/** A version that came before its age. */
export type AdmittedVersion = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly version: string;
  /** The package source. */
  readonly source: string;
  /** Id or address of the advisory that it fixes. */
  readonly advisory: string;
};

/** Whether advisories may admit a version of a source. */
export function isFastLane(
  lane: Pick<FastLane, "sources"> | undefined,
  source: { readonly settings: { readonly minimumReleaseAgeMs: number } } | undefined,
): lane is Pick<FastLane, "sources"> {
  return (lane?.sources.length ?? 0) > 0 && (source?.settings.minimumReleaseAgeMs ?? 0) > 0;
}
