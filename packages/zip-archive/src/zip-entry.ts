/** One entry of the central directory, with the range of its bytes in the file. */
export type ZipEntry = {
  /** The undecoded bytes of the name in the central directory. */
  readonly name: Buffer;
  /** Bytes of the name. */
  readonly nameSize: number;
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly uncompressedSize: number;
  readonly externalAttributes: number;
  /** The entry's bytes: `[start, end)`, up to the next entry or the central directory. */
  readonly start: number;
  readonly end: number;
  /** The central header: offset in the file, and its bytes. */
  readonly headerStart: number;
  readonly headerSize: number;
  readonly header: Buffer;
};

export const CENTRAL_HEADER_SIZE = 46;
/** Bytes of the header before an entry's content, without its name and extra field. */
export const LOCAL_HEADER_SIZE = 30;

/** The bytes of a directory. Numbers are read through the view, which is faster than a Buffer. */
export type DirectoryBytes = { readonly bytes: Buffer; readonly view: DataView };

/** Decodes most fields on demand: most callers need only the position of an entry. */
export class DirectoryEntry implements ZipEntry {
  readonly nameSize: number;
  readonly headerSize: number;
  readonly start: number;
  readonly compressedSize: number;
  headerStart = 0;
  end = 0;
  readonly #directory: DirectoryBytes;
  readonly #index: number;

  /** `index` is the offset of the header in the directory, in bytes. */
  constructor(directory: DirectoryBytes, index: number, nameSize: number, headerSize: number) {
    this.#directory = directory;
    this.#index = index;
    this.nameSize = nameSize;
    this.headerSize = headerSize;
    this.start = directory.view.getUint32(index + 42, true);
    this.compressedSize = directory.view.getUint32(index + 20, true);
  }

  get name(): Buffer {
    const start = this.#index + CENTRAL_HEADER_SIZE;
    return this.#directory.bytes.subarray(start, start + this.nameSize);
  }
  get flags(): number {
    return this.#directory.view.getUint16(this.#index + 8, true);
  }
  get method(): number {
    return this.#directory.view.getUint16(this.#index + 10, true);
  }
  get crc32(): number {
    return this.#directory.view.getUint32(this.#index + 16, true);
  }
  get uncompressedSize(): number {
    return this.#directory.view.getUint32(this.#index + 24, true);
  }
  get externalAttributes(): number {
    return this.#directory.view.getUint32(this.#index + 38, true);
  }
  get header(): Buffer {
    return this.#directory.bytes.subarray(this.#index, this.#index + this.headerSize);
  }
}
