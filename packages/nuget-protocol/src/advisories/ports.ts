import type { Severity } from "@sealhouse/advisories";

/** Known vulnerabilities in the feed. */
export interface AdvisoryLookup {
  /** For each of the lower-cased ids that has any. `sources`: only advisories of these sources. */
  of(
    ids: readonly string[],
    sources?: readonly string[],
  ): Promise<ReadonlyMap<string, readonly Advisory[]>>;
  /**
   * Undefined without any data, including sources without documents: then the resource is not
   * advertised.
   */
  state(): Promise<AdvisoryState | undefined>;
  /**
   * Changes with the pages, where these do not make the stored ones stale, as those of package
   * sources. Undefined without such sources, at no cost.
   */
  variant(): Promise<string | undefined> | undefined;
  /** All advisories of one page, by lower-cased id. */
  page(page: AdvisoryPage): Promise<ReadonlyMap<string, readonly Advisory[]>>;
}

/** Page of the vulnerability index that contains an advisory. */
export type AdvisoryPage = "base" | "update";

/** Times of the pages of the vulnerability index. */
export type AdvisoryState = {
  /** Time of the last new base page. */
  readonly baseAt: Date;
  /** When anything changed last. */
  readonly updatedAt: Date;
};

/** Advisories on some versions of a package. */
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
  /**
   * Replaces all advisories of this source by `advisories`. Additions since the last base page are
   * on the update page. A removal creates a new base page, because an update page can only add.
   * Documents of affected packages become stale in the same transaction.
   */
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

/** A source of advisories with the times of its last change and check. */
export type AdvisorySource = {
  readonly name: string;
  readonly updatedAt: Date;
  readonly checkedAt: Date;
  /** The position that the reader stored with `replace`. */
  readonly state?: string;
};
