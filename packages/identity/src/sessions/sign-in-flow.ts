import { createFailureLimiter, DEFAULT_FAILURE_LIMITS } from "../failure-limiter.ts";
import type { KeyRing } from "../key-ring/key-ring.ts";
import { GRANT_PURPOSE } from "../people/grant-purpose.ts";
import { proposeHandle } from "../people/handle.ts";
import { callerOfAddress } from "../network.ts";
import type { MembershipChecks, People } from "../people/ports.ts";
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
import type { WaitingSignIn, WaitingSignIns } from "./session.ts";

/** Milliseconds that a browser has for the sign-in at the provider. */
export const SIGN_IN_WAITS_MS = 10 * 60_000;
/** Sign-ins that may wait at all instances together; an abandoned one waits to its end. */
const WAITING_MAX = { ofAll: 10_000, ofNetwork: 100 };
const VERIFIER_PURPOSE = "sign-in-verifier";

/** Dependencies and settings of `createSignInFlow`. */
export type SignInFlowOptions = {
  readonly provider: SignInProvider;
  readonly people: Pick<People, "arrive">;
  readonly accounts: Pick<MembershipChecks, "userOf">;
  readonly waiting: WaitingSignIns;
  readonly sessions: BrowserSessions;
  readonly keyRing: Pick<KeyRing, "protect" | "unprotect">;
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
  /** The secret of the cookie that belongs to `state`. */
  readonly browserSecret: string | undefined;
  readonly formerSecret?: string | undefined;
  /** The session that the browser has. */
  readonly session?: BrowserSession | undefined;
  readonly address?: string | undefined;
  readonly agent?: string | undefined;
  readonly requestId?: string | undefined;
};

/**
 * A sign-in that the browser continues at the provider. `crowded`: too many are waiting, or too
 * many of the network, or confirmations of the session, were refused.
 */
export type StartedSignIn =
  | {
      readonly status: "started";
      readonly page: URL;
      readonly stateHash: string;
      /** For the browser's cookie. */
      readonly browserSecret: string;
    }
  | { readonly status: "crowded" };

/** Outcome of the return from the provider. */
export type FinishedSignIn =
  | { readonly status: "signed-in"; readonly secret: string; readonly returnPath: string }
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
  /** The state is unknown, used, too old, or belongs to another browser. */
  | { readonly status: "unknown" };

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

/** Opens the sign-in at an identity provider. */
export function createSignInFlow(options: SignInFlowOptions): SignInFlow {
  const { name, label, canAskAgain } = options.provider;
  const { now } = options;
  const refusals = createFailureLimiter(DEFAULT_FAILURE_LIMITS);
  return {
    provider: { name, label, canAskAgain },
    async start(wish) {
      const waitSeconds = await refusals.retryAfterSeconds(bucketOf(wish), now());
      return waitSeconds === undefined ? start(options, wish) : { status: "crowded" };
    },
    async finish(browser) {
      const finished = await finish(options, browser);
      // A refusal costs a request to the provider and an event. Known users have an account there.
      if (finished.status === "refused" && finished.isKnown !== true) {
        const { address, session } = browser;
        const isStepUp = finished.backTo !== undefined;
        await refusals.failed(
          bucketOf({ address, session: isStepUp ? session : undefined }),
          now(),
        );
      }
      return finished;
    },
  };
}

/** Strangers of a network do not stop the confirmations of its sessions, nor the reverse. */
function bucketOf({
  address = "",
  session,
}: Pick<Parameters<SignInFlow["start"]>[0], "address" | "session">): string {
  return session ? `session ${session.hash}` : callerOfAddress(address);
}

/** Returns the hash of a `state`, which names its row and its cookie. */
export function stateHashOf(state: string): string {
  return hashOf(state);
}

async function start(
  { provider, waiting, keyRing, now, random }: SignInFlowOptions,
  { redirectUri, returnPath, address, session }: Parameters<SignInFlow["start"]>[0],
): Promise<StartedSignIn> {
  const [state, nonce, verifier] = [makeSecret(random), makeSecret(random), makeSecret(random)];
  const browserSecret = makeSecret(random);
  const createdAt = now();
  const row: WaitingSignIn = {
    stateHash: hashOf(state),
    browserHash: hashOf(browserSecret),
    provider: provider.name,
    sealedVerifier: keyRing.protect(VERIFIER_PURPOSE, Buffer.from(verifier)),
    nonce,
    purpose: session ? "step-up" : "sign-in",
    ...(session && { sessionHash: session.hash }),
    returnPath: parseReturnPath(returnPath),
    ...(address !== undefined && { network: callerOfAddress(address) }),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + SIGN_IN_WAITS_MS),
  };
  const attempt = { state, nonce, verifier, redirectUri };
  const page = await provider.start({ ...attempt, ...(session && { freshSince: createdAt }) });
  if ((await waiting.insert(row, WAITING_MAX)) === "crowded") return { status: "crowded" };
  return { status: "started", page, stateHash: row.stateHash, browserSecret };
}

async function finish(
  options: SignInFlowOptions,
  browser: ReturningBrowser,
): Promise<FinishedSignIn> {
  const { provider, waiting, keyRing } = options;
  const { state, search, redirectUri, address, requestId } = browser;
  const row = await rowOf(options, browser);
  if (!row || state === undefined || !(await waiting.take(row.stateHash))) {
    return { status: "unknown" };
  }
  const bytes = await keyRing.unprotect(VERIFIER_PURPOSE, row.sealedVerifier);
  const verifier = Buffer.from(bytes).toString();
  const isStepUp = row.purpose === "step-up";
  const attempt: SignInAttempt = {
    state,
    nonce: row.nonce,
    verifier,
    redirectUri,
    ...(isStepUp && { freshSince: row.createdAt }),
  };
  const callback = new URL(redirectUri);
  callback.search = search;
  const verdict = await provider.finish(callback, attempt);
  if (isStepUp) return confirm(options, browser, { row, verdict });
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
  return { status: "signed-in", secret, returnPath: row.returnPath };
}

/** Confirms the session with the same account; no other account may enter it. */
async function confirm(
  options: SignInFlowOptions,
  browser: ReturningBrowser,
  {
    row,
    verdict,
  }: { readonly row: WaitingSignIn; readonly verdict: VerifiedPerson | RefusedPerson },
): Promise<FinishedSignIn> {
  const { session } = browser;
  const user = session?.user;
  if (!session || !user || session.hash !== row.sessionHash) return { status: "unknown" };
  const backTo = row.returnPath;
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
  const secret = await options.sessions.stepUp(session);
  if (secret === undefined) return { status: "unknown" };
  return { status: "signed-in", secret, returnPath: row.returnPath };
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

/** Finds the row of a callback in the browser that started it. */
async function rowOf(
  { provider, waiting, now }: SignInFlowOptions,
  { state, browserSecret }: ReturningBrowser,
): Promise<WaitingSignIn | undefined> {
  if (state === undefined || browserSecret === undefined) return undefined;
  if (!isSecret(state) || !isSecret(browserSecret)) return undefined;
  const row = await waiting.find(hashOf(state));
  const isOwn = row?.browserHash === hashOf(browserSecret) && row.provider === provider.name;
  return isOwn && row.expiresAt > now() ? row : undefined;
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
