import { LEVELS, OFFER_DAYS_MAX } from "@sealhouse/identity";
import type { OwnerLevel, Transfer } from "@sealhouse/identity";
import { html } from "hono/html";
import { table } from "../kit/elements/tables.ts";
import type { Html } from "../kit/page/document.ts";
import { formField } from "../kit/forms/form-fields.ts";
import type { FormField } from "../kit/forms/form-fields.ts";
import type { NameManager } from "./name-manager.ts";
import { minuteOf, taskForm } from "./name-page.ts";
import { LEVEL_CHOICES } from "./owners-card.ts";
import type { ShownNameForm } from "./shown-form.ts";

/** Field with the id of an offer. */
export const OFFER_FIELD = "offer";

const HEADS = ["Offered to", "Level", "Instead of", "Expires", "Withdraw"].map((text) => ({
  text,
}));

/** The fields of an offer: those of the command `transfer offer`. */
export function offerFields(owners: readonly OwnerLevel[]): readonly FormField[] {
  const senders = owners.map(({ handle }) => ({
    value: handle,
    text: `${handle} loses its right`,
  }));
  return [
    {
      name: "to",
      label: "Offer it to",
      kind: "text",
      isRequired: true,
      lengthMax: 39,
      help: "The handle of a user or team, which accepts or declines.",
    },
    { name: "offeredLevel", label: "With the level", kind: { choices: LEVEL_CHOICES } },
    {
      name: "from",
      label: "Present owners",
      kind: { choices: [{ value: "", text: "All stay" }, ...senders] },
    },
    {
      name: "expires",
      label: "The offer ends",
      kind: "text",
      isRequired: true,
      lengthMax: 30,
      help: `A span (14d) or a date, at most ${OFFER_DAYS_MAX} days from now.`,
    },
  ];
}

/** Renders the open offers of a name, with the form of another one. */
export function transfersCard(
  manager: NameManager,
  shown: { readonly owners: readonly OwnerLevel[]; readonly offers: readonly Transfer[] },
  { values, problems }: ShownNameForm,
): Html {
  const { owners, offers } = shown;
  const typed = new URLSearchParams({ offeredLevel: LEVELS.at(-1) ?? "", expires: "14d" });
  for (const { name } of offerFields(owners)) {
    const value = values.get(name);
    if (value !== null) typed.set(name, value);
  }
  const fields = offerFields(owners).map((field) => formField(field, typed, problems));
  return html`<section class="card" aria-labelledby="transfers">
    <h2 id="transfers">Transfers</h2>
    ${
      offers.length > 0
        ? table(
            "Open offers",
            HEADS,
            offers.map((offer) => offerRow(manager, offer, owners)),
          )
        : html`<p class="soft">No offer is open.</p>`
    }
    <p class="note">
      The right moves when the other side accepts. An offer ends when it expires, or when the sender
      has lost the right. It also ends when the person who made it no longer manages the name.
    </p>
    <h3>Offer the name</h3>
    ${taskForm(manager, { task: "offer", fields, text: "Offer the name", tone: "primary" })}
  </section>`;
}

function offerRow(
  manager: NameManager,
  { id, to, level, fromId, expiresAt }: Transfer,
  owners: readonly OwnerLevel[],
): Html {
  const sender = owners.find((owner) => owner.id === fromId)?.handle;
  const hidden = { [OFFER_FIELD]: id };
  const about = `the offer to ${to.handle}`;
  return html`<tr>
    <th scope="row">${to.handle}</th>
    <td>${level}</td>
    <td>${sender ?? (fromId === undefined ? "–" : "a former owner")}</td>
    <td>${minuteOf(expiresAt)}</td>
    <td>${taskForm(manager, { task: "withdraw", hidden, text: "Withdraw", about })}</td>
  </tr>`;
}
