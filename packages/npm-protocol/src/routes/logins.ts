import { headerText } from "@sealhouse/http-responses";
import { NpmError } from "../errors.ts";
import type { Call } from "./call.ts";
import { json, notFound } from "./call.ts";

/** Without it npm asks again at once. */
const RETRY_AFTER = { "retry-after": "2" };

const ENDED = {
  denied: "The registry's operator refused this; ask why, then begin again.",
  ended: "The code expired or was used already; start again.",
} as const;

/**
 * `POST /-/v1/login`: clients open `loginUrl` for a person and ask `doneUrl` until it is done.
 * `sealhouse login` asks for administration with the query `scopes`.
 */
export async function startLogin(call: Call): Promise<Response> {
  const { c, ports } = call;
  const scopes = c.req.query("scopes");
  const started = await ports.accounts.logins.start(c.req.raw, c.env, scopes);
  if (started.status === "refused") throw new NpmError("document-invalid", started.reason);
  if (started.status !== "started") throw notStarted(started.status);
  return json(call, { loginUrl: started.page, doneUrl: doneUrl(call, started.secret) });
}

/** `GET /-/v1/done?sessionId=…` */
export async function pollLogin(call: Call): Promise<Response> {
  const { c, ports } = call;
  const secret = new URL(c.req.url).searchParams.get("sessionId") ?? "";
  const outcome = await ports.accounts.logins.poll(secret);
  switch (outcome.status) {
    case "waiting":
      return json(call, {}, 202, RETRY_AFTER);
    case "agreed":
      return json(call, { token: outcome.secret });
    case "denied":
    case "ended":
      return loginEnded(call, ENDED[outcome.status]);
  }
}

/** Where npm logs in it takes every refusal for "no such way to log in", and would go on to ask for
 * a password; an answer without a token ends it, and the notice is what it prints. */
function loginEnded(call: Call, text: string): Response {
  const error = new NpmError("forbidden", text);
  const command = call.c.req.header("npm-command");
  if (command !== "login" && command !== "adduser") throw error;
  return json(call, error, 200, { "npm-notice": headerText(text) });
}

export function doneUrl({ c, ports }: Call, secret: string): string {
  const { base } = ports.address(c.req.raw, c.env);
  return `${base}/-/v1/done?sessionId=${encodeURIComponent(secret)}`;
}

/** Clients go on to ask for a password. */
export function notStarted(why: "crowded" | "off"): NpmError {
  if (why === "off")
    return notFound("There is no way to log in here but with a token as password.");
  const text = "Too many sign-ins are waiting; try again in some minutes.";
  return new NpmError("limited", text, { headers: { "retry-after": "600" } });
}
