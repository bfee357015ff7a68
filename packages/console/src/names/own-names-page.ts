import { hasLevel, LEVELS, lowerLevel } from "@sealhouse/identity";
import type { Level, OwnableName, PublishPolicy, Transfer } from "@sealhouse/identity";
import { html } from "hono/html";
import { afterChange, noticeIn } from "../kit/forms/notices.ts";
import { andMore, table } from "../kit/elements/tables.ts";
import type { Html } from "../kit/page/document.ts";
import { managedPath, pathOfName } from "../kit/links/name-address.ts";
import { minuteOf, namePage, PROTOCOL_TEXTS, provenForm } from "./name-page.ts";
import type { NameSources } from "./name-sources.ts";
import { managedOwners, OWN_NAMES } from "./own-names.ts";
import type { NameHolder, OwnTask } from "./own-names.ts";
import { pipelineItem } from "./pipeline-item.ts";
import { newPipelineLinks, PIPELINE_FIELD } from "./pipelines-card.ts";
import { OFFER_FIELD } from "./transfers-card.ts";

const NAMES_SHOWN_MAX = 1_000;

const NOTICES = {
  accepted: "The offer is accepted: the name is in the list below.",
  declined: "The offer is declined.",
  full: "The name has as many owners as it may have. The offer stays open.",
  ended: "The offer has expired, was decided before, or its sender lost the right.",
  pipeline: "The pipeline was added. Its lines for the build service are below.",
  unpiped: "The pipeline was removed, and its tokens were revoked.",
  absent: "Nothing was changed: the entry no longer exists.",
  expired: "Nothing was changed: the page was open for more than an hour.",
};

/** Renders `GET /account/names`: own names, offers to accept, and pipelines of new names. */
export async function ownNamesPage(sources: NameSources, holder: NameHolder): Promise<Response> {
  const [names, offers, policies] = await Promise.all([
    ownNames(sources, holder),
    ownOffers(sources, holder),
    ownPipelines(sources, holder),
  ]);
  const body = html`${noticeIn(holder.from.request, NOTICES)}
  ${offers.length > 0 && offersCard(holder, offers)} ${namesCard(holder, names)}
  ${pipelinesCard(holder, policies)}`;
  const head = html`<h1>Your names</h1>
    <p class="lead">Packages and repositories that you or your teams own.</p>
    <nav class="sections" aria-label="Account">
      <a href="${holder.address.root}/account">Your account</a>
      <a href="${holder.address.root}${OWN_NAMES}" aria-current="true">Your names</a>
    </nav>`;
  return namePage(holder, { title: "Your names", head, body });
}

/** Leads back to the page of the own names. */
export function afterOwnTask({ address }: NameHolder, notice: string): Response {
  return afterChange(address, OWN_NAMES, notice);
}

/** Open offers to the user or the teams that it manages. */
export function ownOffers(
  { transfers }: Pick<NameSources, "transfers">,
  holder: NameHolder,
): Promise<readonly Transfer[]> {
  return transfers.listTo(managedOwners(holder).map(({ id }) => id));
}

/** Pipelines of names that did not exist, of the user or the teams that it manages. */
export async function ownPipelines(
  { policies }: Pick<NameSources, "policies">,
  holder: NameHolder,
): Promise<readonly PublishPolicy[]> {
  const owners = managedOwners(holder);
  const userId = holder.requester.user?.id;
  const all = await policies.list();
  return all.filter(
    ({ state, makerId, ownerId }) =>
      state !== "active" &&
      ((userId !== undefined && makerId === userId) || owners.some(({ id }) => id === ownerId)),
  );
}

type OwnName = OwnableName & { readonly level: Level; readonly through: readonly string[] };

/** The names of the user and its teams, each with the highest level. */
async function ownNames(
  { ownerships }: NameSources,
  { owners }: NameHolder,
): Promise<readonly OwnName[]> {
  const found = new Map<string, OwnName>();
  for (const { id, handle, level: most } of owners) {
    for (const { protocol, name, level: owned } of await ownerships.names(id)) {
      const level = lowerLevel(owned, most);
      const key = `${protocol}/${name}`;
      const former = found.get(key);
      const through = [...(former?.through ?? []), handle];
      const highest = LEVELS.findLast((one) => one === level || one === former?.level) ?? level;
      found.set(key, { protocol, name, level: highest, through });
    }
  }
  return [...found].toSorted(([key], [other]) => (key < other ? -1 : 1)).map(([, own]) => own);
}

const NAME_HEADS = ["Name", "Kind", "Level", "Through"].map((text) => ({ text }));

function namesCard({ address }: NameHolder, names: readonly OwnName[]): Html {
  const rows = names.slice(0, NAMES_SHOWN_MAX).map((own) => {
    const path = hasLevel(own.level, "manage")
      ? address.root + managedPath(own)
      : pathOfName(address, own);
    return html`<tr>
      <th scope="row"><a href="${path}">${own.name}</a></th>
      <td>${PROTOCOL_TEXTS[own.protocol]}</td>
      <td>${own.level}</td>
      <td>${own.through.join(", ")}</td>
    </tr>`;
  });
  return html`<section class="card" aria-labelledby="names">
    <h2 id="names">Names</h2>
    ${
      rows.length > 0
        ? table("Your names", NAME_HEADS, rows)
        : html`<p class="soft">You own no names. The first publisher of a name owns it.</p>`
    }
    ${andMore(names.length - rows.length)}
  </section>`;
}

const OFFER_HEADS = ["Name", "Kind", "For", "Level", "Expires", "Decision"].map((text) => ({
  text,
}));

function offersCard(holder: NameHolder, offers: readonly Transfer[]): Html {
  const rows = offers.map(
    ({ id, name, to, level, expiresAt, createdBy }) =>
      html`<tr>
        <th scope="row">${name.name}</th>
        <td>${PROTOCOL_TEXTS[name.protocol]}, offered by ${createdBy}</td>
        <td>${to.handle}</td>
        <td>${level}</td>
        <td>${minuteOf(expiresAt)}</td>
        <td>
          <div class="buttons">
            ${ownForm(holder, "accept", { [OFFER_FIELD]: id }, ["Accept", name.name])}
            ${ownForm(holder, "decline", { [OFFER_FIELD]: id }, ["Decline", name.name])}
          </div>
        </td>
      </tr>`,
  );
  return html`<section class="card" aria-labelledby="offers">
    <h2 id="offers">Offered to you</h2>
    ${table("Offered to you", OFFER_HEADS, rows)}
  </section>`;
}

function ownForm(
  { address, proofFor }: NameHolder,
  task: OwnTask,
  hidden: Readonly<Record<string, string>>,
  [text, about]: readonly [text: string, about: string],
): Html {
  const action = `${address.root}${OWN_NAMES}/${task}`;
  return provenForm({ action, proof: proofFor(task), hidden, text, about });
}

function pipelinesCard(holder: NameHolder, policies: readonly PublishPolicy[]): Html {
  const { address, site } = holder;
  const items = policies.map((policy) => {
    const [protocol = "npm"] = policy.protocols;
    const [name = ""] = policy.patterns;
    const removal = ownForm(holder, "remove-pipeline", { [PIPELINE_FIELD]: policy.id }, [
      "Remove",
      `the pipeline for ${name}`,
    ]);
    const published = { address, protocol, name };
    return pipelineItem({ policy, now: site.now, published, names: policy.patterns, removal });
  });
  return html`<section class="card" aria-labelledby="pipelines">
    <h2 id="pipelines">Pipelines for new names</h2>
    <p class="note">
      They publish a name that does not exist yet, and are void when another user creates it before.
    </p>
    <ul class="rows">
      ${items}
    </ul>
    ${newPipelineLinks(`${address.root}${OWN_NAMES}/new-pipeline`)}
  </section>`;
}
