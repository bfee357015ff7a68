import type { XmlElement } from "../../manifest/xml.ts";

/** Environment variables, for `%NAME%` and `NuGetPackageSourceCredentials_<key>`. */
export type ConfigEnvironment = Readonly<Record<string, string | undefined>>;

/** Replaces each `%NAME%` by its environment variable. `unset` has the name of a missing one. */
export type Expand = (
  text: string,
) =>
  | { readonly status: "expanded"; readonly text: string }
  | { readonly status: "unset"; readonly name: string };

/** Elements of all sections with this name, without those before the last `<clear />`. */
export function sectionItems(root: XmlElement, name: string): readonly XmlElement[] {
  const items = root.children
    .filter((child) => child.name === name)
    .flatMap((section) => section.children);
  const cleared = items.findLastIndex((item) => item.name === "clear");
  return items.slice(cleared + 1);
}

/** The `<add>` elements of a section by their lower-case keys. The last one of a key wins. */
export function addedItems(root: XmlElement, name: string): ReadonlyMap<string, XmlElement> {
  const items = new Map<string, XmlElement>();
  for (const item of sectionItems(root, name)) {
    const key = item.attributes.get("key")?.toLowerCase();
    if (item.name === "add" && key !== undefined && key !== "") items.set(key, item);
  }
  return items;
}

/** Names in `%20b%20` and `%C3%A9` are percent-encoded characters of a URL. */
const ENCODED = /^(?:\d|[0-9a-fA-F]{2}$)/;

export function createExpander(env: ConfigEnvironment): Expand {
  return (text) => {
    let unset: string | undefined;
    const expanded = text.replace(/%([^%=\s]+)%/g, (whole, name: string) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      if (value === undefined && !ENCODED.test(name)) unset ??= name;
      return value ?? whole;
    });
    return unset === undefined
      ? { status: "expanded", text: expanded }
      : { status: "unset", name: unset };
  };
}
