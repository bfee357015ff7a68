import { NpmError } from "../errors.ts";

/** Limits of a publish document. */
export type DocumentLimits = {
  /** Everything but the tarball. */
  readonly metadataBytes: number;
  /** Levels of objects and arrays. */
  readonly depth: number;
  readonly attachments: number;
};

/**
 * A JSON tokenizer that copies a publish document and stops where the text of a tarball begins:
 * the string at `_attachments.<name>.data`, found by structure, wherever it stands. What it copied
 * is the same JSON with an empty string there; whether that is valid JSON is for its reader to say.
 */
export type DocumentScanner = {
  /**
   * Continues from `at` and returns where it stopped: at the end of the chunk, or right after the
   * quote that opens a tarball's text (then `atTarball()` is true). The next call then starts at
   * the closing quote.
   */
  readonly scan: (chunk: Buffer, position: number) => number;
  readonly atTarball: () => boolean;
  /** The bytes copied so far. */
  readonly copied: () => Buffer;
};

export function createDocumentScanner(limits: DocumentLimits): DocumentScanner {
  const state: State = {
    limits,
    out: Buffer.alloc(Math.min(16 * 1024, limits.metadataBytes)),
    size: 0,
    from: 0,
    inString: false,
    isEscaped: false,
    isKey: false,
    keyStart: 0,
    expectsKey: false,
    isArray: [],
    path: [],
    attachments: new Set(),
    sawAttachments: false,
    atTarball: false,
  };
  return {
    scan: (chunk, index) => scan(state, chunk, index),
    atTarball: () => state.atTarball,
    copied: () => state.out.subarray(0, state.size),
  };
}

type State = {
  readonly limits: DocumentLimits;
  out: Buffer;
  size: number;
  /** Up to here the current chunk is copied. */
  from: number;
  inString: boolean;
  isEscaped: boolean;
  isKey: boolean;
  /** In `out`, the first byte of the current key. */
  keyStart: number;
  expectsKey: boolean;
  /** The open containers, outermost first. */
  readonly isArray: boolean[];
  /** The current key of each open object, for the outermost three. */
  readonly path: (string | undefined)[];
  readonly attachments: Set<string>;
  sawAttachments: boolean;
  atTarball: boolean;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

function scan(state: State, chunk: Buffer, start: number): number {
  state.from = start;
  state.atTarball = false;
  let index = start;
  while (index < chunk.length && !state.atTarball) {
    index = state.inString ? scanString(state, chunk, index) : scanStructure(state, chunk, index);
  }
  copy(state, chunk, index);
  return index;
}

/** To the end of the string, or of the chunk. */
function scanString(state: State, chunk: Buffer, start: number): number {
  for (let index = start; index < chunk.length; index += 1) {
    const byte = chunk[index];
    if (state.isEscaped) {
      state.isEscaped = false;
    } else if (byte === BACKSLASH) {
      state.isEscaped = true;
    } else if (byte === QUOTE) {
      state.inString = false;
      if (state.isKey && state.isArray.length <= 3) endKey(state, chunk, index);
      return index + 1;
    }
  }
  return chunk.length;
}

/** To the start of the next string, or the end of the chunk. */
function scanStructure(state: State, chunk: Buffer, start: number): number {
  for (let index = start; index < chunk.length; index += 1) {
    switch (chunk[index]) {
      case QUOTE:
        state.inString = true;
        state.isKey = state.expectsKey;
        state.atTarball = isTarballText(state);
        state.keyStart = state.size + index + 1 - state.from;
        return index + 1;
      case OPEN_OBJECT:
        open(state, false);
        break;
      case OPEN_ARRAY:
        open(state, true);
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        state.isArray.pop();
        state.expectsKey = false;
        break;
      case COMMA:
        state.expectsKey = state.isArray.at(-1) === false;
        break;
      case COLON:
        state.expectsKey = false;
        break;
      default: // whitespace, numbers, literals
    }
  }
  return chunk.length;
}

function open(state: State, isArray: boolean): void {
  const { isArray: containers, limits, path } = state;
  if (containers.length === limits.depth) {
    throw new NpmError("document-invalid", `The body nests deeper than ${limits.depth} levels.`);
  }
  containers.push(isArray);
  if (containers.length <= 3) path[containers.length - 1] = undefined;
  state.expectsKey = !isArray;
}

function endKey(state: State, chunk: Buffer, end: number): void {
  copy(state, chunk, end);
  const depth = state.isArray.length;
  const key = parseKey(state.out.toString("utf8", state.keyStart, state.size));
  state.path[depth - 1] = key;
  if (depth === 1 && key === "_attachments") {
    if (state.sawAttachments) throw twice("_attachments");
    state.sawAttachments = true;
  }
  if (depth === 2 && state.path[0] === "_attachments") addAttachment(state, key);
}

function addAttachment({ attachments, limits }: State, name: string): void {
  if (!/\.(?:tgz|sigstore)$/.test(name)) {
    const shownName = JSON.stringify(name.slice(0, 80));
    throw new NpmError(
      "document-invalid",
      `The attachment ${shownName} is neither a .tgz nor a .sigstore file.`,
    );
  }
  if (attachments.has(name)) throw twice(name.slice(0, 80));
  attachments.add(name);
  if (attachments.size > limits.attachments) {
    throw new NpmError(
      "document-invalid",
      `The body has more than ${limits.attachments} attachments.`,
    );
  }
}

function isTarballText({ expectsKey, isArray, path }: State): boolean {
  return (
    !expectsKey &&
    isArray.length === 3 &&
    path[2] === "data" &&
    path[0] === "_attachments" &&
    path[1] !== undefined &&
    path[1].endsWith(".tgz")
  );
}

function parseKey(raw: string): string {
  if (!raw.includes("\\")) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch (cause) {
    throw new NpmError("document-invalid", "The body is not valid JSON: a key is broken.", {
      cause,
    });
  }
}

/** Brings `out` up to `end` of the chunk. */
function copy(state: State, chunk: Buffer, end: number): void {
  const size = state.size + end - state.from;
  const { metadataBytes } = state.limits;
  if (size > metadataBytes) {
    const limit = `${Math.floor(metadataBytes / 1024)} KiB`;
    throw new NpmError(
      "too-large",
      `The readme and the manifest have more than ${limit}; shorten them.`,
    );
  }
  if (size > state.out.length) {
    const larger = Buffer.alloc(Math.min(metadataBytes, Math.max(size, state.out.length * 2)));
    state.out.copy(larger, 0, 0, state.size);
    state.out = larger;
  }
  chunk.copy(state.out, state.size, state.from, end);
  state.size = size;
  state.from = end;
}

function twice(key: string): NpmError {
  return new NpmError("document-invalid", `The body has ${JSON.stringify(key)} twice.`);
}
