import type { KeyRing } from "../key-ring/key-ring.ts";
import type { MembershipCheck, SignInProvider } from "../sign-in/provider.ts";
import { GRANT_PURPOSE } from "./grant-purpose.ts";
import type { DueCheck, MembershipChecks } from "./ports.ts";
import { NO_ADMINISTRATOR } from "./people-warnings.ts";
import { createUseQueue } from "./use-queue.ts";

/** Dependencies and settings of `openRevalidation`. */
export type RevalidationOptions = {
  /** Undefined when no provider is configured. Then users whose role was set by hand stay. */
  readonly provider?: Pick<SignInProvider, "check" | "issuer"> | undefined;
  readonly checks: MembershipChecks;
  /** Encrypts the grants. */
  readonly keyRing: Pick<KeyRing, "protect" | "unprotect">;
  /** Milliseconds between two checks of a user (`Host__Authentication__RevalidateInterval`). */
  readonly revalidateMs: number;
  readonly now: () => Date;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
};

/** Checks at the identity provider whether users are still members. Disposal waits for them. */
export interface Revalidation extends AsyncDisposable {
  /** Checks all due users; for the schedule of background jobs. */
  readonly job: {
    readonly name: string;
    readonly everyMs: number;
    readonly firstAfterMs: number;
    readonly run: (signal: AbortSignal) => Promise<void>;
  };
  /** Queues a check of a user whose token was used, if it is due. No request waits for it. */
  readonly noteUse: (userId: string) => void;
}

const MINUTE_MS = 60_000;
/** Checks at the same time. */
const PARALLEL_MAX = 8;
/** Maximum milliseconds until an `unknown` outcome, or a check that was cut off, is repeated. */
const CLAIM_MS = 10 * MINUTE_MS;

/**
 * Opens the checks of memberships. Each user is checked once per interval, by one instance. Who is
 * gone is suspended. While the provider does not answer, users keep their access for twice the
 * interval. Without a provider, none answers, and that time begins now or later.
 */
export function openRevalidation(options: RevalidationOptions): Revalidation {
  const { checks, revalidateMs, now, log } = options;
  const startedAt = now();
  const claim = (most: number, userIds?: readonly string[]) => {
    const time = now().getTime();
    return checks.claim({
      before: new Date(time - revalidateMs),
      until: new Date(time + Math.min(CLAIM_MS, revalidateMs / 4)),
      most,
      ...(userIds && { userIds }),
    });
  };
  const checkAll = async (due: readonly DueCheck[]) => {
    await Promise.all(due.map((one) => checkOne(options, one, startedAt)));
  };
  const queue = createUseQueue({
    async check(userIds) {
      for (let start = 0; start < userIds.length; start += PARALLEL_MAX) {
        await checkAll(await claim(PARALLEL_MAX, userIds.slice(start, start + PARALLEL_MAX)));
      }
    },
    waitMs: Math.min(MINUTE_MS, revalidateMs / 4),
    now,
    onError: (error) => log.warn({ err: error }, "could not check memberships; will retry"),
  });
  const run = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const due = await claim(PARALLEL_MAX);
      if (due.length === 0) break;
      await checkAll(due);
    }
  };
  return {
    job: { name: "memberships", firstAfterMs: MINUTE_MS / 4, everyMs: MINUTE_MS, run },
    noteUse: options.provider ? queue.add : () => undefined,
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
}

/** Asks the provider about one user, and records the outcome. */
async function checkOne(
  options: RevalidationOptions,
  due: DueCheck,
  startedAt: Date,
): Promise<void> {
  const { provider, checks, keyRing, now, log } = options;
  if (!provider && due.roleSource === "hand") return;
  const asked = await outcomeOf(options, due);
  const time = now();
  const validatedMs = due.validatedAt?.getTime() ?? 0;
  const since = provider ? validatedMs : Math.max(startedAt.getTime(), validatedMs);
  const isOver = time.getTime() - since >= 2 * options.revalidateMs;
  const check = asked.outcome === "unknown" && isOver ? afterSilence(due) : asked;
  if (check.outcome !== "member") {
    const { userId } = due;
    const { outcome, reason } = check;
    if (outcome === "gone") log.info({ userId, reason }, "suspended user: no longer a member");
    else log.warn({ userId, reason }, "could not check the membership of a user; will retry");
  }
  const grant = check.outcome === "member" ? check.grant : undefined;
  const isLastAdministrator = await checks.record(due, {
    check,
    ...(grant && { sealedGrant: keyRing.protect(GRANT_PURPOSE, grant) }),
    at: time,
  });
  if (isLastAdministrator) log.warn({ userId: due.userId }, NO_ADMINISTRATOR);
}

async function outcomeOf(
  { provider, keyRing }: RevalidationOptions,
  { issuer, sealedGrant }: DueCheck,
): Promise<MembershipCheck> {
  if (!provider) return { outcome: "unknown", reason: NO_PROVIDER };
  // The grant is a secret of the provider that gave it.
  if (issuer !== provider.issuer) return { outcome: "unknown", reason: OTHER_PROVIDER };
  if (!sealedGrant) return { outcome: "gone", reason: NO_GRANT };
  try {
    return await provider.check(await keyRing.unprotect(GRANT_PURPOSE, sealedGrant));
  } catch (error) {
    return { outcome: "unknown", reason: error instanceof Error ? error.message : String(error) };
  }
}

const NO_PROVIDER =
  "The user signed in at an identity provider, and none is configured now. " +
  "`sealhouse user role` keeps the user.";

const NO_GRANT =
  "The identity provider gives no way to confirm the membership between sign-ins. Sign in again.";

const OTHER_PROVIDER =
  "The user signed in at another identity provider than the configured one. Sign in again.";

/**
 * A provider that does not answer for twice the interval ends the access. Without a provider, the
 * time before the start of the process does not count: its settings may have been others.
 */
function afterSilence({ validatedAt }: DueCheck): MembershipCheck {
  const since = validatedAt ? ` since ${validatedAt.toISOString()}` : "";
  return {
    outcome: "gone",
    reason: `The identity provider has not confirmed the membership${since}. Sign in again.`,
  };
}
