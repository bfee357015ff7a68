import { policyEnd, policySubject, PROVIDER_CLAIMS, requiredClaims } from "@sealhouse/identity";
import type { PolicyClaim, PublishPolicy } from "@sealhouse/identity";
import { html } from "hono/html";
import { badge } from "../kit/elements/badges.ts";
import type { Html } from "../kit/page/document.ts";
import { copyable } from "../kit/clients/snippets.ts";
import { clipped } from "../kit/elements/format.ts";
import { pair } from "../kit/elements/tables.ts";
import { minuteOf } from "./name-page.ts";
import { workflowLines } from "./workflow-lines.ts";
import type { Published } from "./workflow-lines.ts";

const TEXT_LENGTH_MAX = 300;
const ENDS = { void: "Void", maker: "Its maker is gone", unused: "Ended unused" } as const;
const STATES = { active: "Active", pending: "Pending", void: "Void" } as const;

/** A pipeline as a page shows it. */
export type ShownPipeline = {
  readonly policy: PublishPolicy;
  readonly now: Date;
  readonly published: Omit<Published, "owner">;
  /** The names of the pipeline that the viewer may know. */
  readonly names: readonly string[];
  /** The form that removes it; a sentence where the viewer may not. */
  readonly removal: Html;
};

/** Renders a pipeline, with the lines for its workflow. */
export function pipelineItem({ policy, now, published, names, removal }: ShownPipeline): Html {
  const { id, provider, patterns, scopes, lifeSeconds, owner, createdBy, usedAt, state } = policy;
  const end = policyEnd(policy, now);
  const hidden = patterns.length - names.length;
  const claims = Object.entries(requiredClaims(policy));
  const lines = workflowLines(policy, { ...published, owner });
  return html`<li class="card">
    <h3>${clipped(policySubject(policy), TEXT_LENGTH_MAX)}</h3>
    <p class="badges">
      ${badge(PROVIDER_CLAIMS[provider].label, "kind")}
      ${badge(end === undefined ? STATES[state] : ENDS[end], end === undefined ? "calm" : "warn")}
    </p>
    <dl class="pairs spread">
      ${pair("Names", hidden > 0 ? `${names.join(", ")} and ${hidden} more` : names.join(", "))}
      ${claims.map(([name, claim]) => pair(name, clipped(claimText(claim), TEXT_LENGTH_MAX)))}
      ${pair("May", `${scopes.join(", ")} for ${lifeSeconds / 60} minutes`)}
      ${pair("Publishes for", owner ?? "the operators")} ${pair("Added by", createdBy)}
      ${pair("Last used", usedAt ? minuteOf(usedAt) : "never")}
      ${end === undefined && policy.pinEndsAt && !policy.pinned && endOf(policy.pinEndsAt)}
    </dl>
    <details>
      <summary>Lines for the build service</summary>
      ${copyable(id, lines)}
    </details>
    <div class="buttons">${removal}</div>
  </li>`;
}

function endOf(at: Date): Html {
  return pair("Without a use, it ends", minuteOf(at));
}

function claimText(claim: PolicyClaim): string {
  if (typeof claim === "string") return claim;
  return "file" in claim ? claim.file : claim.join(", ");
}
