import { formatTimeSpan } from "@sealhouse/settings";
import { SEVERITIES } from "@sealhouse/upstream-sources";
import type { ListedSource, PolicyRule } from "@sealhouse/upstream-sources";
import { html } from "hono/html";
import { table, timeAgo } from "../kit/elements/tables.ts";
import { badge } from "../kit/elements/badges.ts";
import type { Html } from "../kit/page/document.ts";
import { buttonForm, formField, problemList } from "../kit/forms/form-fields.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import { administrationPage, NEW_RULE, RULES } from "./administration-page.ts";
import { noticeIn } from "../kit/forms/notices.ts";
import type { Administrator } from "./administrator.ts";
import { RULE_FIELDS } from "./rule-form.ts";
import type { ShownForm } from "./source-page.ts";
import { PROTOCOL_NAMES, timeOf } from "./source-parts.ts";

const NOTICES = {
  added: "The rule was added. This registry follows it now; other instances follow in seconds.",
  removed: "The rule was removed. This registry follows now; other instances follow in seconds.",
  absent: "The rule no longer exists.",
  expired: "Nothing was changed: the page was open for more than an hour.",
};

/** Path that removes a rule, without the path of the registry. */
export function ruleRemovalPath(id: string): string {
  return `${RULES}/${encodeURIComponent(id)}/remove`;
}

/** Renders `GET /administration/rules`. */
export function rulesPageResponse(
  administrator: Administrator,
  rules: readonly PolicyRule[],
  listed: readonly ListedSource[],
): Promise<Response> {
  const { from, address } = administrator;
  const body = html`${noticeIn(from.request, NOTICES)}
    <div class="head">
      <p class="soft">
        Rules refuse versions in documents, tags and downloads. Exceptions come before them.
      </p>
      <a class="button" href="${address.root}${NEW_RULE}">Add a rule</a>
    </div>
    ${rules.length === 0 && html`<p class="soft">There are no rules.</p>`}
    <ul class="rows">
      ${rules.map((rule) => ruleItem(administrator, rule))}
    </ul>
    ${agesCard(listed)}`;
  return administrationPage(administrator, { title: "Rules about versions", section: RULES, body });
}

function ruleItem({ site, address, proofFor }: Administrator, rule: PolicyRule): Html {
  const { id, effect, protocol, pattern, versions, reason, createdBy, createdAt, expiresAt } = rule;
  const isEnded = expiresAt !== undefined && expiresAt <= site.now;
  const path = ruleRemovalPath(id);
  const kind = effect === "deny" ? badge("Deny", "bad") : badge("Exception", "kind");
  const remove = buttonForm({
    action: address.root + path,
    proof: proofFor(path),
    text: "Remove",
    about: `the rule about ${pattern}`,
  });
  return html`<li class="card">
    <h2><code>${pattern}</code> ${versions !== "" && html`<code>${versions}</code>`}</h2>
    <p class="badges">
      ${kind} ${badge(PROTOCOL_NAMES[protocol], "calm")} ${isEnded && badge("Ended", "calm")}
    </p>
    <dl class="pairs spread">
      <div class="wide">
        <dt>Reason</dt>
        <dd class="said">${reason}</dd>
      </div>
      ${conditionsFact(rule)}
      <div>
        <dt>Added</dt>
        <dd>by ${createdBy}, ${timeAgo(createdAt, site.now)}</dd>
      </div>
      <div>
        <dt>${isEnded ? "Ended" : "Ends"}</dt>
        <dd>${expiresAt ? timeOf(expiresAt.toISOString()) : "Never"}</dd>
      </div>
    </dl>
    <div class="buttons">${remove}</div>
  </li>`;
}

function conditionsFact({ conditions }: PolicyRule): Html | false {
  const { licenses, hasInstallScripts, severity } = conditions;
  const texts = [
    ...(licenses ? [`licenses ${licenses.join(", ")}`] : []),
    ...(hasInstallScripts ? ["with install scripts"] : []),
    ...(severity === undefined ? [] : [`advisories of severity ${SEVERITIES[severity]} or higher`]),
  ];
  return (
    texts.length > 0 &&
    html`<div class="wide">
      <dt>Only</dt>
      <dd>${texts.join("; ")}</dd>
    </div>`
  );
}

/** The ages that versions of sources must have, which refuse versions like rules. */
function agesCard(listed: readonly ListedSource[]): Html {
  const aged = listed.filter(
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

/** Renders `GET /administration/new-rule`. */
export function newRulePageResponse(
  administrator: Administrator,
  { values, problems }: ShownForm,
): Promise<Response> {
  const { address, proofFor } = administrator;
  const body = html`${problems.length > 0 && problemList(problems, RULE_FIELDS)}
    <form class="card form" method="post" action="${address.root}${NEW_RULE}" autocomplete="off">
      <input type="hidden" name="${PROOF_FIELD}" value="${proofFor(NEW_RULE)}" />
      <fieldset class="fields">
        <legend>Rule</legend>
        ${RULE_FIELDS.slice(0, 6).map((field) => formField(field, values, problems))}
      </fieldset>
      <fieldset class="fields">
        <legend>Further conditions</legend>
        ${RULE_FIELDS.slice(6).map((field) => formField(field, values, problems))}
      </fieldset>
      <p class="buttons">
        <button type="submit">Add the rule</button>
        <a href="${address.root}${RULES}">Cancel</a>
      </p>
    </form>`;
  const page = { title: "Add a rule", section: RULES, body } as const;
  return administrationPage(administrator, page, problems.length > 0 ? 422 : 200);
}
