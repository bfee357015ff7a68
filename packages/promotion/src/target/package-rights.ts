import { CallError, collect, createExchange, parseJson } from "@sealhouse/http-responses/outgoing";
import type { CallFailure, Fetch } from "@sealhouse/http-responses/outgoing";
import { strangePushAddress } from "../publishers/nuget-publisher.ts";
import { settle } from "../publishers/settle.ts";
import type { ReleaseMember } from "../model/release.ts";
import { npmClient, nugetClient } from "./open-publisher.ts";
import type { PublishTarget } from "../model/publish-target.ts";

/** Whether the credentials may publish a package. `account`: their account may, and the target does
 * not state the rights of the token. `unknown`: the target does not answer. */
export type PackageRight = "granted" | "account" | "denied" | "unknown";

const ANSWER_BYTES_MAX = 1024 * 1024;
const TIMEOUT_MS = 30_000;

const failure: CallFailure = (code, detail) => new CallError(code, detail);

/** Asks a target about the rights to a package, where it has an answer without a publish. */
export async function packageRight(
  target: PublishTarget,
  member: Pick<ReleaseMember, "name">,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<PackageRight> {
  if (target.protocol === "npm") return npmRight(target, member.name, { fetch, signal });
  const isGallery = /(?:^|\.)nuget\.org$/.test(target.endpoint.hostname);
  return isGallery ? galleryRight(target, member.name, { fetch, signal }) : "unknown";
}

type Call = { readonly fetch: Fetch; readonly signal: AbortSignal };

/** The collaborators of a package by name, as `npm access list collaborators` shows them. */
async function npmRight(target: PublishTarget, name: string, call: Call): Promise<PackageRight> {
  const { fetch, signal } = call;
  const client = npmClient(target, fetch);
  const who = await settle(async () => ({ user: await client.whoami({ signal }) }), signal);
  if ("status" in who || who.user === undefined) return "unknown";
  const base = target.endpoint.href.replace(/\/+$/, "");
  const url = new URL(`${base}/-/package/${name.replace("/", "%2f")}/collaborators`);
  const { status, document } = await asked(target, url, call);
  const right = Object.entries(document).find(([user]) => user === who.user)?.[1];
  if (status !== 200 || typeof right !== "string") return "unknown";
  return right.includes("write") ? "account" : "denied";
}

/** nuget.org answers whether a key may push a version that it has. */
async function galleryRight(target: PublishTarget, id: string, call: Call): Promise<PackageRight> {
  const { fetch, signal } = call;
  const { client } = nugetClient(target, fetch);
  const found = await settle(
    async () => ({
      push: await client.resource("push", { signal }),
      versions: await client.versions(id, { signal }),
    }),
    signal,
  );
  if ("status" in found) return "unknown";
  const { push, versions = [] } = found;
  const version = versions.at(-1);
  if (push === undefined || version === undefined) return "unknown";
  if (strangePushAddress(target, push) !== undefined) return "unknown";
  const path = `/api/v2/verifykey/${encodeURIComponent(id)}/${encodeURIComponent(version)}`;
  const { status } = await asked(target, new URL(path, push), call);
  if (status === 200) return "granted";
  return status === 403 ? "denied" : "unknown";
}

type Asked = {
  /** 0: no answer. */
  readonly status: number;
  readonly document: Readonly<Record<string, unknown>>;
};

async function asked(
  { endpoint, credentials, options }: PublishTarget,
  url: URL,
  { fetch, signal }: Call,
): Promise<Asked> {
  const exchange = createExchange({
    fetch,
    secrets: () => secretsOf(credentials),
    origins: new Set([endpoint.origin, ...options.allowedOrigins]),
    isSecure: endpoint.protocol === "https:",
    userAgent: "Sealhouse",
    idleTimeoutMs: TIMEOUT_MS,
    failure,
  });
  try {
    const answer = await exchange({ method: "GET", url, signal, timeoutMs: TIMEOUT_MS });
    const bytes = await collect(answer, { maxBytes: ANSWER_BYTES_MAX, failure });
    return { status: answer.status, document: documentIn(bytes) };
  } catch {
    signal.throwIfAborted();
    return { status: 0, document: {} };
  }
}

function documentIn(bytes: Uint8Array): Asked["document"] {
  try {
    return { ...(parseJson(bytes) as object) };
  } catch {
    return {}; // an answer without a document
  }
}

function secretsOf(credentials: PublishTarget["credentials"]): Readonly<Record<string, string>> {
  switch (credentials?.type) {
    case "api-key":
      return { "x-nuget-apikey": credentials.key };
    case "bearer":
      return { authorization: `Bearer ${credentials.token}` };
    case "basic": {
      const pair = `${credentials.username}:${credentials.password}`;
      return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
    }
    default:
      return {};
  }
}
