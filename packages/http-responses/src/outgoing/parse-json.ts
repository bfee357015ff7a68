/** Each value takes some hundred bytes in memory, even if its text is short. The largest document
 * about a NuGet package has a tenth of this. */
const VALUES_MAX = 2_000_000;
const [COMMA, BRACE, BRACKET] = [44, 123, 91];

/**
 * Parses JSON. Rejects documents that need far more memory than their text.
 * @throws {SyntaxError | TypeError} including for text that is not UTF-8
 */
export function parseJson(bytes: Uint8Array): unknown {
  let values = 0;
  for (const byte of bytes) {
    // Also counts these characters within strings, where they are rare.
    if (byte === COMMA || byte === BRACE || byte === BRACKET) values += 1;
  }
  if (values > VALUES_MAX) throw new SyntaxError(`It has more than ${VALUES_MAX} values.`);
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}
