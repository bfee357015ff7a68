import { createPageAuthorize, holderOf, MEMBER_RIGHTS, PROTOCOLS } from "@sealhouse/identity";
import type {
  Action,
  LastingAction,
  Level,
  Owner,
  PageVerdict,
  Requester,
} from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import type { Context } from "hono";
import type { FormValues } from "../kit/forms/form-fields.ts";
import type { Ending } from "../kit/forms/ask-first.ts";
import { readSentForm } from "../kit/forms/posted-form.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";
import { askSession } from "../kit/forms/step-up.ts";
import type { Refusal } from "../kit/page/model.ts";
import { refusalIn, refusalPageResponse } from "../kit/refusals/refusal-page.ts";
import type { From, Shown } from "../kit/page/shown-page.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import { refusedForm } from "../kit/page/session-page.ts";
import { FORM_BYTES_MAX, requesterOf, unreadableForm } from "./name-manager.ts";
import type { NameSources } from "./name-sources.ts";

/** Path of the page with the names of the person who is signed in. */
export const OWN_NAMES = "/account/names";

/** A change on the page of the own names; the last part of its path. */
export type OwnTask = "accept" | "decline" | "new-pipeline" | "remove-pipeline";

/** A request of a user or service account for its own names. */
export type NameHolder = Shown & {
  readonly requester: Requester;
  /** The user and its teams, each with the most that the holder may do with its names. */
  readonly owners: readonly (Pick<Owner, "id" | "handle"> & { readonly level: Level })[];
  readonly proofFor: (task: OwnTask) => string;
};

/** Renders a page about the own names of a user or service account. */
export function holderPage(
  sources: NameSources,
  c: Context,
  render: (holder: NameHolder) => Promise<Response> | Response,
): Promise<Response> {
  return shownPage(sources, c, (shown) => asHolder(sources, shown, render));
}

/** The form of a task, and the lasting action that a session confirms for it. */
export type OwnPost = {
  readonly c: Context;
  readonly task: OwnTask;
  readonly action: LastingAction;
  /** The change in words. */
  readonly words: (values: FormValues) => string;
  readonly ending?: OwnEnding | undefined;
};

/** States what a form about the own names ends; undefined when there is nothing to end. */
export type OwnEnding = (
  sources: NameSources,
  holder: NameHolder,
  values: FormValues,
) => Promise<Ending | undefined>;

/** Handles a form about the own names; like `managerForm`. */
export function holderForm(
  sources: NameSources,
  { c, task, action, words, ending }: OwnPost,
  act: (holder: NameHolder, form: SentForm) => Promise<Response>,
): Promise<Response> {
  return shownPage(sources, c, (shown) => {
    if (sources.forms.isFromElsewhere(shown.from, shown.address)) return refusedForm(shown);
    return asHolder(sources, shown, async (holder) => {
      const fieldsOf = () => proofFields(holder.requester, task);
      const expected = { c, fieldsOf, bytesMax: FORM_BYTES_MAX };
      const form = await readSentForm(sources.forms, holder, expected);
      if (form === "foreign") return refusedForm(holder);
      if (form === "unreadable") return unreadableForm(holder);
      const { values, isExpired } = form;
      if (isExpired) return act(holder, form);
      const wanted = { action, subject: words(values), backPath: OWN_NAMES, values };
      const { confirm } = sources;
      const change = { wanted, ending: await ending?.(sources, holder, values), confirm };
      return (await askSession(holder, change)) ?? act(holder, form);
    });
  });
}

/** Decides about a change that concerns no name yet. */
export function mayChange(
  { rules }: Pick<NameSources, "rules">,
  { request, env }: From,
  { protocol, action }: { readonly protocol: Protocol; readonly action: Action },
): Promise<PageVerdict> {
  return createPageAuthorize(rules, protocol)(request, env, { action });
}

async function asHolder(
  sources: NameSources,
  shown: Shown,
  render: (holder: NameHolder) => Promise<Response> | Response,
): Promise<Response> {
  const { from, site, address } = shown;
  const requester = await requesterOf(sources, from);
  const refusal = requester ? await refusalOf(sources, from, requester) : ANONYMOUS;
  if (!requester || refusal) return refusalPageResponse(site, address, refusal ?? ANONYMOUS);
  const owners = await ownersOf(sources, requester);
  const proofFor = (task: OwnTask) => sources.forms.make(from, proofFields(requester, task));
  return render({ ...shown, requester, owners, proofFor });
}

const ANONYMOUS: Refusal = { status: "anonymous", reason: "Sign in to see your names." };
const OF_OPERATORS =
  "This token belongs to no user and no service account, so it owns no names. Sign in as a user.";

/** A token sees all names of its user, so it must not be limited. */
async function refusalOf(
  sources: NameSources,
  from: From,
  requester: Requester,
): Promise<Refusal | undefined> {
  if ("kind" in requester) return undefined;
  if (holderOf(requester) === undefined) return { status: "denied", reason: OF_OPERATORS };
  for (const protocol of PROTOCOLS) {
    const verdict = await mayChange(sources, from, { protocol, action: "manage" });
    // The form asks a session for its confirmation before it acts.
    const refusal = verdict.status === "step-up" ? undefined : refusalIn(verdict);
    if (refusal) return refusal;
  }
  return undefined;
}

/** The user and its teams, or the team of a service account. */
export async function ownersOf(
  { visibilities, teams }: Pick<NameSources, "visibilities" | "teams">,
  requester: Requester,
): Promise<NameHolder["owners"]> {
  const { user } = requester;
  const ids = await visibilities.ownersOf(requester);
  return Promise.all(
    ids.map(async (id) => {
      if (id === user?.id) return { id, handle: user.handle, level: "manage" };
      const [team, members] = await Promise.all([teams.find(id), teams.members(id)]);
      const member = user && members.find(({ userId }) => userId === user.id);
      return { id, handle: team?.handle ?? id, level: MEMBER_RIGHTS[member?.level ?? "member"] };
    }),
  );
}

/** The owners whose offers and pipelines the holder decides about. */
export function managedOwners({ owners }: Pick<NameHolder, "owners">): NameHolder["owners"] {
  return owners.filter(({ level }) => level === "manage");
}

function proofFields(requester: Requester, task: OwnTask): readonly string[] {
  const tokenId = "kind" in requester ? "" : requester.tokenId;
  return ["own-names", requester.name, tokenId, task];
}
