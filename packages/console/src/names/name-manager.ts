import { createPageAuthorize, identifyRequest, nameKeyOf } from "@sealhouse/identity";
import type {
  AccessRules,
  LastingAction,
  OwnableName,
  PageVerdict,
  Requester,
} from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import type { Context } from "hono";
import type { Ending } from "../kit/forms/ask-first.ts";
import { missingPageResponse } from "../kit/refusals/missing-page.ts";
import type { FormValues } from "../kit/forms/form-fields.ts";
import { readSentForm } from "../kit/forms/posted-form.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";
import { withStepUp } from "../kit/forms/step-up.ts";
import { refusalIn, refusalPageResponse } from "../kit/refusals/refusal-page.ts";
import type { From, Shown } from "../kit/page/shown-page.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import { refusedForm, sessionPage } from "../kit/page/session-page.ts";
import { managedPath, pathOfName } from "../kit/links/name-address.ts";
import type { ManagesName, NameTask } from "../kit/links/name-address.ts";
import type { NameSources } from "./name-sources.ts";

/** A request of a caller who manages a name. */
export type NameManager = Shown & {
  readonly caller: Caller;
  readonly requester: Requester | undefined;
  /** The name as the address has it. */
  readonly name: OwnableName;
  /** The name in the form that ownership compares. */
  readonly key: OwnableName;
  /** Whether versions or images of the name were published. It may have owners before. */
  readonly exists: boolean;
  readonly proofFor: (task: NameTask) => string;
};

/** The form of a task, and the lasting action that a session confirms for it. */
export type NamePost = {
  readonly name: OwnableName;
  readonly task: NameTask;
  readonly action: LastingAction;
  /** The change in words, before the name. */
  readonly words: (values: FormValues) => string;
  /** The end that the change brings, which a page asks first. Absent: nothing ends. */
  readonly ending?: NameEnding | undefined;
};

/** States what a form of a name ends; undefined when there is nothing to end. */
export type NameEnding = (
  sources: NameSources,
  manager: NameManager,
  values: FormValues,
) => Promise<Ending | undefined>;

/** Longer than any form of these pages. */
export const FORM_BYTES_MAX = 32 * 1_024;

/**
 * Renders a page for those who manage a name. A name that the caller must not see has the page of
 * an unknown one.
 */
export function managerPage(
  sources: NameSources,
  { c, name }: { readonly c: Context; readonly name: OwnableName },
  render: (manager: NameManager) => Promise<Response> | Response,
): Promise<Response> {
  return shownPage(sources, c, (shown) => asManager(sources, { shown, name }, render));
}

/**
 * Handles a form. No form of another site gets further, and the body is read only for a caller who
 * manages the name. A session confirms the action before it acts.
 */
export function managerForm(
  sources: NameSources,
  { c, name, task, action, words, ending }: NamePost & { readonly c: Context },
  act: (manager: NameManager, form: SentForm) => Promise<Response>,
): Promise<Response> {
  return shownPage(sources, c, (shown) => {
    if (sources.forms.isFromElsewhere(shown.from, shown.address)) return refusedForm(shown);
    return asManager(sources, { shown, name, isAsked: true }, async (manager, first) => {
      const { from, site, address, caller, key } = manager;
      const fieldsOf = () => proofFields(caller, key, task);
      const expected = { c, fieldsOf, bytesMax: FORM_BYTES_MAX };
      const form = await readSentForm(sources.forms, manager, expected);
      if (form === "foreign") return refusedForm(manager);
      if (form === "unreadable") return unreadableForm(manager);
      const { values, isExpired } = form;
      if (isExpired) return act(manager, form);
      const subject = `${words(values)} ${name.protocol} ${name.name}`;
      const wanted = { action, subject, backPath: managedPath(name), values };
      const { confirm } = sources;
      const change = { wanted, ending: await ending?.(sources, manager, values), confirm };
      const again = () => mayManage(sources, from, key);
      const granted = await withStepUp(manager, change, { first, again });
      if (granted instanceof Response) return granted;
      if (granted.status === "granted") return act({ ...manager, caller: granted.caller }, form);
      return refusalPageResponse(site, address, refusalIn(granted) ?? ANONYMOUS);
    });
  });
}

async function asManager(
  sources: NameSources,
  {
    shown,
    name,
    isAsked = false,
  }: {
    readonly shown: Shown;
    readonly name: OwnableName;
    /** Also for a session that must confirm its change. */
    readonly isAsked?: boolean;
  },
  render: (manager: NameManager, verdict: PageVerdict) => Promise<Response> | Response,
): Promise<Response> {
  const { from, site, address } = shown;
  const key = { ...name, name: nameKeyOf(name.protocol, name.name) };
  const verdict = await mayManage(sources, from, key);
  if (verdict.status === "absent") return unknownName(shown, name);
  if (verdict.status !== "granted" && !(isAsked && verdict.status === "step-up")) {
    return refusalPageResponse(site, address, refusalIn(verdict) ?? ANONYMOUS);
  }
  const { caller } = verdict;
  const standing = await sources.ownerships.standing(key, caller.holderId ?? "");
  if (!standing.exists && !standing.isOwned) return unknownName(shown, name);
  const requester = await requesterOf(sources, from);
  const proofFor = (task: NameTask) => sources.forms.make(from, proofFields(caller, key, task));
  const manager = { ...shown, caller, requester, name, key, exists: standing.exists, proofFor };
  return render(manager, verdict);
}

const ANONYMOUS = { status: "anonymous" } as const;

/** Whether the caller of a page may manage a name. */
export function mayManage(
  { rules }: Pick<NameSources, "rules">,
  { request, env }: From,
  key: OwnableName,
) {
  const { protocol, name } = key;
  return createPageAuthorize(rules, protocol)(request, env, { action: "manage", name });
}

/** The person or token that requests a page. */
export async function requesterOf(
  { rules }: Pick<NameSources, "rules">,
  { request, env }: From,
): Promise<Requester | undefined> {
  const context = rules.contexts.of(request, env);
  const identified = await identifyRequest(rules, { headers: request.headers, context });
  return identified.status === "principal" ? identified.principal : undefined;
}

function proofFields(
  { actor, tokenId = "" }: Caller,
  { protocol, name }: OwnableName,
  task: NameTask,
): readonly string[] {
  return ["name", actor, tokenId, protocol, name, task];
}

function unknownName({ site, address }: Shown, { protocol, name }: OwnableName): Promise<Response> {
  const pathOf = (near: string) => pathOfName(address, { protocol, name: near });
  return missingPageResponse(site, address, { name, near: [], pathOf, of: protocol });
}

/** Renders the refusal of a request without a form, or with a too long one. */
export function unreadableForm(shown: Shown): Promise<Response> {
  const kib = FORM_BYTES_MAX / 1_024;
  const lead = `The request has no form of at most ${kib} KiB. Nothing was changed.`;
  return sessionPage(shown, { title: "Form not readable", lead, status: 400 });
}

/**
 * Creates the question for pages. A look at a page is never reported as a request that owners would
 * refuse.
 */
export function createManagesName(rules: AccessRules): ManagesName {
  const { names } = rules;
  const asking = { rules: { ...rules, names: names && ({ ...names, mode: "enforce" } as const) } };
  return async (from, { protocol, name }) => {
    const key = { protocol, name: nameKeyOf(protocol, name) };
    return (await mayManage(asking, from, key)).status === "granted";
  };
}
