import type { Cvss, Severity } from "@sealhouse/advisories";

/** Advisories on packages, from external sources. */
export interface NpmAdvisories {
  /** For each of the names that has any; one of several sources may repeat another. Names compare
   * byte by byte. `sources`: only advisories of these sources. */
  of(
    names: readonly string[],
    sources?: readonly string[],
  ): Promise<ReadonlyMap<string, readonly NpmAdvisory[]>>;
}

/** Where an importer writes to. */
export interface NpmAdvisoryRecorder {
  /**
   * Makes `advisories` all there is from this source. What is new is there before what is old goes,
   * so that a package is never without its advisories in between.
   * @throws {TooManyAdvisoriesError}
   */
  replace(
    source: string,
    advisories: AsyncIterable<NewNpmAdvisory> | Iterable<NewNpmAdvisory>,
  ): Promise<{ readonly added: number; readonly removed: number; readonly total: number }>;
  /** Forgets everything from this source. */
  remove(source: string): Promise<void>;
}

/** One document's word about one package. */
export type NpmAdvisory = {
  /** `GHSA-…`, when the source gives one. */
  readonly advisoryId?: string;
  readonly severity: Severity;
  readonly title: string;
  /** The page a person is sent to. */
  readonly url: string;
  /** A range as semver writes it. */
  readonly versions: string;
  /** `CWE-79`. */
  readonly cwe: readonly string[];
  readonly cvss?: Cvss;
};

/** An advisory with its package, for the recorder. */
export type NewNpmAdvisory = NpmAdvisory & { readonly name: string };
