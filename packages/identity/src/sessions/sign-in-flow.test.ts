import { expect, test, vi } from "vitest";
import type { SignInProvider } from "../sign-in/provider.ts";
import {
  createMemoryPeople,
  createMemorySessions,
  createMemoryTokenStore,
  createMemoryWaitingSignIns,
  createTestRandom,
} from "../testing/index.ts";
import { createBrowserSessions } from "./browser-sessions.ts";
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

function openFlow(finish: SignInProvider["finish"]) {
  let time = START_MS;
  const now = () => new Date(time);
  const flow = createSignInFlow({
    provider: { ...provider, finish },
    people: createMemoryPeople().people,
    accounts: { userOf: async () => undefined },
    waiting: createMemoryWaitingSignIns(),
    sessions: createBrowserSessions({
      rows: createMemorySessions(),
      tokens: createMemoryTokenStore([]),
      now,
      random,
    }),
    keyRing: { protect: (_, bytes) => bytes.toReversed(), unprotect: reversed },
    requiresApproval: false,
    onRefused: vi.fn(),
    now,
    random,
  });
  return { flow, advance: (ms: number) => void (time += ms) };
}

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
  const finish = vi.fn(async () => ({
    status: "refused" as const,
    code: "code-refused" as const,
    reason: "The code is wrong. Sign in again.",
  }));
  const { flow, advance } = openFlow(finish);
  const signInFrom = async (address: string) => {
    const started = await flow.start({ redirectUri, returnPath: "/", address });
    if (started.status === "crowded") return started.status;
    const { page, browserSecret } = started;
    const state = page.searchParams.get("state") ?? undefined;
    const search = "?code=invented";
    return (await flow.finish({ state, search, redirectUri, browserSecret, address })).status;
  };
  for (let host = 1; host <= 30; host++) {
    expect(await signInFrom(`2001:db8::${host}`)).toBe("refused");
  }
  expect(await signInFrom("2001:db8::ffff")).toBe("crowded");
  expect(finish).toHaveBeenCalledTimes(30);
  expect(await signInFrom("2001:db8:0:1::1")).toBe("refused");
  advance(2_000);
  expect(await signInFrom("2001:db8::ffff")).toBe("refused");
});
