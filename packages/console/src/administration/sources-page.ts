import type { ListedSource } from "@sealhouse/upstream-sources";
import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import { administrationPage, NEW_SOURCE, sourcePath, SOURCES } from "./administration-page.ts";
import { buttonForm } from "../kit/forms/form-fields.ts";
import { noticeIn } from "../kit/forms/notices.ts";
import type { Administrator } from "./administrator.ts";
import { sourceBadges, sourceFacts } from "./source-parts.ts";

const NOTICES = {
  added: "The source was added. This registry uses it now; other instances follow in seconds.",
  changed: "The source was changed. This registry uses it now; other instances follow in seconds.",
  enabled: "The source is enabled.",
  disabled: "The source is disabled. Packages that were fetched from it stay.",
  removed: "The source was removed. Packages that were fetched from it stay.",
};

/** Renders `GET /administration/package-sources`. */
export function sourcesPageResponse(
  administrator: Administrator,
  listed: readonly ListedSource[],
  { isMirrorEnabled }: { readonly isMirrorEnabled: boolean },
): Promise<Response> {
  const { from, address } = administrator;
  const off = html`<p class="banner warn">
    No source is used, because the setting <code>Mirror__Enabled</code> is false.
  </p>`;
  const none = html`<p class="soft">There are no sources, so no other registry is ever called.</p>`;
  const body = html`${noticeIn(from.request, NOTICES)} ${!isMirrorEnabled && off}
    <div class="head">
      <p class="soft">
        Other registries, which this one asks for packages that were not published here.
      </p>
      <a class="button" href="${address.root}${NEW_SOURCE}">Add a source</a>
    </div>
    ${listed.length === 0 && none}
    <ul class="rows">
      ${listed.map((source) => sourceItem(administrator, source))}
    </ul>`;
  return administrationPage(administrator, { title: "Package sources", section: SOURCES, body });
}

function sourceItem(administrator: Administrator, listed: ListedSource): Html {
  const { site, address } = administrator;
  const { source } = listed;
  const isOwn = source.from === "database";
  const title = isOwn
    ? html`<a href="${address.root}${sourcePath(source.name)}">${source.name}</a>`
    : source.name;
  return html`<li class="card">
    <h2>${title}</h2>
    ${sourceBadges(listed)} ${sourceFacts(listed, site.now)}
    ${isOwn ? sourceButtons(administrator, listed) : settingsNote(administrator, listed)}
  </li>`;
}

/** Renders the changes that need one button. */
export function sourceButtons(administrator: Administrator, { source }: ListedSource): Html {
  const { name, isEnabled } = source;
  const action = isEnabled ? "disable" : "enable";
  return html`<div class="buttons">
    ${sourceButton(administrator, name, "test", "Test")}
    ${sourceButton(administrator, name, action, isEnabled ? "Disable" : "Enable")}
  </div>`;
}

/** Renders one button of a source. */
export function sourceButton(
  { address, proofFor }: Administrator,
  name: string,
  action: "enable" | "disable" | "remove" | "test",
  text: string,
): Html {
  const path = sourcePath(name, action);
  return buttonForm({
    action: address.root + path,
    proof: proofFor(path),
    text,
    tone: action === "remove" ? "bad" : "quiet",
    about: name,
  });
}

function settingsNote(administrator: Administrator, { source, description }: ListedSource): Html {
  const isReplaced = description.status === "replaced";
  const test = sourceButton(administrator, source.name, "test", "Test");
  const unused = " It is not in use, because the database has sources, which replace it.";
  return html`<p class="note">
      This source comes from the settings of the host, so it can be changed only
      there.${isReplaced && unused}
    </p>
    ${!isReplaced && html`<div class="buttons">${test}</div>`}`;
}
