import type { Protocol } from "@sealhouse/request-types";
import type { EventName } from "../event-names.ts";

/** Paths of the pages of names. */
const PAGES: Readonly<Record<Protocol, string>> = {
  nuget: "packages",
  npm: "npm-packages",
  oci: "images",
};

/** Returns the address of the page of a name. */
export function pageOfName(publicUrl: string, { protocol, name }: EventName): string {
  const path = encodeURIComponent(name.toWellFormed())
    .replaceAll("%2F", "/")
    .replaceAll("%40", "@");
  return `${publicUrl.replace(/\/$/, "")}/${PAGES[protocol]}/${path}`;
}
