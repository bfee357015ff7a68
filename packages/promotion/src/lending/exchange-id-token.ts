import {
  CallError,
  collect,
  createExchange,
  isCallError,
  parseJson,
  refusalOf,
  unreachable,
} from "@sealhouse/http-responses/outgoing";
import type { CallFailure, Fetch, Outgoing } from "@sealhouse/http-responses/outgoing";
import { strangePushAddress } from "../publishers/nuget-publisher.ts";
import { failureOf, settle } from "../publishers/settle.ts";
import type { Failure } from "../publishers/settle.ts";
import { nugetClient } from "../target/open-publisher.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import type { LentKey } from "./lent-keys.ts";

/** A key that a target gave for an ID token, or why it gave none. */
export type ExchangedKey = ({ readonly status: "exchanged" } & LentKey) | Failure;

export type ExchangeParts = {
  readonly fetch: Fetch;
  readonly now: () => Date;
};

/** An ID token, and details of the key that it is exchanged for. */
export type ExchangeRequest = {
  readonly idToken: string;
  /** npm: the package of the key. */
  readonly name: string;
  /** NuGet: the account of the packages. */
  readonly username?: string | undefined;
};

const ANSWER_BYTES_MAX = 64 * 1024;
const TIMEOUT_MS = 100_000;
/** Life of a key whose answer has no time. */
const KEY_MS = 15 * 60_000;

const failure: CallFailure = (code, detail) => new CallError(code, detail);

/**
 * Exchanges the ID token of a build job for a key of the target, as npm and NuGet define it. The
 * token goes to the origin of the target, and to those that its operator allows.
 */
export async function exchangeIdToken(
  target: PublishTarget,
  request: ExchangeRequest,
  parts: ExchangeParts,
  signal: AbortSignal,
): Promise<ExchangedKey> {
  const url =
    target.protocol === "npm"
      ? exchangeUrl(target.endpoint, request.name)
      : await tokenUrl(target, parts.fetch, signal);
  if ("status" in url) return url;
  return settle(() => exchange(target, { ...request, url }, parts, signal), signal);
}

function exchangeUrl({ href }: URL, name: string): URL {
  const base = href.replace(/\/+$/, "");
  return new URL(`${base}/-/npm/v1/oidc/token/exchange/package/${name.replace("/", "%2f")}`);
}

/** NuGet's is on the host of the push address. */
async function tokenUrl(
  target: PublishTarget,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<URL | Failure> {
  const { endpoint, options } = target;
  const { client, hasIndex } = nugetClient({ endpoint, options }, fetch);
  const push = hasIndex
    ? await settle(async () => ({ url: await client.resource("push", { signal }) }), signal)
    : { url: target.endpoint.href };
  if ("status" in push) return push;
  if (push.url === undefined) return { status: "refused", reason: "it takes no packages" };
  const strange = strangePushAddress(target, push.url);
  if (strange !== undefined) return { status: "refused", reason: strange };
  return new URL("/api/v2/token", push.url);
}

async function exchange(
  { protocol, endpoint, options }: PublishTarget,
  { idToken, username, url }: ExchangeRequest & { readonly url: URL },
  { fetch, now }: ExchangeParts,
  signal: AbortSignal,
): Promise<ExchangedKey> {
  const headers = { authorization: `Bearer ${idToken}` };
  const call = createExchange({
    fetch,
    secrets: () => headers,
    origins: new Set([endpoint.origin, ...options.allowedOrigins]),
    isSecure: endpoint.protocol === "https:",
    userAgent: "Sealhouse",
    idleTimeoutMs: TIMEOUT_MS,
    failure,
  });
  const body = protocol === "npm" ? {} : { username, tokenType: "ApiKey" };
  try {
    const answer = await call({ ...jsonPost(url, body), signal, timeoutMs: TIMEOUT_MS });
    const document = documentIn(await collect(answer, { maxBytes: ANSWER_BYTES_MAX, failure }));
    const { status } = answer;
    const secret = document[protocol === "npm" ? "token" : "apiKey"];
    if (status >= 200 && status < 300 && typeof secret === "string" && secret !== "") {
      return { status: "exchanged", secret, expiresAt: expiryIn(document, now()) };
    }
    const stated = [document["message"], document["error"]].find(
      (text) => typeof text === "string",
    );
    // Some servers repeat what they were sent.
    const hidden = typeof stated === "string" ? stated.replaceAll(idToken, "***") : undefined;
    const words = hidden ?? `it was answered ${status}`;
    const reason = `the target gives no key for the ID token: ${words}`;
    return failureOf(refusalOf(answer, { reason, unauthorized: [401], now: now() }));
  } catch (error) {
    signal.throwIfAborted();
    // Also a redirect to another server: a repetition would send the ID token there again.
    if (isCallError(error)) throw error;
    throw unreachable(url, error, { failure });
  }
}

function jsonPost(url: URL, value: unknown): Outgoing {
  const bytes = Buffer.from(JSON.stringify(value));
  return {
    method: "POST",
    url,
    headers: { "content-type": "application/json", "content-length": String(bytes.length) },
    async *body() {
      yield bytes;
    },
  };
}

function documentIn(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return { ...(parseJson(bytes) as object) };
  } catch {
    return {}; // not JSON, so it has no message
  }
}

function expiryIn({ expires }: Readonly<Record<string, unknown>>, now: Date): Date {
  const stated = typeof expires === "string" ? new Date(expires) : undefined;
  const isTime = stated !== undefined && !Number.isNaN(stated.getTime());
  return isTime ? stated : new Date(now.getTime() + KEY_MS);
}
