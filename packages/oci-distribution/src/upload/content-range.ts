/** Both ends inclusive, as in distribution-spec 1.1, "Pushing a blob in chunks". */
export type ContentRange = { readonly start: number; readonly end: number };

const RANGE = /^(?:bytes[ =]\s*)?(\d{1,16})-(\d{1,16})(?:\/(?:\*|\d{1,16}))?$/;

/** `start-end`, or the RFC 9110 form `bytes start-end/*`. Undefined when it is neither. */
export function parseContentRange(text: string): ContentRange | undefined {
  const match = RANGE.exec(text.trim());
  if (!match) return undefined;
  const start = Number(match[1]);
  const end = Number(match[2]);
  return Number.isSafeInteger(end) && start <= end ? { start, end } : undefined;
}

/** The `Range` header of upload answers; clients expect `0-0` when nothing has arrived. */
export function formatReceivedRange(offset: number): string {
  return `0-${Math.max(0, offset - 1)}`;
}
