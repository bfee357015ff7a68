import { createFailureLimiter, DEFAULT_FAILURE_LIMITS } from "../failure-limiter.ts";
import { GRANT_PURPOSE } from "../people/grant-purpose.ts";
import { proposeHandle } from "../people/handle.ts";
import { networksOfAddress } from "../network.ts";
import type { CountedNetwork } from "../network.ts";
import type { MembershipChecks, People } from "../people/ports.ts";
import { cleanPerson } from "../sign-in/person-texts.ts";
import type {
  RefusedPerson,
  SignInAttempt,
  SignInProvider,
  VerifiedPerson,
} from "../sign-in/provider.ts";
import { refuse } from "../sign-in/refusal.ts";
import type { BrowserSession, BrowserSessions } from "./browser-sessions.ts";
import { parseReturnPath } from "./return-path.ts";
import { hashOf, isSecret, makeSecret } from "./secret.ts";
import { openSignIn, sealSignIn } from "./waiting-sign-in.ts";
import type { SignInKeys, WaitingSignIn } from "./waiting-sign-in.ts";

/** Milliseconds that a browser has for the sign-in at the provider. */
export const SIGN_IN_WAITS_MS = 10 * 60_000;
/** Callbacks of a network, or of a session, that ask the provider at the same time. */
const CALLBACKS_MAX = 30;
/** Used sign-ins that an instance remembers. Another instance relies on the provider's code. */
const USED_MAX = 10_000;
/** Milliseconds by which the clocks of two instances may differ. */
const SKEW_MS = 60_000;

/** Dependencies and settings of `createSignInFlow`. */
export type SignInFlowOptions = {
  readonly provider: SignInProvider;
  readonly people: Pick<People, "arrive">;
  readonly accounts: Pick<MembershipChecks, "userOf">;
  readonly sessions: BrowserSessions;
  readonly keyRing: SignInKeys;
  readonly requiresApproval: boolean;
  /** Writes the event of a refused sign-in. */
  readonly onRefused: (refusal: SignInRefusal) => Promise<void>;
  readonly now: () => Date;
  readonly random: (size: number) => Uint8Array;
};

/** A refused sign-in or confirmation, for the audit log. */
export type SignInRefusal = {
  /** Handle of the user whose session asked for a confirmation. */
  readonly actor?: string;
  readonly provider: string;
  /** In kebab-case. */
  readonly code: string;
  /** A sentence. */
  readonly reason: string;
  /** The provider's account. */
  readonly shown?: string;
  readonly address?: string;
  readonly requestId?: string;
};

/** A browser that came back from the provider. */
export type ReturningBrowser = {
  readonly state: string | undefined;
  /** The query of the request, such as `?code=…&state=…`. */
  readonly search: string;
  /** The registered callback. */
  readonly redirectUri: string;
  /** The sealed sign-in in the cookie that belongs to `state`. */
  readonly sealed: string | undefined;
  readonly formerSecret?: string | undefined;
  /** The session that the browser has. */
  readonly session?: BrowserSession | undefined;
  readonly address?: string | undefined;
  readonly agent?: string | undefined;
  readonly requestId?: string | undefined;
};

/**
 * A sign-in that the browser continues at the provider. `crowded`: too many of the network, or
 * confirmations of the session, were refused.
 */
export type StartedSignIn =
  | {
      readonly status: "started";
      readonly page: URL;
      readonly stateHash: string;
      /** The encrypted sign-in, for the browser's cookie. */
      readonly sealed: string;
    }
  | { readonly status: "crowded" };

/** Outcome of the return from the provider. */
export type FinishedSignIn =
  | { readonly status: "signed-in"; readonly secret: string; readonly returnPath: string }
  /** The person of the session signed in again. */
  | { readonly status: "confirmed"; readonly returnPath: string }
  /**
   * `reason` is a sentence for the person. `backTo`: the page that wanted a confirmation.
   * `isKnown`: a user of this registry whose account is not active.
   */
  | {
      readonly status: "refused";
      readonly reason: string;
      readonly backTo?: string;
      readonly isKnown?: true;
    }
  /** The state was used, is too old, or belongs to another browser or session. */
  | { readonly status: "unknown" }
  /** Too many of the network, or confirmations of the session, are asked now or were refused. */
  | { readonly status: "crowded" };

/** Sign-in at an identity provider, with a page of the provider between its two steps. */
export interface SignInFlow {
  readonly provider: Pick<SignInProvider, "name" | "label" | "canAskAgain">;
  /** Throws when the provider cannot be asked. */
  start(wish: {
    readonly redirectUri: string;
    readonly returnPath: string;
    readonly address?: string | undefined;
    /** The session that the person confirms; undefined for a sign-in. */
    readonly session?: Pick<BrowserSession, "hash"> | undefined;
  }): Promise<StartedSignIn>;
  /** Throws when the provider cannot be asked. */
  finish(browser: ReturningBrowser): Promise<FinishedSignIn>;
}

/**
 * Opens the sign-in at an identity provider. A sign-in that waits exists only in its browser, so
 * that strangers cannot use up the sign-ins of others.
 */
export function createSignInFlow(options: SignInFlowOptions): SignInFlow {
  const { name, label, canAskAgain } = options.provider;
  const { now } = options;
  const refusals = createFailureLimiter(DEFAULT_FAILURE_LIMITS);
  const callbacks = createInFlight(CALLBACKS_MAX);
  const used = createUsedStates(USED_MAX);
  const isLimited = async (counted: readonly CountedNetwork[]) =>
    (await refusals.retryAfterSeconds(counted, now())) !== undefined;
  return {
    provider: { name, label, canAskAgain },
    async start(wish) {
      const counted = countedBy(wish);
      return (await isLimited(counted)) ? { status: "crowded" } : start(options, wish);
    },
    async finish(browser) {
      const waiting = await waitingOf(options, browser);
      if (!waiting) return { status: "unknown" };
      const { address, session } = browser;
      const isStepUp = waiting.purpose === "step-up";
      const counted = countedBy({ address, session: isStepUp ? session : undefined });
      if (await isLimited(counted)) return { status: "crowded" };
      const finished = await callbacks.run(counted, () =>
        once(used, waiting.state, () => finish(options, browser, waiting)),
      );
      // A refusal costs a request to the provider and an event. Known users have an account there.
      if (finished?.status === "refused" && finished.isKnown !== true) {
        await refusals.failed(counted, now());
      }
      return finished ?? { status: "crowded" };
    },
  };
}

/** A provider that cannot be asked leaves the sign-in for another attempt. */
async function once(
  used: UsedStates,
  state: string,
  ask: () => Promise<FinishedSignIn>,
): Promise<FinishedSignIn> {
  if (!used.begin(state)) return { status: "unknown" };
  try {
    return await ask();
  } catch (error) {
    used.forget(state);
    throw error;
  }
}

/** Strangers of a network do not stop the confirmations of its sessions, nor the reverse. */
function countedBy({
  address = "",
  session,
}: Pick<Parameters<SignInFlow["start"]>[0], "address" | "session">): readonly CountedNetwork[] {
  return session ? [{ key: `session ${session.hash}`, share: 1 }] : networksOfAddress(address);
}

/** Returns the hash of a `state`, which names its cookie. */
export function stateHashOf(state: string): string {
  return hashOf(state);
}

async function start(
  { provider, keyRing, now, random }: SignInFlowOptions,
  { redirectUri, returnPath, session }: Parameters<SignInFlow["start"]>[0],
): Promise<StartedSignIn> {
  const [state, nonce, verifier] = [makeSecret(random), makeSecret(random), makeSecret(random)];
  const createdAt = now();
  const sealed = sealSignIn(keyRing, provider.name, {
    state,
    nonce,
    verifier,
    purpose: session ? "step-up" : "sign-in",
    ...(session && { sessionHash: session.hash }),
    returnPath: parseReturnPath(returnPath),
    createdAt,
  });
  const attempt = { state, nonce, verifier, redirectUri };
  const page = await provider.start({ ...attempt, ...(session && { freshSince: createdAt }) });
  return { status: "started", page, stateHash: hashOf(state), sealed };
}

async function finish(
  options: SignInFlowOptions,
  browser: ReturningBrowser,
  waiting: WaitingSignIn,
): Promise<FinishedSignIn> {
  const { provider } = options;
  const { search, redirectUri, address, requestId } = browser;
  const { state, nonce, verifier, createdAt } = waiting;
  const isStepUp = waiting.purpose === "step-up";
  const attempt: SignInAttempt = {
    state,
    nonce,
    verifier,
    redirectUri,
    ...(isStepUp && { freshSince: createdAt }),
  };
  const callback = new URL(redirectUri);
  callback.search = search;
  const verdict = cleanPerson(await provider.finish(callback, attempt));
  if (isStepUp) return confirm(options, browser, { waiting, verdict });
  if (verdict.status === "refused") return refused(options, browser, verdict);
  const { person } = await arrive(options, verdict, address);
  if (person.state !== "active") {
    return { status: "refused", reason: STATES[person.state], isKnown: true };
  }
  const secret = await options.sessions.open({
    holder: { user: person },
    method: provider.name,
    address,
    requestId,
    agent: browser.agent,
    formerSecret: browser.formerSecret,
  });
  return { status: "signed-in", secret, returnPath: waiting.returnPath };
}

/** Confirms the session with the same account; no other account may enter it. */
async function confirm(
  options: SignInFlowOptions,
  browser: ReturningBrowser,
  {
    waiting,
    verdict,
  }: { readonly waiting: WaitingSignIn; readonly verdict: VerifiedPerson | RefusedPerson },
): Promise<FinishedSignIn> {
  const { session } = browser;
  const user = session?.user;
  if (!session || !user || session.hash !== waiting.sessionHash) return { status: "unknown" };
  const backTo = waiting.returnPath;
  if (verdict.status === "refused") {
    return { ...(await refused(options, browser, verdict)), backTo };
  }
  if ((await options.accounts.userOf(verdict)) !== user.id) {
    const reason =
      `You signed in as ${verdict.shown}, which is not an account of ${user.handle}. Confirm ` +
      "with the account that you use here.";
    const refusal = refuse("another-account", reason, verdict.shown);
    return { ...(await refused(options, browser, refusal)), backTo };
  }
  return { status: "confirmed", returnPath: waiting.returnPath };
}

async function refused(
  { provider, onRefused }: SignInFlowOptions,
  { address, requestId, session }: ReturningBrowser,
  { code, shown, reason }: RefusedPerson,
): Promise<Extract<FinishedSignIn, { readonly status: "refused" }>> {
  const actor = session?.user?.handle;
  await onRefused({
    provider: provider.name,
    code,
    reason,
    ...(actor !== undefined && { actor }),
    ...(shown !== undefined && { shown }),
    ...(address !== undefined && { address }),
    ...(requestId !== undefined && { requestId }),
  });
  return { status: "refused", reason };
}

const STATES = {
  pending: "An administrator of this registry must approve your account before you can sign in.",
  suspended: "Your account is suspended. Ask an administrator of this registry.",
  blocked: "Your account is blocked. Ask an administrator of this registry.",
} as const;

/** Opens the cookie of a callback in the browser that started it. */
async function waitingOf(
  { provider, keyRing, now }: SignInFlowOptions,
  { state, sealed }: ReturningBrowser,
): Promise<WaitingSignIn | undefined> {
  if (state === undefined || sealed === undefined || !isSecret(state)) return undefined;
  const waiting = await openSignIn(keyRing, provider.name, sealed);
  if (waiting?.state !== state) return undefined;
  const ageMs = now().getTime() - waiting.createdAt.getTime();
  return ageMs < SIGN_IN_WAITS_MS && ageMs >= -SKEW_MS ? waiting : undefined;
}

async function arrive(
  { people, keyRing, requiresApproval, now }: SignInFlowOptions,
  verified: VerifiedPerson,
  address: string | undefined,
) {
  const { grant } = verified;
  return people.arrive({
    verified,
    ...(grant && { sealedGrant: keyRing.protect(GRANT_PURPOSE, grant) }),
    handle: proposeHandle(verified),
    role: "consumer",
    state: requiresApproval ? "pending" : "active",
    at: now(),
    ...(address !== undefined && { address }),
  });
}

/** Texts that were used once, of which the last `most` are remembered by this process. */
export type UsedStates = {
  /** False when the text is in use or was used. */
  begin(state: string): boolean;
  /** Allows the use again, after a failure that says nothing about it. */
  forget(state: string): void;
};

/** Creates an empty memory. */
export function createUsedStates(most: number): UsedStates {
  const states = new Set<string>();
  return {
    begin(state) {
      if (states.has(state)) return false;
      states.add(state);
      const [oldest] = states;
      if (states.size > most && oldest !== undefined) states.delete(oldest);
      return true;
    },
    forget: (state) => void states.delete(state),
  };
}

/** Limits how much work of a network runs at the same time. */
export type InFlight = {
  /** Runs the work; undefined when `most` times the share of a network run already. */
  run<T>(networks: readonly CountedNetwork[], work: () => Promise<T>): Promise<T | undefined>;
};

/** Creates a count of the running work of each network, in this process. */
export function createInFlight(most: number): InFlight {
  const running = new Map<string, number>();
  const add = (key: string, change: number) => {
    const count = (running.get(key) ?? 0) + change;
    if (count > 0) running.set(key, count);
    else running.delete(key);
  };
  return {
    async run(networks, work) {
      const isFull = networks.some(({ key, share }) => (running.get(key) ?? 0) >= most * share);
      if (isFull) return undefined;
      for (const { key } of networks) add(key, 1);
      try {
        return await work();
      } finally {
        for (const { key } of networks) add(key, -1);
      }
    },
  };
}
