import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extendedTest } from "../../src/testing/index.ts";
import { hasClient } from "../clients/client.ts";
import { expectGolden } from "./golden.ts";
import type { ClientName } from "./installed-clients.ts";
import { testedClients } from "./installed-clients.ts";
import { interact } from "./interaction.ts";
import type { NpmClient } from "./npm-client.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import type { Recorded } from "./recording-proxy.ts";

const CODE = /\/sign-in\/([A-Z0-9]{4}-[A-Z0-9]{4})/;
const WHOAMI: Readonly<Partial<Record<ClientName, readonly string[]>>> = {
  "npm-11": ["whoami"],
  "npm-12": ["whoami"],
  "pnpm-10": ["whoami"],
  "pnpm-12": ["whoami"],
  "yarn-4": ["npm", "whoami"],
  bun: ["pm", "whoami"],
};
const installed = testedClients();
const loggingIn = installed.filter((name) => /^npm|^pnpm/.test(name));
const npms = installed.filter((name) => name.startsWith("npm-"));
const asking = installed.filter((name) => WHOAMI[name]);

async function tokenOf({ home }: NpmClient): Promise<string | undefined> {
  const files = [".npmrc", "config/pnpm/auth.ini", "config/pnpm/rc"];
  for (const file of files) {
    const text = await readFile(join(home, file), "utf8").catch(() => "");
    const token = /_authToken=(shp_\w+)/.exec(text)?.[1];
    if (token !== undefined) return token;
  }
  return undefined;
}

/** Without what differs each time, and without asking while it waits: a quick operator is there
 * before a client asks for the first time. */
function plain(requests: readonly Recorded[]): readonly Recorded[] {
  const done = requests.filter(({ status }) => status !== 202);
  return done.map((request) => ({
    ...request,
    path: request.path.replace(/sessionId=[\w-]+/, "sessionId=<secret>"),
  }));
}

describe("logging in and out", () => {
  let clients: NpmClients;

  beforeAll(async () => {
    clients = await openNpmClients({
      only: installed.filter((name) => name !== "yarn-1"),
      env: { Logging__LogLevel__Default: "Debug" },
    });
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  const agree = (code: string) => clients.host.cli("npm", "login", code, "--name", "alice");

  test.each(loggingIn)("%s waits for an operator who agrees, and logs out again", async (name) => {
    await using client = await clients.another(name, {});
    const startedAt = performance.now();
    const login = await interact(client, ["login"], [[CODE, agree]]);
    expect(login.code, login.output).toBe(0);
    const seconds = (performance.now() - startedAt) / 1000;
    const requests = client.requests();
    const polls = requests.filter(({ path }) => path.includes("/v1/done")).length;
    expect(polls).toBeLessThanOrEqual(1 + seconds);

    const token = await tokenOf(client);
    expect(token).toMatch(/^shp_/);
    const who = await client.run(["whoami"]);
    expect([who.stdout.trim(), who.code]).toEqual(["alice", 0]);

    const logout = await client.run(["logout"]);
    expect(logout.code, logout.output).toBe(0);
    await expectGolden(`${name}/login`, plain([...requests, ...client.requests()]));
    expect(await tokenOf(client)).toBeUndefined();
    await client.useToken(token);
    const after = await client.run(["whoami"]);
    expect(after.code).not.toBe(0);
    expect(after.output).toMatch(/401|revoked|logged in/i);
    await expectNowhere(token ?? "");
  });

  /** Neither in what the host wrote, nor in any file it keeps. */
  async function expectNowhere(token: string): Promise<void> {
    const { host } = clients;
    expect(host.output()).toContain("/-/user/token/[redacted] 200");
    expect(host.output()).toContain("/-/v1/done?sessionId=[redacted] 20");
    expect(host.output()).not.toContain(token);
    expect(await (await host.fetch("/metrics")).text()).not.toContain(token);
    const files = await readdir(host.folder, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      const bytes = await readFile(join(file.parentPath, file.name));
      expect(bytes.includes(token), file.name).toBe(false);
    }
  }

  test.each(loggingIn.filter((name) => name !== "pnpm-12"))(
    "%s reports the refusal of the operator, and does not ask for a password",
    async (name) => {
      await using client = await clients.another(name, {});
      const deny = (code: string) => clients.host.cli("npm", "deny", code);
      const login = await interact(client, ["login"], [[CODE, deny]]);
      expect(login.code).not.toBe(0);
      expect(login.output).toContain("operator refused");
      expect(login.output).not.toContain("Username");
    },
  );

  test("the page that npm opens shows the code and the line for the operator", async () => {
    const started = await clients.host.fetch("/npm/-/v1/login", { method: "POST", body: "{}" });
    const { loginUrl } = (await started.json()) as { readonly loginUrl: string };
    const path = new URL(loginUrl).pathname;
    const code = CODE.exec(path)?.[1] ?? "";
    const page = async () => {
      const html = await (await clients.host.fetch(path)).text();
      return html.replaceAll(/<[^>]*>/g, "");
    };
    expect(await page()).toMatch(
      new RegExp(`sealhouse (?:--settings-of=\\d+ )?npm login ${code} --name alice`),
    );
    const wrong = await clients.host.cli("npm", "confirm", code);
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringContaining(`sealhouse npm login ${code} --name <name>`),
    ]);
    expect((await agree(code)).code).toBe(0);
    expect(await page()).toContain("Approved");
    const again = await agree(code);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("decided on before")]);
  });

  test.each(asking)(
    "%s knows its account, and that it is anonymous without a token",
    async (name) => {
      await using client = await clients.another(name);
      const ask = () => client.run(WHOAMI[name] ?? []);
      const answer = await ask();
      expect(answer.stdout, answer.output).toContain("alice");
      await client.useToken(undefined);
      expect((await ask()).code).not.toBe(0);
      const token = await clients.host.makeToken({ name: `gone-${name}` });
      const listed = (await clients.host.cli("token", "list", "--json")).stdout;
      const tokens = JSON.parse(listed) as readonly {
        readonly id: string;
        readonly name: string;
      }[];
      const { id = "" } = tokens.find(({ name: its }) => its === `gone-${name}`) ?? {};
      expect((await clients.host.cli("token", "revoke", id)).code).toBe(0);
      await client.useToken(token);
      expect((await ask()).code).not.toBe(0);
    },
  );

  test.each(npms)("%s reads its profile, and shows why it cannot change it", async (name) => {
    const client = clients.client(name);
    const shown = await client.run(["profile", "get", "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ name: "alice", tfa: false });
    const changed = await client.run(["profile", "set", "fullname", "Alice"]);
    expect(changed.output).toContain("nothing of a profile can be changed");
  });

  extendedTest("npm owner lists only accounts with a token", async () => {
    await clients.host.makeToken({ name: "bob" });
    const client = clients.client("npm-12");
    await client.publish(await client.source("owned-thing", "1.0.0"));
    const added = await client.run(["owner", "add", "bob", "owned-thing"]);
    expect(added.code, added.output).toBe(0);
    expect((await client.run(["owner", "ls", "owned-thing"])).stdout).toContain("bob");
    expect((await client.run(["owner", "add", "nobody-here", "owned-thing"])).code).not.toBe(0);
  });
});

describe("logging in with a token as the password", () => {
  let clients: NpmClients;

  beforeAll(async () => {
    const env = { Feed__Npm__WebLogin__Enabled: "false" };
    clients = await openNpmClients({ only: loggingIn, env });
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  const answers = (password: string) =>
    [
      [/sername:/, "alice"],
      [/assword:/, password],
    ] as const;
  const withEmail = (password: string) =>
    [...answers(password), [/mail[^\n]*:/, "a@b.test"]] as const;

  test.each(npms)("%s does, whatever token it had before", async (name) => {
    await using client = await clients.another(name, { token: "stale" });
    const login = await interact(client, ["login"], answers(clients.token));
    expect(login.code, login.output).toBe(0);
    const token = await tokenOf(client);
    expect(token).toMatch(/^shp_/);
    expect(token).not.toBe(clients.token);
    expect((await client.run(["whoami"])).stdout.trim()).toBe("alice");
    // The typed text is forwarded when its login ends.
    expect((await client.run(["logout"])).code).toBe(0);
    await client.useToken(clients.token);
    expect((await client.run(["whoami"])).stdout.trim()).toBe("alice");

    await client.useToken(undefined);
    const wrong = await interact(client, ["login"], answers("wrong"));
    expect(wrong.output).toContain("E401");
    expect(wrong.output).toContain("The password here is a token");
  });

  test("npm 11 cannot register a user, and shows the alternative", async () => {
    await using client = await clients.another("npm-11", {});
    const refused = await interact(client, ["adduser"], withEmail("new password"));
    expect(refused.output).toMatch(/E403[^]*This registry has no sign-up\. Run `npm login`/);
  });

  test.skipIf(!hasClient("script"))("pnpm 12 does too", async () => {
    await using client = await clients.another("pnpm-12", {});
    const atTerminal = { terminal: true };
    const wrong = await interact(client, ["login"], withEmail("wrong"), atTerminal);
    expect(wrong.output).toContain("Login failed (HTTP 401)");
    const login = await interact(client, ["login"], withEmail(clients.token), atTerminal);
    expect(login.output).toContain("Logged in as alice");
    expect((await client.run(["whoami"])).stdout.trim()).toBe("alice");
  });
});
