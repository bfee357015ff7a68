import {
  createPageAuthorize,
  nameKeyOf,
  newPolicy,
  policyLimitProblem,
  PROTOCOLS,
  reasonBySecondFactor,
} from "@sealhouse/identity";
import type { Action, LastingAction, OwnableName } from "@sealhouse/identity";
import { parseNewPackageName } from "@sealhouse/npm-protocol";
import { isPackageId } from "@sealhouse/nuget-protocol";
import { isRepositoryName } from "@sealhouse/oci-distribution";
import type { Caller, Protocol } from "@sealhouse/request-types";
import { html } from "hono/html";
import { PROTOCOL_CHOICES } from "../kit/forms/form-fields.ts";
import type { FieldProblem, FormField, FormValues } from "../kit/forms/form-fields.ts";
import { refusalIn, refusalPageResponse } from "../kit/refusals/refusal-page.ts";
import { wordsIn } from "../kit/forms/posted-form.ts";
import { mayManage } from "./name-manager.ts";
import { pipelineEnding } from "./name-endings.ts";
import { namePage } from "./name-page.ts";
import type { NameSources } from "./name-sources.ts";
import { managedOwners, mayChange, OWN_NAMES } from "./own-names.ts";
import type { NameHolder, OwnEnding, OwnTask } from "./own-names.ts";
import { afterOwnTask, ownOffers, ownPipelines } from "./own-names-page.ts";
import {
  newPipelineValues,
  pipelineFields,
  pipelineWords,
  readPipelineForm,
} from "./pipeline-form.ts";
import type { PipelineChoices } from "./pipeline-form.ts";
import { pipelineForm, providerIn } from "./pipeline-page.ts";
import { PIPELINE_FIELD } from "./pipelines-card.ts";
import { expiredForm } from "./shown-form.ts";
import type { ShownNameForm } from "./shown-form.ts";
import { OFFER_FIELD } from "./transfers-card.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";

type OwnTaskOf = {
  readonly act: (sources: NameSources, holder: NameHolder, form: SentForm) => Promise<Response>;
  /** The action that a session must confirm. */
  readonly action: LastingAction;
  /** The change in words. */
  readonly words: (values: FormValues) => string;
  readonly ending?: OwnEnding;
};

/** The forms of the page of the own names. */
export const OWN_TASKS: Readonly<Record<OwnTask, OwnTaskOf>> = {
  accept: {
    act: decidedOffer("accepted"),
    action: "change-owners",
    words: (values) => `accept the offer ${wordsIn(values, OFFER_FIELD)}`,
  },
  decline: {
    act: decidedOffer("declined"),
    action: "change-owners",
    words: (values) => `decline the offer ${wordsIn(values, OFFER_FIELD)}`,
    ending: async (sources, holder, values) => {
      const offers = await ownOffers(sources, holder);
      const offer = offers.find(({ id }) => id === values.get(OFFER_FIELD));
      if (!offer) return undefined;
      const { name, to, level } = offer;
      return {
        title: `Decline the offer of ${name.name}?`,
        ends: [`${to.handle} does not get the right ${level}. Only its owners can offer it again.`],
        button: "Decline the offer",
      };
    },
  },
  "new-pipeline": {
    act: addedOwnPipeline,
    action: "add-trust",
    words: (values) =>
      `${pipelineWords(values)} ${wordsIn(values, "protocol")} ${wordsIn(values, "name")}`,
  },
  "remove-pipeline": {
    act: removedOwnPipeline,
    action: "add-trust",
    words: (values) => `remove the pipeline ${wordsIn(values, PIPELINE_FIELD)}`,
    ending: async (sources, holder, values) => {
      const own = await ownPipelines(sources, holder);
      const policy = own.find(({ id }) => id === values.get(PIPELINE_FIELD));
      return policy && pipelineEnding(policy, holder.site.now);
    },
  },
};

/** Accepts or declines an offer in the name of the person. A reader may decline. */
function decidedOffer(decision: "accepted" | "declined"): OwnTaskOf["act"] {
  return async (sources, holder, { values, isExpired }) => {
    if (isExpired) return afterOwnTask(holder, "expired");
    const offers = await ownOffers(sources, holder);
    const offer = offers.find(({ id }) => id === values.get(OFFER_FIELD));
    if (!offer) return afterOwnTask(holder, "ended");
    const action = decision === "accepted" ? "manage" : "read";
    const answer = await callerOn(sources, holder, { action, names: [offer.name] });
    if (answer instanceof Response) return answer;
    const { transfers } = sources;
    const outcome =
      decision === "accepted"
        ? await transfers.accept(offer.id, answer.caller)
        : await transfers.decline(offer.id, "declined", answer.caller);
    if (outcome === "full") return afterOwnTask(holder, "full");
    return afterOwnTask(holder, outcome === "done" ? decision : "ended");
  };
}

const NAME_FIELDS: readonly FormField[] = [
  { name: "protocol", label: "Protocol", kind: { choices: PROTOCOL_CHOICES } },
  {
    name: "name",
    label: "New name",
    kind: "text",
    isRequired: true,
    lengthMax: 255,
    help: "Acme.Widgets, @acme/widgets or team/app; it must not exist yet.",
  },
];

/** Renders the form of a pipeline for a name that does not exist yet. */
export function newOwnPipelinePage(
  { trust }: NameSources,
  holder: NameHolder,
  form?: ShownNameForm,
): Promise<Response> {
  const { address, proofFor, from } = holder;
  const provider = providerIn(form?.values ?? new URL(from.request.url).searchParams);
  const choices = choicesFor(holder, provider, trust);
  const { values, problems } = form ?? { values: newPipelineValues(choices), problems: [] };
  const body = pipelineForm({
    provider,
    fields: [...NAME_FIELDS, ...pipelineFields(choices)],
    values,
    problems,
    action: `${address.root}${OWN_NAMES}/new-pipeline`,
    proof: proofFor("new-pipeline"),
    cancel: address.root + OWN_NAMES,
  });
  const title = "Add a pipeline for a new name";
  const head = html`<h1>${title}</h1>`;
  return namePage(holder, { title, head, body, status: problems.length > 0 ? 422 : 200 });
}

function choicesFor(
  holder: NameHolder,
  provider: PipelineChoices["provider"],
  trust: PipelineChoices["trust"],
): PipelineChoices {
  const named = managedOwners(holder).map(({ handle }) => ({ value: handle, text: handle }));
  return { provider, trust, owners: named, isNew: false };
}

async function addedOwnPipeline(
  sources: NameSources,
  holder: NameHolder,
  { values, isExpired }: SentForm,
): Promise<Response> {
  const again = (problems: readonly FieldProblem[]) =>
    newOwnPipelinePage(sources, holder, { values, problems });
  if (isExpired) return newOwnPipelinePage(sources, holder, expiredForm(values));
  const name = newNameIn(values);
  if ("problem" in name) return again([name.problem]);
  const creation = await mayCreate(sources, holder, name);
  if ("words" in creation) return again([{ name: "name", words: creation.words }]);
  const choices = choicesFor(holder, providerIn(values), sources.trust);
  const outcome = readPipelineForm(values, choices, name);
  if (outcome.status === "refused") return again(outcome.problems);
  const { requester, owners } = holder;
  const owner = owners.find(({ handle }) => handle === outcome.owner);
  const making = {
    id: sources.newId(),
    createdAt: sources.rules.now(),
    createdBy: creation.caller.actor,
    ...(owner && { ownerId: owner.id }),
    ...(requester.user && { makerId: requester.user.id }),
  };
  const policy = newPolicy({ ...outcome.policy, mayCreate: true }, making);
  const words = policyLimitProblem(await sources.policies.list(), policy);
  if (words !== undefined) return again([{ name: "name", words }]);
  await sources.policies.add(policy, creation.caller);
  return afterOwnTask(holder, "pipeline");
}

const IS_NAME: Readonly<Record<Protocol, (text: string) => boolean>> = {
  nuget: isPackageId,
  npm: (text) => parseNewPackageName(text) !== undefined,
  oci: isRepositoryName,
};

function newNameIn(values: FormValues): OwnableName | { readonly problem: FieldProblem } {
  const protocol = PROTOCOLS.find((known) => known === values.get("protocol"));
  const name = values.get("name")?.trim() ?? "";
  if (!protocol) return { problem: { name: "protocol", words: "is not a protocol" } };
  if (IS_NAME[protocol](name)) return { protocol, name };
  return { problem: { name: "name", words: "is not a name of this protocol" } };
}

/** Whether the caller could publish the first version of a name, and would manage it then. */
async function mayCreate(
  sources: NameSources,
  { from }: NameHolder,
  { protocol, name }: OwnableName,
): Promise<{ readonly caller: Caller } | { readonly words: string }> {
  const { rules, ownerships } = sources;
  const key = { protocol, name: nameKeyOf(protocol, name) };
  const action = protocol === "oci" ? "write" : "publish";
  const authorize = createPageAuthorize(rules, protocol);
  const publish = await authorize(from.request, from.env, { action, name: key.name });
  const verdict = publish.status === "granted" ? await mayManage(sources, from, key) : publish;
  if (verdict.status !== "granted") {
    return { words: `cannot be published: ${"reason" in verdict ? verdict.reason : "sign in"}` };
  }
  const { caller } = verdict;
  const standing = await ownerships.standing(key, caller.holderId ?? "");
  if (!standing.exists && !standing.isOwned) return { caller };
  return { words: "exists already; add the pipeline on the page of the name" };
}

async function removedOwnPipeline(
  sources: NameSources,
  holder: NameHolder,
  { values, isExpired }: SentForm,
): Promise<Response> {
  if (isExpired) return afterOwnTask(holder, "expired");
  const own = await ownPipelines(sources, holder);
  const policy = own.find(({ id }) => id === values.get(PIPELINE_FIELD));
  if (!policy) return afterOwnTask(holder, "absent");
  const { protocols, patterns } = policy;
  const names = protocols.flatMap((protocol) => patterns.map((name) => ({ protocol, name })));
  const answer = await callerOn(sources, holder, { action: "manage", names });
  if (answer instanceof Response) return answer;
  const outcome = await sources.policies.remove(policy.id, answer.caller);
  return afterOwnTask(holder, outcome === "removed" ? "unpiped" : "absent");
}

/** Like `mayChange`, for names that the caller need not own: they may require a second factor. */
async function callerOn(
  sources: NameSources,
  { from, requester, site, address }: NameHolder,
  { action, names }: { readonly action: Action; readonly names: readonly OwnableName[] },
): Promise<{ readonly caller: Caller } | Response> {
  const { mfaPatterns } = sources.rules;
  const protocol = names[0]?.protocol ?? "npm";
  const verdict = await mayChange(sources, from, { protocol, action });
  if (verdict.status !== "granted") {
    return refusalPageResponse(site, address, refusalIn(verdict) ?? { status: "anonymous" });
  }
  for (const name of names) {
    const reason = reasonBySecondFactor(requester, { ...name, action, mfaPatterns });
    if (reason !== undefined)
      return refusalPageResponse(site, address, { status: "denied", reason });
  }
  return verdict;
}
