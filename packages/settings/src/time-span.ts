const SPAN = new RegExp(
  String.raw`^(?<sign>-)?(?:(?<days>\d{1,7})\.)?(?<hours>\d{1,2}):(?<minutes>\d{1,2})` +
    String.raw`(?::(?<seconds>\d{1,2})(?:\.(?<fraction>\d{1,7}))?)?$`,
);

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * A time span in the notation of the settings, in milliseconds: `hh:mm`, `hh:mm:ss`, `d.hh:mm:ss`
 * with an optional fraction of a second and an optional sign, or a whole number of days. Undefined
 * for anything else, also for 24 hours or 60 minutes in a field.
 */
export function parseTimeSpan(text: string): number | undefined {
  if (/^-?\d{1,7}$/.test(text)) return Number(text) * DAY_MS;
  const parts = SPAN.exec(text)?.groups;
  if (!parts) return undefined;
  const hours = Number(parts["hours"]);
  const minutes = Number(parts["minutes"]);
  const seconds = Number(parts["seconds"] ?? 0);
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const fractionMs = Math.round(Number(`0.${parts["fraction"] ?? "0"}`) * SECOND_MS);
  const days = Number(parts["days"] ?? 0);
  const total =
    days * DAY_MS + hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS + fractionMs;
  return parts["sign"] && total > 0 ? -total : total;
}

/** The shortest full form: `00:00:30`, `1.00:00:00`, `00:00:00.250`. */
export function formatTimeSpan(spanMs: number): string {
  const absolute = Math.abs(spanMs);
  const days = Math.floor(absolute / DAY_MS);
  const clock = [
    Math.floor((absolute % DAY_MS) / HOUR_MS),
    Math.floor((absolute % HOUR_MS) / MINUTE_MS),
    Math.floor((absolute % MINUTE_MS) / SECOND_MS),
  ].map((field) => String(field).padStart(2, "0"));
  const fraction = absolute % SECOND_MS;
  const text = `${days > 0 ? `${days}.` : ""}${clock.join(":")}`;
  const tail = fraction > 0 ? `.${String(fraction).padStart(3, "0")}` : "";
  return `${spanMs < 0 ? "-" : ""}${text}${tail}`;
}
