import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { gunzipSync } from "node:zlib";
import { openScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import type { ScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addSource } from "../upstream/add-source.ts";
import type { ClientName } from "./installed-clients.ts";
import { testedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

const AUDITING: readonly ClientName[] = ["npm-11", "npm-12", "pnpm-10", "pnpm-12", "bun"];
const names = AUDITING.filter((name) => testedClients().includes(name));

const ADVISORY = "https://github.com/advisories/GHSA-hhhh-jjjj-mmmm";
const OWN = "own-secret-name";

const cleanUp = new AsyncDisposableStack();
const sent: string[] = [];
let upstream: ScriptedRegistry;
let clients: NpmClients;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  await once(request, "end");
  const body = Buffer.concat(chunks);
  return (request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString();
}

beforeAll(async () => {
  upstream = cleanUp.use(await openScriptedRegistry());
  upstream.publish("holey", "1.0.0", "2.0.0");
  upstream.fault = (request, response) => {
    if (request.method !== "POST") return false;
    void bodyOf(request).then((body) => {
      sent.push(`${request.url} ${body}`);
      const advisory = {
        id: 7,
        url: ADVISORY,
        title: "Holey breaks",
        severity: "high",
        vulnerable_versions: "<2.0.0",
      };
      response.end(JSON.stringify(body.includes('"holey"') ? { holey: [advisory] } : {}));
    });
    return true;
  };
  clients = cleanUp.use(await openNpmClients({ only: names }));
  const [publisher] = clients.all;
  const published = await publisher?.publish(await publisher.source(OWN, "1.0.0"));
  expect(published?.code, published?.output).toBe(0);
  await addSource(clients.host, { name: "upstream", protocol: "npm", url: upstream.url });
});
afterAll(() => cleanUp.disposeAsync());

describe.skipIf(names.length === 0)("audits of packages of a source", () => {
  test.each(names)("%s shows the advisories of the source", async (name) => {
    const client = clients.client(name);
    const audit = async (version: string) => {
      const project = await client.project({ holey: version, [OWN]: "1.0.0" });
      const installed = await client.install(project);
      expect(installed.code, installed.output).toBe(0);
      return client.run(["audit"], { cwd: project });
    };
    const older = await audit("1.0.0");
    expect(older.output).toContain(ADVISORY);
    expect(older.code, older.output).toBe(1);
    const newer = await audit("2.0.0");
    expect(newer.code, newer.output).toBe(0);
  });

  test("the source got each version once, and no own name", () => {
    const path = "/-/npm/v1/security/advisories/bulk";
    expect(sent.toSorted()).toEqual(
      ["1.0.0", "2.0.0"].map((version) => `${path} {"holey":["${version}"]}`),
    );
    expect(upstream.requests.join("\n")).not.toContain(OWN);
  });
});
