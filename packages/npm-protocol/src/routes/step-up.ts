import type { Caller } from "@sealhouse/request-types";
import { headerText } from "@sealhouse/http-responses";
import type { StepUpAction } from "../accounts/ports.ts";
import { NpmError } from "../errors.ts";
import type { Call } from "./call.ts";
import { loginRequired } from "./call.ts";
import { doneUrl, notStarted } from "./logins.ts";

/**
 * Demands that a person agrees to an action, where the operator wants it. The client repeats the
 * whole request with the password in `npm-otp`: it gets that from the `doneUrl` of the web form, or
 * from its user.
 *
 * @throws NpmError `step-up-required` in the form that the client understands
 */
export async function requireStepUp(
  call: Call,
  caller: Caller,
  action: StepUpAction,
): Promise<void> {
  const { c, ports } = call;
  const { tokenId } = caller;
  if (tokenId === undefined) throw loginRequired(c);
  const holder = { ...caller, tokenId };
  const { stepUp } = ports.accounts;
  const password = c.req.header("npm-otp");
  if ((await stepUp.check(holder, action, password)) === "confirmed") return;
  const started = await stepUp.start(c.req.raw, c.env, { holder, action });
  if (started.status !== "started") throw notStarted(started.status);
  const { page, code, secret } = started;
  const command = `sealhouse npm confirm ${code}`;
  const wrong =
    password === undefined ? "" : "This one-time password is not, or no longer, valid. ";
  // Clients look for `one-time pass` in older forms of this answer.
  const text =
    `${wrong}This needs a one-time password: ask the registry's operator to run ` +
    `\`${command}\`, then repeat the command with --otp=${code}.`;
  const isWeb = c.req.header("npm-auth-type") === "web";
  throw new NpmError("step-up-required", text, {
    headers: {
      "www-authenticate": "OTP",
      "npm-notice": headerText(isWeb ? `Ask the registry's operator to run: ${command}` : text),
    },
    ...(isWeb && { more: { authUrl: page, doneUrl: doneUrl(call, secret) } }),
  });
}
