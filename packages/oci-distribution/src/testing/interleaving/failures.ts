import { OciError } from "../../errors.ts";
import { Violation } from "./oracle.ts";

/** The clock leapt over the writer's place in an upload: that client gives up. */
export function isTooSlow(error: unknown): boolean {
  return error instanceof OciError && error.code.startsWith("BLOB_UPLOAD_");
}

/** A client or a collector met what no registry may answer with. */
export function unexpected(name: string, cause: unknown): Violation {
  if (cause instanceof Violation) return cause;
  return new Violation(`${name} was answered with an error: ${String(cause)}`, { cause });
}
