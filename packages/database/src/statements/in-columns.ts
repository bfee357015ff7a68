/** A name of a parameter as the name of its column: `created_at` for `createdAt`. */
type ColumnName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${ColumnName<Rest>}`
    : `_${Lowercase<First>}${ColumnName<Rest>}`
  : Name;

/** Parameters by the names of their columns. */
export type InColumns<Row> = {
  readonly [Name in keyof Row & string as ColumnName<Name>]: Row[Name];
};

/** Gives each parameter of a row to the column of its name. */
export function inColumns<Row extends Readonly<Record<string, unknown>>>(row: Row): InColumns<Row> {
  const entries = Object.entries(row).map(([name, value]) => [columnName(name), value]);
  return Object.fromEntries(entries) as InColumns<Row>;
}

function columnName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
