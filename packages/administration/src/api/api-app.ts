import { unavailableOf } from "@sealhouse/http-responses";
import type {
  DescribeUnavailable,
  IdempotentAnswers,
  KeptAnswer,
  Unavailable,
} from "@sealhouse/http-responses";
import type { AdministrationAuthorize } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import { Hono } from "hono";
import type { Context } from "hono";
import { dryRunOf, isJob } from "../action.ts";
import type { Action } from "../action.ts";
import { entityTagOf } from "../entity-tag.ts";
import type { AdministrationParts } from "../parts.ts";
import { checkRow, runAction } from "../run-action.ts";
import type { RowCheck } from "../run-action.ts";
import { checkPrecondition } from "./precondition.ts";
import { answerOnce } from "./idempotency.ts";
import type { JobRunner } from "./jobs.ts";
import { openApiDocument } from "./open-api.ts";
import { problemOf, RefusedRequestError } from "./problem.ts";
import { readInput } from "./read-input.ts";
import type { ReadInput } from "./read-input.ts";

/** Where the API is, below the root of the registry. */
export const API_PATH = "/api/admin/v1";

export type AdministrationApiOptions = {
  readonly actions: readonly Action[];
  readonly parts: AdministrationParts;
  readonly authorize: AdministrationAuthorize;
  /** Keeps the answers of requests with an idempotency key. */
  readonly answers: IdempotentAnswers;
  /** Runs long actions. */
  readonly runner: JobRunner;
  readonly now: () => Date;
  /** The version of the product, for the document. */
  readonly version: string;
  /** The URL under which the client reached the registry, without a final slash. */
  readonly baseOf: (request: Request, env: unknown) => string;
  /** Explains errors of a database or a storage that is away. */
  readonly unavailable: DescribeUnavailable;
};

/** Is in the description where the address of a request belongs. */
const SERVER = "https://server.invalid";

/** Creates the HTTP API of all actions, below `API_PATH`. */
export function createAdministrationApi(options: AdministrationApiOptions): Hono {
  const { version } = options;
  // Written once: anonymous callers may ask for it, and it describes every schema.
  let description: string | undefined;
  const app = new Hono().basePath(API_PATH);
  app.onError((error, c) => {
    const away = unavailableOf(c, error, options.unavailable);
    const refused = problemOf(away ? awayError(away) : error);
    if (!refused) throw error;
    return refused;
  });
  app.get("/openapi.json", (c) => {
    const server = JSON.stringify(options.baseOf(c.req.raw, c.env) + API_PATH);
    description ??= JSON.stringify(openApiDocument(options.actions, { version, server: SERVER }));
    const text = description.replace(JSON.stringify(SERVER), () => server);
    return c.body(text, 200, { "content-type": "application/json" });
  });
  for (const action of options.actions) {
    const path = action.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(action.method, path, (c) => answer(options, action, c));
  }
  app.all("*", (c) => unknownPath(options, c));
  return app;
}

function awayError({ text, retryAfterSeconds, isCallerLimited }: Unavailable): Error {
  const headers =
    retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  const reason = isCallerLimited ? "limited" : "unavailable";
  return new RefusedRequestError(reason, text, { headers });
}

async function answer(
  options: AdministrationApiOptions,
  action: Action,
  c: Context,
): Promise<Response> {
  const first = await allowedFor(options, action, c);
  const read = await readInput(action, c);
  const needsAdmin = await action.needsAdmin?.(read.input, options.parts);
  const caller = needsAdmin ? await allowed(options, c, { scope: "admin" }) : first;
  const isDryRun = dryRunOf(action, read.isDryRun, options.parts);
  const asked = { caller, read: { ...read, isDryRun } };
  if (action.method === "GET") return answerRead(options, action, c, asked);
  const change = async () => {
    if (isJob(action, isDryRun)) return jobAnswer(options, action, c, asked);
    const output = await outputOf(options, action, c, asked);
    const status = action.method === "POST" && !action.changes && !isDryRun ? 201 : 200;
    return { status, body: JSON.stringify(output) };
  };
  if (action.method !== "POST" || isDryRun) return shown(await change());
  const key = c.req.header("idempotency-key");
  if (key === undefined) return shown(await change());
  const { input } = read;
  return shown(await answerOnce(options, { key, caller, action: action.id, input }, change));
}

async function jobAnswer(
  { actions, parts, runner, now }: AdministrationApiOptions,
  action: Action,
  c: Context,
  { caller, read }: AskedBy,
): Promise<KeptAnswer> {
  const asked = { ...read, parts, caller, now: now() };
  const { signal } = c.req.raw;
  await checkRow(action, { ...asked, signal }, preconditionOf(actions, c));
  const id = await runner.start(action, asked);
  return { status: 202, body: JSON.stringify({ job: id }) };
}

type AskedBy = {
  readonly caller: Caller;
  readonly read: ReadInput & { readonly isDryRun: boolean };
};

async function answerRead(
  options: AdministrationApiOptions,
  action: Action,
  c: Context,
  asked: AskedBy,
): Promise<Response> {
  const output = await outputOf(options, action, c, asked);
  const etag = entityTagOf(action, output);
  const headers = { etag, "cache-control": "private, no-cache", vary: "authorization, cookie" };
  if (c.req.header("if-none-match")?.includes(etag)) {
    return new Response(undefined, { status: 304, headers });
  }
  const next = nextOf(output);
  const link = next === undefined ? {} : { link: `<${nextUrl(c, next)}>; rel="next"` };
  return Response.json(output, { headers: { ...headers, ...link } });
}

function shown({ status, body }: KeptAnswer): Response {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return new Response(body, { status, headers });
}

async function outputOf(
  { actions, parts, now }: AdministrationApiOptions,
  action: Action,
  c: Context,
  { caller, read }: AskedBy,
): Promise<unknown> {
  const { signal } = c.req.raw;
  const asked = { ...read, parts, caller, now: now(), signal };
  return action.output.parse(await runAction(action, asked, preconditionOf(actions, c)));
}

/** Compares `If-Match` with the row that an action changes. */
function preconditionOf(actions: readonly Action[], c: Context): RowCheck {
  return { actions, compare: (tag) => checkPrecondition(c.req.header("if-match"), tag) };
}

/** @throws RefusedRequestError */
async function allowedFor(
  options: AdministrationApiOptions,
  action: Action,
  c: Context,
): Promise<Caller> {
  const { scope, lasting } = action;
  const reads = lasting === undefined ? ({ changesNothing: true } as const) : {};
  try {
    return await allowed(options, c, { scope, ...reads });
  } catch (error) {
    const isDenied = error instanceof RefusedRequestError && error.reason === "denied";
    if (!isDenied || !action.alsoFor) throw error;
    const read = await readInput(action, c).catch(() => undefined);
    const id = read && (await action.alsoFor(read.input, options.parts));
    const other = options.actions.find((one) => one.id === id);
    if (!other) throw error;
    return allowed(options, c, { scope: other.scope, ...reads });
  }
}

/** @throws RefusedRequestError */
async function allowed(
  { authorize }: AdministrationApiOptions,
  c: Context,
  wanted: Parameters<AdministrationAuthorize>[2],
): Promise<Caller> {
  const verdict = await authorize(c.req.raw, c.env, wanted);
  switch (verdict.status) {
    case "granted":
      return verdict.caller;
    case "anonymous":
      throw new RefusedRequestError("anonymous", verdict.reason ?? NO_CREDENTIALS, {
        headers: { "www-authenticate": "Bearer" },
      });
    case "limited": {
      const { retryAfterSeconds } = verdict;
      const headers = { "retry-after": String(retryAfterSeconds) };
      throw new RefusedRequestError("limited", "Too many failed sign-ins.", { headers });
    }
    case "step-up":
      throw new RefusedRequestError("denied", UNCONFIRMED);
    default:
      throw new RefusedRequestError(
        "denied",
        "reason" in verdict ? verdict.reason : NO_CREDENTIALS,
      );
  }
}

const NO_CREDENTIALS = "Send a token with the header Authorization: Bearer <token>.";
const UNCONFIRMED = "A session must confirm this on its page. A program needs a token.";

function nextOf(output: unknown): string | undefined {
  const has = typeof output === "object" && output !== null && "next" in output;
  return has && typeof output.next === "string" ? output.next : undefined;
}

function nextUrl(c: Context, next: string): string {
  const url = new URL(c.req.url);
  url.searchParams.set("after", next);
  // Relative, because a proxy may have given the registry another address.
  return `?${url.searchParams.toString()}`;
}

function unknownPath(
  { actions, version }: Pick<AdministrationApiOptions, "actions" | "version">,
  c: Context,
): Response {
  const path = c.req.path.slice(c.req.path.indexOf(API_PATH) + API_PATH.length);
  const methods = actions.filter((action) => fits(action, path)).map(({ method }) => method);
  const refused =
    methods.length === 0
      ? new RefusedRequestError(
          "absent",
          `Version ${version} has nothing at ${path}. See openapi.json.`,
        )
      : new RefusedRequestError("wrong-method", `Use ${methods.join(" or ")}.`, {
          headers: { allow: methods.join(", ") },
        });
  return problemOf(refused) as Response;
}

function fits({ path }: Action, asked: string): boolean {
  const parts = path.split("/");
  const given = asked.split("/");
  const isSame = (part: string, at: number) => part.startsWith("{") || part === given[at];
  return parts.length === given.length && parts.every(isSame);
}
