import { decodeGrant, encodeGrant } from "./grant.ts";
import type { OpenIdConnect, PersonTokens } from "./open-id-connect.ts";
import type { MembershipCheck, RefusedPerson, SignInProvider, VerifiedPerson } from "./provider.ts";
import { isFaultOfSettings, refuse } from "./refusal.ts";

/** Differences of one OpenID provider from others. */
export type OpenIdRules = Pick<SignInProvider, "name" | "label" | "issuer"> & {
  readonly connect: OpenIdConnect;
  readonly now: () => Date;
  /** Parameters of the provider's page. */
  parameters(isFresh: boolean): Readonly<Record<string, string>>;
  /** Decides about verified tokens. `first`: at a sign-in, not when asked again. */
  judge(tokens: PersonTokens, first: boolean): Promise<ConfirmedPerson | RefusedPerson>;
};

/** A person whom the rules of a provider accept. */
export type ConfirmedPerson = Omit<VerifiedPerson, "grant">;

/** Seconds by which the clock of a provider may differ. */
const SKEW_SECONDS = 60;

/** A provider with ID tokens and refresh tokens. */
export function createOpenIdProvider(rules: OpenIdRules): SignInProvider {
  const { name, label, issuer, connect } = rules;
  return {
    name,
    label,
    issuer,
    canAskAgain: true,
    start: (attempt) =>
      connect.start(attempt, {
        ...rules.parameters(attempt.freshSince !== undefined),
        ...(attempt.freshSince && { max_age: "0" }),
      }),
    async finish(callback, attempt) {
      const tokens = await connect.exchange(callback, attempt);
      if (tokens.status === "refused") return tokens;
      const person = await rules.judge(tokens, true);
      if (person.status === "refused") return person;
      const { freshSince } = attempt;
      const now = rules.now();
      const stale = freshSince && reasonAgainstFreshness(tokens, { freshSince, label, now });
      if (stale) return refuse(stale.code, stale.reason, person.shown);
      return { ...person, ...grantOf(person, tokens.refreshToken) };
    },
    async check(grant) {
      const kept = decodeGrant(grant, ["refreshToken", "subject"]);
      if (!kept) return { outcome: "unknown", reason: "The stored grant cannot be read." };
      const tokens = await connect.refresh(kept.refreshToken);
      if (tokens.status === "ended") {
        return { outcome: "gone", reason: `${label} has ended the access of this account.` };
      }
      if (tokens.status === "unknown") return { outcome: "unknown", reason: tokens.reason };
      return outcomeOf(await judgeAgain(rules, tokens), tokens.refreshToken, kept);
    },
    async forget(grant) {
      const kept = decodeGrant(grant, ["refreshToken", "subject"]);
      if (kept) await connect.revoke(kept.refreshToken);
    },
  };
}

type Kept = { readonly refreshToken: string; readonly subject: string };

async function judgeAgain(
  rules: OpenIdRules,
  tokens: PersonTokens,
): Promise<
  ConfirmedPerson | RefusedPerson | { readonly status: "unknown"; readonly reason: string }
> {
  return rules.judge(tokens, false).catch((error: Error) => ({
    status: "unknown",
    reason: error.message,
  }));
}

function outcomeOf(
  judged: Awaited<ReturnType<typeof judgeAgain>>,
  refreshToken: string | undefined,
  kept: Kept,
): MembershipCheck {
  if (judged.status === "unknown") return { outcome: "unknown", reason: judged.reason };
  if (judged.status === "refused") {
    const outcome = isFaultOfSettings(judged) ? "unknown" : "gone";
    return { outcome, reason: judged.reason };
  }
  if (judged.subject !== kept.subject) {
    return { outcome: "unknown", reason: "The answer belongs to another account." };
  }
  const { role, groups } = judged;
  return {
    outcome: "member",
    groups,
    ...(role !== undefined && { role }),
    ...grantOf(judged, refreshToken ?? kept.refreshToken),
  };
}

function grantOf(
  { subject }: Pick<ConfirmedPerson, "subject">,
  refreshToken: string | undefined,
): Pick<VerifiedPerson, "grant"> {
  return refreshToken === undefined ? {} : { grant: encodeGrant({ refreshToken, subject }) };
}

/**
 * Only `auth_time` proves that the provider asked the person: a stranger at the browser can remove
 * the parameters from the address of the page.
 */
function reasonAgainstFreshness(
  { claims }: PersonTokens,
  {
    freshSince,
    label,
    now,
  }: { readonly freshSince: Date; readonly label: string; readonly now: Date },
) {
  const time: unknown = claims.auth_time;
  if (typeof time !== "number") {
    return {
      code: "sign-in-time-unknown",
      reason:
        `${label} does not report when you signed in, so the sign-in confirms nothing. Use a ` +
        "passkey, or ask the operator to let the registration add the claim auth_time.",
    } as const;
  }
  if (time > now.getTime() / 1000 + SKEW_SECONDS) {
    return {
      code: "sign-in-time-unknown",
      reason:
        `${label} reports a sign-in in the future, so the sign-in confirms nothing. Use a ` +
        "passkey, or ask the operator to check the clock.",
    } as const;
  }
  if (time >= freshSince.getTime() / 1000 - SKEW_SECONDS) return undefined;
  return {
    code: "sign-in-not-fresh",
    reason:
      `${label} did not ask for your password or passkey again. Sign out at ${label}, and ` +
      "confirm again.",
  } as const;
}
