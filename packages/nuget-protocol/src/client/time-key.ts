const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/;
const DIGITS = 9;

/**
 * A text that sorts as the time does. Catalogs tell commits apart by parts of a microsecond, which
 * a `Date` forgets. Undefined for anything but an ISO 8601 time; without an offset it is UTC.
 */
export function timeKey(text: string): string | undefined {
  const [, seconds, fraction = "", offset = "Z"] = TIME.exec(text) ?? [];
  const whole = new Date(`${seconds}${offset}`);
  if (Number.isNaN(whole.getTime())) return undefined;
  return `${whole.toISOString().slice(0, -".000Z".length)}.${fraction.padEnd(DIGITS, "0")}`;
}
