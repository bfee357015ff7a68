import { LEVELS } from "@sealhouse/identity";
import type { OwnerLevel } from "@sealhouse/identity";
import { html } from "hono/html";
import { table } from "../kit/elements/tables.ts";
import type { Html } from "../kit/page/document.ts";
import { formField } from "../kit/forms/form-fields.ts";
import type { Choice, FormField } from "../kit/forms/form-fields.ts";
import type { NameManager } from "./name-manager.ts";
import { taskForm } from "./name-page.ts";
import type { ShownNameForm } from "./shown-form.ts";

const LEVEL_TEXTS = {
  read: "read: no more than the role allows",
  publish: "publish: versions and tags",
  manage: "manage: also deletes versions, and changes owners and access",
} as const;

export const LEVEL_CHOICES: readonly Choice[] = LEVELS.map((value) => ({
  value,
  text: LEVEL_TEXTS[value],
}));

/** Fields of a new owner. */
export const OWNER_FIELDS: readonly FormField[] = [
  {
    name: "handle",
    label: "User or team",
    kind: "text",
    isRequired: true,
    lengthMax: 39,
    help: "Its handle, such as alice or builders.",
  },
  { name: "level", label: "Level", kind: { choices: LEVEL_CHOICES } },
];

const HEADS = ["Owner", "Kind", "Level", "Remove"].map((text) => ({ text }));

/** Renders the owners of a name, with the forms that change them. */
export function ownersCard(
  manager: NameManager,
  owners: readonly OwnerLevel[],
  { values, problems }: ShownNameForm,
): Html {
  const typed = new URLSearchParams({
    handle: values.get("handle") ?? "",
    level: values.get("level") ?? "manage",
  });
  const fields = OWNER_FIELDS.map((field) => formField(field, typed, problems));
  const add = taskForm(manager, {
    task: "add-owner",
    fields,
    text: "Add the owner",
    tone: "primary",
  });
  return html`<section class="card" aria-labelledby="owners">
    <h2 id="owners">Owners</h2>
    ${
      owners.length > 0
        ? table(
            "Owners",
            HEADS,
            owners.map((owner) => ownerRow(manager, owner)),
          )
        : html`<p class="soft">No user or team owns this name; only administrators publish it.</p>`
    }
    <p class="note">
      The last owner with the level manage stays. The role of a user limits what a level allows.
    </p>
    <h3>Add an owner, or change its level</h3>
    ${add}
  </section>`;
}

function ownerRow(manager: NameManager, { id, handle, kind, level }: OwnerLevel): Html {
  const hidden = { handle };
  const select = html`<label class="unseen" for="level-${id}">Level of ${handle}</label>
    <select id="level-${id}" name="level">
      ${LEVELS.map(
        (value) =>
          html`<option value="${value}" ${value === level ? "selected" : ""}>${value}</option>`,
      )}
    </select>`;
  return html`<tr>
    <th scope="row">${handle}</th>
    <td>${kind}</td>
    <td>
      ${taskForm(manager, {
        task: "add-owner",
        hidden,
        fields: select,
        text: "Set",
        about: `the level of ${handle}`,
      })}
    </td>
    <td>${taskForm(manager, { task: "remove-owner", hidden, text: "Remove", about: handle })}</td>
  </tr>`;
}
