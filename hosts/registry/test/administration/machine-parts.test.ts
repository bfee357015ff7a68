import { setTimeout as sleep } from "node:timers/promises";
import { runRemoteProgram } from "@sealhouse/command-line/remote";
import { afterAll, expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";

const SECRET = "a-secret-of-the-operator-0123456789abcdef";
const host = await startHost({
  env: {
    Host__TokenHashPepper: SECRET,
    Host__Authentication__GitHub__ClientId: "client",
    Host__Authentication__GitHub__ClientSecret: `${SECRET}-2`,
    Host__Authentication__GitHub__Organization: "acme",
    Feed__Typo: SECRET,
  },
});
afterAll(() => host[Symbol.asyncDispose]());
const token = await host.makeToken({ name: "admin", scopes: "admin" });
const narrow = await host.makeToken({ name: "narrow", scopes: "tokens:write" });

async function call(method: string, path: string, body?: object, bearer = token) {
  const answer = await host.fetch(`/api/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      "if-match": "*",
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) as Record<string, unknown> };
}

async function ended(job: unknown) {
  for (let tries = 0; tries < 200; tries += 1) {
    const { body } = await call("GET", `/jobs/${String(job)}`);
    if (body["state"] !== "running") return body;
    await sleep(20);
  }
  throw new Error("the job does not end");
}

async function remote(...words: readonly string[]) {
  const lines: string[] = [];
  const context = {
    env: { SEALHOUSE_TOKEN: token },
    workingFolder: host.folder,
    stop: new AbortController().signal,
    stdout: (text: string) => lines.push(text),
    stderr: (text: string) => lines.push(text),
  };
  const code = await runRemoteProgram(["--remote", host.url, ...words], context, { version: "0" });
  return { code, text: lines.join("\n") };
}

test("the settings in force are the same by API and by command, without secrets", async () => {
  const { status, text, body } = await call("GET", "/settings");
  expect(status).toBe(200);
  expect(text).not.toContain(SECRET);
  expect(body["warnings"]).toEqual([expect.stringContaining("Feed__Typo")]);
  expect(body["items"]).toContainEqual({
    key: "Host__ServerName",
    value: "Sealhouse",
    source: "default",
  });
  const { stdout } = await host.cli("config", "show", "--json");
  const own = JSON.parse(stdout) as readonly { readonly key: string }[];
  // The command does not know where the host listens.
  const but = (all: unknown) =>
    (all as typeof own).filter(({ key }) => key.toUpperCase() !== "ASPNETCORE_URLS");
  expect(but(body["items"])).toEqual(but(own));
});

test("health is asked from elsewhere, and a command that needs the machine is refused", async () => {
  expect(await remote("health")).toEqual({ code: 0, text: "healthy" });
  expect(await remote("signing", "csr")).toEqual({
    code: 69,
    text: "signing csr needs the machine of the registry: run it there, without --remote.",
  });
  expect((await remote("config", "check")).code).toBe(69);
  expect((await remote("bundle", "export")).code).toBe(69);
  expect((await remote("bundle", "key")).text).toBe(
    (await host.cli("bundle", "key")).stdout.trim(),
  );
  expect((await remote("signing", "list")).code).toBe(0);
});

test.each(["/etc/passwd", "../secrets", "file:///etc/passwd", "C:\\secrets"])(
  "the API does not read %s of the machine",
  async (location) => {
    const { body } = await call("POST", "/vulnerabilities/import", { location, name: "own" });
    expect(await ended(body["job"])).toMatchObject({
      state: "refused",
      result: { reason: "invalid", problems: [{ field: "location" }] },
    });
    expect((await call("GET", "/vulnerabilities/sources")).body).toEqual({ items: [] });
  },
);

test("a rotation is planned, runs as a job, and names who asked", async () => {
  const planned = await call("POST", "/signing/rotate?dry-run=true", { now: true });
  expect(planned).toMatchObject({ status: 200, body: { status: "planned" } });
  expect((await call("POST", "/signing/rotate", {}, narrow)).status).toBe(403);
  const { status, body } = await call("POST", "/signing/rotate", { now: true });
  expect(status).toBe(202);
  expect(await ended(body["job"])).toMatchObject({ state: "done", result: { status: "at-once" } });
  const { stdout } = await host.cli("audit", "list", "--subject", "signing");
  expect(stdout).toMatch(/settings\.changed {2}signing {2}by admin token/);
});

test("a narrow token confirms no action of another, and makes no token of the operators", async () => {
  const sign = (path: string, input: object, bearer: string) =>
    call("POST", `/npm/sign-ins/BCDF-2345/${path}`, input, bearer);
  expect((await sign("confirm", {}, narrow)).status).toBe(403);
  expect((await sign("approve", { name: "nobody" }, narrow)).status).toBe(403);
  expect((await sign("deny", {}, narrow)).status).toBe(404);
  expect((await sign("confirm", {}, token)).status).toBe(404);
  expect((await sign("approve", { name: "nobody" }, token)).status).toBe(409);
});
