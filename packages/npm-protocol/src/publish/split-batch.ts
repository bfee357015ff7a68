import { NpmError } from "../errors.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
/** Before the first document: `{"packages":[`, with blanks. */
const HEAD_BYTES_MAX = 1024;

/**
 * The publish documents of `{"packages":[…]}`, one after the other as bytes, in one pass; none is
 * held in memory. Each has to be read to its end before the next one.
 *
 * Throws `NpmError` `document-invalid` where the body is anything else.
 */
export async function* splitBatch(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<AsyncIterable<Uint8Array>, void, undefined> {
  const chunks = body[Symbol.asyncIterator]();
  const input: Input = { chunk: Buffer.alloc(0), offset: 0, next: () => chunks.next() };
  try {
    await readHead(input);
    for (let isFirst = true; ; isFirst = false) {
      const byte = await structureByte(input, isFirst);
      if (byte === CLOSE_ARRAY) break;
      if (byte !== OPEN_OBJECT) throw invalid();
      const state = { isDone: false };
      yield documentBytes(input, state);
      if (!state.isDone) throw new Error("a document of the batch was not read to its end");
    }
    if ((await structureByte(input, true)) !== CLOSE_OBJECT) throw invalid();
    if ((await byteAfterBlanks(input)) !== undefined) throw invalid();
  } finally {
    await chunks.return?.();
  }
}

type Input = {
  chunk: Buffer;
  offset: number;
  readonly next: () => Promise<IteratorResult<Uint8Array, unknown>>;
};

async function fill(input: Input): Promise<boolean> {
  while (input.offset >= input.chunk.length) {
    const { value, done } = await input.next();
    if (done === true) return false;
    input.chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    input.offset = 0;
  }
  return true;
}

async function nextByte(input: Input): Promise<number | undefined> {
  if (!(await fill(input))) return undefined;
  const byte = input.chunk[input.offset];
  input.offset += 1;
  return byte;
}

async function byteAfterBlanks(input: Input): Promise<number | undefined> {
  for (;;) {
    const byte = await nextByte(input);
    if (byte === undefined || !isBlank(byte)) return byte;
  }
}

/** The sign that opens or closes something; before all but the first there is a comma. */
async function structureByte(input: Input, isFirst: boolean): Promise<number | undefined> {
  const byte = await byteAfterBlanks(input);
  if (isFirst || byte === CLOSE_ARRAY) return byte;
  const afterComma = byte === 0x2c ? await byteAfterBlanks(input) : undefined;
  return afterComma === CLOSE_ARRAY ? undefined : afterComma;
}

async function readHead(input: Input): Promise<void> {
  let head = "";
  while (head.length < HEAD_BYTES_MAX && !head.endsWith("[")) {
    const byte = await nextByte(input);
    if (byte === undefined) break;
    head += String.fromCharCode(byte);
  }
  if (!/^\s*\{\s*"packages"\s*:\s*\[$/.test(head)) throw invalid();
}

/** From the brace that was just read to the one that closes it. */
async function* documentBytes(
  input: Input,
  state: { isDone: boolean },
): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.of(OPEN_OBJECT);
  const scan: Scan = { depth: 1, inString: false, isEscaped: false };
  while (scan.depth > 0) {
    if (!(await fill(input))) throw invalid("The body ends inside a document; publish again.");
    const start = input.offset;
    input.offset = endIn(input.chunk, start, scan);
    state.isDone = scan.depth === 0;
    yield input.chunk.subarray(start, input.offset);
  }
}

type Scan = { depth: number; inString: boolean; isEscaped: boolean };

/** One past the closing brace of the document, or the end of the chunk. */
function endIn(chunk: Buffer, start: number, scan: Scan): number {
  for (let index = start; index < chunk.length; index += 1) {
    const byte = chunk[index];
    if (scan.isEscaped) scan.isEscaped = false;
    else if (scan.inString) {
      if (byte === BACKSLASH) scan.isEscaped = true;
      else if (byte === QUOTE) scan.inString = false;
    } else if (byte === QUOTE) scan.inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) scan.depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      scan.depth -= 1;
      if (scan.depth === 0) return index + 1;
    }
  }
  return chunk.length;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function invalid(
  text = 'The body is not a batch. Send {"packages":[…]} with publish documents.',
): NpmError {
  return new NpmError("document-invalid", text);
}
