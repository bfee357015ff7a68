import type { Person } from "./person.ts";

/** Log message when no active user administers the registry. */
export const NO_ADMINISTRATOR =
  "no active administrator is left; make one: sealhouse user role <handle> administrator";

/** Returns warnings about users for the start of a host. */
export function peopleWarnings(
  people: readonly Person[],
  { hasProvider }: { readonly hasProvider: boolean },
): readonly string[] {
  const active = people.filter(({ state }) => state === "active");
  const administrators = people.filter(({ role }) => role === "administrator");
  // Tokens of the operators suffice for a registry without people.
  const isWanted = administrators.length > 0 || (hasProvider && people.length > 0);
  const isMissing = isWanted && !administrators.some(({ state }) => state === "active");
  const unchecked = active.filter(
    ({ validatedAt, roleSource }) => validatedAt !== undefined && roleSource === "group",
  );
  return [
    ...(isMissing ? [NO_ADMINISTRATOR] : []),
    ...(hasProvider || unchecked.length === 0 ? [] : [withoutProvider(unchecked)]),
  ];
}

const HANDLES_MAX = 10;

function withoutProvider(users: readonly Person[]): string {
  const handles = users.slice(0, HANDLES_MAX).map(({ handle }) => handle);
  const more = users.length > HANDLES_MAX ? ", …" : "";
  return (
    `no identity provider is configured, so ${users.length} users who signed in at one lose ` +
    `their access two days after its last confirmation (${handles.join(", ")}${more}); keep one: ` +
    "sealhouse user role <handle> <role>"
  );
}
