import type { Caller, PackageVerdict } from "@sealhouse/request-types";
import type { ServerResponse } from "node:http";
import { answerThenDrain } from "@sealhouse/http-responses";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AuditMemory } from "../advisories/audit-memory.ts";
import { NpmError } from "../errors.ts";
import type { HiddenNames } from "../hidden-names.ts";
import type { Action, NpmPorts } from "../ports.ts";

/** One request, and what answering it may need. */
export type Call = {
  readonly c: Context;
  /** Answer for hidden names as for unknown ones. */
  readonly ports: NpmPorts;
  readonly hidden: HiddenNames;
  readonly settings: NpmSettings;
  readonly auditMemory: AuditMemory;
};

export type NpmSettings = {
  /** Whether reading is public, so that shared caches may store answers. */
  readonly anonymousRead: boolean;
  /** The largest tarball that is taken, in bytes. */
  readonly tarballBytesMax: number;
  /**
   * Milliseconds after the publish in which callers other than administrators may unpublish a
   * version.
   */
  readonly unpublishWithinMs: number;
  /** Milliseconds that a staged version waits for approval. */
  readonly stagedForMs: number;
  /** Staged versions of one package at a time. */
  readonly stagedPerPackage: number;
  /** Memory of all running audits, in bytes: received bytes and parsed values. */
  readonly auditMemoryBytes: number;
  readonly now: () => Date;
};

type RequiredAccess = { readonly action: Action; readonly name?: string };

/** Lets the caller in, or throws what the protocol answers instead. Reads nothing of the body. */
export async function authorizeCall(call: Call, access: RequiredAccess): Promise<Caller> {
  return (await authorizeLimited(call, access)).caller;
}

/**
 * The same for a request whose address names the package. For a hidden one it returns the caller as
 * for an unknown one, and the ports of the call then know nothing of the name. So use it only where
 * all that the answer depends on comes from these ports by this name.
 */
export async function authorizeNamed(
  call: Call,
  access: Required<RequiredAccess>,
): Promise<Caller> {
  const { c, ports, hidden } = call;
  const verdict = await ports.authorize(c.req.raw, c.env, access);
  if (verdict.status === "absent") hidden.add(access.name);
  if (verdict.status === "granted" || verdict.status === "absent") return verdict.caller;
  throw refusalOf(call, verdict);
}

/** The same for what lists packages: also gives the limit of the names that the caller may see. */
export async function authorizeLimited(
  call: Call,
  access: RequiredAccess,
): Promise<Extract<PackageVerdict, { readonly status: "granted" }>> {
  const { c, ports } = call;
  const verdict = await ports.authorize(c.req.raw, c.env, access);
  if (verdict.status === "granted") return verdict;
  throw refusalOf(call, verdict);
}

/** As `authorizeNamed` for a read: returns the call with the settings for its answer. */
export async function authorizeRead(call: Call, name: string): Promise<Call> {
  const { c, ports, settings, hidden } = call;
  const access = { action: "read", name } as const;
  const verdict = await ports.authorize(c.req.raw, c.env, access);
  if (verdict.status === "absent") {
    hidden.add(name);
    return call;
  }
  if (verdict.status !== "granted") throw refusalOf(call, verdict);
  return verdict.isPrivate ? { ...call, settings: { ...settings, anonymousRead: false } } : call;
}

/** Answer of the protocol to an unauthorized caller. */
export function refusalOf(
  { c }: Pick<Call, "c">,
  verdict: Exclude<PackageVerdict, { readonly status: "granted" }>,
): NpmError {
  switch (verdict.status) {
    case "absent":
      return notFound();
    case "anonymous":
      return loginRequired(c, verdict.reason);
    case "denied":
      return verdict.isConcealed ? notFound() : new NpmError("forbidden", verdict.reason);
    case "limited":
      return tooManyFailures(verdict);
  }
}

export function tooManyFailures({
  retryAfterSeconds,
}: {
  readonly retryAfterSeconds: number;
}): NpmError {
  return new NpmError("limited", "Too many failed sign-ins from this address; wait a while.", {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

/** npm hides our text behind its own advice to log in where it is challenged; who sent a token is
 * better told what is wrong with it. */
export function loginRequired(c: Context, reason?: string): NpmError {
  if (c.req.header("authorization") === undefined) {
    const text = "This registry wants to know who you are: run npm login.";
    const headers = { "www-authenticate": 'Bearer realm="npm"' };
    return new NpmError("login-required", reason ?? text, { headers });
  }
  const text = "The token in your .npmrc is not known here, has expired or was revoked.";
  return new NpmError("login-required", reason ?? text);
}

export function notFound(text = "Not found"): NpmError {
  return new NpmError("not-found", text);
}

/** A small JSON answer, never chunked. */
export function json(
  { c }: Pick<Call, "c">,
  value: unknown,
  status: ContentfulStatusCode = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const text = JSON.stringify(value);
  return c.body(text, status, { ...headOf(text), ...headers });
}

/** Answer to an authorized ping, for a host that answers reads itself. */
export function writePing(outgoing: ServerResponse): void {
  outgoing.writeHead(200, PING_HEAD).end(PING_TEXT);
}

const PING_TEXT = "{}";
const PING_HEAD = headOf(PING_TEXT);

/** Answer to an error, for a host that answers a read itself. */
export function writeRefusal(outgoing: ServerResponse, error: NpmError): void {
  const text = JSON.stringify(error);
  outgoing.writeHead(error.status, { ...headOf(text), ...error.headers }).end(text);
}

function headOf(text: string): Record<string, string> {
  return {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
    "cache-control": "no-store",
  };
}

/** The answer to an error, given before the body was read where it was not read yet. */
export async function refuse(c: Context, error: NpmError): Promise<Response> {
  const answer = json({ c }, error, error.status, error.headers);
  return isWrite(c.req.method) ? answerThenDrain(c, answer) : answer;
}

export function methodUnknown(c: Context, allowedMethod: string): NpmError {
  const text = `${c.req.method} is not understood here; ${allowedMethod} would be.`;
  return new NpmError("method-unknown", text, { headers: { allow: allowedMethod } });
}

export function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function isWrite(method: string): boolean {
  return method === "PUT" || method === "POST" || method === "DELETE";
}
