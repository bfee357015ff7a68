import { tooLarge } from "../errors.ts";

/** More has no place in an archive without ZIP64, which no package may be. */
const ARCHIVE_BYTES_MAX = 2 ** 32 - 1;

/** @throws {NuGetError} `too-large` with the first byte over `maxBytes` */
export async function* limitedBody(
  body: AsyncIterable<Uint8Array>,
  maxBytes = ARCHIVE_BYTES_MAX,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}
