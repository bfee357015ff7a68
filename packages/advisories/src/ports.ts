import type { OsvReading } from "./formats/osv.ts";

/** Numbers of added, removed and remaining advisories. */
export type Counted = { readonly added: number; readonly removed: number; readonly total: number };

/** Store of the advisories of one ecosystem. */
export interface AdvisoryRecorder<Advisory> {
  /**
   * Makes `advisories` all that there is from this source.
   * @throws {TooManyAdvisoriesError}
   */
  replace(
    source: string,
    advisories: AsyncIterable<Advisory> | Iterable<Advisory>,
    state?: string,
  ): Promise<Counted>;
  /** Removes all advisories of a source. */
  remove(source: string): Promise<void>;
}

/** Store of the sources. */
export interface SourceLedger {
  sources(): Promise<readonly KnownSource[]>;
  /** Records that the source has not changed at its last read. */
  checked(source: string): Promise<void>;
}

/** An imported source, as stored. */
export type KnownSource = {
  readonly name: string;
  readonly updatedAt: Date;
  readonly checkedAt: Date;
  /** As the last `replace` left it. */
  readonly state?: string;
};

/** A source by its configuration. */
export type AdvisorySourceLocation = {
  readonly name: string;
  /** An absolute path, or an http or https URL. */
  readonly location: string;
  /** Full key of the setting with the location. */
  readonly setting?: string;
};

/** The advisories of a vulnerability index, unless it has not changed. */
export type IndexReading<Advisory> =
  /** No page is newer than `state`. */
  | { readonly status: "unchanged" }
  | {
      readonly status: "read";
      readonly advisories: readonly Advisory[];
      readonly problems: readonly string[];
      /** For the next time. */
      readonly state: string;
    };

/** Reader of a feed's paged vulnerability index, for one protocol. */
export type VulnerabilityIndexReader<Advisory> = {
  readonly isVulnerabilityIndex: (document: unknown) => boolean;
  /**
   * The URL of the index that a feed's service document names; `undefined` for other documents.
   * @throws {AdvisorySourceError} when the feed has none
   */
  readonly vulnerabilityIndexOf: (document: unknown, url: string) => string | undefined;
  /** @throws {AdvisorySourceError} */
  readonly readVulnerabilityIndex: (
    index: unknown,
    options: {
      readonly url: string;
      readonly readJson: (url: string) => Promise<unknown>;
      readonly state?: string;
    },
  ) => Promise<IndexReading<Advisory>>;
};

/** Readers of advisories about NuGet and npm packages. */
export type AdvisoryReaders<NuGet, Npm> = {
  readonly readNuGetOsv: (document: unknown) => OsvReading<NuGet>;
  readonly readNpmOsv: (document: unknown) => OsvReading<Npm>;
  readonly index: VulnerabilityIndexReader<NuGet>;
};

/** Stores of advisories. The NuGet store also contains the sources. */
export type AdvisoryRecorders<NuGet, Npm> = {
  readonly nuget: AdvisoryRecorder<NuGet> & SourceLedger;
  readonly npm: AdvisoryRecorder<Npm>;
};
