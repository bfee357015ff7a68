/** Each takes some hundred bytes, however few it is written with. All that is known about NuGet
 * packages has a tenth of it. */
const VALUES_MAX = 2_000_000;
const [COMMA, BRACE, BRACKET] = [44, 123, 91];

/**
 * Whatever JSON says, unless reading it would take far more memory than its text.
 * @throws {SyntaxError | TypeError} also for text that is not UTF-8
 */
export function parseJson(bytes: Uint8Array): unknown {
  let values = 0;
  for (const byte of bytes) {
    // Those within texts count too, which there are few of.
    if (byte === COMMA || byte === BRACE || byte === BRACKET) values += 1;
  }
  if (values > VALUES_MAX) throw new SyntaxError(`It has more than ${VALUES_MAX} values.`);
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}
