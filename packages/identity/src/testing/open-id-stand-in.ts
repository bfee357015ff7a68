import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type Provider from "oidc-provider";
import { forgeIdToken, makeSigningKey } from "./forged-id-token.ts";
import type { IdTokenForgery } from "./forged-id-token.ts";
import { makeProvider } from "./open-id-engine.ts";
import { openProviderServer, readText, sendJson, sendSignInPage } from "./provider-server.ts";
import type { ProviderServer } from "./provider-server.ts";

/** An account at an OpenID stand-in. */
export type OpenIdUser = {
  /** Added to the usual claims of the account; `undefined` removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Object ids of groups (Microsoft); undefined = the token has no claim. */
  readonly groups?: readonly string[];
  readonly isDisabled?: boolean;
};

export type OpenIdStandInOptions = {
  readonly kind: "microsoft" | "google";
  /** By login, which is what the sign-in page asks for. */
  readonly users: Readonly<Record<string, OpenIdUser>>;
  readonly redirectUris: readonly string[];
  /** Default: any free port. */
  readonly port?: number;
};

/**
 * A stand-in for Microsoft Entra ID or Google: a real OpenID provider that gives the claims of the
 * named service. Accounts have addresses of `acme.example`.
 */
export type OpenIdStandIn = ProviderServer & {
  readonly issuer: string;
  /** Settings of a host that signs people in here. */
  readonly settings: Readonly<Record<string, string>>;
  setUser(login: string, user: OpenIdUser): void;
  /** Changes all later ID tokens; undefined ends that. */
  forge(forgery: IdTokenForgery | undefined): void;
  /** Adds a callback, for a registry that starts later than the stand-in. */
  register(redirectUri: string): Promise<void>;
  /** Signs later ID tokens with a new key. */
  rotate(): Promise<void>;
};

const TENANT = "11111111-2222-4333-8444-555555555555";
const DOMAIN = "acme.example";
const CLIENT = { id: "sealhouse", secret: "stand-in-secret" };
/** Microsoft leaves out longer lists of groups. */
const GROUPS_MAX = 200;
const GRAPH_IDS_MAX = 20;

export async function openOpenIdStandIn(options: OpenIdStandInOptions): Promise<OpenIdStandIn> {
  const { kind } = options;
  const cookieKey = randomUUID();
  const redirectUris = [...options.redirectUris];
  const users = new Map(Object.entries(options.users));
  const prefix = kind === "microsoft" ? `/${TENANT}/v2.0` : "";
  let key = await makeSigningKey();
  let forgery: IdTokenForgery | undefined;
  let engine: Provider | undefined;
  const server = await openProviderServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", server.origin);
    if (!engine) throw new Error("the stand-in is not ready");
    if (pathname === "/v1.0/me/checkMemberGroups") {
      await answerGraph(request, response, { engine, users });
    } else if (!pathname.startsWith(prefix)) {
      sendJson(response, 404, {});
    } else if (pathname.startsWith(`${prefix}/interaction/`)) {
      await answerInteraction(withoutPrefix(request, prefix), response, { engine, users });
    } else {
      await engine.callback()(withoutPrefix(request, prefix), response);
    }
  }, options.port);
  const issuer = `${server.origin}${prefix}`;
  const open = (): Promise<Provider> =>
    makeProvider({
      issuer,
      prefix,
      key,
      cookieKey,
      client: CLIENT,
      redirectUris,
      revokes: kind === "google",
      isEnabled: (login) => users.has(login) && users.get(login)?.isDisabled !== true,
      alter: (idToken) =>
        forgeIdToken(idToken, {
          key,
          claimsOf: (login) => claimsOf(kind, login, { user: users.get(login), server }),
          ...(forgery && { forgery }),
        }),
    });
  engine = await open();
  return {
    ...server,
    issuer,
    settings: settingsOf(kind, issuer, server.origin),
    setUser(login, user) {
      users.set(login, user);
    },
    forge(wish) {
      forgery = wish;
    },
    async register(redirectUri) {
      redirectUris.push(redirectUri);
      engine = await open();
    },
    async rotate() {
      key = await makeSigningKey();
      engine = await open();
    },
  };
}

function claimsOf(
  kind: OpenIdStandInOptions["kind"],
  login: string,
  { user, server }: { readonly user: OpenIdUser | undefined; readonly server: ProviderServer },
): Readonly<Record<string, unknown>> {
  const email = `${login}@${DOMAIN}`;
  const usual =
    kind === "google"
      ? { email, email_verified: true, name: login, hd: DOMAIN }
      : {
          tid: TENANT,
          oid: objectId(login),
          preferred_username: email,
          name: login,
          ver: "2.0",
          ...groupClaims(user?.groups, server.origin, login),
        };
  return { ...usual, ...user?.claims };
}

/** Instead of too many groups, Microsoft names an address that has retired. */
function groupClaims(
  groups: readonly string[] | undefined,
  origin: string,
  login: string,
): Readonly<Record<string, unknown>> {
  if (!groups) return {};
  if (groups.length <= GROUPS_MAX) return { groups };
  const endpoint = `${origin}/retired/users/${objectId(login)}/getMemberObjects`;
  return { _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint } } };
}

/** Always the same for a login. */
function objectId(login: string): string {
  const hex = createHash("sha256").update(login).digest("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20, 32)].join("-");
}

function settingsOf(
  kind: OpenIdStandInOptions["kind"],
  issuer: string,
  origin: string,
): Readonly<Record<string, string>> {
  const own =
    kind === "microsoft"
      ? { TenantId: TENANT, Instance: origin, GraphBaseUrl: origin }
      : { HostedDomain: DOMAIN, Issuer: issuer };
  const all = { ClientId: CLIENT.id, ClientSecret: CLIENT.secret, ...own };
  const section = `Host__Authentication__${kind === "microsoft" ? "Microsoft" : "Google"}`;
  return {
    ...Object.fromEntries(Object.entries(all).map(([key, text]) => [`${section}__${key}`, text])),
    Host__OutgoingRequests__AllowPrivateAddresses: "true",
  };
}

type Parts = {
  readonly engine: Provider;
  readonly users: ReadonlyMap<string, OpenIdUser>;
};

/** Microsoft Graph, as far as sign-ins need it. */
async function answerGraph(
  request: IncomingMessage,
  response: ServerResponse,
  { engine, users }: Parts,
): Promise<void> {
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  const token = bearer === undefined ? undefined : await engine.AccessToken.find(bearer);
  const { groupIds } = JSON.parse(await readText(request)) as { groupIds: readonly string[] };
  if (!token) return sendJson(response, 401, { error: { code: "InvalidAuthenticationToken" } });
  if (groupIds.length > GRAPH_IDS_MAX) {
    return sendJson(response, 400, { error: { code: "Request_BadRequest" } });
  }
  const groups = users.get(token.accountId)?.groups ?? [];
  sendJson(response, 200, { value: groupIds.filter((id) => groups.includes(id)) });
}

/** The sign-in page of the stand-in. */
async function answerInteraction(
  request: IncomingMessage,
  response: ServerResponse,
  { engine, users }: Parts,
): Promise<void> {
  if (request.method !== "POST") return sendSignInPage(response, { method: "post" });
  const form = new URLSearchParams(await readText(request));
  const login = form.get("login") ?? "";
  const isAllowed = form.get("decision") !== "cancel" && users.has(login);
  const result = isAllowed
    ? { login: { accountId: login }, consent: {} }
    : { error: "access_denied", error_description: "The account may not sign in." };
  await engine.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

/** The engine serves paths below the issuer, and knows no page that only selects an account. */
function withoutPrefix(request: IncomingMessage, prefix: string): IncomingMessage {
  const url = (request.url ?? "/").replace("select_account", "login");
  return Object.assign(request, { originalUrl: url, url: url.slice(prefix.length) || "/" });
}
