import { formatCookie, formatDeletion, makeSecret } from "@sealhouse/identity";
import type { FirstAdministrator } from "@sealhouse/identity";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { checkProof, isFromElsewhere, makeProof, PROOF_FIELD } from "../kit/forms/page-forms.ts";
import { readForm } from "../kit/forms/posted-form.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import type { Shown } from "../kit/page/shown-page.ts";
import { refusedForm, sessionPage } from "../kit/page/session-page.ts";
import { cookiesOf, FORM_BYTES_MAX, originOf, seeOther } from "./session-ports.ts";
import type { SessionPorts } from "./session-ports.ts";

/** Path of the one-time link, before its secret. */
export const FIRST_ADMINISTRATOR = "/first-administrator";

const FORM = ["first-administrator"];

/**
 * Adds the one-time link of the first administrator. Only a browser on this machine may use it, and
 * only the form on its page takes it: programs that preview links send GET.
 */
export function addFirstRoutes(app: Hono, ports: SessionPorts, first: FirstAdministrator): void {
  app.get(`${FIRST_ADMINISTRATOR}/:secret`, (c) =>
    shownPage(ports, c, async (shown) => {
      if (!(await mayUse(ports, shown, first, c))) return invalidLink(shown);
      return linkPage(ports, shown);
    }),
  );
  app.post(`${FIRST_ADMINISTRATOR}/:secret`, (c) =>
    shownPage(ports, c, (shown) => takeLink(ports, shown, { first, c })),
  );
}

async function mayUse(
  { isLocalPeer }: SessionPorts,
  { from }: Shown,
  first: FirstAdministrator,
  c: Context,
): Promise<boolean> {
  return isLocalPeer(from) && first.isOffered(c.req.param("secret") ?? "");
}

function linkPage(ports: SessionPorts, shown: Shown): Promise<Response> {
  const key = makeSecret(ports.random);
  const proof = makeProof(key, FORM, ports.rules.now());
  const body = html`<form method="post">
    <input type="hidden" name="${PROOF_FIELD}" value="${proof}" />
    <p class="buttons"><button type="submit">Become the administrator</button></p>
  </form>`;
  return sessionPage(shown, {
    title: "First administrator",
    lead: "This registry has no users yet. Add yourself as its first administrator.",
    body,
    setCookies: [formatCookie(ports.cookies.form, key)],
  });
}

async function takeLink(
  ports: SessionPorts,
  shown: Shown,
  { first, c }: { readonly first: FirstAdministrator; readonly c: Context },
): Promise<Response> {
  if (!(await mayUse(ports, shown, first, c))) return invalidLink(shown);
  const { from, address } = shown;
  const { cookies, rules } = ports;
  const sender = { address, origins: [], hasSession: true };
  const key = cookiesOf(from).get(cookies.form);
  if (key === undefined || isFromElsewhere(from.request, sender)) return refusedForm(shown);
  const proof = (await readForm(c, FORM_BYTES_MAX))?.get(PROOF_FIELD) ?? undefined;
  if (checkProof(key, { fields: FORM, proof, now: rules.now() }) !== "valid") {
    return refusedForm(shown);
  }
  const secret = await first.take(c.req.param("secret") ?? "", originOf(ports, from));
  if (secret === undefined) return invalidLink(shown);
  return seeOther(`${address.root}/account`, [
    formatCookie(cookies.session, secret),
    formatDeletion(cookies.form),
  ]);
}

function invalidLink(shown: Shown): Promise<Response> {
  const lead =
    "The link was used, is older than ten minutes, or was opened from another machine, or the " +
    "registry has users. Restart a registry without users for a new one.";
  return sessionPage(shown, { title: "Link not valid", lead, status: 404 });
}
