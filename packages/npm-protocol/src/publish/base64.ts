/** Base64 (RFC 4648 section 4) in pieces of any length. Throws `SyntaxError` for anything that is
 * not the one canonical, padded form of some bytes. */
export type Base64Decoder = {
  readonly push: (text: string) => Buffer;
  readonly end: () => Buffer;
};

export function createBase64Decoder(): Base64Decoder {
  /** The last one to four characters: they may be the padded end, or continue in the next piece. */
  let remainder = "";

  return {
    push(text) {
      if (remainder.length + text.length <= 4) {
        remainder += text;
        return Buffer.alloc(0);
      }
      // What is held becomes whole first, so that the long rest is decoded where it stands.
      const joined = remainder.length === 0 ? 0 : 4 - remainder.length;
      const holding = (text.length - joined) % 4 || 4;
      const first = remainder + text.slice(0, joined);
      const rest = text.slice(joined, text.length - holding);
      remainder = text.slice(text.length - holding);
      return decodeUnpadded(first, rest);
    },
    end() {
      const bytes = Buffer.from(remainder, "base64");
      if (bytes.toString("base64") !== remainder) throw new SyntaxError("bad base64");
      remainder = "";
      return bytes;
    },
  };
}

/**
 * Node's decoder is fast because it is lenient: it skips unknown characters, which the length
 * reveals, and accepts the URL-safe alphabet, which needs a search.
 */
function decodeUnpadded(first: string, rest: string): Buffer {
  const bytes = Buffer.allocUnsafe(((first.length + rest.length) / 4) * 3);
  const written = bytes.write(first, "base64");
  const total = written + bytes.write(rest, written, "base64");
  if (total !== bytes.length || isUrlSafe(first) || isUrlSafe(rest)) {
    throw new SyntaxError("bad base64");
  }
  return bytes;
}

function isUrlSafe(text: string): boolean {
  return text.includes("-") || text.includes("_");
}
