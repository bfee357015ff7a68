import { readBody } from "@sealhouse/http-responses";
import { tooManyRequests } from "../access.ts";
import { viewedRepository } from "../as-of/view-call.ts";
import { sendJson } from "../answer.ts";
import type { Call } from "../call.ts";
import { queryOf } from "../call.ts";
import { OciError } from "../errors.ts";
import type { TokenOutcome, TokenScope } from "../ports.ts";
import { requireMethod } from "../route-methods.ts";
import type { AskedToken } from "../token-request.ts";
import { MAX_TOKEN_SCOPES, parseTokenForm, parseTokenQuery } from "../token-request.ts";

const MAX_FORM_BYTES = 64 * 1024;

/** docker uses a token for at least a minute, even after it expired. */
const MIN_TOKEN_SECONDS = 60;

/** Answers `/token`: docker's token protocol by GET, OAuth 2 by POST. */
export async function answerToken(call: Call): Promise<Response> {
  const { c, registry } = call;
  requireMethod(c, "token");
  const tokenRequest = await askedOf(call);
  if (tokenRequest.scopes.length > MAX_TOKEN_SCOPES) {
    throw badRequest(`a token may have ${MAX_TOKEN_SCOPES} scopes at most`);
  }
  const scopes = tokenRequest.scopes.map((scope) => inFull(call, scope));
  const { tokens } = registry.ports;
  const outcome = await tokens.issue({ ...tokenRequest, scopes, request: c.req.raw, env: c.env });
  switch (outcome.status) {
    case "issued":
      return sendJson(c, tokenAnswer(outcome), { headers: { "cache-control": "no-store" } });
    case "refused":
      throw refused(registry.service, isAnonymous(call, tokenRequest));
    case "limited":
      throw tooManyRequests(outcome.retryAfterSeconds);
  }
}

/** Returns the scope with its full name. Clients use the form of the address that challenged them.
 * In a view, a pull of the repository is the only access. */
function inFull({ mapping, registry }: Call, scope: TokenScope): TokenScope {
  if (scope.type !== "repository") return scope;
  const viewed = registry.ports.past && viewedRepository(scope.name);
  if (viewed === undefined) return { ...scope, name: `${mapping.prefix}${scope.name}` };
  const actions = scope.actions.filter((action) => action === "pull");
  return { ...scope, name: `${mapping.prefix}${viewed}`, actions };
}

async function askedOf(call: Call): Promise<AskedToken> {
  const { c } = call;
  if (c.req.method === "GET") return parseTokenQuery(queryOf(call));
  const body = await readBody(c, MAX_FORM_BYTES);
  const form = new URLSearchParams(new TextDecoder().decode(body));
  const tokenRequest = parseTokenForm(form);
  if (!tokenRequest)
    throw badRequest("grant_type must be password or refresh_token, with its fields");
  return tokenRequest;
}

function tokenAnswer(issued: Extract<TokenOutcome, { status: "issued" }>) {
  const { token, expiresInSeconds, issuedAt, refreshToken } = issued;
  if (expiresInSeconds < MIN_TOKEN_SECONDS) {
    throw new RangeError(`a token must live ${MIN_TOKEN_SECONDS} s, not ${expiresInSeconds}`);
  }
  return {
    token,
    access_token: token,
    expires_in: Math.floor(expiresInSeconds),
    issued_at: issuedAt.toISOString(),
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
  };
}

function isAnonymous({ c }: Call, { grant }: AskedToken): boolean {
  return grant.type === "header" && c.req.header("authorization") === undefined;
}

function refused(service: string, anonymous: boolean): OciError {
  const realm = service.replaceAll(/["\\]/g, "\\$&");
  return new OciError("UNAUTHORIZED", {
    message: anonymous
      ? "authentication required: use an API token as the password"
      : "the user name, password or token is not valid",
    headers: { "www-authenticate": `Basic realm="${realm}"`, "cache-control": "no-store" },
  });
}

function badRequest(message: string): OciError {
  return new OciError("UNSUPPORTED", { status: 400, message });
}
