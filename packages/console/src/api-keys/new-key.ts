import type { ShownNewToken } from "@sealhouse/administration";
import { html } from "hono/html";
import { pathWith } from "../actions/screen.ts";
import type { OutputPage } from "../actions/screens-app.ts";
import { administrationPage, API_KEYS } from "../administration/administration-page.ts";

/** Shows the value of a new key, once. */
export const newKey: OutputPage = (administrator, { output }) => {
  const { token, ...shown } = output as ShownNewToken;
  const { root } = administrator.address;
  const body = html`<section class="card" role="status" aria-labelledby="value">
    <h2 id="value">Copy the key now</h2>
    <p>It is shown only once. A program that has it may do what it allows.</p>
    <p><code class="long">${token}</code></p>
    <p class="buttons">
      <a href="${root}${pathWith(`${API_KEYS}/{id}`, shown)}">Show what it may do</a>
      <a href="${root}${API_KEYS}">All API keys</a>
    </p>
  </section>`;
  const title = `API key ${shown.name}`;
  return administrationPage(administrator, { title, section: API_KEYS, body });
};
