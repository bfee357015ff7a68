import { coversName } from "@sealhouse/identity";
import type { HiddenNames, Protocol } from "@sealhouse/request-types";
import { html } from "hono/html";
import type { Html } from "../page/document.ts";
import { externalLink } from "./external-link.ts";
import { wrapName } from "../elements/format.ts";

/** Pages of the names of other packages, such as those of dependencies. */
export type NamePlaces = {
  /** Returns those of the names that have a page here. NuGet: lower-cased ids. */
  readonly present: (names: readonly string[]) => Promise<ReadonlySet<string>>;
  /**
   * Returns the pages of names at the public registries that this one takes them from. Depends on
   * the configured sources only, so that it does not disclose a hidden name.
   */
  readonly sourcePages: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

/** The page of a name: here, or at a public registry. */
export type NameLink =
  | { readonly type: "here" }
  | { readonly type: "source"; readonly url: string };

/** The links of names. A name without one is shown as plain text. */
export type NameLinks = ReadonlyMap<string, NameLink>;

/** The names that a caller may see, as in lists. */
type Limit = {
  readonly names?: readonly string[];
  readonly hidden?: HiddenNames;
};

/** One statement; the names of a page beyond them are plain text. */
const NAMES_MAX = 1_000;

/** Finds the pages of names for a caller. A hidden name has the link of an unknown one. */
export async function nameLinksOf(
  places: NamePlaces,
  { protocol, limit }: { readonly protocol: Protocol; readonly limit: Limit },
  names: readonly string[],
): Promise<NameLinks> {
  const asked = [...new Set(names)].slice(0, NAMES_MAX);
  const present = await places.present(asked);
  const isHere = (name: string) => present.has(name) && isWithin(limit, protocol, name);
  const others = asked.filter((name) => !isHere(name));
  const pages = await places.sourcePages(others);
  return new Map<string, NameLink>([
    ...asked.filter(isHere).map((name): [string, NameLink] => [name, { type: "here" }]),
    ...[...pages].map(([name, url]): [string, NameLink] => [name, { type: "source", url }]),
  ]);
}

function isWithin({ names, hidden }: Limit, protocol: Protocol, name: string): boolean {
  if (hidden?.has(name) === true) return false;
  return names === undefined || names.some((pattern) => coversName(pattern, protocol, name));
}

/** Renders the name of another package. `path`: its page here. */
export function linkedName(name: string, link: NameLink | undefined, path: string): Html {
  if (link === undefined) return html`<span>${wrapName(name)}</span>`;
  if (link.type === "source") return externalLink(link.url, name);
  return html`<a href="${path}">${wrapName(name)}</a>`;
}
