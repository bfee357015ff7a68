import { html } from "hono/html";

/** The logo, hidden from screen readers, because a heading has the same meaning. */
export const LOGO = html`<svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
  <circle cx="16" cy="16" r="15" fill="currentColor" />
  <path d="M9 16.5l5 5 9-10" fill="none" stroke="var(--card)" stroke-width="3.5" />
</svg>`;
