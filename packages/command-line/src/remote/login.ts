import { setTimeout as sleep } from "node:timers/promises";
import { CommandError } from "../command.ts";
import type { ProcessContext } from "../command.ts";
import { printableLine } from "../printable.ts";
import { registryAddress } from "./registry-address.ts";
import { deleteToken, readToken, writeToken } from "./token-file.ts";

type Terminal = Pick<ProcessContext, "env" | "stop" | "stderr">;

/** Milliseconds until a host that sends nothing is given up. */
const ANSWER_MS = 60_000;
const POLL_MS = 2_000;
const POLL_MAX_MS = 30_000;

/** Signs in at a registry: waits until a person approves, and stores the token. */
export async function login(
  terminal: Terminal,
  text: string,
  { scopes }: { readonly scopes: string },
): Promise<number> {
  const url = registryAddress(text, "login");
  const { stderr, stop } = terminal;
  const query = new URLSearchParams({ scopes }).toString();
  const started = await ask(url, `/npm/-/v1/login?${query}`, { method: "POST", stop });
  const { loginUrl, doneUrl } = started.body;
  const session = URL.parse(textOf(doneUrl))?.searchParams.get("sessionId");
  if (started.status !== 200 || typeof loginUrl !== "string" || !session) {
    throw refusedBy(url, started);
  }
  stderr("Open this page, and approve the code in its address:");
  stderr(`  ${printableLine(loginUrl)}`);
  const poll = `/npm/-/v1/done?sessionId=${encodeURIComponent(session)}`;
  for (;;) {
    const answer = await ask(url, poll, { method: "GET", stop });
    if (answer.status === 202) {
      await sleep(waitOf(answer.retryAfter), undefined, { signal: stop });
      continue;
    }
    const { token } = answer.body;
    if (answer.status !== 200 || typeof token !== "string") throw refusedBy(url, answer);
    const path = await writeToken(url, token, terminal);
    stderr(`Signed in at ${url}. The token is in ${path}.`);
    stderr(`To use it: sealhouse --remote ${url} token list`);
    return 0;
  }
}

/** Revokes the token of a registry, and deletes it here in any case. */
export async function logout(terminal: Terminal, text: string): Promise<number> {
  const url = registryAddress(text, "logout");
  const { stderr, stop } = terminal;
  const token = await readToken(url, terminal);
  if (token === undefined) throw new CommandError(`You are not signed in at ${url}.`);
  try {
    const path = `/npm/-/user/token/${encodeURIComponent(token)}`;
    const answer = await ask(url, path, { method: "DELETE", stop });
    // The registry does not know it any longer, which is as good.
    if (answer.status !== 200 && answer.status !== 404) throw refusedBy(url, answer);
  } catch (error) {
    stderr(`The token is deleted here, and may still be valid: revoke it at ${url}/account/tokens`);
    throw error;
  } finally {
    await deleteToken(url, terminal);
  }
  stderr(`Signed out at ${url}. The token is revoked.`);
  return 0;
}

type Answer = {
  readonly status: number;
  /** Empty for an answer that is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfter: string | null;
};

/** @throws CommandError when the registry does not answer */
async function ask(
  url: string,
  path: string,
  { method, stop }: { readonly method: string; readonly stop: AbortSignal },
): Promise<Answer> {
  try {
    const response = await fetch(url + path, {
      method,
      headers: { accept: "application/json" },
      // A redirect would send a token to another host.
      redirect: "error",
      signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)]),
    });
    const body = objectIn(await response.text());
    return { status: response.status, body, retryAfter: response.headers.get("retry-after") };
  } catch (error) {
    if (stop.aborted) throw error;
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new CommandError(`${url} does not answer: ${reason}`);
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function refusedBy(url: string, { status, body }: Answer): CommandError {
  const reason = textOf(body["error"]);
  if (reason !== "") return new CommandError(`${url}: ${printableLine(reason)}`);
  return new CommandError(
    `${url} answered ${status} and not as a Sealhouse registry does. Check the address.`,
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function waitOf(retryAfter: string | null): number {
  const asked = Number(retryAfter) * 1_000;
  return asked > 0 ? Math.min(asked, POLL_MAX_MS) : POLL_MS;
}
