/** A value as its JSON has it: times are texts. */
export type Shown<T> = T extends Date
  ? string
  : T extends string
    ? T
    : T extends readonly (infer Item)[]
      ? Shown<Item>[]
      : T extends object
        ? { [Name in keyof T]: Shown<T[Name]> }
        : T;

/** Returns a value as its JSON has it. */
export function shown<T extends object>(value: T): Shown<T> {
  return JSON.parse(JSON.stringify(value)) as Shown<T>;
}
