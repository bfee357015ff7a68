import { UnexpectedRowError } from "../errors.ts";
import type { Row } from "./query-port.ts";

// Readers of rows of raw statements, whose columns have no declared types.

export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new UnexpectedRowError(column, value);
}

export function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (value instanceof Uint8Array) return value;
  throw new UnexpectedRowError(column, value);
}
