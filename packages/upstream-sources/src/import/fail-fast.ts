import type { ImportReport } from "./report.ts";

/** Stops an import after the first complaint. */
export class FailFastError extends Error {
  override readonly name = "FailFastError";
  readonly code = "fail-fast";
}

/** @throws {FailFastError} when anything was refused or failed, with `failFast` */
export function checkComplaints(report: ImportReport, failFast: boolean): void {
  if (failFast && report.refused + report.failed > 0) throw new FailFastError();
}
