import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openSqliteFile } from "@sealhouse/database/testing";
import { openIdTokenIssuerStandIn } from "@sealhouse/identity/testing";
import type { IdTokenIssuerStandIn } from "@sealhouse/identity/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli, startHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { npmArtifact } from "../artifacts.ts";
import { openFolder } from "../clients/client.ts";

// A pipeline publishes through one registry to another, and neither stores a secret for it.

const CONTENT = new Uint8Array(20_000).fill(7);
const AUDIENCE = "npm:127.0.0.1";
const JOB = {
  repository: "acme/demo",
  repository_id: "7",
  repository_owner_id: "1",
  workflow_ref: "acme/demo/.github/workflows/publish.yml@refs/heads/main",
};

let issuer: IdTokenIssuerStandIn;
let prod: TestHost;
let dev: TestHost;
let devFolder: string;
const cleanUp = new AsyncDisposableStack();

beforeAll(async () => {
  const folder = cleanUp.use(await openFolder()).path;
  issuer = cleanUp.use(await openIdTokenIssuerStandIn());
  issuer.serve(JOB);
  const env = {
    Feed__Npm__TrustedPublishing__Audiences__0: AUDIENCE,
    Feed__Npm__TrustedPublishing__GitHub__Issuer: issuer.issuer,
    Host__OutgoingRequests__AllowPrivateAddresses: "true",
  };
  prod = cleanUp.use(await startHost({ folder: join(folder, "prod"), env }));
  devFolder = join(folder, "dev");
  dev = cleanUp.use(await startHost({ folder: devFolder }));
  const own = await dev.makeToken({ scopes: "write" });
  for (const name of ["lent-one", "lent-two"]) {
    expect(await npmArtifact(name, CONTENT).push(dev, own)).toBe(true);
    await trust(name);
  }
  const place = ["--protocol", "npm", "--endpoint", `${prod.url}/npm/`];
  const lend = ["--lend", "id-token", "--allow-private-network"];
  expect((await cli({}, "target", "add", "prod-npm", ...place, ...lend)).code).toBe(0);
  const group = ["group", "add", "web", "--member", "npm:lent-*", "--target", "prod-npm"];
  expect((await cli({}, ...group)).code).toBe(0);
}, 120_000);
afterAll(() => cleanUp.disposeAsync());

async function trust(name: string): Promise<void> {
  const token = await prod.makeToken({ name: `trust-${name}`, scopes: "write,admin" });
  const claims = { repository: JOB.repository, workflow_ref: { file: "publish.yml" } };
  const answer = await prod.fetch(`/npm/-/package/${name}/trust`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify([{ type: "github", claims, permissions: ["createPackage"] }]),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
}

/** Runs a command with environment variables of a build job. */
const cli = (env: Record<string, string>, ...words: readonly string[]) =>
  runCli(words, { folder: devFolder, env });

const idToken = (ends = 300) => {
  const exp = Math.floor(Date.now() / 1000) + ends;
  return issuer.token(AUDIENCE, { claims: { exp } });
};

/** Rows of lent keys, as the database file has them. */
function lentRows(): readonly unknown[] {
  const rows = openSqliteFile(join(devFolder, "sealhouse.db"), { readOnly: true });
  const found = rows.prepare("select * from lent_keys").all();
  rows.close();
  return found;
}

test("a target without a stored key refuses a release without a loan", async () => {
  const listed = await cli({}, "target", "list");
  expect(listed.stdout).toContain("credentials: lent id-token");
  const unasked = await cli({}, "target", "test", "prod-npm");
  expect([unasked.code, unasked.stdout]).toEqual([0, expect.stringContaining("was not asked")]);
  const { code, stderr } = await cli({}, "promote", "web");
  expect([code, stderr]).toEqual([1, expect.stringContaining("--lend prod-npm=VARIABLE")]);
  const stray = await cli({ JOB: idToken() }, "promote", "web", "--lend", "other=JOB");
  expect([stray.code, stray.stderr]).toEqual([1, expect.stringContaining("--lend other")]);
  const live = ["syndication", "add", "--member", "npm:lent-*", "--target", "prod-npm"];
  expect((await cli({}, ...live)).stderr).toContain("prod-npm stores no key");
}, 60_000);

test("an expired ID token ends the release before the first byte; another continues it", async () => {
  const promote = ["promote", "web", "--lend", "prod-npm=JOB", "--json"];
  const expired = await cli({ JOB: idToken(-60) }, ...promote);
  const { id, state, reason } = JSON.parse(expired.stdout) as Record<string, string>;
  expect([expired.code, state]).toEqual([1, "failed"]);
  expect(reason).toContain(`sealhouse release resume ${id} --lend prod-npm=VARIABLE`);
  expect(await npmArtifact("lent-one", CONTENT).check(prod)).toBe("absent");

  const token = idToken();
  const ask = ["target", "test", "prod-npm", "--package", "npm:lent-one"];
  const tried = await cli({ JOB: token }, ...ask, "--lend", "prod-npm=JOB");
  expect([tried.code, tried.stdout]).toEqual([0, expect.stringContaining("lent-one 1.0.0: ready")]);
  const resume = ["release", "resume", id ?? "", "--lend", "prod-npm=JOB", "--json"];
  const resumed = await cli({ JOB: token }, ...resume);
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.any(String)]);
  for (const name of ["lent-one", "lent-two"]) {
    expect(await npmArtifact(name, CONTENT).check(prod)).toBe("whole");
  }
  // The keys are gone, and the token was never written in plain text.
  expect(lentRows()).toEqual([]);
  const texts = [resumed.stdout, resumed.stderr, dev.output()];
  for (const file of ["sealhouse.db", "sealhouse.db-wal"]) {
    texts.push(await readFile(join(devFolder, file), "latin1").catch(() => ""));
  }
  expect(texts.filter((text) => text.includes(token))).toEqual([]);
}, 60_000);
