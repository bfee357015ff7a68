import { createHash } from "node:crypto";

/** The key with which debuggers request a portable PDB. */
export type PortablePdb = {
  /**
   * The GUID of the PDB id as 32 hex digits, then `ffffffff`, which replaces the age that only
   * Windows PDBs have (SSQP key conventions). Lower case.
   */
  readonly symbolKey: string;
  /** Hex SHA-256 of the file with its PDB id zeroed, as the DLL's debug directory names it. */
  readonly checksum: string;
};

/** An invalid portable PDB. The message is half a sentence: "is …". */
export class PortablePdbError extends Error {
  override readonly name = "PortablePdbError";
  readonly code = "pdb-invalid";
}

/** Reads a PDB while it goes by, in chunks of any size. Both throw `PortablePdbError`. */
export type PdbReader = {
  write(chunk: Uint8Array): void;
  end(): PortablePdb;
};

type Range = { readonly start: number; readonly end: number };

const ID_SIZE = 20;
/** Id, entry point and the bit vector of tables. */
const PDB_STREAM_SIZE_MIN = 32;
/** ECMA-335 II.24.2.1 asks for less than 256; a multiple of four is what writers round up to. */
const VERSION_SIZE_MAX = 256;
/** The format has six kinds; others would be private extensions. */
const STREAMS_MAX = 32;
const STREAM_NAME_SIZE_MAX = 32;
/** Signature, version of the format, reserved bytes, length of the version text. */
const ROOT_SIZE = 16;
/** All headers lie in here, and so the place of the id is known before the id goes by. */
const HEAD_SIZE_MAX = ROOT_SIZE + VERSION_SIZE_MAX + 4 + STREAMS_MAX * (8 + STREAM_NAME_SIZE_MAX);

/** @param size of the whole file in bytes */
export function createPdbReader(size: number): PdbReader {
  const hash = createHash("sha256");
  const id = Buffer.alloc(ID_SIZE);
  const headSize = Math.min(size, HEAD_SIZE_MAX);
  let head: Uint8Array[] = [];
  let [received, hashed] = [0, 0];
  let place: Range | undefined;

  function digest(chunk: Uint8Array, { start, end }: Range): void {
    const from = Math.min(Math.max(start - hashed, 0), chunk.length);
    const to = Math.min(Math.max(end - hashed, 0), chunk.length);
    if (to > from) id.set(chunk.subarray(from, to), hashed + from - start);
    hash
      .update(chunk.subarray(0, from))
      .update(Buffer.alloc(to - from))
      .update(chunk.subarray(to));
    hashed += chunk.length;
  }

  return {
    write(chunk) {
      received += chunk.length;
      if (received > size) throw new PortablePdbError(`is longer than its ${size} bytes`);
      if (place) return digest(chunk, place);
      head.push(chunk);
      if (received < headSize) return undefined;
      const whole = Buffer.concat(head);
      head = [];
      place = placeOfId(whole, size);
      return digest(whole, place);
    },
    end() {
      if (received !== size || !place) throw new PortablePdbError("is empty or ends early");
      return { symbolKey: symbolKeyOf(id), checksum: hash.digest("hex") };
    },
  };
}

/** Hands a PDB on as it comes, and shows every chunk to the reader first. */
export async function* readingPdb(
  chunks: AsyncIterable<Uint8Array>,
  reader: Pick<PdbReader, "write">,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    reader.write(chunk);
    yield chunk;
  }
}

/** Where the id lies: it opens the stream `#Pdb`, which follows the headers somewhere. */
function placeOfId(head: Buffer, size: number): Range {
  const { count, at: offset } = rootOf(head);
  const streams = new Map<string, Range>();
  let next = offset;
  for (let index = 0; index < count; index++) {
    const stream = streamAt(head, next);
    next = stream.next;
    if (streams.has(stream.name)) throw new PortablePdbError("has two streams of one name");
    if (stream.end > size) throw new PortablePdbError("has a stream that ends behind the file");
    streams.set(stream.name, stream);
  }
  const pdb = streams.get("#Pdb");
  if (!pdb || !(streams.has("#~") || streams.has("#-"))) {
    throw new PortablePdbError("has .NET metadata, but no debugging information");
  }
  if (pdb.start < next || pdb.end - pdb.start < PDB_STREAM_SIZE_MIN) {
    throw new PortablePdbError("has no room for its id");
  }
  return { start: pdb.start, end: pdb.start + ID_SIZE };
}

/** Number of streams, and where their headers start. */
function rootOf(head: Buffer): { readonly count: number; readonly at: number } {
  const start = head.subarray(0, 64).toString("latin1");
  if (start.startsWith("Microsoft C/C++ ")) {
    throw new PortablePdbError(
      "is a Windows PDB; only portable PDBs are taken: build with <DebugType>portable</DebugType>",
    );
  }
  if (!start.startsWith("BSJB")) throw new PortablePdbError("is not a portable PDB");
  const versionSize = head.length < ROOT_SIZE ? Number.NaN : head.readUInt32LE(12);
  // NaN fails here, too.
  if (!(versionSize <= VERSION_SIZE_MAX)) throw new PortablePdbError("has a broken header");
  const offset = ROOT_SIZE + versionSize + 4;
  if (offset > head.length) throw new PortablePdbError("ends within its header");
  const count = head.readUInt16LE(offset - 2);
  if (count > STREAMS_MAX) throw new PortablePdbError(`has more than ${STREAMS_MAX} streams`);
  return { count, at: offset };
}

function streamAt(head: Buffer, offset: number): Range & { name: string; next: number } {
  if (offset + 8 > head.length) throw new PortablePdbError("ends within its list of streams");
  const start = head.readUInt32LE(offset);
  const end = start + head.readUInt32LE(offset + 4);
  const name = head.subarray(offset + 8, offset + 8 + STREAM_NAME_SIZE_MAX);
  const length = name.indexOf(0);
  if (length === -1) throw new PortablePdbError("has a stream whose name does not end");
  // Padded with zeros to a multiple of four, and always one of them.
  const next = offset + 8 + (Math.floor(length / 4) + 1) * 4;
  return { start, end, name: name.toString("latin1", 0, length), next };
}

/** A GUID is written with its first three fields turned round. */
function symbolKeyOf(id: Buffer): string {
  const fields = [id.subarray(0, 4), id.subarray(4, 6), id.subarray(6, 8)];
  const turned = fields.map((field) => Buffer.from(field.toReversed()).toString("hex"));
  return `${turned.join("")}${id.toString("hex", 8, 16)}ffffffff`;
}
