import { tokenDocument } from "../accounts/token-document.ts";
import { parseNewTokenRequest } from "../accounts/new-token-request.ts";
import { NpmError } from "../errors.ts";
import type { Call } from "./call.ts";
import { isRead, json, methodUnknown, notFound } from "./call.ts";
import { identify } from "./identify.ts";
import { readObject } from "./json-body.ts";
import { pageIn } from "./page.ts";
import { requireStepUp } from "./step-up.ts";

/** `/-/npm/v1/tokens` */
export async function answerTokens(call: Call): Promise<Response> {
  const { method } = call.c.req;
  if (isRead(method)) return listTokens(call);
  if (method === "POST") return createToken(call);
  throw methodUnknown(call.c, "GET, POST");
}

async function listTokens(call: Call): Promise<Response> {
  const { page, perPage, start, end } = pageIn(call);
  const all = await call.ports.accounts.tokens.list(await identify(call));
  return json(call, {
    objects: all.slice(start, end).map(tokenDocument),
    total: all.length,
    // npm puts the address of the registry before it.
    urls: end < all.length ? { next: `/-/npm/v1/tokens?page=${page + 1}&perPage=${perPage}` } : {},
  });
}

async function createToken(call: Call): Promise<Response> {
  const holder = await identify(call);
  const wish = parseNewTokenRequest(await readObject(call), call.settings.now());
  await requireStepUp(call, holder, "token-create");
  const outcome = await call.ports.accounts.tokens.create(holder, wish);
  if (outcome.status === "refused") throw new NpmError("forbidden", outcome.reason);
  return json(call, { ...tokenDocument(outcome.token), token: outcome.value }, 201);
}

/** `DELETE /-/npm/v1/tokens/token/{id or value}` */
export async function answerToken(call: Call, idOrValue: string): Promise<Response> {
  if (call.c.req.method !== "DELETE") throw methodUnknown(call.c, "DELETE");
  const holder = await identify(call);
  const outcome = await call.ports.accounts.tokens.revoke(holder, idOrValue);
  switch (outcome) {
    case "revoked":
      return call.c.body(null, 204, { "cache-control": "no-store" });
    case "absent":
      throw notFound("You have no such token.");
    case "several":
      throw new NpmError("document-invalid", "Several of your tokens begin so; write more of it.");
    case "refused": {
      const text = "That token opens more than the one in use, which therefore cannot revoke it.";
      throw new NpmError("forbidden", text);
    }
  }
}
