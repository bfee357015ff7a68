import { expect, test, vi } from "vitest";
import type { SignInProvider } from "../sign-in/provider.ts";
import {
  createMemoryPeople,
  createMemorySessions,
  createMemoryTokenStore,
  createTestKeys,
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
    sessions,
    keyRing: createTestKeys(),
    requiresApproval,
    onRefused: vi.fn(),
    now,
    random,
  });
  /** Starts a sign-in or a confirmation, and comes back from the provider. */
  const pass = async (address: string, session?: BrowserSession) => {
    const started = await flow.start({ redirectUri, returnPath: "/", address, session });
    if (started.status === "crowded") return started;
    const { page, sealed } = started;
    const state = page.searchParams.get("state") ?? undefined;
    const back = { state, search: "?code=invented", redirectUri, sealed };
    return flow.finish({ ...back, address, session });
  };
  return { flow, sessions, pass, advance: (ms: number) => void (time += ms) };
}

const WISH = { redirectUri, returnPath: "/" } as const;
type Attack = {
  readonly other?: boolean;
  readonly change?: (sealed: string) => string;
  readonly waitMs?: number;
};
const NETWORK = "192.0.2.1";
const { verified: ADA } = newArrival();
const WRONG = {
  status: "refused",
  code: "code-refused",
  reason: "The code is wrong. Sign in again.",
} as const;

test("no number of abandoned sign-ins stops other sign-ins and confirmations", async () => {
  const { flow, pass, sessions } = openFlow(async () => ADA);
  const signedIn = await pass(NETWORK);
  if (signedIn.status !== "signed-in") throw new Error(signedIn.status);
  const session = await sessions.find(signedIn.secret, { mayRotate: false });
  for (let count = 0; count < 500; count++) {
    const started = await flow.start({ redirectUri, returnPath: "/", address: NETWORK });
    expect(started.status).toBe("started");
  }
  expect((await pass(NETWORK)).status).toBe("signed-in");
  expect(await pass(NETWORK, session)).toMatchObject({
    reason: expect.stringContaining("not an account of") as string,
  });
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

test.each([
  ["/56", 120, (count: number) => `2001:db8:0:${(count % 256).toString(16)}::1`],
  ["/48", 480, (count: number) => `2001:db8:0:${(count * 16).toString(16)}::1`],
])("refused callbacks of an IPv6 %s are limited to %i a minute", async (_, most, addressOf) => {
  const { pass } = openFlow(async () => WRONG);
  for (let count = 0; count < most; count++) {
    expect((await pass(addressOf(count))).status).toBe("refused");
  }
  expect((await pass(addressOf(most))).status).toBe("crowded");
  expect((await pass("2001:db8:1::1")).status).toBe("refused");
});

test("a network asks the provider at most 30 times at once", async () => {
  const answer = Promise.withResolvers<undefined>();
  const finish = vi.fn(async () => {
    await answer.promise;
    return WRONG;
  });
  const { pass } = openFlow(finish);
  const passes = Array.from({ length: 40 }, () => pass(NETWORK));
  await vi.waitFor(() => expect(finish).toHaveBeenCalledTimes(30));
  expect((await pass(NETWORK)).status).toBe("crowded");
  answer.resolve(undefined);
  const finished = await Promise.all(passes);
  expect(finished.filter(({ status }) => status === "crowded")).toHaveLength(10);
});

test.each([
  ["of another sign-in", { other: true }],
  ["that was changed", { change: (sealed: string) => `${sealed.slice(0, -2)}AA` }],
  ["that is not encrypted", { change: () => Buffer.from('{"state":"x"}').toString("base64url") }],
  ["after ten minutes", { waitMs: 600_000 }],
])("refuses the cookie %s", async (_, attack) => {
  const { other = false, change = (sealed: string) => sealed, waitMs = 0 } = attack as Attack;
  const finish = vi.fn(async () => ADA);
  const { flow, advance } = openFlow(finish);
  const [one, two] = [await flow.start(WISH), await flow.start(WISH)];
  if (one.status !== "started" || two.status !== "started") throw new Error("crowded");
  const state = (other ? two : one).page.searchParams.get("state") ?? undefined;
  advance(waitMs);
  const back = { state, search: "?code=good", redirectUri, sealed: change(one.sealed) };
  expect(await flow.finish(back)).toEqual({ status: "unknown" });
  expect(finish).not.toHaveBeenCalled();
});

test("the cookie of the longest return path fits into the headers of five sign-ins", async () => {
  const { flow } = openFlow(vi.fn());
  const lengths = [];
  for (const digits of [1_000, 1_023, 1_024, 1_999]) {
    const started = await flow.start({ ...WISH, returnPath: `/${"a".repeat(digits)}` });
    lengths.push(started.status === "started" ? started.sealed.length : Infinity);
  }
  expect(Math.max(...lengths)).toBeLessThan(2_048);
  expect(lengths.at(2)).toBeLessThan(600);
});

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
