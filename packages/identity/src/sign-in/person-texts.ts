import type { RefusedPerson, VerifiedPerson } from "./provider.ts";

/** Control characters, separators of lines, and marks that reverse the order of text. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu;
/** Characters of a name that pages and mails show. */
const NAME_MAX = 200;
/** RFC 5321. */
const ADDRESS_MAX = 254;
/** One address without a name, a comment or quotes. */
const ADDRESS = /^[^\s@<>(),;:"\\[\]]+@[^\s@<>(),;:"\\[\]]+$/;

/**
 * Returns what a provider reports about a person as texts of one line. An address that is not
 * exactly one is left out, because mail to it would fail.
 */
export function cleanPerson(
  person: VerifiedPerson | RefusedPerson,
): VerifiedPerson | RefusedPerson {
  if (person.status === "refused") {
    return person.shown === undefined ? person : { ...person, shown: lineOf(person.shown) };
  }
  const { email, ...rest } = person;
  const shown = lineOf(person.shown);
  const address = email === undefined ? undefined : addressOf(email);
  return {
    ...rest,
    shown,
    displayName: lineOf(person.displayName) || shown,
    ...(address !== undefined && { email: address }),
  };
}

function lineOf(text: string): string {
  const words = text.replace(UNSEEN, " ").replace(/\s+/g, " ").trim();
  return Array.from(words).slice(0, NAME_MAX).join("");
}

function addressOf(text: string): string | undefined {
  const line = text.replace(UNSEEN, " ").trim();
  return line.length <= ADDRESS_MAX && ADDRESS.test(line) ? line : undefined;
}
