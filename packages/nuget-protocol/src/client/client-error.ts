import { CallError } from "@sealhouse/http-responses/outgoing";
import type { CallErrorCode, CallFailure } from "@sealhouse/http-responses/outgoing";

export type NuGetClientErrorCode =
  | CallErrorCode
  /** The feed does not offer this resource. */
  | "unsupported";

/** A feed did not give what it was asked for; the message names the address and the reason. */
export class NuGetClientError extends CallError<NuGetClientErrorCode> {
  override readonly name = "NuGetClientError";
}

export const failure: CallFailure = (code, detail) => new NuGetClientError(code, detail);
