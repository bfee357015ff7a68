import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { parseObject } from "./parse-object.ts";
import { createBase64Decoder } from "./base64.ts";
import type { DocumentLimits } from "./document-scanner.ts";
import { createDocumentScanner } from "./document-scanner.ts";

/** The limits of the routes: 8 MiB of metadata, 64 levels, 2 attachments. */
export const DOCUMENT_LIMITS: DocumentLimits = {
  metadataBytes: 8 * 1024 * 1024,
  depth: 64,
  attachments: 2,
};

/**
 * Reads the body of `PUT /{package}` in one pass. The tarball's base64 text is decoded on the way
 * and goes to `onTarball`, chunk by chunk, at the pace at which it is taken; everything else comes
 * back as parsed JSON, with `""` in the tarball's place. Both orders occur in the wild: yarn 4
 * sends the tarball before the metadata. Memory does not grow with the tarball.
 *
 * Throws `NpmError` (`document-invalid`, `too-large`), and whatever `onTarball` or `body` throw.
 */
export async function readPublishDocument(
  body: AsyncIterable<Uint8Array>,
  onTarball: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
  limits: DocumentLimits = DOCUMENT_LIMITS,
): Promise<JsonObject> {
  const scanner = createDocumentScanner(limits);
  const input = cursorOver(body);
  let tarballs = 0;
  try {
    while (input.at < input.chunk.length || (await input.next())) {
      input.at = scanner.scan(input.chunk, input.at);
      if (!scanner.atTarball()) continue;
      tarballs += 1;
      if (tarballs > 1) throw new NpmError("document-invalid", "The body has two tarballs.");
      await receiveTarball(input, onTarball);
    }
  } finally {
    await input.close();
  }
  return parseMetadata(scanner.copied());
}

type Cursor = {
  chunk: Buffer;
  at: number;
  /** Goes to the next chunk; false at the end of the body. */
  next(): Promise<boolean>;
  close(): Promise<void>;
};

function cursorOver(body: AsyncIterable<Uint8Array>): Cursor {
  const chunks = body[Symbol.asyncIterator]();
  return {
    chunk: Buffer.alloc(0),
    at: 0,
    async next() {
      const { value, done } = await chunks.next();
      if (done) return false;
      this.chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      this.at = 0;
      return true;
    },
    close: async () => void (await chunks.return?.()),
  };
}

async function receiveTarball(
  input: Cursor,
  onTarball: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  let taken = false;
  const bytes = async function* () {
    yield* tarballBytes(input);
    taken = true;
  };
  await onTarball(bytes());
  if (!taken) throw new Error("the tarball was not read to its end");
}

/** From the opening quote up to, and without, the closing quote. */
async function* tarballBytes(input: Cursor): AsyncGenerator<Buffer> {
  const decoder = createBase64Decoder();
  const unescape = createUnescaper();
  for (;;) {
    const { chunk, at: start } = input;
    const quote = chunk.indexOf(0x22, start);
    input.at = quote === -1 ? chunk.length : quote;
    const text = chunk.toString("latin1", start, input.at);
    const bytes = readable(() => decoder.push(unescape(text, quote !== -1)));
    if (bytes.length > 0) yield bytes;
    if (quote !== -1) break;
    if (!(await input.next())) {
      throw new NpmError("document-invalid", "The body ends inside the tarball; publish again.");
    }
  }
  const last = readable(() => decoder.end());
  if (last.length > 0) yield last;
}

/** JSON may write any character of the base64 alphabet as an escape; some encoders do so with the
 * slash. An escape that a chunk cuts off waits for its rest. */
function createUnescaper(): (text: string, isLast: boolean) => string {
  let waiting = "";
  return (piece, isLast) => {
    if (waiting === "" && !piece.includes("\\")) return piece;
    const text = waiting + piece;
    waiting = isLast ? "" : (/\\(?:u[\da-fA-F]{0,3})?$/.exec(text)?.[0] ?? "");
    return text
      .slice(0, text.length - waiting.length)
      .replaceAll(/\\(?:(\/)|u([\da-fA-F]{4}))/g, (_, slash: string | undefined, hex: string) =>
        slash === undefined ? String.fromCharCode(Number.parseInt(hex, 16)) : slash,
      );
  };
}

function readable(decode: () => Buffer): Buffer {
  try {
    return decode();
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const text = "The tarball in the body is not valid base64; publish again.";
    throw new NpmError("document-invalid", text, { cause });
  }
}

function parseMetadata(bytes: Buffer): JsonObject {
  return parseObject(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}
