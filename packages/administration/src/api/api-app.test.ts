import type { AdministrationAuthorize, PageVerdict } from "@sealhouse/identity";
import { createMemoryLeases } from "@sealhouse/jobs/testing";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAction } from "../action.ts";
import type { Action } from "../action.ts";
import { field } from "../field.ts";
import { JOB_ACTIONS } from "../jobs/job-actions.ts";
import type { AdministrationParts } from "../parts.ts";
import { conflict } from "../refusal.ts";
import { RULE_ACTIONS } from "../rules/rule-actions.ts";
import { memoryAnswers, memoryJobs, memoryRules } from "../testing/memory-ports.ts";
import { createAdministrationApi } from "./api-app.ts";
import { createJobRunner } from "./jobs.ts";

const RULE = { effect: "deny", protocol: "npm", pattern: "left-pad", reason: "Bad." };

/** An action that waits for the test. */
function slowAction() {
  const gate = Promise.withResolvers<"end" | "refuse" | "fail">();
  const action = defineAction({
    id: "test.slow",
    summary: "wait",
    scope: "storage:write",
    method: "POST",
    path: "/slow",
    command: "slow",
    form: { none: "A test." },
    input: z.strictObject({
      word: field(z.string(), "Word", "A word."),
      secret: field(z.string(), "Secret", "A secret.", { isSecret: true }),
    }),
    output: z.strictObject({ word: z.string() }),
    refusals: ["conflict"],
    lasting: "change-rules",
    isLong: true,
    async run({ input: { word } }) {
      const outcome = await gate.promise;
      if (outcome === "refuse") throw conflict("It runs already.");
      if (outcome === "fail") throw new Error("a secret reason");
      return { word };
    },
  });
  return { action, gate };
}

function openApi({
  actions = RULE_ACTIONS,
  verdict = { status: "granted", caller: { actor: "ada", tokenId: "t1", needs: undefined } },
  scopes,
}: {
  readonly actions?: readonly Action[];
  readonly verdict?: PageVerdict;
  /** Scopes of the token. Absent: all. */
  readonly scopes?: readonly string[];
} = {}) {
  const jobs = memoryJobs();
  const rules = memoryRules();
  const asked: Parameters<AdministrationAuthorize>[2][] = [];
  const failures: unknown[] = [];
  let time = Date.parse("2026-11-01T00:00:00Z");
  const now = () => new Date((time += 1_000));
  const rows = { administration: { jobs }, upstream: { rules }, leases: createMemoryLeases() };
  const parts = { rows: async () => rows } as unknown as AdministrationParts;
  const app = createAdministrationApi({
    actions: [...actions, ...JOB_ACTIONS],
    parts,
    authorize: async (_request, _env, wanted) => {
      asked.push(wanted);
      if (!scopes || scopes.includes(wanted.scope)) return verdict;
      return { status: "denied", reason: `The token lacks the scope ${wanted.scope}.` };
    },
    answers: memoryAnswers(),
    runner: createJobRunner({
      jobs,
      now,
      stop: undefined,
      onFailure: ({ error }) => failures.push(error),
    }),
    now,
    version: "1.2.3",
    baseOf: () => "https://acme.example",
    unavailable: () => undefined,
  });
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const response = await app.request(`https://acme.example/api/admin/v1${path}`, {
      method,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const read = text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>);
    return { status: response.status, headers: response.headers, body: read };
  };
  const wait = (milliseconds: number) => void (time += milliseconds);
  return { call, asked, failures, rules, wait };
}

describe("changes", () => {
  test("a change needs the entity tag of the row that it read", async () => {
    const { call } = openApi();
    const { body } = await call("POST", "/rules", RULE);
    const path = `/rules/${String(body?.["id"])}`;
    const etag = (await call("GET", path)).headers.get("etag") ?? "";
    expect((await call("DELETE", path)).status).toBe(428);
    const stale = await call("DELETE", path, undefined, { "if-match": '"other"' });
    expect([stale.status, stale.headers.get("etag")]).toEqual([412, etag]);
    expect((await call("DELETE", path, undefined, { "if-match": etag })).status).toBe(200);
    expect((await call("DELETE", path, undefined, { "if-match": "*" })).status).toBe(404);
  });

  test("an idempotency key gives the first answer again, and refuses another body", async () => {
    const { call, rules, wait } = openApi();
    const key = { "idempotency-key": "k1" };
    const first = await call("POST", "/rules", RULE, key);
    expect(await call("POST", "/rules", RULE, key)).toMatchObject({
      status: 201,
      body: first.body,
    });
    expect((await call("POST", "/rules", { ...RULE, reason: "Other." }, key)).status).toBe(422);
    const refused = { ...RULE, protocol: "oci", severity: "high" };
    const other = { "idempotency-key": "k2" };
    expect((await call("POST", "/rules", refused, other)).status).toBe(422);
    expect((await call("POST", "/rules", RULE, other)).status).toBe(201);
    expect((await call("POST", "/rules", RULE, { "idempotency-key": "a b" })).status).toBe(400);
    wait(25 * 60 * 60 * 1_000);
    expect((await call("POST", "/rules", RULE, key)).body?.["id"]).not.toBe(first.body?.["id"]);
    expect(await rules.list()).toHaveLength(3);
  });

  test.each([
    ["a list", [RULE], 400],
    ["no JSON", "{", 400],
    ["a text", '"x"', 400],
    ["null", "null", 400],
    ["an unknown field", { ...RULE, more: 1 }, 422],
    ["a prototype", `{"__proto__":{},"effect":"deny"}`, 422],
    ["a list for a text", { ...RULE, pattern: ["left-pad"] }, 422],
    ["an object for a text", { ...RULE, reason: {} }, 422],
    ["a number for a text", { ...RULE, reason: 1 }, 422],
    ["null for a text", { ...RULE, reason: null }, 422],
    ["a text for a list", { ...RULE, licenses: "MIT" }, 422],
    ["a text for true", { ...RULE, installScripts: "true" }, 422],
    ["300 KiB", { ...RULE, reason: "x".repeat(300 * 1024) }, 413],
  ])("refuses %s, and changes nothing", async (_name, body, status) => {
    const { call, rules } = openApi();
    const answer = await call("POST", "/rules", body);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      status,
      "application/problem+json",
    ]);
    expect(answer.body).toMatchObject({ status, detail: expect.any(String) });
    expect(await rules.list()).toEqual([]);
  });

  test("a problem points at its field", async () => {
    const { call } = openApi();
    const wrong = { ...RULE, protocol: "maven", pattern: 1 };
    expect((await call("POST", "/rules", wrong)).body?.["errors"]).toEqual([
      { pointer: "#/protocol", detail: "must be one of: npm, nuget, oci." },
      { pointer: "#/pattern", detail: "must be a text." },
    ]);
    const refused = await call("POST", "/rules", { ...RULE, expires: "2001-01-01" });
    expect(refused.body?.["errors"]).toEqual([
      { pointer: "#/expires", detail: expect.stringContaining("must be a date in the future") },
    ]);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect((await call("POST", "/rules", "effect=deny", form)).status).toBe(415);
    expect((await call("POST", "/rules?effect=deny", RULE)).status).toBe(422);
  });
});

test("a list has pages, while rows come and go", async () => {
  const { call } = openApi();
  const added: unknown[] = [];
  const add = async () => void added.push((await call("POST", "/rules", RULE)).body?.["id"]);
  for (let at = 0; at < 7; at += 1) await add();
  const seen: unknown[] = [];
  let path = "/rules?limit=3";
  for (let page = 0; page < 10; page += 1) {
    const { body, headers } = await call("GET", path);
    const items = body?.["items"] as readonly { readonly id: string }[] | undefined;
    seen.push(...(items ?? []).map(({ id }) => id));
    const link = /<\?(.*)>; rel="next"/.exec(headers.get("link") ?? "");
    if (!link) break;
    path = `/rules?${link[1]}`;
    // The last one that was seen goes, and a new one comes.
    await call("DELETE", `/rules/${String(seen.at(-1))}`, undefined, { "if-match": "*" });
    if (page === 0) await add();
  }
  expect(seen).toEqual(added);
  expect((await call("GET", "/rules?limit=1000")).status).toBe(422);
  expect((await call("GET", "/rules?limit=x")).body?.["errors"]).toEqual([
    { pointer: "#/limit", detail: "must be a number." },
  ]);
});

test("does not send an unchanged read again", async () => {
  const { call } = openApi();
  const etag = (await call("GET", "/rules")).headers.get("etag") ?? "";
  const again = await call("GET", "/rules", undefined, { "if-none-match": etag });
  expect([again.status, again.body]).toEqual([304, undefined]);
  await call("POST", "/rules", RULE);
  expect((await call("GET", "/rules", undefined, { "if-none-match": etag })).status).toBe(200);
});

test.each([
  [{ status: "anonymous" }, 401],
  [{ status: "denied", reason: "The token lacks the scope rules:write." }, 403],
  [{ status: "step-up", caller: { actor: "ada" } }, 403],
  [{ status: "limited", retryAfterSeconds: 7 }, 429],
] as const)("answers %j with %i before it reads the body", async (verdict, status) => {
  const { call, asked, rules } = openApi({ verdict });
  const answer = await call("POST", "/rules", "{");
  expect(answer.status).toBe(status);
  expect(asked).toEqual([{ scope: "rules:write" }]);
  expect(await rules.list()).toEqual([]);
  await call("GET", "/rules");
  expect(asked.at(-1)).toEqual({ scope: "rules:write", changesNothing: true });
});

test("describes itself at the address of the request", async () => {
  const { call } = openApi();
  const { body, headers } = await call("GET", "/openapi.json");
  expect(headers.get("content-type")).toBe("application/json");
  expect(body).toMatchObject({
    info: { version: "1.2.3" },
    servers: [{ url: "https://acme.example/api/admin/v1" }],
  });
  expect(Object.keys(body?.["paths"] ?? {})).toContain("/rules/{id}");
});

test("refuses unknown paths and methods", async () => {
  const { call } = openApi();
  const unknown = await call("GET", "/nothing");
  expect([unknown.status, unknown.body?.["detail"]]).toEqual([
    404,
    "Version 1.2.3 has nothing at /nothing. See openapi.json.",
  ]);
  const wrong = await call("PUT", "/rules", {});
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST, GET"]);
  const none = await call("POST", "/rules?dry-run=true", RULE);
  expect([none.status, none.body?.["detail"]]).toEqual([
    400,
    expect.stringContaining("no dry run"),
  ]);
});

describe("a long action", () => {
  const input = { word: "hello", secret: "s3cret" };
  const ended = async (call: ReturnType<typeof openApi>["call"], job: string) => {
    for (let tries = 0; tries < 100; tries += 1) {
      const { body } = await call("GET", `/jobs/${job}`);
      if (body?.["state"] !== "running") return body;
      await sleep(5);
    }
    throw new Error("the job does not end");
  };

  test.each([
    ["end", { state: "done", result: { word: "hello" } }],
    ["refuse", { state: "refused", result: { reason: "conflict", message: "It runs already." } }],
    ["fail", { state: "failed", result: "The log of the registry has the reason." }],
  ] as const)("is a job that can %s, without secrets", async (outcome, end) => {
    const { action, gate } = slowAction();
    const { call, failures } = openApi({ actions: [action] });
    const started = await call("POST", "/slow", input);
    const job = String(started.body?.["job"]);
    expect(started.status).toBe(202);
    const running = await call("GET", `/jobs/${job}`);
    expect(running.body).toMatchObject({
      state: "running",
      actor: "ada",
      input: { word: "hello" },
    });
    gate.resolve(outcome);
    expect(await ended(call, job)).toMatchObject(end);
    expect(failures).toHaveLength(outcome === "fail" ? 1 : 0);
    expect(JSON.stringify(await call("GET", "/jobs"))).not.toContain("s3cret");
  });

  test("answers those who may start it, without settings:read", async () => {
    const { action } = slowAction();
    const { call } = openApi({ actions: [action], scopes: ["storage:write"] });
    const { body } = await call("POST", "/slow", input);
    expect((await call("GET", `/jobs/${String(body?.["job"])}`)).status).toBe(200);
    expect((await call("GET", "/jobs/none")).status).toBe(403);
    expect((await call("GET", "/jobs")).status).toBe(403);
    const other = openApi({ actions: [action], scopes: ["rules:write"] });
    expect((await other.call("GET", `/jobs/${String(body?.["job"])}`)).status).toBe(403);
  });

  test("is lost when its process does not extend it", async () => {
    const { action } = slowAction();
    const { call, wait } = openApi({ actions: [action] });
    const { body } = await call("POST", "/slow", input);
    wait(61_000);
    expect((await call("GET", `/jobs/${String(body?.["job"])}`)).body?.["state"]).toBe("lost");
  });
});
