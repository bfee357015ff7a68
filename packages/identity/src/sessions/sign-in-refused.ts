import type { Caller } from "@sealhouse/request-types";
import { ANONYMOUS } from "../authorize.ts";
import type { SignInRefusal } from "./sign-in-flow.ts";

/** Event of a refused sign-in. */
export type SignInRefused = {
  readonly type: "user.refused";
  readonly subject: string;
  readonly caller: Caller;
  readonly detail: { readonly code: string; readonly reason: string; readonly account?: string };
};

/** Makes the event of a refused sign-in. */
export function signInRefused(refusal: SignInRefusal): SignInRefused {
  const { actor = ANONYMOUS, provider, code, reason, shown, address, requestId } = refusal;
  return {
    type: "user.refused",
    subject: `provider/${provider}`,
    caller: {
      actor,
      ...(address !== undefined && { address }),
      ...(requestId !== undefined && { requestId }),
    },
    detail: { code, reason, ...(shown !== undefined && { account: shown }) },
  };
}
