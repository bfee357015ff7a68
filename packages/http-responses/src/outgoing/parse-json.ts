/** Each value takes some hundred bytes in memory, even if its text is short. The largest document
 * about a NuGet package has a tenth of this. */
const VALUES_MAX = 2_000_000;
/** Functions that read or write nested values call themselves for each level. */
const DEPTH_MAX = 500;
const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
/** The beginnings and ends of objects and arrays. */
const [BRACE, BRACKET, BRACE_END, BRACKET_END] = [123, 91, 125, 93];

/**
 * Parses JSON. Rejects documents that need far more memory than their text, or are deeply nested.
 * @throws {SyntaxError | TypeError} including for text that is not UTF-8
 */
export function parseJson(bytes: Uint8Array): unknown {
  checkShape(bytes);
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

function checkShape(bytes: Uint8Array): void {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfText(bytes, at + 1);
    else if (byte === COMMA) values += 1;
    else if (byte === BRACE_END || byte === BRACKET_END) depth -= 1;
    else if (byte === BRACE || byte === BRACKET) {
      values += 1;
      depth += 1;
      if (depth > DEPTH_MAX) throw new SyntaxError(`It has more than ${DEPTH_MAX} levels.`);
    }
  }
  if (values > VALUES_MAX) throw new SyntaxError(`It has more than ${VALUES_MAX} values.`);
}

/** Position of the quotation mark that ends a text. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let before = end;
    while (before > start && bytes[before - 1] === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return bytes.length;
}
