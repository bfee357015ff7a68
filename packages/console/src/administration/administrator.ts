import type { AccessRules } from "@sealhouse/identity";
import { createPackageAuthorize, PROTOCOLS } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import type { Context } from "hono";
import { html } from "hono/html";
import type { Refusal } from "../kit/model.ts";
import { refusalIn } from "../kit/refusal-of.ts";
import { PROOF_FIELD } from "../kit/page-forms.ts";
import { readForm } from "../kit/posted-form.ts";
import { refusalPageResponse } from "../kit/refusal-page.ts";
import type { From, Shown } from "../kit/shown-page.ts";
import { shownPage } from "../kit/shown-page.ts";
import { administrationPage } from "./administration-page.ts";
import type { AdministratorSources } from "./model.ts";

/** A request of an administrator. */
export type Administrator = Shown & {
  readonly caller: Caller;
  /** Returns the code for the form that is sent to a path. */
  readonly proofFor: (path: string) => string;
};

/** A form that an administrator sent from one of our pages. */
export type SentForm = {
  readonly values: URLSearchParams;
  /** The form is older than an hour: nothing must change, and the page shows it again. */
  readonly isExpired: boolean;
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
    if (verdict.status !== "granted") {
      return refusalPageResponse(shown.site, shown.address, verdict);
    }
    const { caller } = verdict;
    const { from } = shown;
    const proofFor = (path: string) => sources.forms.make(from, fieldsOf(caller, path));
    return render({ ...shown, caller, proofFor });
  });
}

/**
 * Handles a form. `path` is the one that its code is for. The body is read only for an
 * administrator, and no form of another site gets further.
 */
export function administratorForm(
  sources: AdministratorSources,
  { c, path }: { readonly c: Context; readonly path: string },
  act: (administrator: Administrator, form: SentForm) => Promise<Response>,
): Promise<Response> {
  return administratorPage(sources, c, async (administrator) => {
    const { from, address, caller } = administrator;
    if (sources.forms.isFromElsewhere(from, address)) return refusedForm(administrator);
    const values = await readForm(c, FORM_BYTES_MAX);
    if (!values) return unreadableForm(administrator);
    const proof = values.get(PROOF_FIELD) ?? undefined;
    const verdict = sources.forms.check(from, fieldsOf(caller, path), proof);
    if (verdict === "wrong") return refusedForm(administrator);
    return act(administrator, { values, isExpired: verdict === "expired" });
  });
}

type AdministratorVerdict = { readonly status: "granted"; readonly caller: Caller } | Refusal;

const ADMINISTRATORS_ONLY = "These pages are for administrators.";

/** An administrator holds the scope `admin` for all protocols and all names. */
async function administratorOf(
  rules: AccessRules,
  { request, env }: From,
): Promise<AdministratorVerdict> {
  let granted: AdministratorVerdict | undefined;
  for (const protocol of PROTOCOLS) {
    const verdict = await createPackageAuthorize(rules, protocol)(request, env, {
      action: "admin",
    });
    if (verdict.status === "anonymous") {
      return verdict.reason === undefined
        ? { status: "anonymous", reason: ADMINISTRATORS_ONLY }
        : { status: "denied", reason: verdict.reason };
    }
    if (verdict.status !== "granted") return refusalIn(verdict) ?? { status: "anonymous" };
    if (verdict.names) {
      return { status: "denied", reason: "The token is limited to names; use one without limits." };
    }
    granted ??= { status: "granted", caller: verdict.caller };
  }
  return granted ?? { status: "anonymous" };
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
