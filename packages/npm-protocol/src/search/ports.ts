import type { Maintainer } from "../owners/ports.ts";

export type NpmSearchHit = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly publishedAt: Date;
  /** The manifest of that version, JSON text. */
  readonly manifest: string;
  /** What was said when it was deprecated; absent where it is not. */
  readonly deprecated?: string;
  /** Absent where the package was published before there were owners. */
  readonly maintainers?: readonly Maintainer[];
};

export type NpmSearchFilter = {
  /** Words with blanks between them; letter case does not count. */
  readonly text: string;
  /** Of each group one keyword at least; whole keywords, letter case does not count. */
  readonly keywords?: readonly (readonly string[])[];
  /** With its `@`. */
  readonly scope?: string;
  /** Name of a maintainer. */
  readonly maintainer?: string;
  /** `unstable` is a version below 1.0.0 or before a release. */
  readonly without?: readonly ("deprecated" | "unstable")[];
};

export interface NpmSearch {
  /**
   * One hit for each package whose name, description or keywords hold every word of `text`, and
   * that passes the other filters; the hit is the version that `latest` points to. An empty text
   * finds all. First comes the package that is called `text`, then those whose name holds it, then
   * the others, each by name; the order is the same from page to page.
   */
  search(
    query: NpmSearchFilter & { readonly from: number; readonly size: number },
  ): Promise<{ readonly total: number; readonly hits: readonly NpmSearchHit[] }>;
}

/** 0 for the package that is called `text`, 1 where the name holds it, 2 for the others. */
export function rankOf(name: string, text: string): 0 | 1 | 2 {
  const [called, wanted] = [name.toLowerCase(), text.toLowerCase()];
  if (called === wanted) return 0;
  return called.includes(wanted) ? 1 : 2;
}
