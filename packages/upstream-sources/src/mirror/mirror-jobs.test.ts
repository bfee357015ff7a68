import { expect, test } from "vitest";
import { createMemoryMirrorPorts } from "../testing/index.ts";
import { mergedState, mirrorJobs } from "./mirror-jobs.ts";
import type { SourceState } from "./ports.ts";
import type { CallState } from "./calls/source-calls.ts";

const EARLY = new Date("2026-03-01T10:00:00Z");
const LATE = new Date("2026-03-01T11:00:00Z");

test.each<[string, SourceState, SourceState, SourceState]>([
  ["nothing", {}, {}, {}],
  ["the newer success", { lastSuccessAt: LATE }, { lastSuccessAt: EARLY }, { lastSuccessAt: LATE }],
  [
    "the newer error",
    { lastErrorAt: LATE, lastError: "row" },
    { lastErrorAt: EARLY, lastError: "own", lastSuccessAt: EARLY },
    { lastErrorAt: LATE, lastError: "row", lastSuccessAt: EARLY },
  ],
  [
    "the own pause",
    { lastSuccessAt: EARLY },
    { lastErrorAt: LATE, lastError: "own", pausedUntil: LATE },
    { lastSuccessAt: EARLY, lastErrorAt: LATE, lastError: "own", pausedUntil: LATE },
  ],
  [
    "no pause after a success",
    { lastErrorAt: EARLY, lastError: "row", pausedUntil: LATE },
    { lastSuccessAt: LATE },
    { lastErrorAt: EARLY, lastError: "row", lastSuccessAt: LATE },
  ],
])("a state has %s", (_, row, state, expected) => {
  expect(mergedState(row, state, LATE)).toEqual(expected);
});

test("a state has the errors of the last hour of two instances, each once", () => {
  const at = (minute: number) => new Date(LATE.getTime() - minute * 60_000);
  const error = (minute: number) => ({ at: at(minute), words: `before ${minute} minutes` });
  const row = { recentErrors: [error(5), error(10), error(61)] };
  const state = { recentErrors: [error(1), error(10)] };
  const { recentErrors } = mergedState(row, state, LATE);
  expect(recentErrors).toEqual([error(1), error(5), error(10)]);
  const many = Array.from({ length: 60 }, (_, second) => error(second / 60));
  expect(mergedState(row, { recentErrors: many }, LATE).recentErrors).toHaveLength(50);
});

test("states are written after calls only, and old memories of absent names go", async () => {
  const ports = createMemoryMirrorPorts();
  const written: string[] = [];
  const counts = { calls: 1, failedCalls: 1 };
  const failing: CallState = { ...counts, pausedForMs: 1000, lastErrorAt: EARLY, lastError: "503" };
  const callStates = new Map<string, CallState>([["npmjs", failing]]);
  const [writing, dropping] = mirrorJobs({
    calls: { states: () => callStates },
    states: {
      ...ports.states,
      note: async (name, state) => {
        written.push(name);
        await ports.states.note(name, state);
      },
    },
    documents: ports.documents,
    now: () => LATE,
  });
  const { signal } = new AbortController();
  await writing?.run(signal);
  await writing?.run(signal);
  expect(written).toEqual(["npmjs"]);
  expect(await ports.states.all()).toEqual(
    new Map([
      [
        "npmjs",
        { lastErrorAt: EARLY, lastError: "503", pausedUntil: new Date(LATE.getTime() + 1000) },
      ],
    ]),
  );
  callStates.set("npmjs", { ...failing, calls: 2 });
  await writing?.run(signal);
  expect(written).toHaveLength(2);

  const key = { protocol: "npm", source: "s", kind: "packument", name: "a", part: "" } as const;
  const absent = { status: "absent", revision: "" } as const;
  const dayBefore = new Date(LATE.getTime() - 25 * 60 * 60_000);
  await ports.documents.put(key, { ...absent, checkedAt: dayBefore }, []);
  await ports.documents.put({ ...key, name: "b" }, { ...absent, checkedAt: EARLY }, []);
  await dropping?.run(signal);
  expect(await ports.documents.find(key)).toBeUndefined();
  expect(await ports.documents.find({ ...key, name: "b" })).toBeDefined();
});
