import { basename } from "node:path";
import { packageFileBytes } from "../archive/open-package-bytes.ts";
import type { VerificationReport } from "./verification-report.ts";
import { reportOf } from "./verification-report.ts";
import type { VerifyOptions } from "./verify-package.ts";
import { verifyPackage } from "./verify-package.ts";

/** Verifies a package file. A file that cannot be read gets a report with the error UNREADABLE. */
export async function verifyPackageFile(
  path: string,
  options: VerifyOptions,
): Promise<VerificationReport> {
  try {
    await using file = await packageFileBytes(path, { lend: true });
    return reportOf(path, await verifyPackage(file, options));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const message = `${basename(path)} cannot be read (${error.code}).`;
    return reportOf(path, undefined, { errors: [{ code: "UNREADABLE", message }] });
  }
}

function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && "syscall" in error && "code" in error;
}
