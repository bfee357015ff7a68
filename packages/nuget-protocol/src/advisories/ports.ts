import type { Severity } from "@sealhouse/advisories";

/** What a feed tells about known vulnerabilities. */
export interface AdvisoryLookup {
  /** For each of the lower-cased ids that has any. */
  of(ids: readonly string[]): Promise<ReadonlyMap<string, readonly Advisory[]>>;
  /** Undefined when there is no data at all, also where sources have none: the resource is then not
   * advertised. */
  state(): Promise<AdvisoryState | undefined>;
  /** All advisories of one page, by lower-cased id. */
  page(page: AdvisoryPage): Promise<ReadonlyMap<string, readonly Advisory[]>>;
}

export type AdvisoryPage = "base" | "update";

export type AdvisoryState = {
  /** When the base page was last made anew. */
  readonly baseAt: Date;
  /** When anything changed last. */
  readonly updatedAt: Date;
};

/** What is known against some versions of a package. */
export type Advisory = {
  readonly severity: Severity;
  readonly url: string;
  /** In NuGet's notation: `(, 2.0.0)`. */
  readonly versions: string;
  /** `GHSA-…`, when the source gives one. */
  readonly advisoryId?: string;
};

/** One advisory about one package, on its way in. */
export type NewAdvisory = Advisory & { readonly id: string };

/** Where an importer writes to. */
export interface AdvisoryRecorder {
  /** Makes `advisories` all there is from this source. What came since the base page was made
   * stands on the update page; when something was taken away the base is made anew, because an
   * update page can only add. Documents of affected packages go stale in the same transaction. */
  replace(
    source: string,
    advisories: AsyncIterable<NewAdvisory> | Iterable<NewAdvisory>,
    state?: string,
  ): Promise<{ readonly added: number; readonly removed: number; readonly total: number }>;
  /** Notes that the source was asked and has nothing new. */
  checked(source: string): Promise<void>;
  /** Forgets a source that is no longer configured, with its advisories. */
  remove(source: string): Promise<void>;
  sources(): Promise<readonly AdvisorySource[]>;
}

export type AdvisorySource = {
  readonly name: string;
  readonly updatedAt: Date;
  readonly checkedAt: Date;
  /** What its reader left with `replace`. */
  readonly state?: string;
};
