import type { PasskeyRecord } from "@sealhouse/identity";
import { passkeySiteOf } from "@sealhouse/identity";
import { html } from "hono/html";
import { table } from "../kit/elements/tables.ts";
import type { Html } from "../kit/page/document.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import type { Shown } from "../kit/page/shown-page.ts";
import { NEW_PASSKEY, REMOVE_PASSKEY } from "./passkey-form.ts";
import { timeText } from "./time-text.ts";

/** Where browsers have passkeys. */
export const PASSKEYS_NEED =
  "Browsers have passkeys only on https addresses with a host name, and on localhost.";

/** Renders the passkeys of a user, and what to do when one is lost. */
export function passkeysCard(
  { address }: Shown,
  passkeys: readonly PasskeyRecord[],
  proofFor: (path: string) => string,
): Html {
  const proof = proofFor(REMOVE_PASSKEY);
  const rows = passkeys.map(
    ({ credentialId, name, rpId, createdAt, usedAt }) =>
      html`<tr>
        <td>${name}</td>
        <td><code>${rpId}</code></td>
        <td>${timeText(createdAt)}</td>
        <td>${usedAt ? timeText(usedAt) : "never"}</td>
        <td>
          <form method="post" action="${address.root}${REMOVE_PASSKEY}">
            <input type="hidden" name="${PROOF_FIELD}" value="${proof}" />
            <input type="hidden" name="passkey" value="${credentialId}" />
            <button type="submit" class="quiet" aria-label="Remove ${name}">Remove</button>
          </form>
        </td>
      </tr>`,
  );
  const heads = ["Name", "Address", "Added", "Last used", "Remove"].map((text) => ({ text }));
  return html`<section class="card" aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      <p>
        This registry asks for a passkey before you do something that lasts, such as deleting
        permanently.
      </p>
      ${passkeys.length > 0 && table("Passkeys", heads, rows)}
      ${
        passkeySiteOf(address.base)
          ? html`<p class="buttons">
              <a class="button" href="${address.root}${NEW_PASSKEY}">Add a passkey</a>
            </p>`
          : html`<p class="note">${PASSKEYS_NEED}</p>`
      }
    </section>
    <section class="card" aria-labelledby="recovery">
      <h2 id="recovery">If you lose access</h2>
      <ul>
        <li>Add a second passkey on another device, so that you can remove a lost one with it.</li>
        <li>
          Without any passkey, ask an operator of this registry to remove your lost ones. Then sign
          in again, and add a first one within ten minutes.
        </li>
        <li>
          If a stranger may have a device or your account at the identity provider, tell an
          administrator at once. A block ends all your sessions and tokens.
        </li>
      </ul>
    </section>`;
}
