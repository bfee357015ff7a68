import type { AdvisorySourceLocation } from "@sealhouse/advisories";
import type { ImportedSource, ImportReport } from "@sealhouse/advisories/import";

/** Sources of advisories about vulnerable packages. */
export type AdvisorySources = {
  /** The sources of the settings. */
  configured(): readonly AdvisorySourceLocation[];
  imported(): Promise<readonly ImportedSource[]>;
  /** `isByHand`: a person named the source. */
  import(
    source: AdvisorySourceLocation,
    how: { readonly isByHand: boolean; readonly signal: AbortSignal },
  ): Promise<ImportReport>;
  remove(name: string): Promise<void>;
};

export type AdvisoryParts = { advisories(): Promise<AdvisorySources> };
