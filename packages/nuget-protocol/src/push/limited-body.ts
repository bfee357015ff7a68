import { tooLarge } from "../errors.ts";

/** @throws {NuGetError} `too-large` with the first byte over `maxBytes` */
export async function* limitedBody(
  body: AsyncIterable<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}
