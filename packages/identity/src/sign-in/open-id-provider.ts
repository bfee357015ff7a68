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

/** Seconds that a fresh sign-in may have taken. */
const FRESH_SECONDS = 10 * 60;

/** A provider with ID tokens and refresh tokens. */
export function createOpenIdProvider(rules: OpenIdRules): SignInProvider {
  const { name, label, issuer, connect } = rules;
  return {
    name,
    label,
    issuer,
    start: (attempt) => connect.start(attempt, rules.parameters(attempt.isFresh === true)),
    async finish(callback, attempt) {
      const tokens = await connect.exchange(callback, attempt);
      if (tokens.status === "refused") return tokens;
      const person = await rules.judge(tokens, true);
      if (person.status === "refused") return person;
      if (attempt.isFresh && isOld(tokens, rules.now())) return notFresh(label, person.shown);
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

/** Providers that do not tell when the person signed in are believed. */
function isOld({ claims }: PersonTokens, now: Date): boolean {
  const { auth_time: time } = claims;
  return time !== undefined && now.getTime() / 1000 - time > FRESH_SECONDS;
}

function notFresh(label: string, shown: string): RefusedPerson {
  return refuse(
    "sign-in-not-fresh",
    `${label} did not ask for your password or passkey again. Sign out at ${label}, and confirm ` +
      "again.",
    shown,
  );
}
