import { createReadStream } from "node:fs";
import type { PackagePast } from "@sealhouse/nuget-protocol/package";

/** A file that may be taken into the feed. */
export type Candidate = {
  readonly kind: "package" | "symbols";
  /** For people: a path, or `Acme.Widgets 1.0.0`. */
  readonly label: string;
  /** Where it is known without reading the whole. */
  readonly named?: { readonly id: string; readonly version: string };
  /** What the source tells of it; asked for when it is about to be taken. */
  past(signal: AbortSignal): Promise<PackagePast>;
  /** Undefined when it is not there any more. What goes wrong with the source, here or while the
   * body is read, is a `SourceError`. */
  open(signal: AbortSignal): Promise<OpenCandidate | undefined>;
  /** Every reason why the feed would not have it, for a dry run; without it nobody can tell. */
  readonly problems?: () => Promise<readonly string[]>;
};

export type OpenCandidate = AsyncDisposable & { readonly body: AsyncIterable<Uint8Array> };

/** Candidates that are looked at together: a file, or all versions of an id. */
export type CandidateGroup = {
  readonly label: string;
  /** @throws {SourceError} */
  readonly load: LoadCandidates;
  /** What needs the others to be there. */
  readonly loadThen?: LoadCandidates;
  /** Called when none of them failed. */
  readonly done?: () => void;
};

export type LoadCandidates = (signal: AbortSignal) => Promise<readonly Candidate[]>;

/** The source cannot give what it should; the rest of an import goes on. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}

/** The same bytes; whatever breaks them off is the source's fault. */
export async function* fromSource(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await chunks.next().catch(sourceFailed);
      if (done === true) return;
      yield value;
    }
  } finally {
    await chunks.return?.();
  }
}

/** A file, from `start` to `end` (bytes, both included). It is opened by the first read: an error
 * that comes before anybody listens to the stream would end the process. */
export async function* fileFromSource(
  path: string,
  options: { readonly start?: number; readonly end?: number; readonly signal?: AbortSignal } = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* fromSource(createReadStream(path, options));
}

/** Undefined for what is not there. */
export function unlessAbsent(error: unknown): undefined {
  const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
  return isAbsent ? undefined : sourceFailed(error);
}

export function sourceFailed(cause: unknown): never {
  throw new SourceError(cause instanceof Error ? cause.message : String(cause), { cause });
}
