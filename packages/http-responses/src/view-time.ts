/** A read-only view as of a time, named by the first segment of a path. */
export type PathView = {
  /** As the client wrote it: `@2026-10-01T12:00Z`. */
  readonly segment: string;
  /** Undefined for an invalid time. */
  readonly time: Date | undefined;
  /** The path below the segment; empty or with a leading slash. */
  readonly rest: string;
};

const SEGMENT = /^\/((?:@|%40)(\d{4}-\d\d-\d\dT[^/?#]*))(?=[/?#]|$)/i;
const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;

/**
 * Finds the view in a path, which may be percent-encoded and have a query. Undefined for all other
 * paths: without a time of day, `/@2026-10-01/demo` is an npm package.
 */
export function viewOfPath(path: string): PathView | undefined {
  // Nearly all paths end here.
  if (path[1] !== "@" && !path.startsWith("/%40")) return undefined;
  const [whole = "", segment, encoded = ""] = SEGMENT.exec(path) ?? [];
  if (segment === undefined) return undefined;
  const text = encoded.replaceAll(/%3a/gi, ":").toUpperCase();
  return { segment, time: parseViewTime(text), rest: path.slice(whole.length) };
}

/** Parses `2026-10-01T12:00Z`, with seconds or without. Undefined for other text, and for invalid
 * days such as February 30. */
export function parseViewTime(text: string): Date | undefined {
  const [, day] = TIME.exec(text) ?? [];
  const time = new Date(text);
  if (day === undefined || Number.isNaN(time.getTime())) return undefined;
  return time.toISOString().startsWith(day) ? time : undefined;
}

/** The time in texts for people: `2026-10-01T12:00Z`. */
export function shownTime(time: Date): string {
  return time.toISOString().replace(/(?::00)?\.000Z$/, "Z");
}

/** Returns the reason for the absence of a view as of a time; undefined for a valid time.
 * `beginning`: when the history begins; undefined while it is empty. */
export function missingView(
  time: Date,
  { now, beginning }: { readonly now: Date; readonly beginning: Date | undefined },
): string | undefined {
  const subject = `There is no view as of ${shownTime(time)}`;
  if (time > now) return `${subject}: this time is in the future.`;
  if (!beginning) return `${subject}: nothing was published yet.`;
  if (time >= beginning) return undefined;
  return `${subject}: the history begins at ${beginning.toISOString()}.`;
}

/** Says that a segment is not a valid time. */
export function unknownViewTime(segment: string): string {
  const shown = JSON.stringify(segment.slice(0, 60)).replaceAll(/[^\x20-\x7e]/g, "?");
  return `${shown} is not a time: write @2026-10-01T12:00Z, with seconds or without, in UTC.`;
}

/** Says that a view refuses a change. */
export function readOnlyView(time: Date): string {
  return (
    `This address is a read-only view as of ${shownTime(time)}. ` +
    "Publish, change and delete at the address without the time."
  );
}

/** Says that something existed at the time of a view and that its bytes are gone. `until`: when it
 * ended. */
export function lostSince(
  what: string,
  { time, until }: { readonly time: Date; readonly until?: Date | undefined },
): string {
  const end = until ? `until ${until.toISOString()}` : "then";
  return (
    `${what} was here as of ${shownTime(time)}, and ${end}. Its bytes were deleted, replaced or ` +
    "collected since: the history keeps none."
  );
}

/** Says that something did not exist at the time of a view. */
export function absentThen(what: string, time: Date): string {
  return `${what} was not here as of ${shownTime(time)}.`;
}
