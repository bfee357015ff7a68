import { CommandError } from "../command.ts";

const LIMIT_MAX = 1_000;

/** @throws {CommandError} */
export function limitIn(text: string): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new CommandError(`--limit must be a whole number from 1 to ${LIMIT_MAX}.`);
}
