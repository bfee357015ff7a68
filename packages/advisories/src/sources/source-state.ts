/** What is stored with a source, to tell at the next refresh whether it has changed. */
export type SourceState = {
  /** The state is valid for this location only. */
  readonly location: string;
  /** Of the document at a URL. */
  readonly etag?: string;
  /** Of the pages of a vulnerability index, in the form of its reader. */
  readonly pages?: string;
  /** Imported by a command, so a refresh does not remove it. */
  readonly isByHand?: true;
};

/** Increased when the reader imports more than before, so that every source is read again. */
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
