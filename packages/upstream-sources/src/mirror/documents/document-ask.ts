import type { Leases } from "@sealhouse/jobs";
import type { PackageSource } from "../../sources/package-source.ts";
import type { AbsentCalls } from "../calls/absent-calls.ts";
import type { FetchedDocument, Validators } from "./kept-after.ts";
import type { OwnCalls } from "../calls/own-calls.ts";
import type { DocumentKey, KeptDocuments, NameClaim } from "../ports.ts";
import type { SourceCalls } from "../calls/source-calls.ts";

/** A document to read from a source. */
export type DocumentAsk = Omit<DocumentKey, "source" | "protocol"> & {
  readonly source: PackageSource;
  /** Asks the source; throws `CallError` when it cannot answer, or answers something else. */
  readonly fetch: (
    validators: Validators,
    signal: AbortSignal,
    /** Returns the bytes that are kept so far. */
    before: () => Promise<Uint8Array | undefined>,
  ) => Promise<FetchedDocument>;
  /** Groups of rendered documents that a new revision makes stale. */
  readonly staleGroups?: readonly string[];
  /** Whether nothing is known of the name: an answer that it is absent counts for the caller. */
  readonly isNewName?: boolean;
  /** The name that is claimed for the source when the document is kept. */
  readonly claim?: NameClaim;
  /** Whether the document has the requested version. Otherwise the source is asked once more. */
  readonly isEnough?: (bytes: Uint8Array) => boolean;
  /** Whether the source must send the document again, also one that it calls unchanged. */
  readonly isUnconditional?: boolean;
  /** Time to wait for the comparison of an old document with the source. Default: none, the
   * document is served at once. */
  readonly patienceMs?: number;
};

export type DocumentReaderParts = {
  readonly documents: KeptDocuments;
  readonly leases: Leases;
  readonly calls: SourceCalls;
  readonly ownCalls: OwnCalls;
  readonly absentCalls: Pick<AbsentCalls, "require" | "note">;
  readonly now: () => Date;
  /** Whether no source is ever asked. */
  readonly isOffline: boolean;
  /** Ends all calls. */
  readonly stop: AbortSignal;
  /** Milliseconds for all pages of one document. Default 2 minutes. */
  readonly answerMaxMs?: number;
};
