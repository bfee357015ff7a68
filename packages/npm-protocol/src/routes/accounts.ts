import { headerText } from "@sealhouse/http-responses";
import type { Holder, Limited } from "../accounts/ports.ts";
import { NpmError } from "../errors.ts";
import type { Call } from "./call.ts";
import { isRead, json, methodUnknown, notFound, tooManyFailures } from "./call.ts";
import { identify } from "./identify.ts";
import { readObject } from "./json-body.ts";
import { pollLogin, startLogin } from "./logins.ts";
import { requireStepUp } from "./step-up.ts";
import { answerToken, answerTokens } from "./tokens.ts";

const COUCH_USER = "org.couchdb.user:";

type Answer = (call: Call) => Promise<Response>;

/** Answers requests below `/-/` that concern accounts. */
export function accountEndpoint(segments: readonly string[]): Answer | undefined {
  const [kind, who = "", what, name] = segments;
  if (kind === "user" && who === "token" && segments.length === 3) {
    return (call) => signOut(call, what ?? "");
  }
  const isUser = kind === "user" && who.startsWith(COUCH_USER);
  if (isUser && (what === undefined || what === "-rev")) {
    return (call) => answerUser(call, who.slice(COUCH_USER.length));
  }
  const endpoint = segments.slice(0, 4).join("/");
  if (endpoint === "npm/v1/tokens/token" && segments.length === 5) {
    return (call) => answerToken(call, segments[4] ?? "");
  }
  return name === undefined ? ENDPOINTS.get(endpoint) : undefined;
}

const ENDPOINTS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ["whoami", reading(whoami)],
  ["v1/login", (call) => only(call, "POST", startLogin)],
  ["v1/done", reading(pollLogin)],
  ["npm/v1/user", answerProfile],
  ["npm/v1/tokens", answerTokens],
]);

function reading(answer: Answer): Answer {
  return (call) => {
    if (!isRead(call.c.req.method)) throw methodUnknown(call.c, "GET");
    return answer(call);
  };
}

function only(call: Call, method: string, answer: Answer): Promise<Response> {
  if (call.c.req.method !== method) throw methodUnknown(call.c, method);
  return answer(call);
}

async function whoami(call: Call): Promise<Response> {
  const { actor } = await identify(call);
  return json(call, { username: actor });
}

async function answerProfile(call: Call): Promise<Response> {
  const { actor } = await identify(call);
  if (!isRead(call.c.req.method)) throw profileElsewhere();
  const user = await call.ports.accounts.user(actor);
  const created = user?.createdAt.toISOString() ?? null;
  return json(call, {
    name: actor,
    email: "",
    email_verified: false,
    fullname: "",
    created,
    updated: created,
    tfa: false,
    cidr_whitelist: null,
  });
}

/** `/-/user/org.couchdb.user:{name}`, with or without a revision. */
async function answerUser(call: Call, name: string): Promise<Response> {
  const { method } = call.c.req;
  if (method === "PUT") return signIn(call, name);
  if (!isRead(method)) throw methodUnknown(call.c, "GET, PUT");
  await identify(call);
  const user = await call.ports.accounts.user(name);
  if (!user) {
    throw notFound("Unknown user. Users are the names that tokens were created for.");
  }
  const { createdAt } = user;
  return json(call, {
    _id: COUCH_USER + user.name,
    _rev: "1-0",
    name: user.name,
    email: "",
    type: "user",
    roles: [],
    date: createdAt.toISOString(),
  });
}

/** The credentials of the request do not matter: clients send the stale ones they still have. */
async function signIn(call: Call, typed: string): Promise<Response> {
  const { c, ports } = call;
  const { password } = await readObject(call);
  if (typeof password !== "string" || password === "") {
    throw new NpmError("document-invalid", "The body has no password.");
  }
  // Else a stolen token would be enough for another, by this way.
  const confirm = (holder: Holder) => requireStepUp(call, holder, "token-create");
  const outcome = await ports.accounts.signIn(c.req.raw, c.env, { password, confirm });
  switch (outcome.status) {
    case "signed-in": {
      const { name, token } = outcome;
      const notice = `You are signed in as ${name}, whom this token was made for.`;
      const headers: Record<string, string> =
        typed === name ? {} : { "npm-notice": headerText(notice) };
      const ok = `you are authenticated as '${name}'`;
      return json(call, { ok, id: COUCH_USER + name, rev: "1-0", token }, 201, headers);
    }
    case "refused":
      throw isAdduser(call) ? noAccounts() : wrongPassword(outcome.reason);
    case "limited":
      throw tooManyFailures(outcome);
  }
}

/** `DELETE /-/user/token/{token}`: the token itself is in the path. */
async function signOut(call: Call, token: string): Promise<Response> {
  const { c, ports } = call;
  if (c.req.method !== "DELETE") throw methodUnknown(c, "DELETE");
  const outcome: Limited | { readonly status: "revoked" | "unknown" } =
    await ports.accounts.signOut(c.req.raw, c.env, token);
  if (outcome.status === "limited") throw tooManyFailures(outcome);
  if (outcome.status === "revoked") return json(call, { ok: true });
  throw notFound("There is no such token here, so there was nothing to revoke.");
}

function isAdduser({ c }: Call): boolean {
  return c.req.header("npm-command") === "adduser";
}

function wrongPassword(reason: string): NpmError {
  return new NpmError("login-required", `The password here is a token. ${reason}`);
}

function noAccounts(): NpmError {
  return new NpmError(
    "no-accounts",
    "This registry has no sign-up. Run `npm login` and ask the operator to approve it, or use an " +
      "API token as the password.",
  );
}

function profileElsewhere(): NpmError {
  const text = "Names here are those of tokens, which the registry's operator gives; nothing of a ";
  return new NpmError("forbidden", `${text}profile can be changed.`);
}
