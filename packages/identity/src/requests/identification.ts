import type { ImageVerdict } from "@sealhouse/request-types";
import type { Authenticator } from "../authenticator.ts";
import type { RequiredAccess } from "../authorize.ts";
import type { VerifiedBearer } from "../bearer-tokens.ts";
import type { Credentials } from "../credentials.ts";
import { readCredentials } from "../credentials.ts";
import type { Principal, Requester } from "../principal.ts";
import type { BrowserSession } from "../sessions/browser-sessions.ts";
import type { PageVerdict } from "./page-verdict.ts";

/** Data of the host about a request. The same object for the same request. */
export type RequestOrigin = {
  /** Identifies the request in events. */
  readonly id: string;
  /** Network address of the client. */
  readonly address?: string;
  /** Answers about the caller so far; the host opens them with the origin. */
  readonly decisions: RequestDecisions;
};

/**
 * Answers about the caller of one request, for all that decide about it: each credential is looked
 * up once, and each read is decided once.
 */
export type RequestDecisions = {
  /** Outcomes by credentials. */
  readonly identified: Once<Identification>;
  /** Outcomes by bearer token of container clients. */
  readonly bearers: Once<VerifiedBearer>;
  /** Verdicts about reads of packages, by protocol and name. */
  readonly reads: Once<PageVerdict>;
  /** Verdicts about pulls of images, by repository. */
  readonly pulls: Once<ImageVerdict>;
  /** The credentials of the request, once they have been read. */
  credentials?: Credentials;
  /** Id of the valid token that the request contains. */
  tokenId?: string;
  /** Name of the valid token or user of the request. */
  actor?: string;
  /** The last right that the request asked for, with its decision. */
  asked?: AskedRight;
  /** The session of a request for a page. */
  session?: BrowserSession;
  /** Whether the session may do a lasting action with this request. */
  isConfirmed?: boolean;
};

/** A right that a request asked for. */
export type AskedRight = Pick<RequiredAccess, "protocol" | "action" | "name"> & {
  readonly status: PageVerdict["status"];
  /** Why not. */
  readonly reason?: string;
};

/** Keeps what a request asked for, for the record of its refusal. */
export function noteAsked<V extends PageVerdict>(
  { decisions }: RequestOrigin,
  { protocol, action, name }: Pick<RequiredAccess, "protocol" | "action" | "name">,
  verdict: V,
): V {
  const { status } = verdict;
  const reason = "reason" in verdict ? verdict.reason : undefined;
  decisions.asked = { protocol, action, name, status, ...(reason !== undefined && { reason }) };
  return verdict;
}

/** Finds an answer once, and returns it for the same question. An error is no answer. */
export type Once<Answer> = (question: string, find: () => Promise<Answer>) => Promise<Answer>;

/** Opens the decisions of a new request. */
export function openRequestDecisions(): RequestDecisions {
  return { identified: once(), bearers: once(), reads: once(), pulls: once() };
}

function once<Answer>(): Once<Answer> {
  let answers: Map<string, Promise<Answer>> | undefined;
  return (question, find) => {
    answers ??= new Map();
    const known = answers.get(question);
    if (known) return known;
    const answer = find();
    answers.set(question, answer);
    answer.catch(() => answers?.delete(question));
    return answer;
  };
}

/** Provides the host's data about requests. */
export type RequestOrigins = {
  of(request: Request, env: unknown): RequestOrigin;
  /** Called when the request contains valid credentials. */
  confirmAddress(origin: RequestOrigin): void;
};

/** A request that may have no `Request` object. */
export type RequestHeaders = {
  readonly headers: Pick<Headers, "get">;
  readonly context: RequestOrigin;
};

export type Identification =
  | { readonly status: "principal"; readonly principal: Principal }
  | { readonly status: "none" }
  | { readonly status: "invalid"; readonly reason: string }
  | { readonly status: "limited"; readonly retryAfterSeconds: number };

/** Outcome of identifying a request for a page. */
export type PageIdentification =
  | Identification
  /** A session, which belongs to a token or directly to a user. */
  | { readonly status: "principal"; readonly principal: Requester };

/** An identification without errors: a principal, or no credentials. */
export type Identified = Extract<PageIdentification, { readonly status: "principal" | "none" }>;

/** Identifies a request for a page, by its session or by the credentials in its headers. */
export type IdentifyPage = (request: RequestHeaders) => Promise<PageIdentification>;

/** Dependencies of the identification of requests. */
export type IdentificationRules = {
  readonly authenticator: Pick<Authenticator, "authenticate">;
  readonly contexts: RequestOrigins;
  /** Identifies requests for pages. Undefined = only credentials in headers count. */
  readonly identifyPage?: IdentifyPage;
};

/**
 * Identifies by credentials, once for each request. So invalid ones count as one failure, even when
 * a request is authorized several times.
 */
export function identify(
  rules: Omit<IdentificationRules, "identifyPage">,
  credentials: Credentials,
  context: RequestOrigin,
): Promise<Identification> {
  const question =
    credentials.type === "secret" ? `secret ${credentials.secret}` : credentials.type;
  return context.decisions.identified(question, async () => {
    const identified = await rules.authenticator.authenticate(credentials, context.address);
    if (identified.status === "principal") noteCaller(rules, context, identified.principal);
    return identified;
  });
}

/** Notes that the request has the credentials of a known caller. */
export function noteCaller(
  { contexts }: Pick<IdentificationRules, "contexts">,
  context: RequestOrigin,
  requester: Requester,
): void {
  contexts.confirmAddress(context);
  context.decisions.actor = requester.name;
  if (!("kind" in requester)) context.decisions.tokenId = requester.tokenId;
}

/** Identifies by the headers, and requests for pages also by their session. */
export function identifyRequest(
  rules: IdentificationRules,
  { headers, context }: RequestHeaders,
): Promise<PageIdentification> {
  if (rules.identifyPage) return rules.identifyPage({ headers, context });
  return identify(rules, credentialsOf({ headers, context }), context);
}

/** Reads the credentials of a request once. */
export function credentialsOf({ headers, context }: RequestHeaders): Credentials {
  const { decisions } = context;
  decisions.credentials ??= readCredentials(headers);
  return decisions.credentials;
}
