import type { HiddenNames } from "@sealhouse/request-types";

/**
 * Ids that a caller may see. `names` are patterns, one of which must cover an id: `*` and `**`
 * match any characters, a final `/**` covers the name before it; case does not matter. Absent: all
 * ids.
 */
export type IdLimit = {
  readonly names?: readonly string[];
  /** Ids that the caller must not see; absent: none. */
  readonly hidden?: HiddenNames;
  /** Leaves out the packages of package sources. */
  readonly ownOnly?: boolean;
};

/**
 * The forms of ids that name patterns cover, in lower case. A form is the texts between the wild
 * characters: `["acme.", ""]` is every id that begins with `acme.`. An id has no `/`, so a pattern
 * for a name with one covers no id.
 */
export function idFormsOf(names: readonly string[]): readonly (readonly string[])[] {
  const forms = names.map((name) => {
    const lower = name.toLowerCase();
    return lower.endsWith("/**") ? lower.slice(0, -"/**".length) : lower;
  });
  return [...new Set(forms)].filter((form) => !form.includes("/")).map((form) => form.split(/\*+/));
}

/** The limit of a caller that may read. */
export function idLimitOf({ names, hidden }: Pick<IdLimit, "names" | "hidden">): IdLimit {
  return { ...(names && { names }), ...(hidden && { hidden }) };
}

/** Whether the limit lets the caller see an id. Takes linear time for any pattern. */
export function isWithinLimit({ names, hidden }: IdLimit, id: string): boolean {
  if (hidden?.has(id) === true) return false;
  if (names === undefined) return true;
  const lower = id.toLowerCase();
  return idFormsOf(names).some((form) => hasForm(lower, form));
}

/** The leftmost place for each text in the middle leaves the most room for the others. */
function hasForm(id: string, form: readonly string[]): boolean {
  const [first = "", ...others] = form;
  const last = others.pop();
  if (last === undefined) return id === first;
  if (!id.startsWith(first)) return false;
  let position = first.length;
  for (const text of others) {
    const index = id.indexOf(text, position);
    if (index < 0) return false;
    position = index + text.length;
  }
  return id.length - last.length >= position && id.endsWith(last);
}
