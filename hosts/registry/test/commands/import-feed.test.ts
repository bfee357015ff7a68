import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { buildNupkg, testCaller } from "@sealhouse/nuget-protocol/testing";
import { expect, test } from "vitest";
import { runCommandLine } from "../../src/commands/run.ts";

import { LONG_AGO, openFeed, openHost, put } from "./import-hosts.test.support.ts";

test("imports a feed with what it knows: times, unlisted and deprecated versions", async () => {
  const host = await openHost();
  await using feed = await openFeed();
  await feed.fill("Acme.Widgets", "1.0.0", "2.0.0-Beta.1+x");
  await feed.fill("Other", "1.0.0");
  await feed.memory.recorder.setListed("acme.widgets", "1.0.0", false, testCaller);
  const deprecation = {
    reasons: ["Legacy", "CriticalBugs"] as const,
    message: "Use the other.",
    alternatePackage: { id: "Other", range: "[1.0.0, )" },
  };
  await feed.memory.lifecycle.deprecate("acme.widgets", ["1.0.0"], deprecation, testCaller);

  expect(await host.report(feed.url)).toMatchObject({ code: 0, imported: 3, existing: 0 });
  await using database = await host.database();
  expect(await database.nuget.lookup.versions("acme.widgets")).toMatchObject([
    { version: "1.0.0", listed: false, publishedAt: LONG_AGO, deprecation },
    { id: "Acme.Widgets", fullVersion: "2.0.0-Beta.1+x", listed: true, publishedAt: LONG_AGO },
  ]);
  // Later, only what came after the cursor is looked at.
  await feed.fill("Other", "2.0.0");
  feed.requests.length = 0;
  expect(await host.report(feed.url)).toMatchObject({ code: 0, imported: 1, existing: 1 });
  expect(feed.requests.some((path) => path.includes("acme.widgets"))).toBe(false);
  expect(await host.report(feed.url, "--from-start")).toMatchObject({ imported: 0, existing: 4 });
});

test("resumes after an interruption, and requests failed packages again", async () => {
  const host = await openHost();
  await using feed = await openFeed();
  await feed.fill("First", "1.0.0");
  await feed.fill("Second", "1.0.0", "2.0.0");
  feed.failing.path = /second\.2\.0\.0\.nupkg/;
  feed.failing.status = 418;
  const first = await host.report(feed.url, "--concurrency", "1");
  expect(first).toMatchObject({ code: 1, imported: 2, failed: 1 });
  expect(first.failures).toMatchObject([{ name: "Second 2.0.0" }]);
  expect(first.failures[0]?.reason).toContain("was answered 418");

  feed.failing.path = /never/;
  feed.requests.length = 0;
  expect(await host.report(feed.url)).toMatchObject({ code: 0, imported: 1, existing: 1 });
  expect(feed.requests.some((path) => path.includes("first"))).toBe(false);
  const [fileName = ""] = await readdir(join(host.folder, "data/imports"));
  expect(fileName).toMatch(/^nuget-[0-9a-f]{16}\.json$/);
});

test("stops on request, and reports the remaining work", async () => {
  const host = await openHost();
  const folder = join(host.folder, "packages");
  await put(join(folder, "a.nupkg"), buildNupkg({ id: "A", version: "1.0.0" }));
  const errorLines: string[] = [];
  const code = await runCommandLine(["import", "nuget", folder], {
    env: { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: join(host.folder, "data") },
    workingFolder: host.folder,
    extensions: [],
    stop: AbortSignal.abort(),
    stdout: () => undefined,
    stderr: (text) => errorLines.push(text),
  });
  expect(code).toBe(130);
  expect(errorLines.join("\n")).toContain("Interrupted");
});

test("reads credentials from the environment, and reports invalid ones", async () => {
  const host = await openHost();
  const expected = `Basic ${Buffer.from("me:open sesame").toString("base64")}`;
  await using feed = await openFeed({
    authorize: async (request) =>
      request.headers.get("authorization") === expected ||
      request.headers.get("x-nuget-apikey") === "open sesame"
        ? { status: "granted", caller: testCaller }
        : { status: "anonymous" },
  });
  await feed.fill("Acme", "1.0.0");
  const anonymous = await host.run([feed.url]);
  expect(anonymous).toMatchObject({ code: 1 });
  expect(anonymous.stderr).toMatch(/needs other credentials \(401\)/);
  const credentials = ["--username", "me", "--password-env", "FEED_PASSWORD"];
  expect(await host.report(feed.url, ...credentials)).toMatchObject({ code: 0, imported: 1 });
  expect(await host.report(feed.url, "--api-key-env", "FEED_PASSWORD")).toMatchObject({ code: 0 });
  const unset = await host.run([feed.url, "--password-env", "NOT_SET"]);
  expect(unset.stderr).toBe("The environment variable NOT_SET is not set.");
});

test.each<[readonly string[], string]>([
  [["./nowhere"], "nowhere does not exist"],
  [["https://me:secret@feed.example/v3/index.json"], "not in the address"],
  [["https://"], "is not a valid address"],
  [["http://127.0.0.1:1/v3/index.json"], "ECONNREFUSED"],
  [[".", "--concurrency", "0"], "--concurrency must be a number"],
  [["https://feed.example", "--username", "me"], "--username requires --password-env"],
])("%j is reported in words", async (words, expected) => {
  const host = await openHost();
  const { code, stderr, printed } = await host.run(words);
  expect(code).toBe(1);
  expect(stderr).toContain(expected);
  expect(stderr).not.toContain("secret");
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(printed).toBe("");
});

test("refuses private addresses unless the settings allow them", async () => {
  const host = await openHost();
  const { code, stderr } = await host.run(["http://127.0.0.1:1/v3/index.json"], {
    Host__OutgoingRequests__AllowPrivateAddresses: "false",
  });
  expect(code).toBe(1);
  expect(stderr).toContain("Host__OutgoingRequests__AllowPrivateAddresses=true");
});

test("ends the import at once when the feed is not a NuGet feed", async () => {
  const host = await openHost();
  const server = createServer((_, outgoing) => outgoing.end("<html>"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const { code, stderr } = await host.run([`http://127.0.0.1:${port}/v3/index.json`]);
  server.close();
  server.closeAllConnections();
  expect(code).toBe(1);
  expect(stderr).toContain("the answer is not JSON");
});
