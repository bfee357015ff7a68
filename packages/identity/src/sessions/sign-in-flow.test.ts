import { expect, test, vi } from "vitest";
import type { SignInProvider } from "../sign-in/provider.ts";
import {
  createMemoryPeople,
  createMemorySessions,
  createMemoryTokenStore,
  createMemoryWaitingSignIns,
  createTestRandom,
  newArrival,
} from "../testing/index.ts";
import { createBrowserSessions } from "./browser-sessions.ts";
import type { BrowserSession } from "./browser-sessions.ts";
import type { SessionUser } from "./session.ts";
import { createSignInFlow } from "./sign-in-flow.ts";

const START_MS = Date.parse("2026-03-01T00:00:00Z");
const redirectUri = "https://packages.example/signin-microsoft";
const random = createTestRandom();
const reversed = async (_: string, bytes: Uint8Array) => bytes.toReversed();

const provider: SignInProvider = {
  name: "microsoft",
  label: "Microsoft",
  issuer: "https://idp.example",
  canAskAgain: true,
  start: async ({ state }) => new URL(`https://idp.example/authorize?state=${state}`),
  finish: vi.fn(),
  check: vi.fn(),
  forget: vi.fn(),
};

function openFlow(finish: SignInProvider["finish"], { requiresApproval = false } = {}) {
  let time = START_MS;
  const now = () => new Date(time);
  const { people } = createMemoryPeople();
  const users = new Map<string, SessionUser>();
  const sessions = createBrowserSessions({
    rows: createMemorySessions(users),
    tokens: createMemoryTokenStore([]),
    now,
    random,
  });
  const flow = createSignInFlow({
    provider: { ...provider, finish },
    people: {
      async arrive(arrival) {
        const arrived = await people.arrive(arrival);
        users.set(arrived.person.id, arrived.person);
        return arrived;
      },
    },
    accounts: { userOf: async () => undefined },
    waiting: createMemoryWaitingSignIns(),
    sessions,
    keyRing: { protect: (_, bytes) => bytes.toReversed(), unprotect: reversed },
    requiresApproval,
    onRefused: vi.fn(),
    now,
    random,
  });
  /** Starts a sign-in or a confirmation, and comes back from the provider. */
  const pass = async (address: string, session?: BrowserSession) => {
    const started = await flow.start({ redirectUri, returnPath: "/", address, session });
    if (started.status === "crowded") return started;
    const { page, browserSecret } = started;
    const state = page.searchParams.get("state") ?? undefined;
    const back = { state, search: "?code=invented", redirectUri, browserSecret };
    return flow.finish({ ...back, address, session });
  };
  return { flow, sessions, pass, advance: (ms: number) => void (time += ms) };
}

const WRONG = {
  status: "refused",
  code: "code-refused",
  reason: "The code is wrong. Sign in again.",
} as const;

test("a network starts at most a hundred sign-ins, and others still sign in", async () => {
  const { flow } = openFlow(vi.fn());
  const startFrom = async (address?: string) =>
    (await flow.start({ redirectUri, returnPath: "/", address })).status;
  for (let host = 1; host <= 100; host++) {
    expect(await startFrom(`2001:db8::${host}`)).toBe("started");
  }
  expect(await startFrom("2001:db8::ffff")).toBe("crowded");
  expect(await startFrom("2001:db8:0:1::1")).toBe("started");
  expect(await startFrom()).toBe("started");
});

test("refused callbacks of a network are limited to 30 a minute", async () => {
  const finish = vi.fn(async () => WRONG);
  const { pass, advance } = openFlow(finish);
  const signInFrom = async (address: string) => (await pass(address)).status;
  for (let host = 1; host <= 30; host++) {
    expect(await signInFrom(`2001:db8::${host}`)).toBe("refused");
  }
  expect(await signInFrom("2001:db8::ffff")).toBe("crowded");
  expect(finish).toHaveBeenCalledTimes(30);
  expect(await signInFrom("2001:db8:0:1::1")).toBe("refused");
  advance(2_000);
  expect(await signInFrom("2001:db8::ffff")).toBe("refused");
});

const NETWORK = "192.0.2.1";
const { verified: ADA } = newArrival();

test("users who wait for approval do not limit their network", async () => {
  const { pass } = openFlow(async () => ADA, { requiresApproval: true });
  for (let count = 0; count < 31; count++) {
    expect(await pass(NETWORK)).toMatchObject({
      status: "refused",
      reason: expect.stringContaining("must approve") as string,
    });
  }
});

test("strangers limit no confirmations, and a session limits only its own", async () => {
  const finish = vi.fn<SignInProvider["finish"]>(async () => ADA);
  const { pass, sessions } = openFlow(finish);
  const open = async () => {
    const signedIn = await pass(NETWORK);
    if (signedIn.status !== "signed-in") throw new Error(signedIn.status);
    return sessions.find(signedIn.secret, { mayRotate: false });
  };
  const [session, other] = [await open(), await open()];
  finish.mockResolvedValue(WRONG);
  for (let count = 0; count < 30; count++) {
    expect((await pass(NETWORK)).status).toBe("refused");
  }
  expect((await pass(NETWORK)).status).toBe("crowded");
  for (let count = 0; count < 30; count++) {
    expect(await pass(NETWORK, session)).toMatchObject({ status: "refused", backTo: "/" });
  }
  expect((await pass(NETWORK, session)).status).toBe("crowded");
  expect((await pass(NETWORK, other)).status).toBe("refused");
  expect((await pass("192.0.2.2")).status).toBe("refused");
});
