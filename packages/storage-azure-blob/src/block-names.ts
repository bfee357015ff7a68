const TIME_DIGITS = 15;
const INDEX_DIGITS = 6;
const NAME = /^(\d{15})-[0-9a-f]{16}-\d{6}$/;

/**
 * Returns the id of a block: base64, as Azure requires, and of equal length within a blob. It has
 * the time, because Azure does not report the time of uncommitted blocks.
 *
 * `upload` has 16 hex digits and keeps the blocks of two uploads apart.
 */
export function blockId(upload: string, index: number, timeMs: number): string {
  const time = String(timeMs).padStart(TIME_DIGITS, "0");
  const name = `${time}-${upload}-${String(index).padStart(INDEX_DIGITS, "0")}`;
  return Buffer.from(name).toString("base64");
}

/** Returns the time of a block in milliseconds; undefined for a block of another program. */
export function timeOfBlock(id: string): number | undefined {
  const time = NAME.exec(Buffer.from(id, "base64").toString("latin1"))?.[1];
  return time === undefined ? undefined : Number(time);
}
