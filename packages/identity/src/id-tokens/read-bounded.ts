/** Larger than the keys of any issuer. */
const BYTES_MAX = 256 * 1024;

/**
 * Downloads a small document.
 *
 * @throws Error when it is larger than 256 KiB
 */
export async function readBounded(
  fetch: typeof globalThis.fetch,
  address: string,
  init: RequestInit,
): Promise<Response> {
  const answer = await fetch(address, init);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > BYTES_MAX) throw new Error(`${address} returned more than ${BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = answer;
  // An answer with status 204 may not have an empty body either.
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status, headers });
}
