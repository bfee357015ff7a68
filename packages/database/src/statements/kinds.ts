/** The kind of a parameter: its TypeScript type, how drivers send it, and SQL Server's type. */
export type Kind<T = unknown> = {
  readonly name: "text" | "whole" | "flag" | "time" | "bytes" | "texts" | "wholes" | "records";
  /** The declared type. Text has the length of its column: SQL Server keeps a plan per length. */
  readonly sqlServer: string;
  /** Carries the TypeScript type only; never set. */
  readonly "~type"?: T;
};

/** The kinds of parameters. */
export const param = {
  /** Text of a column of at most `length` characters. */
  text: (length: number): Kind<string> => ({ name: "text", sqlServer: `nvarchar(${length})` }),
  /** Text of any length. */
  longText: kind<string>("text", "nvarchar(max)"),
  /** A whole number up to 2^53 - 1. */
  whole: kind<number>("whole", "bigint"),
  /** A truth value. */
  flag: kind<boolean>("flag", "bit"),
  /** A time in milliseconds. */
  time: kind<Date>("time", "datetime2(3)"),
  /** Bytes of any length. */
  bytes: kind<Uint8Array>("bytes", "varbinary(max)"),
  /** Any number of texts in one parameter, for `Dialect.textsIn`. */
  texts: kind<readonly string[]>("texts", "nvarchar(max)"),
  /** Any number of whole numbers in one parameter, for `Dialect.wholesIn`. */
  wholes: kind<readonly number[]>("wholes", "nvarchar(max)"),
  /** Any number of rows in one parameter, for `Dialect.records`. */
  records: kind<readonly Readonly<Record<string, string | number | undefined>>[]>(
    "records",
    "nvarchar(max)",
  ),
  /** The same kind, or null; `undefined` is sent as null. */
  optional: <T>(base: Kind<T>): Kind<T | null | undefined> => base,
} as const;

function kind<T>(name: Kind["name"], sqlServer: string): Kind<T> {
  return { name, sqlServer };
}

/** The parameters of a statement by name. */
export type Kinds = Readonly<Record<string, Kind>>;

type TypeOf<K> = K extends Kind<infer T> ? T : never;

/** The values of the parameters of a statement. */
export type Values<P extends Kinds> = { readonly [Name in keyof P]: TypeOf<P[Name]> };
