import { createLeakReports } from "./leak-reports.ts";
import type { LeakOutcome, LeakReport, LeakReportOptions } from "./leak-reports.ts";
import { createScannerKeys } from "./scanner-keys.ts";

/** Opens the reports of leaked tokens, with the keys of the configured secret scanner. */
export function openLeakReports({
  url,
  fetch,
  log,
  ...options
}: Omit<LeakReportOptions, "keys" | "onError"> & {
  /** Serves the keys of the scanner; undefined = no report with a signature is accepted. */
  readonly url: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly log: { warn(fields: object, message: string): void };
}): (report: LeakReport) => Promise<LeakOutcome> {
  return createLeakReports({
    ...options,
    keys: url === undefined ? undefined : createScannerKeys({ url, fetch, now: options.now }),
    onError: (error) =>
      log.warn({ err: error, url }, "could not read the keys of the secret scanner; will retry"),
  });
}
