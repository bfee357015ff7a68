import { coversName, POLICY_PROVIDERS, PROVIDER_CLAIMS } from "@sealhouse/identity";
import type { PublishPolicy } from "@sealhouse/identity";
import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { managedPath } from "../kit/links/name-address.ts";
import type { NameManager } from "./name-manager.ts";
import { taskForm } from "./name-page.ts";
import type { NamePipelines } from "./name-pipelines.ts";
import { pipelineItem } from "./pipeline-item.ts";

/** Field with the id of a pipeline. */
export const PIPELINE_FIELD = "pipeline";

/** Renders the pipelines that may publish a name, with links to new ones. */
export function pipelinesCard(manager: NameManager, { policies, mayRemove }: NamePipelines): Html {
  const { address, name } = manager;
  const items = policies.map((policy) => itemOf(manager, policy, mayRemove(policy)));
  const path = address.root + managedPath(name, "new-pipeline");
  return html`<section class="card" aria-labelledby="pipelines">
    <h2 id="pipelines">Trusted publishers</h2>
    <p class="note">
      Jobs of a build service publish with an ID token, so that no pipeline stores a secret.
    </p>
    ${items.length === 0 && html`<p class="soft">No build job may publish this name.</p>`}
    <ul class="rows">
      ${items}
    </ul>
    ${newPipelineLinks(path)}
  </section>`;
}

/** Renders links to the forms for a new pipeline of each provider. `path`: that of the form. */
export function newPipelineLinks(path: string): Html {
  const links = POLICY_PROVIDERS.map(
    (provider) =>
      html`<li>
        <a href="${path}?provider=${provider}">${PROVIDER_CLAIMS[provider].label}</a>
      </li>`,
  );
  return html`<h3>Add a pipeline of</h3>
    <ul class="plain">
      ${links}
    </ul>`;
}

function itemOf(manager: NameManager, policy: PublishPolicy, isRemovable: boolean): Html {
  const { address, name, key, site } = manager;
  const names = policy.patterns.filter((pattern) => coversName(pattern, key.protocol, key.name));
  const remove = taskForm(manager, {
    task: "remove-pipeline",
    hidden: { [PIPELINE_FIELD]: policy.id },
    text: "Remove",
    about: `the pipeline ${policy.id}`,
  });
  const other = html`<p class="note">
    It may publish other names, too; an administrator removes it.
  </p>`;
  return pipelineItem({
    policy,
    now: site.now,
    published: { address, ...name },
    names,
    removal: isRemovable ? remove : other,
  });
}
