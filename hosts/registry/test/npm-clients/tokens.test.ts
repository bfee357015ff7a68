import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extendedTest } from "../../src/testing/index.ts";
import { hasClient } from "../clients/client.ts";
import { testedClients } from "./installed-clients.ts";
import { interact } from "./interaction.ts";
import type { NpmClient } from "./npm-client.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

const NPMS = (["npm-11", "npm-12"] as const).filter((name) => testedClients().includes(name));
const PRIVATE = { Feed__Authentication__AllowAnonymousPull: "false" };
const CODE = /\/sign-in\/([A-Z0-9]{4}-[A-Z0-9]{4})/;

type Created = {
  readonly token: string;
  readonly name: string;
  readonly expiry: string | null;
  readonly readonly: boolean;
  readonly cidr_whitelist: readonly string[] | null;
};
type Listed = { readonly key: string; readonly name: string; readonly token: string };

async function create(client: NpmClient, ...flags: readonly string[]): Promise<Created> {
  const made = await client.run(["token", "create", "--password=any", "--json", ...flags]);
  expect(made.code, made.output).toBe(0);
  return JSON.parse(made.stdout) as Created;
}

async function list(client: NpmClient): Promise<readonly Listed[]> {
  const listed = await client.run(["token", "list", "--json"]);
  expect(listed.code, listed.output).toBe(0);
  return JSON.parse(listed.stdout) as readonly Listed[];
}

describe("tokens made with tokens", () => {
  let clients: NpmClients;

  beforeAll(async () => {
    clients = await openNpmClients({ only: NPMS, env: PRIVATE });
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  /** A client of a separate user. */
  async function clientOf(kind: (typeof NPMS)[number], owner: string): Promise<NpmClient> {
    const token = await clients.host.makeToken({ name: owner, scopes: "read,write,delete" });
    return clients.another(kind, { token });
  }

  test.each(NPMS)("%s makes one with every flag, which can do that and no more", async (kind) => {
    await using client = await clientOf(kind, `maker-${kind}`);
    const [own, other] = [`own-${kind}`, `other-${kind}`];
    for (const name of [own, other]) {
      const { code, output } = await client.publish(await client.source(name, "1.0.0"));
      expect(code, output).toBe(0);
    }
    const made = await create(
      client,
      "--name=ci",
      "--token-description=for the build",
      `--packages=${own}`,
      "--packages-and-scopes-permission=read-only",
      "--scopes=@acme",
      "--expires=7",
      "--cidr=127.0.0.0/8",
    );
    const readWrite = "--packages-and-scopes-permission=read-write";
    const writes = await create(client, "--name=writes", `--packages=${own}`, readWrite);
    const inDays = (Date.parse(made.expiry ?? "") - Date.now()) / 86_400_000;
    expect(made).toMatchObject({ name: "ci", readonly: true, cidr_whitelist: ["127.0.0.0/8"] });
    expect(Math.round(inDays)).toBe(7);

    await client.useToken(made.token);
    expect((await client.run(["whoami"])).stdout.trim()).toBe(`maker-${kind}`);
    expect((await client.run(["view", own, "version"])).stdout.trim()).toBe("1.0.0");
    expect((await client.run(["view", other, "version"])).output).toContain("E404");
    const published = await client.publish(await client.source(own, "2.0.0"));
    expect(published.output).toMatch(/E403[^]*lacks the scope write/);
    const wider = ["token", "create", "--password=any", readWrite];
    expect((await client.run(wider)).output).toMatch(/E403[^]*can only read, so it cannot/);

    await client.useToken(writes.token);
    const beyond = ["token", "create", "--password=any", `--packages=${other}`];
    expect((await client.run(beyond)).output).toMatch(/E403[^]*only covers the names/);
  });

  extendedTest.each(NPMS)(
    "%s lists more than a page, and revokes by id and by value",
    async (kind) => {
      await using client = await clientOf(kind, `lister-${kind}`);
      const made: Created[] = [];
      for (let count = 0; count < 12; count++) made.push(await create(client, `--name=t${count}`));
      const listed = await list(client);
      expect(listed.map(({ name }) => name)).toEqual([
        `lister-${kind}`,
        ...made.map(({ name }) => name),
      ]);
      expect(JSON.stringify(listed)).not.toContain(made[0]?.token);

      const [, first] = listed;
      const byId = await client.run(["token", "revoke", first?.key.slice(0, 8) ?? ""]);
      expect(byId.output).toContain("Removed 1 token");
      const byValue = await client.run(["token", "revoke", made[1]?.token ?? ""]);
      expect(byValue.output).toContain("Removed 1 token");
      expect((await list(client)).map(({ name }) => name)).not.toEqual(
        expect.arrayContaining(["t0", "t1"]),
      );
      expect(clients.host.output()).not.toContain(made[1]?.token);
      for (const { token } of made.slice(0, 2)) {
        const headers = { authorization: `Bearer ${token}` };
        expect((await clients.host.fetch("/npm/-/whoami", { headers })).status).toBe(401);
      }
    },
    240_000,
  );

  test("a token for some names changes neither owners nor trust nor visibility", async () => {
    await using client = await clientOf("npm-12", "manager");
    const called = "@acme/managed";
    const { code, output } = await client.publish(await client.source(called, "1.0.0"));
    expect(code, output).toBe(0);
    const flags = ["--scopes=@acme", "--packages-and-scopes-permission=read-write"];
    const made = await create(client, ...flags);
    const trust = ["trust", "github", called, "--repo=acme/demo", "--file=publish.yml"];
    const commands = [
      ["owner", "add", "alice", called],
      [...trust, "--allow-publish", "--yes"],
      ["access", "set", "status=private", called],
    ];
    const wide = await clients.host.makeToken({ name: "manager", scopes: "read,write" });
    await client.useToken(made.token);
    for (const words of commands) {
      const refused = await client.run(words);
      expect(refused.output, words.join(" ")).toMatch(
        /403[^]*limited to names or networks cannot change owners[^]*token create/,
      );
    }
    await client.useToken(wide);
    for (const words of commands) {
      const changed = await client.run(words);
      expect(changed.code, changed.output).toBe(0);
    }
  }, 240_000);

  test("only an administrator sees and revokes tokens of other users", async () => {
    await using alice = await clientOf("npm-12", "private-alice");
    await using bob = await clientOf("npm-12", "private-bob");
    const made = await create(alice, "--name=secret-plan");
    expect(JSON.stringify(await list(bob))).not.toContain("secret-plan");
    const [, seen] = await list(alice);
    const headers = { authorization: `Bearer ${await clients.host.makeToken({ name: "eve" })}` };
    const path = `/npm/-/npm/v1/tokens/token/${seen?.key}`;
    const refused = await clients.host.fetch(path, { method: "DELETE", headers });
    expect(refused.status).toBe(404);

    const admin = await clients.host.makeToken({ name: "root", scopes: "admin" });
    await bob.useToken(admin);
    expect(JSON.stringify(await list(bob))).toContain("secret-plan");
    expect((await bob.run(["token", "revoke", seen?.key ?? ""])).code).toBe(0);
    await alice.useToken(made.token);
    expect((await alice.run(["whoami"])).output).toContain("E401");
  });

  test("refuses a token from another address, with the reason", async () => {
    await using client = await clientOf("npm-12", "traveller");
    const made = await create(client, "--cidr=192.0.2.0/24");
    await client.useToken(made.token);
    expect((await client.run(["whoami"])).output).toMatch(/E403[^]*this network address/);
    const published = await client.publish(await client.source("from-elsewhere", "1.0.0"));
    expect(published.output).toMatch(/E403[^]*this network address/);
  });

  test("a token for staging publishes nothing", async () => {
    await using client = await clientOf("npm-12", "stager");
    const made = await create(client, "--packages-and-scopes-permission=read-write-stage-only");
    await client.useToken(made.token);
    const published = await client.publish(await client.source("to-be-staged", "1.0.0"));
    expect(published.output).toMatch(/E403[^]*scope write/);
  });

  test("revoking a token revokes its descendants", async () => {
    const { host } = clients;
    await using client = await clientOf("npm-12", "fallen");
    const made = await create(client, "--name=child");
    const record = (
      JSON.parse((await host.cli("token", "list", "--json")).stdout) as readonly {
        readonly id: string;
        readonly name: string;
      }[]
    ).find(({ name }) => name === "fallen");
    expect((await host.cli("token", "revoke", record?.id ?? "")).code).toBe(0);
    await client.useToken(made.token);
    expect((await client.run(["whoami"])).output).toMatch(/E401[^]*revoked/);
  });
});

describe("tokens that an operator has to confirm", () => {
  let clients: NpmClients;

  beforeAll(async () => {
    const only = ["npm-11", "npm-12"] as const;
    clients = await openNpmClients({ only, env: { Feed__Npm__StepUp__Enabled: "true" } });
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  const words = ["token", "create", "--password=any"] as const;
  const confirm = (code: string) => clients.host.cli("npm", "confirm", code);

  test.each(NPMS)(
    "%s without a terminal explains the remedy, and accepts the code once",
    async (kind) => {
      const client = clients.client(kind);
      const attempt = await client.run(words);
      expect(attempt.code).not.toBe(0);
      expect(attempt.output).toContain("EOTP");
      const code = CODE.exec(attempt.output)?.[1] ?? "";
      const early = await client.run([...words, `--otp=${code}`]);
      expect(early.code).not.toBe(0);
      const confirmed = await confirm(code);
      expect(confirmed.stderr).toContain("token-create by alice");
      const made = await client.run([...words, `--otp=${code}`]);
      expect(made.output).toContain("Created token shp_");
      const again = await client.run([...words, `--otp=${code}`]);
      expect(again.code).not.toBe(0);
    },
  );

  test.skipIf(!hasClient("script")).each(NPMS)(
    "%s at a terminal waits for the confirmation, and continues",
    async (kind) => {
      const client = clients.client(kind);
      const made = await interact(client, words, [[CODE, confirm]], { terminal: true });
      expect(made.code, made.output).toBe(0);
      expect(made.output).toContain("Created token");
    },
  );

  test.each(NPMS)("%s makes none by logging in with one, either", async (kind) => {
    await using client = await clients.another(kind, {});
    const login = ["login", "--auth-type=legacy"];
    const answers = [
      [/sername:/, "alice"],
      [/assword:/, clients.token],
    ] as const;
    const attempt = await interact(client, login, answers);
    expect(attempt.code).not.toBe(0);
    expect(attempt.output).toContain("EOTP");
    const code = /npm confirm ([A-Z0-9]{4}-[A-Z0-9]{4})/.exec(attempt.output)?.[1] ?? "";
    expect((await confirm(code)).stderr).toContain("token-create by alice");
    const done = await interact(client, [...login, `--otp=${code}`], answers);
    expect(done.code, done.output).toBe(0);
    expect((await client.run(["whoami"])).stdout.trim()).toBe("alice");
  });

  extendedTest.skipIf(!hasClient("script"))(
    "npm asks for the password in the classic form",
    async () => {
      const client = clients.client("npm-11");
      const notice = /sealhouse npm confirm ([A-Z0-9]{4}-[A-Z0-9]{4})/;
      let lastCode = "";
      const steps = [
        [notice, async (code: string) => confirm((lastCode = code))],
        [/one-time password[^]*OTP:/, async () => undefined],
      ] as const;
      const classic = [...words, "--auth-type=legacy"];
      const first = await interact(client, classic, steps, { terminal: true, timeoutMs: 15_000 });
      expect(first.output).toMatch(notice);
      const made = await client.run([...classic, `--otp=${lastCode}`]);
      expect(made.output).toContain("Created token shp_");
    },
  );
});
