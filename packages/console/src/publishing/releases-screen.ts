import type { Difference, ListedRelease } from "@sealhouse/administration";
import { fieldsOf } from "@sealhouse/administration/inputs";
import { html } from "hono/html";
import { filterForm } from "../actions/action-page.ts";
import { actionNamed, askAction, readAction } from "../actions/run-action.ts";
import { moreLink } from "../actions/screen.ts";
import type { Screen } from "../actions/screen.ts";
import { administrationPage, RELEASES } from "../administration/administration-page.ts";
import { table } from "../kit/elements/tables.ts";
import { releasePath, releaseTable } from "./release-table.ts";

type ReleaseList = { readonly items: readonly ListedRelease[]; readonly next?: string };

const SHOWN = "50";

const listScreen: Screen = {
  path: RELEASES,
  async render({ sources, administrator, query, notice }) {
    const action = await actionNamed(sources, "releases.list");
    const values = new URLSearchParams(query);
    values.set("limit", SHOWN);
    const list = await askAction(sources, administrator, { action, values });
    const { items = [], next } = (list.output ?? {}) as Partial<ReleaseList>;
    const fields = fieldsOf(action.input).filter(({ name }) => name !== "limit");
    const body = html`${notice}
      <section class="card" aria-label="Releases">
        ${
          items.length > 0
            ? releaseTable(administrator, items)
            : html`<p class="soft">There are no such releases.</p>`
        }
        ${moreLink(administrator, { path: RELEASES, query, next })}
      </section>
      ${filterForm(administrator, { action, fields, values, path: RELEASES, title: "Filter" })}`;
    return administrationPage(administrator, { title: "Releases", section: RELEASES, body });
  },
};

const diffScreen: Screen = {
  path: `${RELEASES}/{from}/diff/{to}`,
  async render({ sources, administrator, params }) {
    const diff = await readAction<{ readonly items: readonly Difference[] }>(
      sources,
      administrator,
      ["releases.diff", params],
    );
    if (!diff) return undefined;
    const rows = diff.items.map(
      ({ name, from = "", to = "" }) =>
        html`<tr>
          <th scope="row">${name}</th>
          <td>${from}</td>
          <td>${to}</td>
        </tr>`,
    );
    const heads = ["Package", "Before", "After"].map((text) => ({ text }));
    const body = html`<section class="card" aria-label="Differences">
      ${
        rows.length > 0
          ? table("Differences", heads, rows)
          : html`<p class="soft">Both have the same versions.</p>`
      }
      <p><a href="${administrator.address.root}${releasePath(params["to"] ?? "")}">Back</a></p>
    </section>`;
    const title = "Two releases compared";
    return administrationPage(administrator, { title, section: RELEASES, body });
  },
};

/** Lists of releases. */
export const RELEASE_LISTS: readonly Screen[] = [listScreen, diffScreen];
