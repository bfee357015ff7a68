import type { OwnerLevel, Transfer, Visibility } from "@sealhouse/identity";
import { html } from "hono/html";
import type { FormField } from "../kit/forms/form-fields.ts";
import { problemList } from "../kit/forms/form-fields.ts";
import { noticeIn } from "../kit/forms/notices.ts";
import type { NameManager } from "./name-manager.ts";
import { nameHead, namePage } from "./name-page.ts";
import { removablePipelines } from "./name-pipelines.ts";
import type { NamePipelines } from "./name-pipelines.ts";
import type { NameSources } from "./name-sources.ts";
import { pipelinesCard } from "./pipelines-card.ts";
import { OWNER_FIELDS, ownersCard } from "./owners-card.ts";
import { NEW_FORM } from "./shown-form.ts";
import type { ShownNameForm } from "./shown-form.ts";
import { offerFields, transfersCard } from "./transfers-card.ts";
import { VISIBILITY_FIELD, visibilityCard } from "./visibility-card.ts";

const NOTICES = {
  owner: "The owner has this level now.",
  unchanged: "Nothing was changed: it was so already.",
  removed: "The owner was removed.",
  absent: "Nothing was changed: the entry no longer exists.",
  visibility: "The visibility was changed.",
  pipeline: "The pipeline was added. Its lines for the build service are below.",
  unpiped: "The pipeline was removed, and its tokens were revoked.",
  offered: "The name is offered: the other side accepts it on its page Your names.",
  withdrawn: "The offer is withdrawn.",
  full: "The name has as many owners as it may have. The offer stays open.",
  ended: "The offer has expired, was decided before, or its sender lost the right.",
  expired: "Nothing was changed: the page was open for more than an hour.",
};

const FIELDS: readonly FormField[] = [...OWNER_FIELDS, VISIBILITY_FIELD];

/** Renders the page that shows all about a name to those who manage it. */
export async function managePage(
  sources: NameSources,
  manager: NameManager,
  form: ShownNameForm = NEW_FORM,
): Promise<Response> {
  const { owners, offers, visibility, pipelines } = await factsOf(sources, manager);
  const { problems } = form;
  const body = html`${noticeIn(manager.from.request, NOTICES)}
  ${problems.length > 0 && problemList(problems, [...FIELDS, ...offerFields(owners)])}
  ${ownersCard(manager, owners, form)} ${transfersCard(manager, { owners, offers }, form)}
  ${visibilityCard(manager, visibility, form)} ${pipelinesCard(manager, pipelines)}`;
  const title = `Manage ${manager.name.name}`;
  const head = nameHead(manager, "Manage");
  return namePage(manager, { title, head, body, status: problems.length > 0 ? 422 : 200 });
}

type NameFacts = {
  readonly owners: readonly OwnerLevel[];
  readonly visibility: Visibility;
  readonly pipelines: NamePipelines;
  /** Open offers of the name. */
  readonly offers: readonly Transfer[];
};

async function factsOf(sources: NameSources, manager: NameManager): Promise<NameFacts> {
  const { ownerships, visibilities, transfers } = sources;
  const { key } = manager;
  const { protocol, name } = key;
  const [owners, hidden, pipelines, offers] = await Promise.all([
    ownerships.list(key),
    visibilities.find(protocol, name),
    removablePipelines(sources, manager),
    transfers.listOf(key),
  ]);
  return { owners, pipelines, offers, visibility: hidden?.visibility ?? "public" };
}
