import { html } from "hono/html";

/** The logo, hidden from screen readers, because a heading has the same meaning. */
export const LOGO = html`<svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
  <circle cx="16" cy="16" r="15" fill="currentColor" />
  <path d="M9 16.5l5 5 9-10" fill="none" stroke="var(--card)" stroke-width="3.5" />
</svg>`;

/** A warning; the text next to it has the same meaning. */
export const WARNING = html`<svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
  <path d="M10 2l9 16H1z" fill="none" stroke="currentColor" stroke-width="2" />
  <path d="M10 8v5M10 15v1.5" stroke="currentColor" stroke-width="2" />
</svg>`;

/**
 * Default package icon. The pages never load external icons, because their hosts would learn which
 * packages a user views.
 */
export const PARCEL = html`<svg
  class="icon"
  viewBox="0 0 32 32"
  aria-hidden="true"
  focusable="false"
>
  <path d="M16 3l12 6v14l-12 6-12-6V9z" fill="var(--accent-soft)" stroke="currentColor" />
  <path d="M4 9l12 6 12-6M16 15v14M10 6l12 6v5" fill="none" stroke="currentColor" />
</svg>`;
