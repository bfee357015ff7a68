import type { ShownRule } from "@sealhouse/administration";
import { formatTimeSpan } from "@sealhouse/settings";
import { html } from "hono/html";
import { actionNamed, readAction, shownTag } from "../actions/run-action.ts";
import { actionButton, formLink, pathWith } from "../actions/screen.ts";
import type { AskedScreen, Screen } from "../actions/screen.ts";
import { administrationPage, RULES } from "../administration/administration-page.ts";
import type { Administrator } from "../administration/administrator.ts";
import { PROTOCOL_NAMES, timeOf } from "../administration/source-parts.ts";
import { badge } from "../kit/elements/badges.ts";
import { pair, table, timeAgo } from "../kit/elements/tables.ts";
import type { Html } from "../kit/page/document.ts";

type RuleList = { readonly items: readonly ShownRule[] };

/** Rules about versions, and the ages of versions that sources hold back. */
export const RULES_SCREEN: Screen = {
  path: RULES,
  async render(asked) {
    const { sources, administrator, notice } = asked;
    const list = await readAction<RuleList>(sources, administrator, ["rules.list"]);
    const { items = [] } = list ?? {};
    const reader = await actionNamed(sources, "rules.show");
    const rows = items.map((rule) => ruleItem(administrator, rule, shownTag(reader, rule)));
    const body = html`${notice}
      <div class="head">
        <p class="soft">
          Rules refuse versions in documents, tags and downloads. Exceptions come before them.
        </p>
        ${formLink(administrator, `${RULES}/new?effect=deny&protocol=npm`, "Add a rule")}
      </div>
      ${rows.length === 0 && html`<p class="soft">There are no rules.</p>`}
      <ul class="rows">
        ${rows}
      </ul>
      ${await agesCard(asked)}`;
    const page = { title: "Rules about versions", section: RULES, body } as const;
    return administrationPage(administrator, page);
  },
};

function ruleItem(administrator: Administrator, rule: ShownRule, tag: string): Html {
  const { now } = administrator.site;
  const { id, effect, protocol, pattern, versions, reason, createdBy, expiresAt } = rule;
  const isEnded = rule.isExpired === true;
  const kind = effect === "deny" ? badge("Deny", "bad") : badge("Exception", "kind");
  const conditions = conditionsOf(rule);
  const about = `the rule about ${pattern}`;
  const path = pathWith(`${RULES}/{id}/remove`, { id });
  return html`<li class="card">
    <h2><code>${pattern}</code> ${versions !== "" && html`<code>${versions}</code>`}</h2>
    <p class="badges">
      ${kind} ${badge(PROTOCOL_NAMES[protocol], "calm")} ${isEnded && badge("Ended", "calm")}
    </p>
    <dl class="pairs spread">
      ${pair("Reason", html`<span class="said">${reason}</span>`)}
      ${conditions !== "" && pair("Only", conditions)}
      ${pair("Added", html`by ${createdBy}, ${timeAgo(new Date(rule.createdAt), now)}`)}
      ${pair(isEnded ? "Ended" : "Ends", expiresAt === undefined ? "Never" : timeOf(expiresAt))}
    </dl>
    <div class="buttons">${actionButton(administrator, { path, text: "Remove", about, tag })}</div>
  </li>`;
}

function conditionsOf({ licenses, installScripts, severity }: ShownRule): string {
  const texts = [
    ...(licenses ? [`licenses ${licenses.join(", ")}`] : []),
    ...(installScripts ? ["with install scripts"] : []),
    ...(severity === undefined ? [] : [`advisories of severity ${severity} or higher`]),
  ];
  return texts.join("; ");
}

/** The ages that versions of sources must have, which refuse versions like rules. */
async function agesCard({ sources }: AskedScreen): Promise<Html> {
  const { administration } = await sources.actions.parts.sources();
  const aged = (await administration.list()).filter(
    ({ source, description }) =>
      source.settings.minimumReleaseAgeMs > 0 && description.status !== "replaced",
  );
  const rows = aged.map(
    ({ source }) =>
      html`<tr>
        <th scope="row">${source.name}</th>
        <td>${PROTOCOL_NAMES[source.protocol]}</td>
        <td>${formatTimeSpan(source.settings.minimumReleaseAgeMs)}</td>
      </tr>`,
  );
  const heads = [{ text: "Source" }, { text: "Protocol" }, { text: "Minimum release age" }];
  return html`<section class="card" aria-labelledby="ages">
    <h2 id="ages">Age of new versions</h2>
    ${
      rows.length > 0
        ? table("Sources with a minimum release age", heads, rows)
        : html`<p class="soft">No source holds young versions back.</p>`
    }
  </section>`;
}
