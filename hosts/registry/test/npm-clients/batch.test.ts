import { once } from "node:events";
import { Agent, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import { packumentOf } from "./packuments.ts";

const only = (["pnpm-12"] as const).filter((name) => installedClients().includes(name));

describe.runIf(only.length > 0)("pnpm publish --recursive --batch", () => {
  let clients: NpmClients;

  beforeAll(async () => {
    clients = await openNpmClients({ only });
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  async function publishAll(versions: Readonly<Record<string, string>>) {
    const client = clients.client("pnpm-12");
    const root = await client.folder(
      { name: "root", version: "1.0.0", private: true },
      { "pnpm-workspace.yaml": 'packages: ["*"]\n' },
    );
    for (const [index, [name, version]] of Object.entries(versions).entries()) {
      const folder = join(root, String(index));
      await mkdir(folder);
      await writeFile(join(folder, "package.json"), JSON.stringify({ name, version }));
    }
    client.requests();
    const ran = await client.run(["publish", "-r", "--batch", "--no-git-checks"], { cwd: root });
    const puts = client.requests().filter(({ method }) => method === "PUT");
    return { ...ran, puts: puts.map(({ path, status }) => `${path} ${status}`) };
  }

  const versionsOf = async (name: string) =>
    Object.keys((await packumentOf(clients, name)).versions ?? {});

  test("stores all packages of a workspace with one request", async () => {
    const { code, output, puts } = await publishAll({ one: "1.0.0", "@acme/two": "2.0.0" });
    expect(code, output).toBe(0);
    expect(puts).toEqual(["/npm/-/pnpr/v0/publish 200"]);
    expect([await versionsOf("one"), await versionsOf("@acme/two")]).toEqual([
      ["1.0.0"],
      ["2.0.0"],
    ]);
    const client = clients.client("pnpm-12");
    const installed = await client.install(await client.project({ one: "1", "@acme/two": "2" }));
    expect(installed.code, installed.output).toBe(0);
  });

  test("stores no package when one is refused, and names it", async () => {
    const { code, output, puts } = await publishAll({ three: "1.0.0", http: "1.0.0" });
    expect(code).not.toBe(0);
    expect(output).toMatch(/Package \d of the batch: http cannot/);
    expect(puts).toEqual(["/npm/-/pnpr/v0/publish 400"]);
    expect(await versionsOf("three")).toEqual([]);
  });

  test("the next request uses the connection of a refused batch", async () => {
    const headers = {
      authorization: `Bearer ${clients.token}`,
      "content-type": "application/json",
    };
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const body = `{"packages":[${publishBody({ name: "http" })},${publishBody()}]}`;
    const reused: boolean[] = [];
    for (let times = 0; times < 5; times += 1) {
      const url = new URL("/npm/-/pnpr/v0/publish", clients.host.url);
      const sent = request(url, { method: "PUT", headers, agent }).end(body);
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      expect([answer.statusCode, await text(answer)]).toEqual([
        400,
        expect.stringContaining("Package 1 of the batch"),
      ]);
      reused.push(sent.reusedSocket);
    }
    agent.destroy();
    expect(reused).toEqual([false, true, true, true, true]);
  });

  test("the older address takes the same body", async () => {
    const packages = ["four", "five"].map((name) => JSON.parse(publishBody({ name })) as object);
    const answer = await clients.host.fetch("/npm/-/pnpm/v1/publish", {
      method: "PUT",
      headers: { authorization: `Bearer ${clients.token}`, "content-type": "application/json" },
      body: JSON.stringify({ packages }),
    });
    expect(answer.status).toBe(200);
    expect([await versionsOf("four"), await versionsOf("five")]).toEqual([["1.0.0"], ["1.0.0"]]);
  });
});
