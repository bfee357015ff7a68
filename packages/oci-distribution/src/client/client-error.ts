import { CallError } from "@sealhouse/http-responses/outgoing";
import type { CallErrorCode, CallFailure } from "@sealhouse/http-responses/outgoing";

export type OciClientErrorCode =
  | CallErrorCode
  /** Bytes that do not have the digest, or the size, that was asked for. */
  | "mismatch"
  /** The content to send cannot be read. */
  | "source";

/** A registry did not give, or take, what it should; the message names the address and why. */
export class OciClientError extends CallError<OciClientErrorCode> {
  override readonly name = "OciClientError";
}

export const failure: CallFailure = (code, detail) => new OciClientError(code, detail);
