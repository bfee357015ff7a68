import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { RefusedActionError } from "@sealhouse/administration";
import type { Action, ActionRefusal, RefusedField } from "@sealhouse/administration";
import { isJob, pathFields } from "@sealhouse/administration/inputs";
import { CommandError } from "../command.ts";
import type { DoAction } from "../actions/call-action.ts";

/** A registry on another machine, and the token that administers it. */
export type RemoteHost = {
  /** Its public address, without a final slash. */
  readonly url: string;
  readonly token: string;
};

const API = "/api/admin/v1";
/** Milliseconds until a host that sends nothing is given up. */
const ANSWER_MS = 60_000;

/** Does actions at another registry, by its API. */
export function doRemotely(remote: RemoteHost, stop: AbortSignal): DoAction {
  return async ({ action, input, isDryRun }, report) => {
    const first = await ask(remote, requestOf(action, input, isDryRun), stop);
    if (isJob(action, isDryRun)) {
      return endOfJob(remote, { ...(first as { readonly job: string }), report }, stop);
    }
    // Other outputs than lists may have items, too.
    const isList = "after" in action.input.shape;
    if (!isList || !isPage(first) || input["limit"] !== undefined) return first;
    const items = [...first.items];
    for (let { next } = first; next !== undefined;) {
      const page = await ask(remote, requestOf(action, { ...input, after: next }), stop);
      if (!isPage(page)) break;
      items.push(...page.items);
      ({ next } = page);
    }
    return { items };
  };
}

type Job = { readonly state: string; readonly progress?: string; readonly result?: unknown };

/** Waits for the end of a job, and reports its last lines. */
async function endOfJob(
  remote: RemoteHost,
  { job, report }: { readonly job: string; readonly report: (line: string) => void },
  stop: AbortSignal,
): Promise<unknown> {
  const call = { method: "GET", path: `/jobs/${job}`, body: undefined, headers: {} };
  let reported: string | undefined;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LAST_WAIT_MS)) {
    const { state, result, progress } = (await ask(remote, call, stop)) as Job;
    if (progress !== undefined && progress !== reported) report(progress);
    reported = progress;
    if (state === "done") return result;
    if (state === "refused") {
      const { reason, message, problems } = result as RefusedJob;
      throw new RefusedActionError(reason, message, problems);
    }
    if (state !== "running") {
      const reason = typeof result === "string" ? result : "Its host ended, or lost the database.";
      throw new CommandError(`The job ${job} is ${state}. ${reason}`);
    }
    await sleep(waitMs, undefined, { signal: stop }).catch(() => {
      throw new CommandError(`The job continues: sealhouse job show ${job}`);
    });
  }
}

type RefusedJob = {
  readonly reason: ActionRefusal;
  readonly message: string;
  readonly problems: readonly RefusedField[];
};
const FIRST_WAIT_MS = 100;
const LAST_WAIT_MS = 5_000;

type Page = { readonly items: readonly unknown[]; readonly next?: string };

function isPage(value: unknown): value is Page {
  return typeof value === "object" && value !== null && "items" in value;
}

type Call = {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

function requestOf(action: Action, input: Record<string, unknown>, isDryRun?: boolean): Call {
  const { method, path, changes, dryRunDefault } = action;
  const inPath = pathFields(action);
  const rest = Object.entries(input).filter(
    ([name, value]) => value !== undefined && !inPath.includes(name),
  );
  const inQuery = method === "GET" || method === "DELETE";
  const query = new URLSearchParams(inQuery ? rest.flatMap(textsOf) : []);
  if (isDryRun || (isDryRun === false && dryRunDefault)) query.set("dry-run", String(isDryRun));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input[name])),
  );
  return {
    method,
    path: query.size > 0 ? `${filled}?${query.toString()}` : filled,
    body: inQuery ? undefined : JSON.stringify(Object.fromEntries(rest)),
    headers: {
      ...(!inQuery && { "content-type": "application/json" }),
      // A typed command applies to the current state.
      ...(changes !== undefined && { "if-match": "*" }),
      ...(method === "POST" && { "idempotency-key": randomUUID() }),
    },
  };
}

function textsOf([name, value]: readonly [string, unknown]): [string, string][] {
  const values = Array.isArray(value) ? value : [value];
  return values.map((one) => [name, String(one)]);
}

/**
 * @throws RefusedActionError when the action was refused
 * @throws CommandError for everything else that is not an answer of the action
 */
async function ask({ url, token }: RemoteHost, call: Call, stop: AbortSignal): Promise<unknown> {
  const { method, path, body, headers } = call;
  const response = await answerOf(url, () =>
    fetch(`${url}${API}${path}`, {
      method,
      headers: { accept: "application/json", authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body }),
      // A redirect would send the token to another host.
      redirect: "error",
      signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)]),
    }),
  );
  const type = response.headers.get("content-type") ?? "";
  const text = await answerOf(url, () => response.text());
  if (response.ok && type.startsWith("application/json")) return JSON.parse(text);
  if (!type.startsWith("application/problem+json")) {
    throw new CommandError(
      `${url} answered ${response.status} and not as a Sealhouse registry with this API does. ` +
        "Check the address of --remote.",
    );
  }
  throw refusalIn(url, JSON.parse(text) as Problem);
}

async function answerOf<T>(url: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new CommandError(`${url} does not answer: ${reason}`);
  }
}

type Problem = {
  readonly type: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
};

const OF_ACTIONS = new Set<string>([
  "absent",
  "exists",
  "busy",
  "conflict",
  "invalid",
  "unsupported",
  "unavailable",
] satisfies readonly ActionRefusal[]);

function refusalIn(url: string, { type, detail, errors = [] }: Problem): Error {
  const reason = type.replace("urn:sealhouse:problem:", "");
  if (!OF_ACTIONS.has(reason)) return new CommandError(`${url}: ${detail}`);
  const problems = errors.map(({ pointer, detail: words }) => ({
    field: pointer.slice(2).split("/")[0] ?? "",
    words,
  }));
  return new RefusedActionError(reason as ActionRefusal, detail, problems);
}
