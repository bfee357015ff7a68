import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { noise } from "./artifacts.ts";

const TAR_BLOCK = 512;
/** A multiple of three, so that the parts' base64 can be put one after the other. */
const BASE64_PART = 3 * 256 * 1024;

/** Fields of package.json. */
export type NpmManifest = {
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
};

/** A package as `npm pack` makes it: package.json and, unless it has no bytes, one file that does
 * not compress. */
export async function packTarball(manifest: NpmManifest, bytes: number): Promise<Buffer> {
  const json = Buffer.from(JSON.stringify(manifest));
  const content = Buffer.concat(await Array.fromAsync(noise(bytes)));
  const archive = Buffer.concat([
    ...tarEntry("package/package.json", json),
    ...(bytes > 0 ? tarEntry("package/data.bin", content) : []),
    Buffer.alloc(2 * TAR_BLOCK),
  ]);
  return gzipSync(archive, { level: 1 });
}

/**
 * The body of `npm publish`, in parts: as a whole it would exceed the maximum length of a string.
 */
export function* publishBody(manifest: NpmManifest, tarball: Buffer): Generator<Buffer> {
  const { name, version } = manifest;
  const file = `${name}-${version}.tgz`;
  const dist = {
    integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
    shasum: createHash("sha1").update(tarball).digest("hex"),
    tarball: `http://localhost/${name}/-/${file}`,
  };
  const head = {
    _id: name,
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { description: `${name} for the benchmarks`, ...manifest, dist } },
  };
  const type = '"content_type":"application/octet-stream"';
  const attachment = `{${type},"length":${tarball.length},"data":"`;
  const key = JSON.stringify(file);
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"_attachments":{${key}:${attachment}`);
  for (let offset = 0; offset < tarball.length; offset += BASE64_PART) {
    yield Buffer.from(tarball.toString("base64", offset, offset + BASE64_PART));
  }
  yield Buffer.from('"}}}');
}

function tarEntry(path: string, content: Buffer): readonly Buffer[] {
  const header = Buffer.alloc(TAR_BLOCK);
  header.write(path, 0);
  header.write("0000644\0", 100);
  header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("14000000000\0", 136);
  header.write("        0", 148);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const padding = (TAR_BLOCK - (content.length % TAR_BLOCK)) % TAR_BLOCK;
  return [header, content, Buffer.alloc(padding)];
}
