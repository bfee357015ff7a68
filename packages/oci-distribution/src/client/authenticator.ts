import { BoundedCache } from "@sealhouse/bounded-cache";
import { TransientError, isPassingStatus } from "@sealhouse/http-responses/outgoing";
import type { Answer, Outgoing } from "@sealhouse/http-responses/outgoing";
import { parseChallenges } from "./challenge.ts";
import { OciClientError } from "./client-error.ts";
import type { JsonObject } from "./read-answer.ts";
import { readObject } from "./read-answer.ts";

/**
 * One call, whose authorization goes only to the origin of its address, including after redirects.
 */
export type Send = (request: Outgoing, authorization: string | undefined) => Promise<Answer>;

export type Credentials =
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  /** Sent unchanged; or exchanged at the token service when the registry has one. */
  | { readonly type: "bearer"; readonly token: string }
  /** The stored credential of a login, to be exchanged for tokens: docker's `identitytoken`. */
  | { readonly type: "identity"; readonly token: string };

/** Authentication of a registry, by its answer to an earlier request. */
export type Authentication = "none" | "basic" | "bearer";

/** Who the client is to one registry, request by request. */
export type Authenticator = {
  readonly authentication: () => Authentication;
  /** The value of `Authorization`; undefined: none. */
  header(scopes: readonly string[], signal?: AbortSignal): Promise<string | undefined>;
  /** Reads a 401; returns whether a second attempt of the same request may succeed. */
  learn(answer: Pick<Answer, "headers">, scopes: readonly string[]): boolean;
};

export type AuthenticatorOptions = {
  readonly send: Send;
  readonly registry: URL;
  readonly credentials: Credentials | undefined;
  /** Origins of token services that get the credentials; undefined: all that the registry names. */
  readonly tokenRealms?: ReadonlySet<string> | undefined;
  readonly timeoutMs: number;
  readonly now: () => Date;
};

type Service = { readonly realm: URL; readonly service: string | undefined };
type CachedToken = { readonly token: string; readonly untilMs: number };

const TOKEN_ANSWER_MAX = 1024 * 1024;
/** The specification's, for answers that do not say. */
const LIFETIME_S = 60;
const LIFETIME_MAX_S = 3_600;
/** A token is not used so shortly before its end. */
const LEEWAY_MS = 10_000;
const TOKENS_MAX = 10_000;

/** Keeps one token per service and set of scopes until shortly before its end. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { credentials, now } = options;
  let authentication: Authentication = "none";
  let service: Service | undefined;
  const tokens = new BoundedCache<string, Promise<CachedToken>>({ entries: TOKENS_MAX });
  /** Scopes that a registry required beyond the requested ones. */
  const extraScopes = new BoundedCache<string, readonly string[]>({ entries: TOKENS_MAX });

  const tokenFor = async (scopes: readonly string[], from: Service, signal?: AbortSignal) => {
    const all = [...new Set([...scopes, ...(extraScopes.get(keyOf(scopes)) ?? [])])];
    const key = tokenKeyOf(from, scopes);
    const cachedToken = await tokens.get(key)?.catch(() => undefined);
    if (cachedToken && cachedToken.untilMs > now().getTime()) return cachedToken.token;
    const pendingToken = fetchToken(options, from, { scopes: all, signal });
    tokens.set(key, pendingToken);
    try {
      return (await pendingToken).token;
    } catch (error) {
      // The next request learns again where tokens are made: this answer may have been wrong.
      if (service === from) service = undefined;
      throw error;
    }
  };

  return {
    authentication: () => authentication,
    async header(scopes, signal) {
      if (service) return `Bearer ${await tokenFor(scopes, service, signal)}`;
      if (authentication === "basic") return basicOf(credentials);
      // A token alone is for the registry itself, until that says otherwise.
      return credentials?.type === "bearer" ? `Bearer ${credentials.token}` : undefined;
    },
    learn({ headers }, scopes) {
      const [challenge] = parseChallenges(headers.get("www-authenticate"));
      if (!challenge) return false;
      if (challenge.scheme === "basic") {
        const isNew = authentication !== "basic" && basicOf(credentials) !== undefined;
        authentication = "basic";
        service = undefined;
        return isNew;
      }
      authentication = "bearer";
      service = { realm: realmOf(options.registry, challenge.realm), service: challenge.service };
      tokens.delete(tokenKeyOf(service, scopes));
      const wanted = challenge.scopes.filter((scope) => isFitting(scope, scopes));
      extraScopes.set(keyOf(scopes), wanted);
      return true;
    },
  };
}

/** GHCR challenges with a placeholder in place of the repository. */
function isFitting(scope: string, scopes: readonly string[]): boolean {
  const repository = repositoryOf(scope);
  return repository === undefined || scopes.some((own) => repositoryOf(own) === repository);
}

function repositoryOf(scope: string): string | undefined {
  return /^repository(?:\([^)]*\))?:(.*):[^:]*$/.exec(scope)?.[1];
}

function tokenKeyOf({ realm, service = "" }: Service, scopes: readonly string[]): string {
  return JSON.stringify([realm.href, service, keyOf(scopes)]);
}

function keyOf(scopes: readonly string[]): string {
  return scopes.toSorted().join(" ");
}

/** Credentials go there, so it must be as safe as the registry itself. */
function realmOf(registry: URL, realm: string): URL {
  const url = URL.parse(realm, registry.href);
  const isFine = url?.protocol === "https:" || url?.protocol === registry.protocol;
  if (url && isFine && url.username === "" && url.password === "") return url;
  const reason = `names a token service at an address that is not allowed: ${realm.slice(0, 200)}`;
  throw new OciClientError("refused-address", { url: registry, reason });
}

/** Undefined for credentials that are only exchanged. */
export function basicOf(credentials: Credentials | undefined): string | undefined {
  if (!credentials || credentials.type === "identity") return undefined;
  const { username, password } =
    credentials.type === "basic" ? credentials : { username: "token", password: credentials.token };
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

type TokenQuery = { readonly scopes: readonly string[]; readonly signal: AbortSignal | undefined };

async function fetchToken(
  options: AuthenticatorOptions,
  from: Service,
  { scopes, signal }: TokenQuery,
): Promise<CachedToken> {
  const { send, timeoutMs, now } = options;
  const credentials = isTrusted(options, from.realm) ? options.credentials : undefined;
  const request =
    credentials?.type === "identity"
      ? formFor(from, scopes, credentials.token)
      : queryFor(from, scopes, credentials);
  const answer = await send({ ...request, signal, timeoutMs }, basicOf(credentials));
  const { url, status } = answer;
  if (status === 200) return keptFrom(url, await readObject(answer, TOKEN_ANSWER_MAX), now());
  await answer.cancel();
  if (isPassingStatus(status)) throw new TransientError(answer, now());
  if (status !== 401 && status !== 403) {
    const reason = `the token service answered ${status}`;
    throw new OciClientError("status", { url, reason, status });
  }
  const withheld = options.credentials && !credentials;
  const reason = credentials
    ? `refuses the credentials (${status})`
    : `gives no token without credentials (${status})` +
      (withheld ? `, and ${from.realm.origin} is not among the allowed origins` : "");
  throw new OciClientError("unauthorized", { url, reason, status });
}

/** Whether a token service gets the credentials of the registry. */
function isTrusted({ registry, tokenRealms }: AuthenticatorOptions, realm: URL): boolean {
  if (!tokenRealms) return true;
  return realm.origin === registry.origin || tokenRealms.has(realm.origin);
}

const CLIENT_ID = "sealhouse";

function queryFor(
  { realm, service }: Service,
  scopes: readonly string[],
  credentials: Credentials | undefined,
): Outgoing {
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set("service", service);
  for (const scope of scopes) url.searchParams.append("scope", scope);
  url.searchParams.set("client_id", CLIENT_ID);
  if (credentials?.type === "basic") url.searchParams.set("account", credentials.username);
  return { method: "GET", url };
}

function formFor({ realm, service }: Service, scopes: readonly string[], token: string): Outgoing {
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: token,
    client_id: CLIENT_ID,
    ...(service !== undefined && { service }),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
  });
  const bytes = Buffer.from(form.toString());
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(bytes.length),
  };
  return { method: "POST", url: realm, headers, body: () => once(bytes) };
}

function keptFrom(url: URL, document: JsonObject, now: Date): CachedToken {
  const { token, access_token: second, expires_in: seconds } = document;
  const value = typeof token === "string" && token !== "" ? token : second;
  if (typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value)) {
    throw new OciClientError("malformed", { url, reason: "the answer contains no token" });
  }
  const lifetimeS = typeof seconds === "number" && seconds > 0 ? seconds : LIFETIME_S;
  const lifetimeMs = Math.min(Math.max(lifetimeS, LIFETIME_S), LIFETIME_MAX_S) * 1000;
  return { token: value, untilMs: now.getTime() + lifetimeMs - LEEWAY_MS };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}
