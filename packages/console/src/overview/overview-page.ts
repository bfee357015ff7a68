import { html } from "hono/html";
import { administrationPage, OVERVIEW } from "../administration/administration-page.ts";
import type { Administrator } from "../administration/administrator.ts";
import { clipped, formatCount, formatSize, visibleText } from "../kit/elements/format.ts";
import type { Html } from "../kit/page/document.ts";
import { WARNING } from "../kit/page/icons.ts";
import { AUDIT, auditPath } from "../kit/page/page-paths.ts";
import { recordTable } from "./audit-page.ts";
import type { Attention, AuditRecord, RegistryFigures } from "./overview-sources.ts";

const SHOWN_MAX = 20;
const TEXT_LENGTH_MAX = 400;

/** Contents of the overview. */
export type OverviewView = {
  readonly attention: readonly Attention[];
  readonly figures: RegistryFigures;
  /** Requests and uploads of 24 hours; `hasMore`: there are more than were counted. */
  readonly refused: Counted;
  readonly published: Counted;
  readonly latest: readonly AuditRecord[];
};

export type Counted = { readonly count: number; readonly hasMore: boolean };

/** Renders `GET /administration`. */
export function overviewPage(administrator: Administrator, view: OverviewView): Promise<Response> {
  const { address } = administrator;
  const body = html`${attentionCard(administrator, view.attention)} ${tiles(administrator, view)}
    <section class="card" aria-labelledby="latest">
      <h2 id="latest">Latest in the audit log</h2>
      ${
        view.latest.length > 0
          ? recordTable(administrator, view.latest)
          : html`<p class="empty">Nothing has changed yet.</p>`
      }
      <p><a href="${address.root}${AUDIT}">Search the audit log</a></p>
    </section>`;
  return administrationPage(administrator, { title: "Overview", section: OVERVIEW, body });
}

function attentionCard({ address }: Administrator, attention: readonly Attention[]): Html {
  const shown = attention.slice(0, SHOWN_MAX);
  return html`<section class="card" aria-labelledby="attention">
    <h2 id="attention">Needs attention</h2>
    ${
      shown.length > 0
        ? html`<ul class="attention">
            ${shown.map((one) => attentionItem(one, address.root))}
          </ul>`
        : html`<p class="soft">Nothing. The registry and its sources work.</p>`
    }
    ${
      attention.length > shown.length &&
      html`<p class="soft">And ${attention.length - shown.length} more.</p>`
    }
  </section>`;
}

function attentionItem({ tone, title, text, link }: Attention, root: string): Html {
  return html`<li>
    <span class="${tone}">${WARNING}</span>
    <div>
      <p class="strong">${visibleText(clipped(title, TEXT_LENGTH_MAX))}</p>
      <p class="soft">
        ${text !== undefined && visibleText(clipped(text, TEXT_LENGTH_MAX))}
        ${link && html`<a href="${root}${link.path}">${link.text}</a>`}
      </p>
    </div>
  </li>`;
}

function tiles({ address: { root } }: Administrator, view: OverviewView): Html {
  const { isHealthy, storedBytes, pushes, pulls } = view.figures;
  const day = (types: string) => `${root}${auditPath({ type: types, since: "24h" })}`;
  return html`<div class="tiles">
    <div class="tile ${isHealthy ? "good" : "bad"}">
      <b>${isHealthy ? "Healthy" : "Degraded"}</b>
      <a href="${root}/health">Database, storage, sources</a>
    </div>
    <div class="tile">
      <b>${countedText(view.published)}</b>
      <a href="${day("package.published")}">published in 24 hours</a>
    </div>
    <div class="tile">
      <b>${countedText(view.refused)}</b>
      <a href="${day("access.refused")}">refused requests in 24 hours</a>
    </div>
    <div class="tile">
      <b>${formatCount(pulls)}</b>
      <span class="soft">pulls, and ${formatCount(pushes)} pushes, since this start</span>
    </div>
    <div class="tile">
      <b>${formatSize(storedBytes)}</b>
      <span class="soft">stored</span>
    </div>
  </div>`;
}

function countedText({ count, hasMore }: Counted): string {
  return hasMore ? `${formatCount(count)}+` : formatCount(count);
}
