import { createReadStream } from "node:fs";
import { errorCodeOf } from "@sealhouse/http-responses";

/** A source cannot return what was requested. The import continues with the rest of the source. */
export class SourceError extends Error {
  readonly code = "source-unavailable";
  override readonly name = "SourceError";
}

/** Whether an error is a failure of the source, by its code. */
export function isSourceError(error: unknown): error is SourceError {
  return errorCodeOf(error) === ("source-unavailable" satisfies SourceError["code"]);
}

/** Yields the same bytes. Any failure while reading them is thrown as a `SourceError`. */
export async function* fromSource(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await chunks.next().catch(throwSourceError);
      if (done === true) return;
      yield value;
    }
  } finally {
    await chunks.return?.();
  }
}

/**
 * Yields the bytes of a file, from `start` to `end` (both inclusive). Opens it at the first read:
 * an error event on a stream without a listener would end the process.
 */
export async function* fileFromSource(
  path: string,
  options: { readonly start?: number; readonly end?: number; readonly signal?: AbortSignal } = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* fromSource(createReadStream(path, options));
}

/** Returns undefined for a missing file. Throws every other error as a `SourceError`. */
export function undefinedIfMissing(error: unknown): undefined {
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  return isMissing ? undefined : throwSourceError(error);
}

export function throwSourceError(cause: unknown): never {
  throw new SourceError(cause instanceof Error ? cause.message : String(cause), { cause });
}
