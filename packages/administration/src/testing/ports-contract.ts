import { deepStrictEqual, strictEqual } from "node:assert";
import { KEPT_HOURS } from "@sealhouse/http-responses";
import type { IdempotentAnswers } from "@sealhouse/http-responses";
import { JOB_DAYS, JOB_HELD_MS } from "@sealhouse/jobs";
import type { ActionJobs } from "@sealhouse/jobs";

/** The ports of the API. */
export type ApiPorts = { readonly answers: IdempotentAnswers; readonly jobs: ActionJobs };

const AT = Date.parse("2026-11-01T00:00:00Z");
const after = (milliseconds: number) => new Date(AT + milliseconds);

/** Tests that each implementation of the API's ports passes, on an empty store. */
export const apiPortsContract: readonly {
  readonly name: string;
  readonly run: (ports: ApiPorts) => Promise<void>;
}[] = [
  {
    name: "an answer is kept for its request, and for no other input",
    async run({ answers }) {
      const request = { id: "a", input: "one" };
      deepStrictEqual(await answers.begin(request, after(0)), { status: "new" });
      deepStrictEqual(await answers.begin(request, after(1)), { status: "running" });
      deepStrictEqual(await answers.begin({ id: "a", input: "two" }, after(1)), {
        status: "other",
      });
      const answer = { status: 201, body: '{"id":"ü"}' };
      await answers.end(request, answer);
      deepStrictEqual(await answers.begin(request, after(2)), { status: "done", answer });
      const end = KEPT_HOURS * 60 * 60 * 1_000 + 1;
      deepStrictEqual(await answers.begin(request, after(end)), { status: "new" });
    },
  },
  {
    name: "a refused request frees its key",
    async run({ answers }) {
      const request = { id: "b", input: "one" };
      await answers.begin(request, after(0));
      await answers.end(request, undefined);
      deepStrictEqual(await answers.begin(request, after(1)), { status: "new" });
    },
  },
  {
    name: "of equal requests at the same moment one is new",
    async run({ answers }) {
      const request = { id: "c", input: "one" };
      const begun = await Promise.all(
        Array.from({ length: 8 }, () => answers.begin(request, after(0))),
      );
      strictEqual(begun.filter(({ status }) => status === "new").length, 1);
      strictEqual(begun.filter(({ status }) => status === "running").length, 7);
    },
  },
  {
    name: "a job runs, ends, and is forgotten",
    async run({ jobs }) {
      const job = { id: "j1", action: "rules.add", actor: "ada", input: { name: "x" } };
      await jobs.begin(job, after(0));
      const running = { ...job, state: "running", createdAt: after(0) };
      deepStrictEqual(await jobs.find("j1", after(1)), running);
      await jobs.report("j1", "waiting: ü");
      const reported = { ...running, progress: "waiting: ü" };
      deepStrictEqual(await jobs.find("j1", after(1)), reported);
      const result = { done: ["ü"] };
      await jobs.end("j1", { state: "done", result, at: after(2) });
      const ended = { ...reported, state: "done", result, endedAt: after(2) };
      deepStrictEqual(await jobs.find("j1", after(3)), ended);
      strictEqual(await jobs.find("none", after(3)), undefined);
      const later = after(JOB_DAYS * 24 * 60 * 60 * 1_000 + 1);
      await jobs.begin({ ...job, id: "j2" }, later);
      deepStrictEqual(
        (await jobs.list(later)).map(({ id }) => id),
        ["j2"],
      );
    },
  },
  {
    name: "a job whose process does not extend it is lost; the newest is listed first",
    async run({ jobs }) {
      const job = { action: "rules.add", actor: "ada", input: {} };
      await jobs.begin({ ...job, id: "old" }, after(0));
      await jobs.begin({ ...job, id: "new" }, after(1_000));
      await jobs.extend("new", after(JOB_HELD_MS));
      const states = (await jobs.list(after(JOB_HELD_MS + 2_000))).map(({ id, state }) => [
        id,
        state,
      ]);
      deepStrictEqual(states, [
        ["new", "running"],
        ["old", "lost"],
      ]);
    },
  },
];
