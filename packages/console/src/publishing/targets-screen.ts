import type { ShownTarget } from "@sealhouse/administration";
import { html } from "hono/html";
import { actionNamed, readAction, shownTag } from "../actions/run-action.ts";
import { actionButton, auditLink, formLink, moreLink, pathWith } from "../actions/screen.ts";
import type { AskedScreen, Screen } from "../actions/screen.ts";
import {
  administrationPage,
  GROUPS,
  RELEASES,
  TARGETS,
} from "../administration/administration-page.ts";
import type { Administrator } from "../administration/administrator.ts";
import { badge } from "../kit/elements/badges.ts";
import { pair, table, timeAgo } from "../kit/elements/tables.ts";
import type { Html } from "../kit/page/document.ts";
import { untilText } from "../kit/elements/until-text.ts";
import { releaseTable } from "./release-table.ts";

type TargetList = { readonly items: readonly ShownTarget[]; readonly next?: string };

const PAGE = `${TARGETS}/{name}`;
const SHOWN = 50;
const PROTOCOLS = { nuget: "NuGet", npm: "npm", oci: "Images" } as const;
const HEADS = ["Name", "Protocol", "Endpoint", "State", "Last success", "Token expires", "Groups"];

const listScreen: Screen = {
  path: TARGETS,
  async render({ sources, administrator, query, notice }) {
    const after = query.get("after") ?? undefined;
    const input = { limit: SHOWN, after };
    const list = await readAction<TargetList>(sources, administrator, ["targets.list", input]);
    const { items = [], next } = list ?? {};
    const none = html`<p class="soft">
      There are no targets. A target is a registry that packages of this one are released to.
    </p>`;
    const rows = items.map((target) => targetRow(administrator, target));
    const body = html`${notice}
      <div class="head">
        <p class="soft">Registries that groups are released to.</p>
        ${formLink(administrator, `${TARGETS}/new`, "Add a target")}
      </div>
      <section class="card" aria-label="Targets">
        ${rows.length === 0 ? none : table("Targets", HEADS.map(text), rows)}
        ${moreLink(administrator, { path: TARGETS, query, next })}
      </section>`;
    const page = { title: "Publish targets", section: TARGETS, body } as const;
    return administrationPage(administrator, page);
  },
};

const text = (head: string) => ({ text: head });

function targetRow({ site, address }: Administrator, target: ShownTarget): Html {
  const { name, protocol, endpoint, lastSuccessAt, usedBy } = target;
  return html`<tr>
    <th scope="row"><a href="${address.root}${pathWith(PAGE, { name })}">${name}</a></th>
    <td>${PROTOCOLS[protocol]}</td>
    <td class="said">${endpoint}</td>
    <td>${stateOf(target)}</td>
    <td>${lastSuccessAt === undefined ? "Never" : timeAgo(new Date(lastSuccessAt), site.now)}</td>
    <td>${expiryOf(target, site.now)}</td>
    <td>${usedBy.length === 0 ? "None" : usedBy.slice(0, 10).join(", ")}</td>
  </tr>`;
}

function stateOf({ pausedAt, credentials, options }: ShownTarget): Html {
  const state = pausedAt === undefined ? badge("In use", "kind") : badge("Paused", "warn");
  const isLost = credentials === "lost" && badge("Token not readable", "bad");
  const isPrivate = options.allowPrivateNetwork && badge("Private network", "calm");
  return html`${state} ${isLost} ${isPrivate}`;
}

function expiryOf({ expiresAt, credentials }: ShownTarget, now: Date): Html | string {
  if (expiresAt !== undefined) return untilText(new Date(expiresAt), now);
  return credentials === "none" || credentials.startsWith("lent") ? "No stored token" : "Not known";
}

const oneScreen: Screen = {
  path: PAGE,
  async render(asked) {
    const { sources, administrator, params, notice } = asked;
    const target = await readAction<ShownTarget>(sources, administrator, ["targets.show", params]);
    if (!target) return undefined;
    const { name } = target;
    const body = html`${notice} ${await factsCard(asked, target)} ${await usesCard(asked, target)}
    ${await releasesCard(asked, target)}`;
    const title = `Publish target ${name}`;
    return administrationPage(administrator, { title, section: TARGETS, body });
  },
};

async function factsCard(
  { sources, administrator }: AskedScreen,
  target: ShownTarget,
): Promise<Html> {
  const { site } = administrator;
  const { name, protocol, endpoint, credentials, lastSuccessAt, pausedAt, pauseReason } = target;
  const path = pathWith(PAGE, { name });
  const tag = shownTag(await actionNamed(sources, "targets.show"), target);
  const button = (verb: string, words: string, tone?: "bad") =>
    actionButton(administrator, {
      path: `${path}/${verb}`,
      text: words,
      about: name,
      tag,
      ...(tone && { tone }),
    });
  const paused = pausedAt !== undefined;
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">Target</h2>
    <p class="badges">${stateOf(target)}</p>
    <dl class="pairs spread">
      ${pair("Protocol", PROTOCOLS[protocol])}
      ${pair("Endpoint", html`<code class="long">${endpoint}</code>`)}
      ${pair(
        "Last success",
        lastSuccessAt === undefined ? "Never" : timeAgo(new Date(lastSuccessAt), site.now),
      )}
      ${pair("Credentials", CREDENTIALS[credentials] ?? credentials)}
      ${pair("Token expires", html`${expiryOf(target, site.now)}`)}
      ${paused && pair("Paused", html`${timeAgo(new Date(pausedAt), site.now)}`)}
      ${paused && pair("Reason", html`<span class="said">${pauseReason}</span>`)}
      ${optionPairs(target)}
    </dl>
    <div class="buttons">
      ${button("test", "Test")}
      ${paused ? button("resume", "Resume") : formLink(administrator, `${path}/pause`, "Pause")}
      ${
        !credentials.startsWith("lent") &&
        formLink(administrator, `${path}/token`, "Replace the token")
      }
      ${formLink(administrator, editPath(target), "Change")} ${button("remove", "Remove", "bad")}
      ${auditLink(administrator, { subject: name, type: "target.*" })}
    </div>
  </section>`;
}

const CREDENTIALS: Readonly<Record<string, string>> = {
  none: "None",
  "api-key": "API key",
  bearer: "Bearer token",
  basic: "User name and password",
  "lent key": "A key that each release brings",
  "lent id-token": "An ID token that each release brings",
  lost: "Not readable: the key ring lacks their key",
};

function optionPairs({ protocol, options }: ShownTarget): readonly Html[] {
  const { nugetContent, publish, allowedOrigins, caPath } = options;
  return [
    ...(protocol === "nuget" ? [pair("Files", nugetContent)] : []),
    ...(protocol === "npm" ? [pair("Publish", publish)] : []),
    ...(options.attestations ? [pair("Attestations", "Sent")] : []),
    ...(options.includeForeign ? [pair("Foreign layers", "Copied")] : []),
    ...(options.immutableTags ? [pair("Tags", "Never move")] : []),
    ...(allowedOrigins.length > 0 ? [pair("Allowed origins", allowedOrigins.join(", "))] : []),
    ...(caPath === undefined ? [] : [pair("Authorities", caPath)]),
  ];
}

/** The form of a new target with the values of this one. Its token has to be entered again. */
function editPath({ name, protocol, endpoint, credentials, expiresAt, options }: ShownTarget) {
  const { allowedOrigins, caPath, ...others } = options;
  const ticked = Object.entries(others).filter(([, value]) => value !== false);
  const query = new URLSearchParams({ name, protocol, endpoint, replace: "true" });
  for (const [option, value] of ticked) query.set(option, String(value));
  for (const origin of allowedOrigins) query.append("allowedOrigins", origin);
  if (caPath !== undefined) query.set("caPath", caPath);
  if (expiresAt !== undefined) query.set("expires", expiresAt.slice(0, 10));
  if (credentials.startsWith("lent ")) query.set("lend", credentials.slice("lent ".length));
  return `${TARGETS}/new?${query.toString()}`;
}

async function usesCard(
  { sources, administrator }: AskedScreen,
  { name, usedBy }: ShownTarget,
): Promise<Html> {
  const { root } = administrator.address;
  const { syndications } = await sources.actions.parts.promotion();
  const own = (await syndications.list()).filter(
    ({ target }) => target.toLowerCase() === name.toLowerCase(),
  );
  const groups = usedBy.map(
    (group) =>
      html`<li>
        <a href="${root}${pathWith(`${GROUPS}/{group}`, { group })}">${group}</a>
      </li>`,
  );
  const uploads = own.map(
    (one) => html`<li>${one.name} ${!one.isEnabled && badge("Paused", "warn")}</li>`,
  );
  return html`<section class="card" aria-labelledby="uses">
    <h2 id="uses">Used by</h2>
    ${groups.length === 0 && html`<p class="soft">No group is released to it.</p>`}
    <ul>
      ${groups}
    </ul>
    ${
      uploads.length > 0 &&
      html`<h3>Syndications</h3>
        <ul>
          ${uploads}
        </ul>`
    }
  </section>`;
}

const RELEASES_READ = 200;
const RELEASES_SHOWN = 10;

async function releasesCard(
  { sources, administrator }: AskedScreen,
  { name }: ShownTarget,
): Promise<Html> {
  const { releases } = await sources.actions.parts.promotion();
  const newest = await releases.list({ limit: RELEASES_READ });
  const own = newest.filter(({ targets }) =>
    targets.some((target) => target.toLowerCase() === name.toLowerCase()),
  );
  return html`<section class="card" aria-labelledby="releases">
    <h2 id="releases">Releases</h2>
    ${
      own.length === 0
        ? html`<p class="soft">None of the newest ${RELEASES_READ} releases goes here.</p>`
        : releaseTable(administrator, own.slice(0, RELEASES_SHOWN))
    }
    <p><a href="${administrator.address.root}${RELEASES}">All releases</a></p>
  </section>`;
}

/** Registries that packages are published to. */
export const TARGET_SCREENS: readonly Screen[] = [listScreen, oneScreen];
