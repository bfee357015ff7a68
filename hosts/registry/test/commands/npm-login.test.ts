import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import type { LoginSession } from "@sealhouse/identity";
import { loginSession } from "@sealhouse/identity/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfig } from "../../src/settings/load.ts";
import { runInProcess } from "../../src/testing/run-in-process.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-npm-login-"));
});
afterEach(() => rm(folder, { recursive: true }));

const settings = () => ({ ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: folder });

const run = (...words: readonly string[]) => runInProcess(words, { folder, env: settings() });

const PROVIDER = {
  Host__Authentication__GitHub__ClientId: "client",
  Host__Authentication__GitHub__ClientSecret: "a-secret-of-a-test",
  Host__Authentication__GitHub__Organization: "acme",
};

const createdAt = new Date(Date.now() - 60_000);
const askedAt = createdAt.toISOString();
const subject = "trust-change by alice with token t-1";

async function waiting(
  fields: Partial<LoginSession>,
  from: { readonly address?: string } = { address: "192.0.2.7" },
): Promise<LoginSession> {
  const { config } = loadConfig({ env: settings(), workingFolder: folder });
  await using database = await openDatabase(config.database, { migrate: true });
  const expiresAt = new Date(Date.now() + 60_000);
  const wish = { code: "BCDF-2345", createdAt, expiresAt, ...fields };
  const { address: _, ...session } = loginSession(wish);
  await database.loginSessions.insert({ ...session, ...from });
  return session;
}

test("shows what it confirms: user, token, address and time", async () => {
  const { code } = await waiting({ purpose: "confirm", subject });
  const { stderr } = await run("npm", "confirm", code);
  expect(stderr).toContain(`Confirmed: ${subject}, asked for from 192.0.2.7 at ${askedAt}.`);
  expect((await run("npm", "confirm", code)).stderr).toContain("was decided on before");
});

test("prints the same as JSON, and omits unknown values", async () => {
  const { code } = await waiting({ purpose: "confirm", subject }, {});
  const { printed } = await run("npm", "confirm", code, "--json");
  expect(JSON.parse(printed)).toEqual({ code, subject, askedAt });
});

test("reports the refused account and the reason", async () => {
  const { code } = await waiting({ purpose: "confirm", subject });
  const { stderr } = await run("npm", "deny", code);
  expect(stderr).toBe(
    `the client at 192.0.2.7 that asked at ${askedAt} for ${subject} is refused.`,
  );
});

test("reports which account signs in, and does not confirm a login", async () => {
  const { code } = await waiting({});
  expect((await run("npm", "confirm", code)).stderr).toContain(`npm login ${code} --name <name>`);
  const { stderr } = await run("npm", "login", code, "--name", "alice");
  expect(stderr).toContain(
    `Approved: the client at 192.0.2.7 that asked at ${askedAt} signs in as alice`,
  );
  expect(stderr).toContain("alice is no user or service account, so the token has the rights of");
});

test("with an identity provider, only --operator makes a token of the operators", async () => {
  const { code } = await waiting({});
  const login = ["npm", "login", code, "--name", "alice"];
  const env = { ...settings(), ...PROVIDER };
  const refused = await runInProcess(login, { folder, env });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^alice is no user or service account\. .*--operator/);
  const approved = await runInProcess([...login, "--operator"], { folder, env });
  expect(approved.stderr).toContain("signs in as alice");
});

test("a sign-in as a user gives a token of the user, with no more scopes than the role", async () => {
  await run("user", "add", "ada");
  const { code } = await waiting({});
  const login = ["npm", "login", code, "--name", "ada"];
  const refused = await run(...login, "--scopes", "read,write");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("the role consumer of ada does not include write");
  await run(...login, "--scopes", "read");
  const { config } = loadConfig({ env: settings(), workingFolder: folder });
  await using database = await openDatabase(config.database);
  const session = await database.loginSessions.findByCode(code);
  const ada = await database.people.find("ada");
  expect(session?.grant?.token).toMatchObject({ owner: "ada", userId: ada?.id });
});
