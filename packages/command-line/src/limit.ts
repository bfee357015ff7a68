import { CommandError } from "./command.ts";

const LIMIT_MAX = 1_000;

/** @throws {CommandError} */
export function limitIn(text: string, max = LIMIT_MAX): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= max) return limit;
  throw new CommandError(`--limit must be a whole number from 1 to ${max}.`);
}
