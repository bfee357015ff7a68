import { holderOf, isUnlimited, newPolicy, policyLimitProblem } from "@sealhouse/identity";
import type { OwnerLevel } from "@sealhouse/identity";
import type { Choice } from "../kit/forms/form-fields.ts";
import { managedPath } from "../kit/links/name-address.ts";
import type { NameManager } from "./name-manager.ts";
import { nameHead, namePage } from "./name-page.ts";
import { removablePipelines } from "./name-pipelines.ts";
import type { NameSources } from "./name-sources.ts";
import { afterTask } from "./owner-tasks.ts";
import { managedOwners, ownersOf } from "./own-names.ts";
import { newPipelineValues, pipelineFields, readPipelineForm } from "./pipeline-form.ts";
import type { PipelineChoices } from "./pipeline-form.ts";
import { pipelineForm, providerIn } from "./pipeline-page.ts";
import { PIPELINE_FIELD } from "./pipelines-card.ts";
import { expiredForm } from "./shown-form.ts";
import type { ShownNameForm } from "./shown-form.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";

/** Renders the form of a new pipeline of a name. */
export async function newPipelinePage(
  sources: NameSources,
  manager: NameManager,
  form?: ShownNameForm,
): Promise<Response> {
  const { address, name, proofFor, from } = manager;
  const provider = providerIn(form?.values ?? new URL(from.request.url).searchParams);
  const { choices } = await optionsOf(sources, manager, provider);
  const { values, problems } = form ?? { values: newPipelineValues(choices), problems: [] };
  const body = pipelineForm({
    provider,
    fields: pipelineFields(choices),
    values,
    problems,
    action: address.root + managedPath(name, "new-pipeline"),
    proof: proofFor("new-pipeline"),
    cancel: address.root + managedPath(name),
  });
  const title = `Add a pipeline for ${name.name}`;
  const head = nameHead(manager, "Add a pipeline for");
  return namePage(manager, { title, head, body, status: problems.length > 0 ? 422 : 200 });
}

/** Adds a pipeline that publishes a name. */
export async function addedPipeline(
  sources: NameSources,
  manager: NameManager,
  { values, isExpired }: SentForm,
): Promise<Response> {
  if (isExpired) return newPipelinePage(sources, manager, expiredForm(values));
  const { name, caller, requester } = manager;
  const { choices, own, owners } = await optionsOf(sources, manager, providerIn(values));
  const outcome = readPipelineForm(values, choices, name);
  if (outcome.status === "refused") {
    return newPipelinePage(sources, manager, { values, problems: outcome.problems });
  }
  const owner = owners.find(({ handle }) => handle === outcome.owner);
  const isOwn = own.some(({ id }) => id === owner?.id);
  const making = {
    id: sources.newId(),
    createdAt: sources.rules.now(),
    createdBy: caller.actor,
    ...(owner && { ownerId: owner.id }),
    ...(isOwn && requester?.user && { makerId: requester.user.id }),
  };
  const policy = newPolicy(outcome.policy, making);
  const words = policyLimitProblem(await sources.policies.list(), policy);
  if (words !== undefined) {
    return newPipelinePage(sources, manager, { values, problems: [{ name: name.name, words }] });
  }
  await sources.policies.add(policy, caller);
  return afterTask(manager, "pipeline");
}

/** Removes a pipeline of a name. */
export async function removedPipeline(
  sources: NameSources,
  manager: NameManager,
  { values, isExpired }: SentForm,
): Promise<Response> {
  if (isExpired) return afterTask(manager, "expired");
  const { policies, mayRemove } = await removablePipelines(sources, manager);
  const policy = policies.find(({ id }) => id === values.get(PIPELINE_FIELD));
  if (!policy || !mayRemove(policy)) return afterTask(manager, "absent");
  const outcome = await sources.policies.remove(policy.id, manager.caller);
  return afterTask(manager, outcome === "removed" ? "unpiped" : "absent");
}

type PipelineOptions = {
  readonly choices: PipelineChoices;
  /** Owners that manage the name, and those of them that the caller manages for. */
  readonly owners: readonly Pick<OwnerLevel, "id" | "handle">[];
  readonly own: readonly Pick<OwnerLevel, "id" | "handle">[];
};

/** An administrator acts for the owners of a name, an operator also for none of them. */
async function optionsOf(
  sources: NameSources,
  { key, requester, exists }: NameManager,
  provider: PipelineChoices["provider"],
): Promise<PipelineOptions> {
  const { ownerships, trust } = sources;
  const managers = (await ownerships.list(key)).filter(({ level }) => level === "manage");
  const acting = managedOwners({ owners: requester ? await ownersOf(sources, requester) : [] });
  const own = managers.filter(({ id }) => acting.some((owner) => owner.id === id));
  const user = requester?.user && { id: requester.user.id, handle: requester.user.handle };
  const others = requester && isUnlimited(requester) ? managers : [];
  const owners = [
    ...new Set([...own, ...others, ...(managers.length === 0 && user ? [user] : [])]),
  ];
  const isOperator = requester && holderOf(requester) === undefined;
  const none = isOperator ? [{ value: "", text: "the operators" }] : [];
  const named: readonly Choice[] = owners.map(({ handle }) => ({ value: handle, text: handle }));
  const isOwnless = managers.length === 0 && user ? [user] : [];
  return {
    choices: { provider, trust, owners: [...named, ...none], isNew: !exists },
    owners,
    own: [...own, ...isOwnless],
  };
}
