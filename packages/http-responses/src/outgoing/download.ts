import type { CallFailure } from "./call-error.ts";
import type { Answer } from "./exchange.ts";

/** A download on its way. Read `body` to its end, leave its loop, or dispose. */
export type Download = AsyncDisposable & {
  /** Bytes, where the server tells. */
  readonly size: number | undefined;
  /** Rejects behind its last chunk when it is not what it should be. */
  readonly body: AsyncIterable<Uint8Array>;
};

/** Checks the chunks of a download. */
export type DownloadCheck = {
  readonly failure: CallFailure;
  readonly maxBytes: number;
  readonly onChunk?: (chunk: Uint8Array) => void;
  /** Throws when the bytes are others than they should be. */
  readonly onEnd?: () => void;
};

/**
 * Opens the body of an answer. Rejects with `too-large`, and while it is read also with `malformed`
 * when the body is shorter or longer than announced.
 */
export async function openDownload(answer: Answer, check: DownloadCheck): Promise<Download> {
  const size = declaredSize(answer.headers);
  if ((size ?? 0) > check.maxBytes) {
    await answer.cancel();
    throw tooLarge(answer, check);
  }
  return {
    size,
    body: checked(answer, size, check),
    [Symbol.asyncDispose]: () => answer.cancel(),
  };
}

async function* checked(
  answer: Answer,
  size: number | undefined,
  check: DownloadCheck,
): AsyncGenerator<Uint8Array, void, undefined> {
  let received = 0;
  for await (const chunk of answer.body) {
    received += chunk.length;
    if (received > check.maxBytes) throw tooLarge(answer, check);
    check.onChunk?.(chunk);
    yield chunk;
  }
  if (size !== undefined && received !== size) {
    const reason = `gave ${received} bytes where it promised ${size}`;
    throw check.failure("malformed", { url: answer.url, reason });
  }
  check.onEnd?.();
}

/** A compressed answer has another size than its header says. */
function declaredSize(headers: Headers): number | undefined {
  const encoding = headers.get("content-encoding") ?? "identity";
  const header = headers.get("content-length") ?? "";
  return encoding === "identity" && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

function tooLarge({ url }: Answer, { failure, maxBytes }: DownloadCheck): Error {
  return failure("too-large", { url, reason: `has more than ${maxBytes} bytes` });
}
