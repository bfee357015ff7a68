import type { AccessRules, PageVerdict } from "@sealhouse/identity";
import { createAdministrationAuthorize } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import type { Context } from "hono";
import { html } from "hono/html";
import type { Ending } from "../kit/forms/ask-first.ts";
import { refusalIn, refusalPageResponse } from "../kit/refusals/refusal-page.ts";
import { readSentForm } from "../kit/forms/posted-form.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";
import { withStepUp } from "../kit/forms/step-up.ts";
import type { From, Shown } from "../kit/page/shown-page.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import type { LastingRequest } from "../kit/forms/confirmed-forms.ts";
import { administrationPage } from "./administration-page.ts";
import type { AdministratorSources } from "./model.ts";

/** A request of an administrator. */
export type Administrator = Shown & {
  readonly caller: Caller;
  /** Returns the code for the form that is sent to a path. */
  readonly proofFor: (path: string) => string;
};

/** The form for `path`. */
export type AdministratorForm = {
  readonly c: Context;
  /** The path that its code is for. */
  readonly path: string;
  /** Undefined for a form that changes nothing. */
  readonly lasting?: LastingChange;
};

/** The change that a session confirms before a form acts. */
export type LastingChange = Pick<LastingRequest, "action" | "backPath" | "secrets"> & {
  /** The object of the action in words. */
  readonly subject: (values: URLSearchParams) => string | Promise<string>;
  /** The end that the change brings, which a page asks first. Absent: nothing ends. */
  readonly ending?: ((values: URLSearchParams) => Promise<Ending | undefined>) | undefined;
};

/** Longer than any form of these pages. */
const FORM_BYTES_MAX = 32 * 1024;

/** Renders a page for administrators, and refuses all others. */
export function administratorPage(
  sources: AdministratorSources,
  c: Context,
  render: (administrator: Administrator) => Promise<Response>,
): Promise<Response> {
  return shownPage(sources, c, async (shown) => {
    const verdict = await administratorOf(sources.rules, shown.from);
    if (verdict.status !== "granted") return refusalOf(shown, verdict);
    return render(administratorIn(sources, shown, verdict.caller));
  });
}

function administratorIn(
  { forms }: AdministratorSources,
  shown: Shown,
  caller: Caller,
): Administrator {
  const proofFor = (path: string) => forms.make(shown.from, fieldsOf(caller, path));
  return { ...shown, caller, proofFor };
}

/**
 * Handles a form. The body is read only for an administrator, and no form of another site gets
 * further. A session confirms a change before it acts.
 */
export function administratorForm(
  sources: AdministratorSources,
  { c, path, lasting }: AdministratorForm,
  act: (administrator: Administrator, form: SentForm) => Promise<Response>,
): Promise<Response> {
  return shownPage(sources, c, async (shown) => {
    const { from } = shown;
    const first = await administratorOf(sources.rules, from);
    if (first.status !== "granted" && first.status !== "step-up") return refusalOf(shown, first);
    const { caller } = first;
    const administrator = administratorIn(sources, shown, caller);
    const expected = { c, fieldsOf: () => fieldsOf(caller, path), bytesMax: FORM_BYTES_MAX };
    const form = await readSentForm(sources.forms, shown, expected);
    if (form === "foreign") return refusedForm(administrator);
    if (form === "unreadable") return unreadableForm(administrator);
    const { values, isExpired } = form;
    if (!lasting || isExpired) return act(administrator, form);
    const { action, backPath, subject, secrets } = lasting;
    const wanted = { action, backPath, subject: await subject(values), values, secrets };
    const { confirm, rules } = sources;
    const change = { wanted, ending: await lasting.ending?.(values), confirm };
    const again = () => administratorOf(rules, from);
    const verdict = await withStepUp(administrator, change, { first, again });
    if (verdict instanceof Response) return verdict;
    if (verdict.status !== "granted") return refusalOf(shown, verdict);
    return act({ ...administrator, caller: verdict.caller }, form);
  });
}

async function refusalOf({ site, address }: Shown, verdict: PageVerdict): Promise<Response> {
  return refusalPageResponse(site, address, refusalIn(verdict) ?? { status: "anonymous" });
}

const ADMINISTRATORS_ONLY = "These pages are for administrators.";

async function administratorOf(rules: AccessRules, { request, env }: From): Promise<PageVerdict> {
  const decide = createAdministrationAuthorize(rules);
  const verdict = await decide(request, env, { scope: "admin" });
  if (verdict.status !== "anonymous") return verdict;
  const { reason } = verdict;
  return reason === undefined
    ? { status: "anonymous", reason: ADMINISTRATORS_ONLY }
    : { status: "denied", reason };
}

function fieldsOf({ actor, tokenId = "" }: Caller, path: string): readonly string[] {
  return ["administration", actor, tokenId, path];
}

function refusedForm(administrator: Administrator): Promise<Response> {
  const body = html`<p>
    This form did not come from a page of this registry, or belongs to another sign-in. Nothing was
    changed. Open the page again.
  </p>`;
  return administrationPage(administrator, { title: "Form refused", body }, 403);
}

function unreadableForm(administrator: Administrator): Promise<Response> {
  const body = html`<p>
    The request has no form of at most ${FORM_BYTES_MAX / 1024} KiB. Nothing was changed. Go back,
    and shorten the texts.
  </p>`;
  return administrationPage(administrator, { title: "Form not readable", body }, 400);
}
