const LENGTH_MAX = 39;
const HANDLE = /^[a-z0-9][a-z0-9-]{0,38}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Actors of events that no person is. */
const RESERVED: ReadonlySet<string> = new Set(["admin", "anonymous", "first-link", "system"]);

/** Why a handle that another owner has or had cannot be used, as the end of a sentence. */
export const HANDLE_TAKEN =
  "is taken: users, teams and service accounts share one list of handles, and none is used twice";

/** Returns why a text cannot be a handle, as the end of a sentence; undefined when it can. */
export function handleProblem(text: string): string | undefined {
  if (RESERVED.has(text)) return "is reserved";
  if (HANDLE.test(text) && !UUID.test(text)) return undefined;
  return "is not a handle; allowed: 1 to 39 lower-case letters, digits and dashes";
}

/**
 * Proposes the handle of a new user: from the account's name at the provider (a login or an
 * address), else from the displayed name.
 */
export function proposeHandle(account: {
  readonly shown: string;
  readonly displayName: string;
}): string {
  const [local = ""] = account.shown.split("@");
  const proposals = [local, account.displayName].map(plainName);
  return proposals.find((proposal) => handleProblem(proposal) === undefined) ?? "user";
}

/** Adds a number to a handle that is taken, within the maximum length. */
export function numberedHandle(handle: string, number: number): string {
  const end = `-${number}`;
  return `${handle.slice(0, LENGTH_MAX - end.length)}${end}`;
}

function plainName(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, LENGTH_MAX)
    .replace(/-$/, "");
}
