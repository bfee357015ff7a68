const DATE = /^\d{4}-\d{2}-\d{2}/;

/** A date, with or without a time. Undefined for other text, and for days that do not exist. */
export function realDate(text: string): Date | undefined {
  const [day] = DATE.exec(text) ?? [];
  const date = new Date(text);
  if (day === undefined || Number.isNaN(date.getTime())) return undefined;
  // `Date` reads 2027-02-31 as a day in March.
  const midnight = new Date(day);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
    ? date
    : undefined;
}
