import { describe, test } from "vitest";

/** Whether this run is `pnpm test:extended`. */
export const isExtended = process.env["SEALHOUSE_EXTENDED_TESTS"] !== undefined;

/** Takes any call and any property, and registers nothing. */
const NOTHING: unknown = new Proxy(() => NOTHING, { get: () => NOTHING });

/**
 * Like `test`, for `pnpm test:extended` alone: CI proves the rule over the wire, or runs the same
 * client with a similar case. `tools/extended-tests.ts` must list the file.
 */
export const extendedTest = (isExtended ? test : NOTHING) as typeof test;

/** Like `describe`, for `pnpm test:extended` alone. */
export const extendedDescribe = (isExtended ? describe : NOTHING) as typeof describe;
