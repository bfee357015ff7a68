import type { RefusalNotes } from "@sealhouse/events";
import { parseBindings, reasonOf } from "@sealhouse/http-server";
import type { RequestContext, RequestContexts } from "@sealhouse/http-server";
import { ANONYMOUS, isAdministrative } from "@sealhouse/identity";
import type { RequestDecisions } from "@sealhouse/identity";

type Fetch = (request: Request, env?: unknown) => Promise<Response>;

/** Keeps that a rule refuses the version that a request asked for, whatever its answer says. */
export function noteWithheld({ decisions }: RequestContext<RequestDecisions>): void {
  const { asked } = decisions;
  if (asked) decisions.asked = { ...asked, status: "denied" };
}

/** Dependencies of `notingRefusals`. */
export type NotedRefusalsParts = {
  readonly contexts: Pick<RequestContexts<RequestDecisions>, "of">;
  readonly notes: Pick<RefusalNotes, "note">;
};

/**
 * Notes requests that an answer refuses, in the words that the caller gets. A request without
 * credentials that is asked for some is not refused: clients begin with it.
 */
export function notingRefusals(fetch: Fetch, { contexts, notes }: NotedRefusalsParts): Fetch {
  return async (request, env) => {
    const response = await fetch(request, env);
    const status = statusOf(response, env);
    if (status < 400) return response;
    const context = contexts.of(request, env);
    const { asked } = context.decisions;
    if (!isRefused(request, status, asked)) return response;
    const hidden = asked?.status === "absent" ? HIDDEN : undefined;
    notes.note({
      caller: callerOf(context),
      subject: subjectOf(asked),
      action: asked?.action ?? request.method,
      reason: hidden ?? asked?.reason ?? (await reasonOf(response)) ?? `Answered ${status}.`,
    });
    return response;
  };
}

const HIDDEN = "Only some callers may see this name. This one may not, and got a 404.";

/** A refused upload may be answered before its body ends, past the returned response. */
function statusOf(response: Response, env: unknown): number {
  const outgoing = parseBindings(env)?.outgoing;
  return outgoing?.headersSent === true ? outgoing.statusCode : response.status;
}

function isRefused(
  { headers }: Request,
  status: number,
  asked: RequestDecisions["asked"],
): boolean {
  if (status === 403) return true;
  if (status === 404) return asked?.status === "absent" || asked?.status === "denied";
  if (status !== 401) return false;
  const hasCredentials = headers.has("authorization") || headers.has("x-nuget-apikey");
  return hasCredentials || asked?.reason !== undefined;
}

function callerOf({ id, address, decisions }: RequestContext<RequestDecisions>) {
  const { actor, tokenId, session } = decisions;
  return {
    actor: actor ?? session?.principal.name ?? ANONYMOUS,
    requestId: id,
    ...(tokenId !== undefined && { tokenId }),
    ...(address !== undefined && { address }),
  };
}

function subjectOf(asked: RequestDecisions["asked"]): string {
  if (!asked) return "registry";
  if (asked.action === "admin" || isAdministrative(asked.action)) return "administration";
  return asked.name === undefined ? asked.protocol : `${asked.protocol}/${asked.name}`;
}
