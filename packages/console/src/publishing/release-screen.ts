import type { ShownRelease } from "@sealhouse/administration";
import { html } from "hono/html";
import { actionNamed, readAction, shownTag } from "../actions/run-action.ts";
import { actionButton, auditLink, formLink } from "../actions/screen.ts";
import type { AskedScreen, Screen } from "../actions/screen.ts";
import { administrationPage, RELEASES } from "../administration/administration-page.ts";
import { badge } from "../kit/elements/badges.ts";
import { countOf, clipped, formatSize } from "../kit/elements/format.ts";
import { andMore, pair, table, timeAgo } from "../kit/elements/tables.ts";
import type { Html } from "../kit/page/document.ts";
import { releaseStream } from "./release-stream.ts";
import { releasePath, releaseState } from "./release-table.ts";

type Item = ShownRelease["items"][number];

const PAGE = `${RELEASES}/{id}`;
const ITEMS_SHOWN = 500;
const NOTE_MAX = 400;
const RELOAD_SECONDS = 5;

/** The steps of a release, in order, with what happens in each. */
const STEPS = [
  ["open", "Choose versions"],
  ["frozen", "Ask the targets"],
  ["checked", "Sign the statement"],
  ["carrying", "Send content, not yet visible"],
  ["publishing", "Publish versions"],
  ["pointing", "Move tags"],
  ["released", "Released"],
] as const;

const ITEM_STATES: Readonly<
  Record<Item["state"], readonly [string, "calm" | "warn" | "bad" | "kind"]>
> = {
  ready: ["Waits", "calm"],
  carried: ["Sent", "calm"],
  sending: ["Is sent", "calm"],
  pending: ["Accepted, not visible yet", "warn"],
  "awaiting-approval": ["Waits for approval", "warn"],
  published: ["Published", "kind"],
  same: ["Was there", "kind"],
  pointed: ["Published, tags moved", "kind"],
  conflict: ["Other content there", "bad"],
  refused: ["Refused", "bad"],
  failed: ["Failed", "bad"],
  undone: ["Taken back", "warn"],
  stuck: ["Could not be taken back", "bad"],
};

/** One release, which the page follows while it runs. */
export const RELEASE_SCREEN: Screen = {
  path: PAGE,
  async render(asked) {
    const { sources, administrator, params, notice } = asked;
    const release = await readAction<ShownRelease>(sources, administrator, [
      "releases.show",
      params,
    ]);
    if (!release) return undefined;
    const { group, number, id, endedAt } = release;
    const stream = `${administrator.address.root}${releasePath(id)}/events`;
    const live = endedAt === undefined && html`data-live="${stream}"`;
    const body = html`${notice}
      ${
        live && html`<noscript><meta http-equiv="refresh" content="${RELOAD_SECONDS}" /></noscript>`
      }
      <div class="stack" id="release" ${live}>
        ${await stateCard(asked, release)} ${itemsCard(release)}
      </div>`;
    const title = `Release ${number} of ${group}`;
    return administrationPage(administrator, { title, section: RELEASES, body });
  },
};

/** The stream of changes of a release, for its page. */
export const RELEASE_EVENTS: Screen = {
  path: `${PAGE}/events`,
  async render({ sources, params, administrator }) {
    const { releases } = await sources.actions.parts.promotion();
    return releaseStream(releases, params["id"] ?? "", administrator.from.request.signal);
  },
};

async function stateCard(asked: AskedScreen, release: ShownRelease): Promise<Html> {
  const { site } = asked.administrator;
  const { state, targets, actor, createdAt, endedAt, reason, nextAt } = release;
  return html`<section class="card" aria-labelledby="state">
    <h2 id="state">State</h2>
    <p class="badges" role="status">${releaseState(state)} ${progressText(release)}</p>
    ${reason !== undefined && html`<p class="banner warn said">${clipped(reason, NOTE_MAX)}</p>`}
    ${stepList(release)}
    <dl class="pairs spread">
      ${pair("Targets", targets.join(", "))}
      ${pair("Started", html`${timeAgo(new Date(createdAt), site.now)}, by ${actor}`)}
      ${endedAt !== undefined && pair("Ended", timeAgo(new Date(endedAt), site.now))}
      ${
        nextAt !== undefined &&
        pair("Next attempt", html`<time datetime="${nextAt}">${nextAt.slice(11, 19)} UTC</time>`)
      }
    </dl>
    <div class="buttons">${await releaseButtons(asked, release)}</div>
  </section>`;
}

function progressText({ items }: ShownRelease): string {
  if (items.length === 0) return "";
  const done = items.filter(isDone);
  const bytes = (some: readonly Item[]) => some.reduce((sum, { member }) => sum + member.size, 0);
  return (
    `${done.length} of ${countOf(items.length, "version")} at their targets, ` +
    `${formatSize(bytes(done))} of ${formatSize(bytes(items))}.`
  );
}

function isDone({ state }: Item): boolean {
  return state === "published" || state === "pointed" || state === "same";
}

function stepList({ state }: ShownRelease): Html | false {
  const at = STEPS.findIndex(([step]) => step === state);
  if (at === -1) return false;
  return html`<ol class="steps">
    ${STEPS.map(
      ([step, text], index) =>
        html`<li ${step === state && html`aria-current="step"`}>
          ${index < at ? badge("Done", "kind") : index === at && badge("Now", "calm")} ${text}
        </li>`,
    )}
  </ol>`;
}

async function releaseButtons(
  { sources, administrator }: AskedScreen,
  release: ShownRelease,
): Promise<Html> {
  const { id, group, number, endedAt, pivotAt, state } = release;
  const path = releasePath(id);
  const tag = shownTag(await actionNamed(sources, "releases.show"), release);
  const about = `release ${number} of ${group}`;
  const button = (verb: string, text: string, tone?: "bad") =>
    actionButton(administrator, {
      path: `${path}/${verb}`,
      text,
      about,
      tag,
      ...(tone && { tone }),
    });
  const mayContinue = endedAt === undefined || state === "failed";
  return html`${mayContinue && state !== "undoing" && button("resume", "Continue")}
  ${endedAt === undefined && pivotAt === undefined && button("undo", "Undo", "bad")}
  ${endedAt !== undefined && formLink(administrator, `${path}/repeat`, "Release again")}
  ${
    pivotAt !== undefined &&
    endedAt === undefined &&
    html`<p class="soft">Versions are visible at targets, so it can no longer be undone.</p>`
  }
  ${auditLink(administrator, { subject: `group/${group}` })}`;
}

function itemsCard({ items, endedAt }: ShownRelease): Html {
  const shown = items.slice(0, ITEMS_SHOWN);
  const rows = shown.map(({ target, member, state, note, attempts }) => {
    const [text, tone] = ITEM_STATES[state];
    return html`<tr>
      <th scope="row">${member.name}</th>
      <td>${member.protocol === "oci" ? member.tags.join(", ") : member.version}</td>
      <td>${target}</td>
      <td>${badge(text, tone)}</td>
      <td>${formatSize(member.size)}</td>
      <td class="said">
        ${attempts > 0 && endedAt === undefined && `${countOf(attempts, "attempt")}. `}
        ${clipped(note ?? "", NOTE_MAX)}
      </td>
    </tr>`;
  });
  const heads = ["Package", "Version", "Target", "State", "Size", "What the target said"];
  return html`<section class="card" aria-labelledby="items">
    <h2 id="items">Versions and targets</h2>
    ${
      rows.length > 0
        ? table(
            "Versions and targets",
            heads.map((text) => ({ text })),
            rows,
          )
        : html`<p class="soft">The versions are not chosen yet.</p>`
    }
    ${andMore(items.length - shown.length)}
  </section>`;
}
