const ID = /^[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*$/;
const ID_LENGTH_MAX = 100;

/**
 * True for ids this feed takes: groups of ASCII letters, digits and underscores, joined by single
 * dots or hyphens, at most 100 characters. (nuget.org's rule since 2026; clients warn with NU5052
 * about anything wider.)
 */
export function isPackageId(text: string): boolean {
  return text.length <= ID_LENGTH_MAX && ID.test(text);
}

/** Dependencies may name older packages, so they get 128 characters, as on nuget.org. */
export function isDependencyId(text: string): boolean {
  return text.length <= 128 && ID.test(text);
}

/** The form ids are compared, stored and linked by. Ids are ASCII, so no locale takes part. */
export function lowerId(id: string): string {
  return id.toLowerCase();
}
