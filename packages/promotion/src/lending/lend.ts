import { targetNamed } from "../model/publish-target.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import type { LentKeys } from "./lent-keys.ts";
import { isLent } from "./lent-publisher.ts";

/** A key, or an ID token, that a pipeline lends to one release. */
export type Loan = { readonly target: string; readonly secret: string };

/** Life of a key that does not say when it expires. */
const KEY_MS = 60 * 60_000;

/** Why a release to these targets, by name, cannot use the loans. */
export function loanProblem(
  loans: readonly Loan[],
  wanted: readonly string[],
  targets: readonly PublishTarget[],
): string | undefined {
  const homes = wanted.flatMap((name) => targetNamed(targets, name) ?? []);
  for (const { target: name } of loans) {
    const home = targetNamed(homes, name);
    if (!home) return `--lend ${name}: the release does not go to this target.`;
    if (!isLent(home)) return `--lend ${name}: the target has its own credentials.`;
  }
  return undefined;
}

/** Why a release to these targets cannot begin with the loans: a target has no key. */
export function missingLoan(
  loans: readonly Loan[],
  wanted: readonly string[],
  targets: readonly PublishTarget[],
): string | undefined {
  const lent = new Set(loans.map(({ target }) => target.toLowerCase()));
  const name = wanted.find((candidate) => {
    const home = targetNamed(targets, candidate);
    return home !== undefined && isLent(home) && !lent.has(candidate.toLowerCase());
  });
  if (name === undefined) return undefined;
  return `The target ${name} stores no key: add --lend ${name}=VARIABLE.`;
}

/** Keeps the loans for a release until they expire. */
export async function keepLoans(
  keys: LentKeys,
  release: string,
  { loans, now }: { readonly loans: readonly Loan[]; readonly now: Date },
): Promise<void> {
  for (const { target, secret } of loans) {
    const place = { release, target, name: "" };
    await keys.put(place, { secret, expiresAt: expiryOf(secret, now) });
  }
}

/** A JSON Web Token says when it expires; other keys are used for an hour. */
function expiryOf(secret: string, now: Date): Date {
  const longest = now.getTime() + KEY_MS;
  const [, payload, signature] = secret.split(".");
  if (payload === undefined || signature === undefined) return new Date(longest);
  try {
    const { exp } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { exp?: unknown };
    return new Date(typeof exp === "number" ? Math.min(exp * 1000, longest) : longest);
  } catch {
    return new Date(longest); // it only looks like one
  }
}
