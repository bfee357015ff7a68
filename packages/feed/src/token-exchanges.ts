import type { Database } from "@sealhouse/database";
import type { RequestContexts } from "@sealhouse/http-server";
import { principalOf } from "@sealhouse/identity";
import type { AccessRules, ExchangeOutcome, PolicyExchange } from "@sealhouse/identity";
import type { NpmTrust } from "@sealhouse/npm-protocol";
import type { TokenExchange } from "@sealhouse/nuget-protocol";

/** One text for an unknown user, no policy and another policy, which strangers must not learn. */
const NO_POLICY =
  "No policy of this registry fits the ID token and the user name. An operator can list the " +
  "policies: sealhouse pipeline list";
const REVOKED = "The token that this ID token gave was revoked. Request another ID token.";

type Contexts = Pick<RequestContexts, "of">;

/** Build jobs publish npm packages with an ID token instead of a secret. */
export function npmExchange(exchange: PolicyExchange, contexts: Contexts): NpmTrust["exchange"] {
  return async ({ request, env, name }) => {
    const header = request.headers.get("authorization") ?? "";
    const [, text] = /^bearer +(\S+)$/i.exec(header) ?? [];
    if (text === undefined) return { status: "refused", reason: NO_ID_TOKEN };
    const from = originOf(contexts, request, env);
    return exchange.exchange({ text, protocol: "npm", name, from });
  };
}

const NO_ID_TOKEN =
  "The request contains no ID token. Send it in the header Authorization, after Bearer.";

/** Build jobs get API keys for NuGet packages. */
export function nugetExchange(exchange: PolicyExchange, contexts: Contexts): TokenExchange {
  return async (request, env, { idToken: text, username }) => {
    const from = originOf(contexts, request, env);
    const outcome = await exchange.exchange({ text, protocol: "nuget", username, from });
    if (outcome.status === "limited") return outcome;
    if (outcome.status !== "issued") return { status: "refused", reason: reasonOf(outcome) };
    return { status: "issued", apiKey: outcome.token, expiresAt: outcome.expiresAt };
  };
}

/** Build jobs sign in to images with an ID token as the password. */
export function imageIdTokens(
  exchange: PolicyExchange,
  tokens: Pick<Database["tokens"], "findById">,
): NonNullable<AccessRules["idTokens"]> {
  return async (text, { id: requestId, address }) => {
    const from = { requestId, ...(address !== undefined && { address }) };
    const tokenId = await exchange.identify({ text, protocol: "oci", from });
    const record = tokenId === undefined ? undefined : await tokens.findById(tokenId);
    return record && principalOf(record);
  };
}

function reasonOf(
  outcome: Exclude<ExchangeOutcome, { readonly status: "issued" | "limited" }>,
): string {
  switch (outcome.status) {
    case "refused":
      return outcome.reason;
    case "revoked":
      return REVOKED;
    case "distrusted":
      return outcome.reason ?? NO_POLICY;
  }
}

function originOf(contexts: Contexts, request: Request, env: unknown) {
  const { id: requestId, address } = contexts.of(request, env);
  return { requestId, ...(address !== undefined && { address }) };
}
