/** What is kept with a source, to know the next time whether there is anything new. */
export type SourceState = {
  /** Where it was read; elsewhere, nothing of this holds. */
  readonly location: string;
  /** Of the document at a URL. */
  readonly etag?: string;
  /** Of the pages of a vulnerability index, as its reader wants it. */
  readonly pages?: string;
  /** Imported by a command and not by the settings, which therefore do not forget it. */
  readonly isByHand?: true;
};

/** Raised when the reader takes over more than before, so that everything is read again. */
const READER = 2;

export function formatState(state: SourceState): string {
  return JSON.stringify({ reader: READER, ...state });
}

/** Without what an older reader left to compare with. */
export function parseState(text: string | undefined): SourceState | undefined {
  if (text === undefined) return undefined;
  const { reader, location, etag, pages, isByHand } = fieldsOf(text);
  if (typeof location !== "string") return undefined;
  const isCurrent = reader === READER;
  return {
    location,
    ...(isCurrent && typeof etag === "string" && { etag }),
    ...(isCurrent && typeof pages === "string" && { pages }),
    ...(isByHand === true && { isByHand }),
  };
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
