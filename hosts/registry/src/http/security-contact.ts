/** Path of the contact for reports of vulnerabilities (RFC 9116). */
export const SECURITY_TXT_PATH = "/.well-known/security.txt";

const DAY_MS = 24 * 60 * 60_000;
/** Days until the text must be read again; RFC 9116 recommends less than a year. */
const EXPIRES_DAYS = 30;

/** Facts of the text. */
export type SecurityContact = {
  /** A URI of `mailto:`, `https:` or `tel:`. */
  readonly contact: string;
  /** The public addresses of the registry. */
  readonly publicBaseUrls: readonly string[];
  readonly now: Date;
};

/** Returns the text of RFC 9116, which ends at the beginning of a day (UTC). */
export function securityText({ contact, publicBaseUrls, now }: SecurityContact): string {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const expires = new Date(today + EXPIRES_DAYS * DAY_MS);
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${expires.toISOString()}`,
    ...publicBaseUrls.map((url) => `Canonical: ${new URL(SECURITY_TXT_PATH, url).href}`),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** Returns the URI of a contact; an address alone becomes `mailto:`. Undefined for other texts. */
export function parseSecurityContact(text: string): string | undefined {
  if (/^[^\s@:/]+@[^\s@:/]+$/.test(text)) return `mailto:${text}`;
  const isUri = /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+?[\d-]+)$/.test(text);
  return isUri && URL.canParse(text) ? text : undefined;
}
