import type { NewToken, OwnToken, OwnTokens, TokenReplaced } from "@sealhouse/identity";
import {
  effectiveLimits,
  isLastingToken,
  isTokenSettingError,
  parseExpiry,
} from "@sealhouse/identity";
import type { Context } from "hono";
import { Hono } from "hono";
import { afterChange } from "../kit/forms/notices.ts";
import { EXPIRED } from "../kit/forms/form-fields.ts";
import { countOf } from "../kit/elements/format.ts";
import { askFirst, lastUse } from "../kit/forms/ask-first.ts";
import type { FieldProblem, FormValues } from "../kit/forms/form-fields.ts";
import type { AskConfirmation } from "../kit/forms/confirmed-forms.ts";
import { askSession } from "../kit/forms/step-up.ts";
import { sessionPage } from "../kit/page/session-page.ts";
import type { SessionPorts } from "../sign-in/session-ports.ts";
import { callerOf, ownForm, ownPage } from "./own-page.ts";
import { NEW_TOKEN_VALUES, parseTokenForm, problemIn } from "./token-form.ts";
import { createdTokenPage, newTokenPage, tokenPage, tokensPage } from "./token-pages.ts";
import type { OwnPage } from "./token-pages.ts";
import { limitsOf, NEW_TOKEN, tokenPath } from "./token-parts.ts";
import { TOKENS } from "../kit/page/page-paths.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";

/** Lookups of the pages of own tokens. */
export type OwnTokenPorts = SessionPorts & {
  readonly ownTokens: OwnTokens;
  /** Asks sessions to confirm new tokens. */
  readonly confirm: AskConfirmation;
};

/** Serves the pages on which users manage their own tokens. */
export function createTokensApp(ports: OwnTokenPorts): Hono {
  const { ownTokens } = ports;
  const app = new Hono();
  app.get(TOKENS, (c) =>
    ownPage(ports, c, async (page) => tokensPage(page, await ownTokens.list(page.user))),
  );
  app.get(NEW_TOKEN, (c) =>
    ownPage(ports, c, (page) => typedToken(page, new URLSearchParams(NEW_TOKEN_VALUES))),
  );
  app.post(NEW_TOKEN, (c) =>
    ownForm(ports, { c, path: NEW_TOKEN }, (page, form) => createdToken(ports, page, form)),
  );
  app.get(`${TOKENS}/:id`, (c) =>
    ownPage(ports, c, async (page) => {
      const own = await ownTokens.find(page.user, idIn(c));
      return own ? shownToken(page, own) : unknownToken(page);
    }),
  );
  app.post(`${TOKENS}/:id/replace`, (c) => changeOf(ports, c, "replace", replacedToken));
  app.post(`${TOKENS}/:id/revoke`, (c) => changeOf(ports, c, "revoke", revokedToken));
  return app;
}

/** Renders the form of a new token with texts that were typed. */
function typedToken(
  page: OwnPage,
  values: FormValues,
  problems: readonly FieldProblem[] = [],
): Promise<Response> {
  return newTokenPage(page, { values, problems });
}

async function createdToken(
  ports: OwnTokenPorts,
  page: OwnPage,
  { values, isExpired }: SentForm,
): Promise<Response> {
  const refused = (problems: readonly FieldProblem[]) => typedToken(page, values, problems);
  if (isExpired) return refused([EXPIRED]);
  const outcome = parseTokenForm(values, ports.rules.now());
  if (outcome.status === "refused") return refused(outcome.problems);
  const { newToken } = outcome;
  const typed = { token: newToken, expires: values.get("expires") ?? "" };
  try {
    ports.ownTokens.check(page.user, newToken);
    const asked = await confirmationOf(ports, page, { ...typed, values, backPath: NEW_TOKEN });
    if (asked) return asked;
    const by = callerOf(ports, page);
    return await createdTokenPage(page, await ports.ownTokens.create(page.user, newToken, by));
  } catch (error) {
    return refused([problemIn(error)]);
  }
}

type WantedToken = {
  readonly token: NewToken;
  /** The typed expiry: a span ends at another time after the confirmation. */
  readonly expires: string;
  readonly values: URLSearchParams;
  readonly backPath: string;
};

/** Any other token only reads, and ends with the session. */
async function confirmationOf(
  { confirm }: OwnTokenPorts,
  page: OwnPage,
  { token, expires, values, backPath }: WantedToken,
): Promise<Response | undefined> {
  if (!isLastingToken(token, page.session)) return undefined;
  const { name, scopes, protocols = [] } = token;
  const limits = limitsOf({ protocols, ...effectiveLimits(token) });
  const subject = `${name} with ${scopes.join(", ")}; limits: ${limits}; expires: ${expires}`;
  const wanted = { action: "create-token", subject, backPath, values } as const;
  return askSession(page, { wanted, confirm });
}

type Change = (
  ports: OwnTokenPorts,
  page: OwnPage,
  change: { readonly own: OwnToken; readonly values: URLSearchParams },
) => Promise<Response>;

function changeOf(
  ports: OwnTokenPorts,
  c: Context,
  action: "replace" | "revoke",
  change: Change,
): Promise<Response> {
  return ownForm(ports, { c, path: tokenPath(idIn(c), action) }, async (page, form) => {
    const own = await ports.ownTokens.find(page.user, idIn(c));
    if (!own) return unknownToken(page);
    if (form.isExpired) return shownToken(page, own, [EXPIRED], form.values);
    return change(ports, page, { own, values: form.values });
  });
}

const replacedToken: Change = async (ports, page, { own, values }) => {
  const { id } = own.token;
  const refused = (...problems: readonly FieldProblem[]) => shownToken(page, own, problems, values);
  const expires = values.get("expires") ?? "";
  try {
    const expiresAt = parseExpiry(expires, ports.rules.now());
    const { name, scopes, protocols, patterns, networks } = own.token;
    const token = { name, scopes, protocols, patterns, networks, expiresAt };
    const asked = await confirmationOf(ports, page, {
      token,
      expires,
      values,
      backPath: tokenPath(id),
    });
    if (asked) return asked;
    const change = { expiresAt, by: callerOf(ports, page) };
    const outcome = await ports.ownTokens.replace(page.user, id, change);
    if (outcome.status === "replaced") return await createdTokenPage(page, outcome);
    return await refused({ name: "Token", words: REFUSALS[outcome.status] });
  } catch (error) {
    if (!isTokenSettingError(error)) throw error;
    return refused(problemIn(error));
  }
};

const REFUSALS = {
  leaked: "was reported as leaked, so it cannot be replaced; create a new one",
  absent: "is revoked; create a new one",
  crowded: "was created by a token that has the maximum number of tokens; revoke one of them",
} as const satisfies Record<Exclude<TokenReplaced["status"], "replaced">, string>;

const revokedToken: Change = async (ports, page, { own, values }) => {
  const { name, id, lastUsedAt } = own.token;
  const ending = {
    title: `Revoke the token ${name}?`,
    ends: [
      "Programs can no longer sign in with it.",
      `Made with it, and revoked too: ${countOf(own.made.length, "token")}.`,
    ],
    remarks: [lastUse(lastUsedAt, page.site.now)],
    button: "Revoke the token",
  };
  const asked = await askFirst(page, ending, { values, backPath: tokenPath(id) });
  if (asked) return asked;
  await ports.ownTokens.revoke(page.user, own.token.id, callerOf(ports, page));
  return afterChange(page.address, TOKENS, "revoked");
};

function shownToken(
  page: OwnPage,
  own: OwnToken,
  problems: readonly FieldProblem[] = [],
  values: FormValues = new URLSearchParams({ expires: NEW_TOKEN_VALUES.expires }),
): Promise<Response> {
  return tokenPage(page, own, { values, problems });
}

function unknownToken(page: OwnPage): Promise<Response> {
  const lead = "You have no such token.";
  return sessionPage(page, { title: "Token not found", lead, status: 404 });
}

function idIn(c: Context): string {
  return c.req.param("id") ?? "";
}
