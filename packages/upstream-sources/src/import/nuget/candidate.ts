import type { PackagePast } from "@sealhouse/nuget-protocol/package";

/** A package or symbol package of a source. */
export type Candidate = {
  readonly kind: "package" | "symbols";
  /** A path, or `Acme.Widgets 1.0.0`. */
  readonly label: string;
  /** Set when the source knows it before the file is read. */
  readonly identity?: { readonly id: string; readonly version: string };
  /** SHA-256 of the file, hex, when the source knows it: the import refuses another file. */
  readonly sha256?: string;
  /** Returns what the source knows about the version. Called just before the import. */
  past(signal: AbortSignal): Promise<PackagePast>;
  /** Returns undefined when the source no longer has the file. Both this call and reading the
   * body throw `SourceError`. */
  open(signal: AbortSignal): Promise<OpenCandidate | undefined>;
  /** Returns every reason to refuse the file, for a dry run. Absent when that needs a download. */
  readonly problems?: () => Promise<readonly string[]>;
};

export type OpenCandidate = AsyncDisposable & { readonly body: AsyncIterable<Uint8Array> };

/** Candidates that belong together: one file, or all versions of an id. */
export type CandidateGroup = {
  readonly label: string;
  /** @throws {SourceError} */
  readonly load: LoadCandidates;
  /** Loads candidates that require the first ones to be imported. */
  readonly loadThen?: LoadCandidates;
  /** Called when none of them failed. */
  readonly done?: () => void;
};

export type LoadCandidates = (
  signal: AbortSignal,
  /** Receives what will be missing from the imported candidates. */
  warn: (text: string) => void,
) => Promise<readonly Candidate[]>;
