import { createSource } from "@sealhouse/upstream-sources";
import type { CallState } from "@sealhouse/upstream-sources";
import { expect, test } from "vitest";
import { sourceHealth } from "./source-health.ts";

const NOW = new Date("2026-03-01T10:00:00Z");
const RECENT = new Date("2026-03-01T09:59:00Z");
const OLD = new Date("2026-03-01T09:00:00Z");
const counts = { calls: 9, failedCalls: 5, pausedForMs: 0 };

const url = "https://registry.example";
const npmjs = createSource({ name: "npmjs", protocol: "npm", url, from: "database" });

function healthOf(state: CallState | undefined, isOffline = false) {
  const states = new Map(state ? [["npmjs", state]] : []);
  const sources = [npmjs, { ...npmjs, name: "disabled", isEnabled: false }];
  const calls = { states: () => states, run: () => Promise.reject(new Error("unused")) };
  return sourceHealth({ calls, knownSources: () => sources, isOffline }, NOW);
}

test.each<[string, CallState | undefined, RegExp | undefined]>([
  ["was not called yet", undefined, undefined],
  ["works", { ...counts, lastErrorAt: OLD, lastSuccessAt: RECENT }, undefined],
  ["failed long ago", { ...counts, lastErrorAt: OLD }, undefined],
  ["failed just now", { ...counts, lastErrorAt: RECENT, lastError: "https://a" }, /^the last call/],
  ["is paused", { ...counts, pausedForMs: 9_100, lastErrorAt: RECENT }, /again in 10 s$/],
  ["must not be called", { ...counts, isForbidden: true, lastErrorAt: OLD }, /source test NAME$/],
])("health lists an enabled source that %s", (_, state, words) => {
  const expected = words ? expect.stringMatching(words) : undefined;
  expect(healthOf(state)).toEqual({ "source:npmjs": expected });
});

test("health reports that sources are not called while the host is offline", () => {
  expect(healthOf(undefined, true)).toEqual({
    "source:npmjs": expect.stringContaining("Mirror__Offline"),
  });
});
