/** Stored state of a source, which detects changes at the next refresh. */
export type SourceState = {
  /** The state is valid for this location only. */
  readonly location: string;
  /** ETag of the document at a URL. */
  readonly etag?: string;
  /** State of the pages of a vulnerability index, in the format of its reader. */
  readonly pages?: string;
  /** Imported by a command, so a refresh does not remove it. */
  readonly isByHand?: true;
};

/** Increase when the reader imports more data, so that all sources are read again. */
const READER = 2;

export function formatState(state: SourceState): string {
  return JSON.stringify({ reader: READER, ...state });
}

/** Leaves out what an older reader stored to compare with. */
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
