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

const now = () => new Date("2026-03-01T00:00:00Z");
const random = createTestRandom();
const reversed = async (_: string, bytes: Uint8Array) => bytes.toReversed();

const provider: SignInProvider = {
  name: "microsoft",
  label: "Microsoft",
  issuer: "https://idp.example",
  canAskAgain: true,
  start: async () => new URL("https://idp.example/authorize"),
  finish: vi.fn(),
  check: vi.fn(),
  forget: vi.fn(),
};

test("a network starts at most a hundred sign-ins, and others still sign in", async () => {
  const flow = createSignInFlow({
    provider,
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
  const redirectUri = "https://packages.example/signin-microsoft";
  const startFrom = async (address?: string) =>
    (await flow.start({ redirectUri, returnPath: "/", address })).status;
  for (let host = 1; host <= 100; host++) {
    expect(await startFrom(`2001:db8::${host}`)).toBe("started");
  }
  expect(await startFrom("2001:db8::ffff")).toBe("crowded");
  expect(await startFrom("2001:db8:0:1::1")).toBe("started");
  expect(await startFrom()).toBe("started");
});
