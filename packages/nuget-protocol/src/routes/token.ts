import { readBody, setReasonPhrase } from "@sealhouse/http-responses";
import type { Context, Hono } from "hono";
import type { NuGetPorts } from "../ports.ts";

type TokenPorts = Pick<NuGetPorts, "exchange">;

const BODY_BYTES_MAX = 16 * 1024;
const USERNAME_MAX = 255;

/** A refusal for the action `NuGet/login`, which shows `error`. */
type Refusal = { readonly status: 400 | 401 | 404 | 415 | 429; readonly error: string };

/**
 * `POST /api/v2/token`: exchanges the ID token of a build job for a short-lived API key, in the
 * form of nuget.org.
 */
export function mountToken(app: Hono, ports: TokenPorts): void {
  app.post("/api/v2/token", async (c) => {
    c.header("cache-control", "no-store");
    const { exchange } = ports;
    if (!exchange) {
      return refuse(c, { status: 404, error: "This feed exchanges no ID tokens." });
    }
    const idToken = idTokenOf(c);
    if (idToken === undefined) {
      const error = "Send one ID token in the header Authorization, after Bearer.";
      return refuse(c, { status: 401, error });
    }
    const username = await usernameIn(c);
    if (typeof username !== "string") return refuse(c, username);
    const outcome = await exchange(c.req.raw, c.env, { idToken, username });
    if (outcome.status === "limited") {
      c.header("retry-after", String(outcome.retryAfterSeconds));
      const error = "Too many invalid ID tokens came from this address. Try again in a minute.";
      return refuse(c, { status: 429, error });
    }
    if (outcome.status === "refused") return refuse(c, { status: 401, error: outcome.reason });
    const expires = outcome.expiresAt.toISOString();
    return c.json({ tokenType: "ApiKey", expires, apiKey: outcome.apiKey });
  });
}

/** Several headers are joined with a comma, and are refused. */
function idTokenOf(c: Context): string | undefined {
  const header = c.req.header("authorization") ?? "";
  return /^bearer +([^\s,]+)$/i.exec(header)?.[1];
}

async function usernameIn(c: Context): Promise<string | Refusal> {
  const [type = ""] = (c.req.header("content-type") ?? "").split(";", 1);
  if (type.trim().toLowerCase() !== "application/json") {
    return { status: 415, error: "The content type must be application/json." };
  }
  const body = parsed(await readBody(c, BODY_BYTES_MAX));
  const { username, tokenType } = body ?? {};
  if (typeof username !== "string" || username === "" || username.length > USERNAME_MAX) {
    return { status: 400, error: "The field username must be a user or team, or any text." };
  }
  if (typeof tokenType !== "string" || tokenType.toLowerCase() !== "apikey") {
    return { status: 400, error: "The field tokenType must be ApiKey." };
  }
  return username;
}

function parsed(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const isObject = typeof value === "object" && value !== null;
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined; // reported as missing fields
  }
}

function refuse(c: Context, { status, error }: Refusal): Response {
  setReasonPhrase(c, error);
  if (status === 401) c.header("www-authenticate", "Bearer");
  return c.json({ error }, status);
}
