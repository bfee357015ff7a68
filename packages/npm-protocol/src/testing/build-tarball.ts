import { gzipSync } from "node:zlib";

/** One raw entry of a tar archive, right or wrong. */
export type TarEntryWish = {
  readonly path: string;
  readonly content?: string | Uint8Array;
  /** The type flag, `0` (file) unless given. */
  readonly type?: string;
  readonly linkTo?: string;
  /** The size in the header, when it differs from the size of the content. */
  readonly size?: number;
};

export type TarballWish = {
  readonly name?: string;
  readonly version?: string;
  /** Further fields of package.json. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Another text of package.json, or no package.json. */
  readonly packageJson?: string | false;
  /** By path below the top folder. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** `package` unless given. */
  readonly top?: string;
  /** Bytes that are appended unchanged. */
  readonly entries?: readonly TarEntryWish[];
  /** Compression of the archive; default gzip. */
  readonly pack?: (tar: Buffer) => Buffer;
};

/** The file that `npm pack` would make, or one that it never would. */
export function buildTarball(wish: TarballWish = {}): Buffer {
  const { name = "demo", version = "1.0.0", top = "package", pack = gzipSync } = wish;
  const { packageJson = JSON.stringify({ name, version, ...wish.manifest }) } = wish;
  const files = Object.entries(wish.files ?? { "index.js": "module.exports = 1;\n" });
  const entries: TarEntryWish[] = [
    ...(packageJson === false ? [] : [{ path: `${top}/package.json`, content: packageJson }]),
    ...files.map(([path, content]) => ({ path: `${top}/${path}`, content })),
    ...(wish.entries ?? []),
  ];
  return pack(Buffer.concat([...entries.map(buildTarEntry), Buffer.alloc(1024)]));
}

/** Header, content and padding. */
export function buildTarEntry(wish: TarEntryWish): Buffer {
  const content = Buffer.from(wish.content ?? "");
  const header = Buffer.alloc(512);
  header.write(wish.path, 0, 100);
  header.write("0000644\0", 100);
  header.write("0000000\0".repeat(2), 108);
  header.write(`${(wish.size ?? content.length).toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write(wish.type ?? "0", 156);
  header.write(wish.linkTo ?? "", 157, 100);
  header.write("ustar\x0000", 257);
  return Buffer.concat([withChecksum(header), content, Buffer.alloc(-content.length & 511)]);
}

/** A pax header: gives the next entry, or with type `g` all that follow, some fields. */
export function buildPaxEntry(fields: Readonly<Record<string, string>>, type = "x"): Buffer {
  const content = Object.entries(fields)
    .map(([key, value]) => paxRecord(key, value))
    .join("");
  return buildTarEntry({ path: "PaxHeader", type, content });
}

function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  if (bytes + String(length).length !== length) length = bytes + String(length).length;
  return `${length}${rest}`;
}

export function withChecksum(header: Buffer): Buffer {
  header.write(" ".repeat(8), 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
