import {
  createTestSigner,
  signedTestPackage,
  buildTestPackage,
} from "@sealhouse/repo-signing/testing";
import { expect, test } from "vitest";
import type { FeedScript, PushScript } from "./scripted-feed.test.support.ts";
import { openFeed } from "./scripted-feed.test.support.ts";

// Stand-ins that answer as the feeds are documented or were read to answer.

const OURS = buildTestPackage("Acme.Signed", "1.0.0");
const OTHER = buildTestPackage("Acme.Signed", "1.0.0", {
  files: [{ name: "other.txt", data: "other" }],
});
const SIGNED_AGAIN = await signedTestPackage(await createTestSigner());

const says = (status: number, statusText = "") => new Response(null, { status, statusText });
const stored: PushScript = { answer: says(201), stores: OURS };

const rateLimit = () =>
  Response.json(
    { statusCode: 429, message: "Rate limit is exceeded. Try again in 56 seconds." },
    { status: 429 },
  );
const RESERVED = "The package ID is reserved. You can upload your package with a different ID.";

type Case = {
  readonly case: string;
  readonly feed: FeedScript;
  readonly ends: "released" | "failed" | "rolled-back";
  readonly reason?: string;
  /** Deletions at the feed. Default: none. */
  readonly deletions?: number;
};

const CASES: readonly Case[] = [
  { case: "a push that is readable at once", feed: { pushes: [stored] }, ends: "released" },
  {
    case: "409 for the same content",
    feed: { pushes: [{ answer: says(409), stores: OURS }] },
    ends: "released",
  },
  {
    case: "409 for other content",
    feed: { pushes: [{ answer: says(409), stores: OTHER }] },
    ends: "rolled-back",
    reason: "other content",
  },
  {
    case: "409 for an id that somebody reserved",
    feed: { pushes: [{ answer: says(409, RESERVED) }] },
    ends: "rolled-back",
    reason: RESERVED,
  },
  {
    case: "401 for one package with a good key",
    feed: { pushes: [{ answer: says(401, "The API key has no right to this package.") }] },
    ends: "rolled-back",
    reason: "has no right",
  },
  {
    case: "429 with its wait in words only",
    feed: { pushes: [{ answer: rateLimit() }, stored] },
    ends: "released",
  },
  {
    case: "201, readable after three reads",
    feed: { pushes: [stored], readableAfter: 3 },
    ends: "released",
  },
  {
    case: "201, readable after minutes",
    feed: { pushes: [stored], readableAfter: 7 },
    ends: "released",
  },
  {
    case: "201, never readable",
    feed: { pushes: [{ answer: says(201) }] },
    ends: "rolled-back",
    reason: "not readable after an hour",
    deletions: 1,
  },
  {
    case: "400 for the same content",
    feed: { pushes: [{ answer: says(400), stores: OURS }] },
    ends: "released",
  },
  {
    case: "406 for the same content",
    feed: { pushes: [{ answer: says(406), stores: OURS }] },
    ends: "released",
  },
  {
    case: "a feed that signs again",
    feed: { pushes: [{ answer: says(201), stores: SIGNED_AGAIN }] },
    ends: "released",
  },
  {
    case: "500 for a push that was stored",
    feed: { pushes: [{ answer: says(500), stores: OURS }] },
    ends: "released",
  },
  { case: "a cut after the feed has it", feed: { pushes: [{ stores: OURS }] }, ends: "released" },
  { case: "a cut before the feed has it", feed: { pushes: [{}, stored] }, ends: "released" },
  {
    case: "a cut, then 409 while the feed validates",
    feed: { pushes: [{}, { answer: says(409), stores: OURS }], readableAfter: 5 },
    ends: "released",
  },
  {
    case: "413",
    feed: { pushes: [{ answer: says(413, "The package is too large.") }] },
    ends: "rolled-back",
    reason: "too large",
  },
  {
    case: "a static feed",
    feed: { pushes: [], pushUrl: null },
    ends: "failed",
    reason: "static feed",
  },
  {
    case: "a push address on another host",
    feed: { pushes: [], pushUrl: "https://elsewhere.example/push" },
    ends: "failed",
    reason: "--allowed-origin https://elsewhere.example",
  },
  {
    case: "a push address on another host that is allowed",
    feed: {
      pushes: [stored],
      pushUrl: "https://elsewhere.example/push",
      options: { allowedOrigins: ["https://elsewhere.example"] },
    },
    ends: "released",
  },
  {
    case: "a push address alone",
    feed: { pushes: [{ answer: says(201) }], endpoint: "https://feed.example/api/push" },
    ends: "released",
  },
  {
    case: "a push address alone, and 409",
    feed: { pushes: [{ answer: says(409, "exists") }], endpoint: "https://feed.example/api/push" },
    ends: "rolled-back",
    reason: "exists",
  },
  {
    case: "a push address alone, a cut, and 409",
    feed: {
      pushes: [{}, { answer: says(409, "exists") }],
      endpoint: "https://feed.example/api/push",
    },
    ends: "rolled-back",
    reason: "exists",
  },
  {
    case: "symbols refused until the package is validated",
    feed: { pushes: [stored], symbolPushes: [says(404), says(404), says(201)] },
    ends: "released",
  },
];

test.each(CASES)(
  "$case: the release is $ends",
  async ({ feed, ends, reason = "", deletions = 0 }) => {
    const { open, runToEnd, calls, paused } = openFeed(OURS, feed);
    await open();
    const release = await runToEnd();
    expect([release.state, release.reason ?? ""]).toEqual([ends, expect.stringContaining(reason)]);
    const { pushUrl, endpoint = pushUrl ?? "https://feed.example/push" } = feed;
    const pushes = calls(`PUT ${endpoint}`);
    expect(pushes).toHaveLength(feed.pushes.length);
    expect(pushes.every(({ key }) => key === "secret")).toBe(true);
    // What the target had before, or never took, is not deleted.
    expect(calls("DELETE")).toHaveLength(deletions);
    expect(calls("PUT https://feed.example/symbols")).toHaveLength(feed.symbolPushes?.length ?? 0);
    expect(paused.size).toBe(0);
  },
);

test("waits as long as the words of the feed say", async () => {
  const { open, run, found, clock } = openFeed(OURS, { pushes: [{ answer: rateLimit() }] });
  await open();
  await run();
  expect((await found()).nextAt?.getTime()).toBe(clock.now + 56_000);
});

test("keeps a key from a host that the service index names", async () => {
  const { open, runToEnd, seen } = openFeed(OURS, {
    pushes: [],
    pushUrl: "https://elsewhere.example/push",
  });
  await open();
  await runToEnd();
  expect(seen.filter(({ call }) => call.includes("elsewhere"))).toEqual([]);
});
