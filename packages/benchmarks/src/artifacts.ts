import { createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { join } from "node:path";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipArchive } from "archiver";

const CHUNK = 1024 * 1024;

/** Random bytes that cost little to make: one random MiB, its first bytes counted up. */
export async function* noise(size: number): AsyncIterable<Uint8Array> {
  const block = randomBytes(CHUNK);
  for (let offset = 0; offset < size; offset += CHUNK) {
    const chunk = Buffer.from(block.subarray(0, Math.min(CHUNK, size - offset)));
    chunk.writeUInt32LE(offset / CHUNK);
    yield chunk;
  }
}

export type NamedPackage = {
  readonly id: string;
  readonly version: string;
  /** Ids that it depends on, in version 1.0.0. */
  readonly needs?: readonly string[];
};

/** A package whose one large file is stored, not deflated, so that it has the requested size. */
export async function writeNupkg(
  folder: string,
  namedPackage: NamedPackage,
  size: number,
): Promise<string> {
  const path = join(folder, `${namedPackage.id}.${namedPackage.version}.nupkg`);
  const archive = new ZipArchive({ store: true });
  const output = createWriteStream(path);
  archive.pipe(output);
  archive.append(nuspec(namedPackage), { name: `${namedPackage.id}.nuspec` });
  archive.append(Readable.from(noise(size)), { name: "content/large.bin" });
  await archive.finalize();
  await finished(output);
  return path;
}

function nuspec({ id, version, needs = [] }: NamedPackage): string {
  const dependencies = needs.map((need) => `<dependency id="${need}" version="1.0.0" />`).join("");
  return `<?xml version="1.0"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>${id}</id>
    <version>${version}</version>
    <authors>bench</authors>
    <description>${id} for the benchmarks</description>
    <dependencies>${dependencies}</dependencies>
  </metadata>
</package>`;
}

/** Writes `size` bytes of noise and resolves to their SHA-256 in hex. */
export async function writeNoise(path: string, size: number): Promise<string> {
  const hash = createHash("sha256");
  const output = createWriteStream(path);
  for await (const chunk of noise(size)) {
    hash.update(chunk);
    if (!output.write(chunk)) await once(output, "drain");
  }
  output.end();
  await finished(output);
  return hash.digest("hex");
}

export function readFileChunks(path: string): Readable {
  return createReadStream(path, { highWaterMark: CHUNK });
}

/**
 * Writes this number of bytes and deletes them again. A virtual machine returns free memory to its
 * host, and gets it back page by page when a file is written: the first writer after a pause pays
 * two to six CPU seconds per GiB, whichever program it is.
 */
export async function warmMemory(path: string, bytes: number): Promise<void> {
  const zeros = Buffer.alloc(CHUNK);
  async function* body() {
    for (let offset = 0; offset < bytes; offset += CHUNK) yield zeros;
  }
  await writeFile(path, body());
  await rm(path);
}
