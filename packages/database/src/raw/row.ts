import { UnexpectedRowError } from "../errors.ts";
import type { Row } from "./query-port.ts";

// One reader per kind of column. They bridge what the databases hand out differently: SQLite keeps
// times as milliseconds and truth values as 0 and 1.

export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new UnexpectedRowError(column, value);
}

export function optionalTextOf(row: Row, column: string): string | undefined {
  return isAbsent(row[column]) ? undefined : textOf(row, column);
}

export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  throw new UnexpectedRowError(column, value);
}

export function flagOf(row: Row, column: string): boolean {
  const value = row[column];
  if (typeof value === "boolean") return value;
  if (value === 0 || value === 1) return value === 1;
  throw new UnexpectedRowError(column, value);
}

export function timeOf(row: Row, column: string): Date {
  const value = row[column];
  if (value instanceof Date) return value;
  if (typeof value === "number") return new Date(value);
  // As PostgreSQL writes it, within a transaction of the ORM: `2026-01-02 03:04:05.678+00`.
  const parsed = typeof value === "string" ? new Date(value) : undefined;
  if (parsed && !Number.isNaN(parsed.getTime())) return parsed;
  throw new UnexpectedRowError(column, value);
}

export function optionalTimeOf(row: Row, column: string): Date | undefined {
  return isAbsent(row[column]) ? undefined : timeOf(row, column);
}

export function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (value instanceof Uint8Array) return value;
  throw new UnexpectedRowError(column, value);
}

export function optionalBytesOf(row: Row, column: string): Uint8Array | undefined {
  return isAbsent(row[column]) ? undefined : bytesOf(row, column);
}

/** Parses a column with a JSON array of strings. */
export function textListOf(row: Row, column: string): readonly string[] {
  const value: unknown = JSON.parse(textOf(row, column));
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new UnexpectedRowError(column, value);
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}
