/** Maximum number of tokens in a report. */
export const LEAK_ENTRIES_MAX = 1_000;
/** Maximum size of a report in bytes. */
export const LEAK_BYTES_MAX = 1024 * 1024;

const TOKEN_LENGTH_MAX = 500;
const TYPE_LENGTH_MAX = 100;
const URL_LENGTH_MAX = 2_000;

/** A token in a report, in the form that GitHub documents. */
export type LeakEntry = {
  /** The text that was found. */
  readonly text: string;
  readonly type: string;
  /** Where it was found. Does not contain the text. */
  readonly url?: string;
  readonly source?: string;
};

/** Reads a report; a text is the reason why it is malformed. */
export function parseLeakEntries(body: Uint8Array): readonly LeakEntry[] | string {
  const list = parsedJson(body);
  if (!Array.isArray(list)) return "The report is not a JSON array of objects with a token.";
  if (list.length > LEAK_ENTRIES_MAX) {
    return `The report has more than ${LEAK_ENTRIES_MAX} tokens.`;
  }
  const entries = list.map(entryOf);
  const complete = entries.filter((entry) => entry !== undefined);
  if (complete.length < entries.length) return "An entry of the report has no token.";
  return complete;
}

function parsedJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    // Not JSON.
    return undefined;
  }
}

function entryOf(value: unknown): LeakEntry | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  const text = fields.get("token");
  if (typeof text !== "string" || text === "" || text.length > TOKEN_LENGTH_MAX) return undefined;
  const url = plain(fields.get("url"), { text, most: URL_LENGTH_MAX });
  const source = plain(fields.get("source"), { text, most: TYPE_LENGTH_MAX });
  return {
    text,
    type: plain(fields.get("type"), { text, most: TYPE_LENGTH_MAX }) ?? "",
    ...(url !== undefined && { url }),
    ...(source !== undefined && { source }),
  };
}

/** A place such as a search URL may contain the token, which no event may have. */
function plain(
  value: unknown,
  { text, most }: { readonly text: string; readonly most: number },
): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  const words = value.replaceAll(text, "...").replaceAll(encodeURIComponent(text), "...");
  return words.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").slice(0, most);
}
