/** Range of received bytes; both ends are inclusive, as in distribution-spec 1.1, "Pushing a blob
 * in chunks". */
export type ContentRange = { readonly start: number; readonly end: number };

const RANGE = /^(?:bytes[ =]\s*)?(\d{1,16})-(\d{1,16})(?:\/(?:\*|\d{1,16}))?$/;

/** Parses `start-end` or the RFC 9110 form `bytes start-end/*`; undefined for other text. */
export function parseContentRange(text: string): ContentRange | undefined {
  const match = RANGE.exec(text.trim());
  if (!match) return undefined;
  const start = Number(match[1]);
  const end = Number(match[2]);
  return Number.isSafeInteger(end) && start <= end ? { start, end } : undefined;
}

/** Returns the `Range` header of an upload response. Clients expect `0-0` for an empty upload. */
export function formatReceivedRange(offset: number): string {
  return `0-${Math.max(0, offset - 1)}`;
}
