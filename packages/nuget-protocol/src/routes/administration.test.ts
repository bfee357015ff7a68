import { expect, test } from "vitest";
import type { TestFeed } from "../testing/test-feed.ts";
import { createTestFeed } from "../testing/test-feed.ts";

const PATH = "/api/v2/package/Acme/deprecations";
const FORM = "application/x-www-form-urlencoded";

test("deprecates all versions, shows it in registration, and lifts it again", async () => {
  const feed = await filled();
  const request = {
    reasons: ["legacy", "CriticalBugs"],
    message: " Use Other instead. ",
    alternatePackage: { id: "Other", range: "2.0" },
  };
  const answer = await send(feed, "PUT", request);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ id: "acme", changed: ["1.0.0", "2.0.0-beta"] });
  expect(await shown(feed)).toEqual([DEPRECATION, DEPRECATION]);
  expect(await feed.json("/v3/registration-semver2/acme/index.json")).toMatchObject({
    items: [
      {
        items: [
          {
            catalogEntry: {
              deprecation: {
                reasons: ["Legacy", "CriticalBugs"],
                message: "Use Other instead.",
                alternatePackage: { id: "Other", range: "[2.0.0, )" },
              },
            },
          },
          {},
        ],
      },
    ],
  });

  const some = await feed.app.request(`${PATH}?versions=1.0`, { method: "DELETE" });
  expect(await some.json()).toEqual({ id: "acme", changed: ["1.0.0"] });
  expect(await shown(feed)).toEqual([undefined, DEPRECATION]);
  expect((await send(feed, "DELETE", { versions: ["2.0.0-BETA"] })).status).toBe(200);
  expect(await shown(feed)).toEqual([undefined, undefined]);
});

const DEPRECATION = {
  reasons: ["Legacy", "CriticalBugs"],
  message: "Use Other instead.",
  alternatePackage: { id: "Other", range: "[2.0.0, )" },
};

const READ: readonly (readonly [string, unknown, unknown])[] = [
  ["one reason", { reasons: ["Other"] }, { reasons: ["Other"] }],
  ["a reason as text", { reasons: "other" }, { reasons: ["Other"] }],
  [
    "reasons twice, in our order",
    { reasons: ["Other", "Legacy", "other"] },
    { reasons: ["Legacy", "Other"] },
  ],
  ["an empty message", { reasons: ["Other"], message: "" }, { reasons: ["Other"] }],
  [
    "any version of another package",
    { reasons: ["Other"], alternatePackage: { id: "B" } },
    { reasons: ["Other"], alternatePackage: { id: "B", range: "*" } },
  ],
  [
    "the words of nuget.org",
    {
      isLegacy: true,
      hasCriticalBugs: false,
      alternatePackageId: "B",
      alternatePackageVersion: "3.0",
    },
    { reasons: ["Legacy"], alternatePackage: { id: "B", range: "[3.0.0, )" } },
  ],
];

test.each(READ)("understands %s", async (_, request, expected) => {
  const feed = await filled();
  expect((await send(feed, "PUT", request)).status).toBe(200);
  expect((await shown(feed))[0]).toEqual(expected);
});

test("understands the form that nuget.org takes, and lifts with no flag set", async () => {
  const feed = await filled();
  const form = "versions=1.0.0&versions=2.0.0-beta&isLegacy=true&hasCriticalBugs=false&message=a+b";
  const set = await send(feed, "PUT", form, FORM);
  expect([set.status, await shown(feed)]).toEqual([
    200,
    [
      { reasons: ["Legacy"], message: "a b" },
      { reasons: ["Legacy"], message: "a b" },
    ],
  ]);
  const none = "versions=1.0.0&isLegacy=false&hasCriticalBugs=false&isOther=false";
  expect((await send(feed, "PUT", none, FORM)).status).toBe(200);
  expect((await shown(feed))[0]).toBeUndefined();
});

test.each([
  ["no JSON", "{", /must be a JSON object/],
  ["a list", [], /must be a JSON object/],
  ["nothing", "", /at least one of Legacy, CriticalBugs, Other/],
  ["no reason", { message: "x" }, /at least one of/],
  ["an unknown reason", { reasons: ["Boring"] }, /"Boring" is not a reason/],
  ["a number for a reason", { reasons: [7] }, /7 is not a reason/],
  ["a long message", { reasons: ["Other"], message: "x".repeat(4001) }, /over 4000/],
  ["too many reasons", { reasons: Array(80_000).fill(1) }, /up to 10/],
  ["a list in the reasons", nested("reasons"), /A list is not a reason/],
  ["a list in the versions", nested("versions"), /A list in "versions"/],
  ["an object for a flag", '{"isLegacy":{"toString":1,"valueOf":1}}', /"isLegacy" must be/],
  ["a number for a message", { reasons: ["Other"], message: 7 }, /"message" must be text/],
  ["a version that is none", { reasons: ["Other"], versions: ["1.x"] }, /"1.x" in "versions"/],
  ["no version", { reasons: ["Other"], versions: [] }, /1 to 1000 versions/],
  ["too many", { reasons: ["Other"], versions: Array(1001).fill("1.0") }, /1 to 1000 versions/],
  [
    "a bad alternate",
    { reasons: ["Other"], alternatePackage: { id: "a b" } },
    /"a b" is not a package/,
  ],
  ["an alternate without id", { reasons: ["Other"], alternatePackage: {} }, /has no id/],
  ["text for an alternate", { reasons: ["Other"], alternatePackage: "B" }, /must be an object/],
  [
    "a bad range",
    { reasons: ["Other"], alternatePackage: { id: "B", range: "1.*" } },
    /"1\.\*" is not a version range/,
  ],
])("refuses %s with 400, in words, and changes nothing", async (_, request, words) => {
  const feed = await filled();
  const answer = await send(feed, "PUT", request);
  expect(answer.status).toBe(400);
  expect(answer.headers.get("x-nuget-warning")).toMatch(words);
  expect(await shown(feed)).toEqual([undefined, undefined]);
});

/** Deeper than any JSON can be written again. */
function nested(field: string): string {
  const [open, close] = ["[".repeat(100_000), "]".repeat(100_000)];
  return `{"message":"x","${field}":[${open}${close}]}`;
}

test("answers a long list of mistakes in fewer words", async () => {
  const feed = await filled();
  const request = { reasons: ["Other"], versions: Array(1000).fill(`1.x${'"'.repeat(100)}`) };
  const answer = await send(feed, "PUT", request);
  const text = await answer.text();
  expect(text).toContain("There are 950 more problems.");
  expect(text.length).toBeLessThan(60_000);
});

test("finds its fields among many that mean nothing, and takes a byte order mark", async () => {
  const feed = await filled();
  const fields = Array.from({ length: 30_000 }, (_, n) => n.toString(36)).join("&");
  expect((await send(feed, "PUT", `${fields}&reasons=Other`, FORM)).status).toBe(200);
  expect((await send(feed, "PUT", '\u{feff}{"reasons":["Legacy"]}')).status).toBe(200);
  expect((await shown(feed))[0]).toEqual({ reasons: ["Legacy"] });
});

test("answers unknown packages and versions with 404, and changes nothing", async () => {
  const feed = await filled();
  const reasons = ["Other"];
  expect((await send(feed, "PUT", { reasons, versions: ["1.0.0", "9.9.9"] })).status).toBe(404);
  for (const path of ["other", "a..b"]) {
    const answer = await feed.app.request(`/api/v2/package/${path}/deprecations`, {
      method: "PUT",
      body: JSON.stringify({ reasons }),
    });
    expect(answer.status).toBe(404);
  }
  expect(await shown(feed)).toEqual([undefined, undefined]);
});

test("refuses a body of a mebibyte with 413", async () => {
  const feed = await filled();
  const request = { reasons: ["Other"], message: "x".repeat(1024 ** 2) };
  expect((await send(feed, "PUT", request)).status).toBe(413);
});

test("lists the numbers of deleted versions, and gives one free", async () => {
  const feed = await filled();
  await feed.ports.lifecycle.delete("acme", "1.0.0", { actor: "admin" });
  const tombstones = "/api/v2/package/ACME/tombstones";
  expect(await feed.json(tombstones)).toEqual({
    id: "acme",
    tombstones: [
      {
        id: "Acme",
        version: "1.0.0",
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        deletedAt: expect.stringMatching(/^\d{4}-/) as string,
        deletedBy: "admin",
      },
    ],
  });
  const free = (version: string) =>
    feed.app.request(`/api/v2/package/acme/${version}/tombstone`, { method: "DELETE" });
  expect((await free("1.0")).status).toBe(204);
  expect((await free("1.0")).status).toBe(404);
  expect((await free("x")).status).toBe(404);
  expect(await feed.json(tombstones)).toEqual({ id: "acme", tombstones: [] });
});

test("asks for the right to write, and for an administrator to free a number", async () => {
  const accesses: unknown[] = [];
  const feed = createTestFeed({
    authorize: async (_request, _env, access) => {
      accesses.push(`${access.action} ${access.name}`);
      return { status: "denied", reason: "no" };
    },
  });
  for (const [method, path] of REQUESTS) {
    expect((await feed.app.request(`/api/v2/package/${path}`, { method })).status).toBe(403);
  }
  expect(accesses).toEqual(["write acme", "write acme", "write acme", "admin acme"]);
});

const REQUESTS = [
  ["PUT", "Acme/deprecations"],
  ["DELETE", "Acme/deprecations"],
  ["GET", "Acme/tombstones"],
  ["DELETE", "Acme/1.0.0/tombstone"],
] as const;

test("changes nothing in read-only mode", async () => {
  const feed = createTestFeed({}, { isReadOnlyMode: true });
  const statuses = [];
  for (const [method, path] of REQUESTS) {
    statuses.push((await feed.app.request(`/api/v2/package/${path}`, { method })).status);
  }
  expect(statuses).toEqual([405, 405, 200, 405]);
});

async function filled(): Promise<TestFeed> {
  const feed = createTestFeed();
  await feed.fill("Acme", "1.0.0", "2.0.0-beta");
  return feed;
}

async function send(
  feed: TestFeed,
  method: string,
  request: unknown,
  type = "application/json",
): Promise<Response> {
  const body = typeof request === "string" ? request : JSON.stringify(request);
  return feed.app.request(PATH, { method, body, headers: { "content-type": type } });
}

async function shown(feed: TestFeed): Promise<readonly unknown[]> {
  return (await feed.ports.lookup.versions("acme")).map(({ deprecation }) => deprecation);
}
