import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { openProviderServer, readText, sendJson, sendSignInPage } from "./provider-server.ts";
import type { ProviderServer } from "./provider-server.ts";

/** An account at the stand-in. */
export type GitHubUser = {
  readonly id: number;
  readonly name?: string;
  readonly email?: string;
  /** The scope that the person allows; default: all of the request. */
  readonly scope?: string;
  readonly hasSecondFactor?: boolean;
};

type Memberships = Readonly<Record<string, "active" | "pending">>;

export type GitHubOrganization = {
  readonly id: number;
  /** States by login. */
  readonly members: Memberships;
  /** By slug. Members of child teams are in the parent, too. */
  readonly teams?: Readonly<Record<string, Memberships>>;
  readonly requiresSso?: boolean;
  readonly restrictsApps?: boolean;
};

export type GitHubStandInOptions = {
  /** By login, which is what the sign-in page asks for. */
  readonly users: Readonly<Record<string, GitHubUser>>;
  /** By login. */
  readonly organizations: Readonly<Record<string, GitHubOrganization>>;
  readonly redirectUris: readonly string[];
  /** Default: any free port. */
  readonly port?: number;
};

/** A stand-in for GitHub: OAuth with PKCE, and the documented answers of the API. */
export type GitHubStandIn = ProviderServer & {
  /** Settings of a host that signs people of the first organization in here. */
  readonly settings: Readonly<Record<string, string>>;
  /** Adds a callback, for a registry that starts later than the stand-in. */
  register(redirectUri: string): void;
  setUser(login: string, user: GitHubUser): void;
  setOrganization(login: string, organization: GitHubOrganization): void;
};

type Code = {
  readonly login: string;
  readonly scope: string;
  readonly challenge: string;
  readonly redirectUri: string;
};
type Token = { readonly userId: number; readonly scope: string };

type State = {
  readonly users: Map<string, GitHubUser>;
  readonly organizations: Map<string, GitHubOrganization>;
  readonly redirectUris: string[];
  readonly codes: Map<string, Code>;
  readonly tokens: Map<string, Token>;
};

const CLIENT = { id: "Iv1.stand-in", secret: "stand-in-secret" };
const BASIC = `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString("base64")}`;

export async function openGitHubStandIn(options: GitHubStandInOptions): Promise<GitHubStandIn> {
  const state: State = {
    users: new Map(Object.entries(options.users)),
    organizations: new Map(Object.entries(options.organizations)),
    redirectUris: [...options.redirectUris],
    codes: new Map(),
    tokens: new Map(),
  };
  const server = await openProviderServer(async (request, response) => {
    const url = new URL(request.url ?? "/", server.origin);
    const body = await readText(request);
    if (url.pathname === "/login/oauth/authorize") answerAuthorize(url, response, state);
    else if (url.pathname === "/login/oauth/access_token") answerToken(body, response, state);
    else if (request.method === "DELETE") answerRevocation(request, body, { response, state });
    else answerApi(request, url, { response, state });
  }, options.port);
  const [organization = ""] = Object.keys(options.organizations);
  const own = {
    ClientId: CLIENT.id,
    ClientSecret: CLIENT.secret,
    Organization: organization,
    BaseUrl: server.origin,
    ApiBaseUrl: server.origin,
  };
  return {
    ...server,
    settings: {
      ...Object.fromEntries(
        Object.entries(own).map(([key, text]) => [`Host__Authentication__GitHub__${key}`, text]),
      ),
      Host__OutgoingRequests__AllowPrivateAddresses: "true",
    },
    register(redirectUri) {
      state.redirectUris.push(redirectUri);
    },
    setUser(login, user) {
      state.users.set(login, user);
    },
    setOrganization(login, changed) {
      state.organizations.set(login, changed);
    },
  };
}

function answerAuthorize({ searchParams }: URL, response: ServerResponse, state: State): void {
  const asked = Object.fromEntries(searchParams);
  const { redirect_uri: redirectUri = "", login, decision } = asked;
  if (!state.redirectUris.includes(redirectUri)) {
    return sendJson(response, 400, { error: "redirect_uri_mismatch" });
  }
  if (login === undefined) return sendSignInPage(response, { method: "get", hidden: asked });
  const back = new URL(redirectUri);
  back.searchParams.set("state", asked["state"] ?? "");
  const user = state.users.get(login);
  if (decision === "cancel" || !user) {
    back.searchParams.set("error", "access_denied");
  } else {
    const code = randomBytes(10).toString("hex");
    const scope = user.scope ?? asked["scope"] ?? "";
    const challenge = asked["code_challenge"] ?? "";
    state.codes.set(code, { login, scope, challenge, redirectUri });
    back.searchParams.set("code", code);
  }
  response.writeHead(302, { location: back.href }).end();
}

/** GitHub answers errors with status 200. */
function answerToken(body: string, response: ServerResponse, state: State): void {
  const form = new URLSearchParams(body);
  const code = state.codes.get(form.get("code") ?? "");
  state.codes.delete(form.get("code") ?? "");
  const fail = (error: string) => sendJson(response, 200, { error, error_description: error });
  if (form.get("client_secret") !== CLIENT.secret) return fail("incorrect_client_credentials");
  const challenge = createHash("sha256").update(form.get("code_verifier") ?? "");
  if (!code || challenge.digest("base64url") !== code.challenge) {
    return fail("bad_verification_code");
  }
  if (form.get("redirect_uri") !== code.redirectUri) return fail("redirect_uri_mismatch");
  const token = `gho_${randomBytes(18).toString("hex")}`;
  const userId = state.users.get(code.login)?.id ?? 0;
  state.tokens.set(token, { userId, scope: code.scope });
  const scope = code.scope.replaceAll(" ", ",");
  return sendJson(response, 200, { access_token: token, token_type: "bearer", scope });
}

type Answering = { readonly response: ServerResponse; readonly state: State };

function answerRevocation(
  { headers }: IncomingMessage,
  body: string,
  { response, state }: Answering,
): void {
  const { access_token: token } = JSON.parse(body) as { access_token: string };
  if (headers.authorization !== BASIC) return sendJson(response, 401, {});
  response.writeHead(state.tokens.delete(token) ? 204 : 422).end();
}

function answerApi(
  { headers }: IncomingMessage,
  { pathname }: URL,
  { response, state }: Answering,
): void {
  const secret = headers.authorization?.replace(/^(?:Bearer|token) /i, "") ?? "";
  const token = state.tokens.get(secret);
  const [login, user] = [...state.users].find(([, { id }]) => id === token?.userId) ?? [];
  if (!token || login === undefined || !user) {
    return sendJson(response, 401, { message: "Bad credentials" });
  }
  if (pathname === "/user") {
    const { id, name = null, email = null, hasSecondFactor } = user;
    const secondFactor = { two_factor_authentication: hasSecondFactor };
    return sendJson(response, 200, { login, id, name, email, ...secondFactor });
  }
  if (pathname === "/user/emails") {
    const email = `${login}@acme.example`;
    return sendJson(response, 200, [{ email, primary: true, verified: true }]);
  }
  return answerMembership(pathname, login, { response, state, scope: token.scope });
}

const ORGANIZATION = /^\/user\/memberships\/orgs\/([^/]+)$/;
const TEAM = /^\/orgs\/([^/]+)\/teams\/([^/]+)\/memberships\/([^/]+)$/;

function answerMembership(
  pathname: string,
  login: string,
  { response, state, scope }: Answering & { readonly scope: string },
): void {
  const name = (ORGANIZATION.exec(pathname) ?? TEAM.exec(pathname))?.[1]?.toLowerCase();
  const found = [...state.organizations].find(([key]) => key.toLowerCase() === name);
  if (!found) return sendJson(response, 404, { message: "Not Found" });
  const [key, organization] = found;
  const refusal = refusalOf(organization, scope);
  if (refusal) return sendJson(response, 403, { message: refusal.message }, refusal.headers);
  const [, , slug = "", member = ""] = TEAM.exec(pathname) ?? [];
  const isTeam = slug !== "";
  const membership = isTeam ? organization.teams?.[slug]?.[member] : organization.members[login];
  if (membership === undefined) return sendJson(response, 404, { message: "Not Found" });
  const place = isTeam ? {} : { organization: { login: key, id: organization.id } };
  return sendJson(response, 200, { state: membership, role: "member", ...place });
}

function refusalOf(
  { requiresSso, restrictsApps }: GitHubOrganization,
  scope: string,
): { readonly message: string; readonly headers?: Readonly<Record<string, string>> } | undefined {
  if (!scope.includes("read:org")) return { message: "Resource not accessible: needs read:org" };
  if (restrictsApps) {
    return { message: "The organization has enabled OAuth App access restrictions." };
  }
  if (!requiresSso) return undefined;
  return {
    message: "Resource protected by organization SAML enforcement.",
    headers: { "x-github-sso": "required; url=https://evil.example/sso" },
  };
}
