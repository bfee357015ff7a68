import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { contentPath } from "../kit/links/nuget-address.ts";
import { PARCEL } from "../kit/page/icons.ts";

type Shown = { readonly id: string; readonly version: string; readonly hasIcon: boolean };

/** Renders the icon; decorative, because the package id is next to it. */
export function packageIcon(shown: Shown, address: PublicAddress): Html {
  if (!shown.hasIcon) return PARCEL;
  const source = contentPath(address, shown, "icon");
  return html`<img class="icon" src="${source}" alt="" width="48" height="48" loading="lazy" />`;
}
