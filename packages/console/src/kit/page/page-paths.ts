export const IMAGE_PAGES = "/images";

export const NPM_PAGES = "/npm-packages";

export const ADMINISTRATION_PAGES = "/administration";

/** Path of the tokens of the user who is signed in. */
export const TOKENS = "/account/tokens";

/** Path of the audit log. */
export const AUDIT = `${ADMINISTRATION_PAGES}/audit`;

/** Path of the audit log with these filters, without the path of the registry. */
export function auditPath(filters: Readonly<Record<string, string>>): string {
  return `${AUDIT}?${new URLSearchParams(filters).toString()}`;
}
