import { policySubject } from "@sealhouse/identity";
import type { PublishPolicy } from "@sealhouse/identity";
import { countOf } from "../kit/elements/format.ts";
import { lastUse } from "../kit/forms/ask-first.ts";
import type { Ending } from "../kit/forms/ask-first.ts";
import type { NameEnding } from "./name-manager.ts";
import { removablePipelines } from "./name-pipelines.ts";
import { PIPELINE_FIELD } from "./pipelines-card.ts";
import { OFFER_FIELD } from "./transfers-card.ts";

export const ownerEnding: NameEnding = async ({ ownerships }, { key, name }, values) => {
  const owners = await ownerships.list(key);
  const owner = owners.find(({ handle }) => handle === values.get("handle"));
  if (!owner) return undefined;
  const { handle, level } = owner;
  return {
    title: `Remove the owner ${handle} of ${name.name}?`,
    ends: [
      `${handle} loses the right ${level} on ${name.name}.`,
      `The name keeps ${countOf(owners.length - 1, "other owner")} and its versions.`,
    ],
    button: "Remove the owner",
  };
};

export const offerEnding: NameEnding = async ({ transfers }, { key, name }, values) => {
  const offer = (await transfers.listOf(key)).find(({ id }) => id === values.get(OFFER_FIELD));
  if (!offer) return undefined;
  return {
    title: `Withdraw the offer of ${name.name}?`,
    ends: [`${offer.to.handle} can no longer accept it. The owners of ${name.name} stay.`],
    button: "Withdraw the offer",
  };
};

export const namePipelineEnding: NameEnding = async (sources, manager, values) => {
  const { policies, mayRemove } = await removablePipelines(sources, manager);
  const policy = policies.find(({ id }) => id === values.get(PIPELINE_FIELD));
  if (!policy || !mayRemove(policy)) return undefined;
  return pipelineEnding(policy, manager.site.now);
};

/** States what ends with a pipeline. */
export function pipelineEnding(policy: PublishPolicy, now: Date): Ending {
  const { patterns, usedAt } = policy;
  return {
    title: "Remove the pipeline?",
    ends: [
      `Jobs of ${policySubject(policy)} can no longer publish ${patterns.join(", ")}.`,
      "All published versions stay.",
    ],
    remarks: [lastUse(usedAt, now)],
    button: "Remove the pipeline",
  };
}
