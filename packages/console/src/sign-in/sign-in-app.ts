import type { Scope, SessionUser } from "@sealhouse/identity";
import type { Context } from "hono";
import { Hono } from "hono";
import type { PageForms } from "../kit/forms/page-forms.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import { tickedScopes } from "../kit/forms/scope-fields.ts";
import { readForm } from "../kit/forms/posted-form.ts";
import type { From, Shown } from "../kit/page/shown-page.ts";
import type { Site } from "../kit/page/model.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import { askSession } from "../kit/forms/step-up.ts";
import type { AskConfirmation } from "../kit/forms/confirmed-forms.ts";
import type { Decider, SignInPage } from "./sign-in-page.ts";
import { failedPage, refusedForm } from "../kit/page/session-page.ts";
import { seeOther } from "./session-ports.ts";
import { signInPageResponse } from "./sign-in-page.ts";

/** Lookups of the sign-in page. */
export type SignInPorts = {
  readonly site: (request: Request, env: unknown) => Site;
  /**
   * Finds a sign-in by its code; undefined when the code is unknown or expired. `limited`: too many
   * unknown codes came from the network of the request.
   */
  readonly waiting: (code: string, from: From) => Promise<SignInPage | "limited" | undefined>;
  /** Undefined = only the operator's commands decide. */
  readonly decisions?: LoginDecisions | undefined;
};

/** Decisions of a person about sign-ins of the command-line clients that the person uses. */
export type LoginDecisions = {
  readonly forms: PageForms;
  /** The user that the request belongs to; undefined = none that may decide. */
  readonly userOf: (from: From) => Pick<SessionUser, "handle" | "role"> | undefined;
  /** Asks the session to confirm an approval. */
  readonly confirm: AskConfirmation;
  /** Lets the client sign in as the user of the request, or denies it. */
  readonly decide: (from: From, code: string, decision: LoginChoice) => Promise<void>;
};

/** A decision about a sign-in. */
export type LoginChoice = {
  readonly isApproved: boolean;
  /** The scopes of administrators that the client gets, where it asks for some. */
  readonly scopes: readonly Scope[];
};

const FORM_BYTES_MAX = 4_096;
const NONE_CHOSEN = "Choose at least one scope.";
const TOO_MANY_CODES = "Too many unknown codes came from your network. Try again in a minute.";

/** Serves the page that npm opens while it waits for the operator: `/sign-in/{code}`. */
export function createSignInApp(ports: SignInPorts): Hono {
  const app = new Hono();
  const { decisions } = ports;
  app.get("/sign-in/:code", (c) =>
    shownPage(ports, c, async (shown) => {
      const { site, address, from } = shown;
      const code = c.req.param("code");
      const page = await ports.waiting(code, from);
      if (page === "limited") return failedPage(shown, TOO_MANY_CODES, 429);
      return signInPageResponse(site, address, page, { decider: decider(decisions, from, code) });
    }),
  );
  if (decisions) {
    app.post("/sign-in/:code", (c) =>
      shownPage(ports, c, (shown) => decideLogin(ports, decisions, shown, c)),
    );
  }
  return app;
}

function decider(
  decisions: LoginDecisions | undefined,
  from: From,
  code: string,
): Decider | undefined {
  const user = decisions?.userOf(from);
  if (!decisions || user === undefined) return undefined;
  return { ...user, proof: decisions.forms.make(from, fieldsOf(code)) };
}

async function decideLogin(
  { waiting }: SignInPorts,
  decisions: LoginDecisions,
  shown: Shown,
  c: Context,
): Promise<Response> {
  const { forms, userOf, decide, confirm } = decisions;
  const { site, from, address } = shown;
  const code = c.req.param("code") ?? "";
  if (userOf(from) === undefined || forms.isFromElsewhere(from, address)) return refusedForm(shown);
  const values = await readForm(c, FORM_BYTES_MAX);
  const proof = values?.get(PROOF_FIELD) ?? undefined;
  if (!values || forms.check(from, fieldsOf(code), proof) !== "valid") return refusedForm(shown);
  const isApproved = values.get("decision") === "approve";
  const path = `/sign-in/${encodeURIComponent(code)}`;
  const page = await waiting(code, from);
  const scopes = asksForScopes(page) ? tickedScopes(values) : [];
  if (isApproved && asksForScopes(page) && scopes.length === 0) {
    const shownDecision = { decider: decider(decisions, from, code), problem: NONE_CHOSEN };
    return signInPageResponse(site, address, page, shownDecision);
  }
  const subject = `the code ${code}${scopes.length > 0 ? `, with ${scopes.join(", ")}` : ""}`;
  const wanted = { action: "approve-login", subject, backPath: path, values } as const;
  const asked = isApproved ? await askSession(shown, { wanted, confirm }) : undefined;
  if (asked) return asked;
  await decide(from, code, { isApproved, scopes });
  return seeOther(address.root + path);
}

function asksForScopes(page: SignInPage | "limited" | undefined): page is SignInPage {
  return typeof page === "object" && page.scopes !== undefined;
}

function fieldsOf(code: string): readonly string[] {
  return ["login", code];
}
