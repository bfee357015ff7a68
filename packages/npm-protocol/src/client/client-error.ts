import { CallError } from "@sealhouse/http-responses/outgoing";
import type { CallErrorCode, CallFailure } from "@sealhouse/http-responses/outgoing";

export type NpmClientErrorCode =
  | CallErrorCode
  /** A tarball differs from the metadata of its packument. */
  | "integrity";

/** A registry did not give what it was asked for; the message names the address and the reason. */
export class NpmClientError extends CallError<NpmClientErrorCode> {
  override readonly name = "NpmClientError";
}

export const failure: CallFailure = (code, detail) => new NpmClientError(code, detail);

export function malformed(url: URL, reason: string): NpmClientError {
  return new NpmClientError("malformed", { url, reason });
}
