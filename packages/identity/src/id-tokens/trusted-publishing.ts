import type { Caller, Protocol } from "@sealhouse/request-types";
import { createHash } from "node:crypto";
import type { TokenMaking } from "../create-token.ts";
import { createToken } from "../create-token.ts";
import type { Scope, TokenRecord } from "../ports.ts";
import type { RequestOrigins } from "../requests/access-rules.ts";
import type { IdToken } from "./verify-id-token.ts";
import { createIdTokenVerification } from "./verify-id-token.ts";

/** Stores the tokens of trusted publishers. */
export type PublisherTokenStore = {
  /** Replaces an earlier token with the same id. */
  issue(
    use: { readonly name: string; readonly publisherId: string; readonly idToken: IdToken },
    token: TokenRecord,
    by: Caller,
  ): Promise<"issued" | "revoked" | "distrusted">;
};

/** Dependencies and settings of `createTrustedPublishing`. */
export type TrustedPublishingOptions<Publisher> = Pick<TokenMaking, "pepper" | "random"> & {
  readonly protocol: Protocol;
  /** Exact values of `iss`. Empty disables trusted publishing. */
  readonly issuers: readonly string[];
  /** Accepted audiences, as `normalizeAudience` returns them. */
  readonly audiences: ReadonlySet<string>;
  /** Reason to refuse ID tokens while there is no audience. */
  readonly noAudienceReason: string;
  readonly fetch: typeof fetch;
  readonly store: PublisherTokenStore;
  readonly contexts: RequestOrigins;
  readonly now: () => Date;
  /** Returns the actor of events and the scopes of tokens. */
  readonly grantOf: (publisher: Publisher) => {
    readonly actor: string;
    readonly scopes: readonly Scope[];
  };
};

/** Address and id of a request, for events. */
export type PublishingOrigin = Pick<Caller, "address" | "requestId">;

/** Exchanges the ID tokens of build services. Matches `verify` and `issue` of `NpmTrust`. */
export type TrustedPublishing<Publisher> = {
  verify(
    request: Request,
    env: unknown,
  ): Promise<
    | { readonly status: "valid"; readonly token: IdToken; readonly from: PublishingOrigin }
    | { readonly status: "refused"; readonly reason: string }
  >;
  issue(publishingRequest: PublishingRequest<Publisher>): Promise<
    | {
        readonly status: "issued";
        readonly token: string;
        readonly createdAt: Date;
        readonly expiresAt: Date;
      }
    | { readonly status: "revoked" | "distrusted" }
  >;
};

type PublishingRequest<Publisher> = {
  readonly name: string;
  readonly publisher: Publisher;
  readonly idToken: IdToken;
  readonly from: PublishingOrigin;
};

/** A job publishes right after the exchange. */
const LIFETIME_MS = 15 * 60_000;

const NO_ID_TOKEN =
  "The request contains no ID token. Send it in the header Authorization, after Bearer.";

/** Requests the keys of an issuer when its first ID token arrives. */
export function createTrustedPublishing<Publisher extends { readonly id: string }>(
  options: TrustedPublishingOptions<Publisher>,
): TrustedPublishing<Publisher> {
  const { issuers, audiences, contexts, fetch: request, now } = options;
  const verify = createIdTokenVerification({ issuers, fetch: request, now });
  return {
    async verify(incoming, env) {
      if (audiences.size === 0) return { status: "refused", reason: options.noAudienceReason };
      const header = incoming.headers.get("authorization") ?? "";
      const [, text] = /^bearer +(\S+)$/i.exec(header) ?? [];
      if (text === undefined) return { status: "refused", reason: NO_ID_TOKEN };
      const verdict = await verify(text, (audience) => audiences.has(normalizeAudience(audience)));
      if (verdict.status === "refused") return verdict;
      const { id: requestId, address } = contexts.of(incoming, env);
      const from = { requestId, ...(address !== undefined && { address }) };
      return { status: "valid", token: verdict.token, from };
    },
    issue: (publishing) => issue(options, publishing),
  };
}

/** Removes the port, which some clients add, and the letter case. */
export function normalizeAudience(audience: string): string {
  return audience.toLowerCase().replace(/:\d{1,5}$/, "");
}

async function issue<Publisher extends { readonly id: string }>(
  { store, grantOf, protocol, pepper, random, now }: TrustedPublishingOptions<Publisher>,
  { name, publisher, idToken, from }: PublishingRequest<Publisher>,
): ReturnType<TrustedPublishing<Publisher>["issue"]> {
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + LIFETIME_MS);
  const { actor, scopes } = grantOf(publisher);
  const newToken = {
    name: `publish ${name}`.slice(0, 100),
    scopes,
    protocols: [protocol],
    patterns: [name],
    expiresAt,
  } as const;
  const { token, record } = createToken(newToken, { pepper, now: createdAt, random });
  const status = await store.issue(
    { name, publisherId: publisher.id, idToken },
    { ...record, id: tokenIdOf(protocol, name, idToken.fingerprint) },
    { actor, ...from },
  );
  return status === "issued" ? { status, token, createdAt, expiresAt } : { status };
}

/** Returns one id per ID token and package, so that at most one token exists for both.
 * UUID version 8, RFC 9562. */
function tokenIdOf(protocol: Protocol, name: string, fingerprint: string): string {
  const bytes = createHash("sha256")
    .update(JSON.stringify([protocol, name, fingerprint]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  const starts = [0, 8, 12, 16, 20];
  return starts.map((start, index) => hex.slice(start, starts[index + 1])).join("-");
}
