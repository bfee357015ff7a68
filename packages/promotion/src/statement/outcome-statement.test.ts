import { generateKeyPairSync, sign } from "node:crypto";
import { expect, test } from "vitest";
import { memberOf } from "../release/scripted-target.test.support.ts";
import type { ReleaseItem, StoredRelease } from "../model/release.ts";
import { createTarget } from "../target/create-target.ts";
import { outcomeStatement } from "./outcome-statement.ts";
import { releaseStatement } from "./release-statement.ts";
import { signStatement } from "./sign-statement.ts";
import { verifyOutcome, verifyReleaseStatement } from "./verify-statement.ts";

const AT = new Date("2026-01-01T00:00:00Z");
const FEED = "https://feed.example";
const TARGETS = [
  createTarget({ name: "prod", protocol: "npm", endpoint: "https://npm.example/a?key=1" }),
];

function itemOf(name: string, change: Partial<ReleaseItem>): ReleaseItem {
  const item = { id: name, target: "prod", member: memberOf(name), wasThere: false, attempts: 0 };
  return { ...item, state: "pointed", ...change };
}

function releaseOf(items: readonly ReleaseItem[]): StoredRelease {
  return {
    id: "r1",
    number: 1,
    group: "web",
    kind: "promotion",
    state: "released",
    targets: ["prod"],
    actor: "ada",
    createdAt: AT,
    attemptsSince: AT,
    endedAt: AT,
    items,
  };
}

function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = publicKey.export({ format: "pem", type: "spki" }).toString();
  return { publicKey, pem, sign: async (data: Uint8Array) => sign("sha256", data, privateKey) };
}

type Outcome = {
  readonly subject: readonly object[];
  readonly predicate: { readonly results: readonly object[] };
};

test("lists what each target serves, and names published files only", () => {
  const served = { sha512: "f".repeat(128) };
  const release = releaseOf([
    itemOf("a", { served }),
    itemOf("b", { state: "same", wasThere: true }),
    itemOf("c", { state: "stuck", served, note: "it stays" }),
  ]);
  const surroundings = { feed: FEED, statement: { statement: "{}" } };
  const { subject, predicate } = JSON.parse(
    outcomeStatement(release, TARGETS, surroundings),
  ) as Outcome;
  expect(subject).toEqual([
    { name: "pkg:npm/a@1.0.0", digest: served },
    { name: "pkg:npm/b@1.0.0", digest: memberOf("b").received },
  ]);
  const common = { target: "prod", endpoint: "https://npm.example/a" };
  expect(predicate.results).toEqual([
    { purl: "pkg:npm/a@1.0.0", ...common, state: "pointed", wasThere: false, served },
    { purl: "pkg:npm/b@1.0.0", ...common, state: "same", wasThere: true },
    { purl: "pkg:npm/c@1.0.0", ...common, state: "stuck", wasThere: false, note: "it stays" },
  ]);
});

test.each([FEED, undefined])("names the public address %s, without one none", (feed) => {
  const release = releaseOf([itemOf("a", {})]);
  const statement = releaseStatement(release, TARGETS, { feed, previous: undefined, signedAt: AT });
  const outcome = outcomeStatement(release, TARGETS, { feed, statement: { statement } });
  for (const text of [statement, outcome]) {
    const { predicate } = JSON.parse(text) as { readonly predicate: { readonly release: object } };
    const named = "feed" in predicate.release ? predicate.release.feed : undefined;
    expect(named).toBe(feed);
  }
});

test("verifies the statement of this release alone", async () => {
  const key = newKey();
  const release = releaseOf([itemOf("a", {})]);
  const parts = { feed: FEED, previous: undefined, signedAt: AT };
  const signed = await signStatement(releaseStatement(release, TARGETS, parts), key);
  const verdictOf = (id: string, change: Partial<typeof signed> = {}) =>
    verifyReleaseStatement({ ...signed, ...change }, { id, pinned: key.pem });
  expect(verdictOf("r1").status).toBe("valid");
  const { statement, envelopeSignature, plainSignature } = signed;
  for (const [id, change, words] of [
    ["r2", {}, "another release"],
    ["r1", { statement: statement.replace("ada", "eve") }, "does not fit"],
    ["r1", { statement: `${statement} ` }, "does not fit"],
    ["r1", { plainSignature: envelopeSignature }, "the signature does not fit"],
    ["r1", { envelopeSignature: plainSignature }, "of the envelope does not fit"],
    ["r1", { envelopeSignature: "" }, "of the envelope does not fit"],
    ["r1", { keyId: "other" }, "signed with the key other"],
  ] as const) {
    const reason = expect.stringContaining(words) as string;
    expect(verdictOf(id, change)).toEqual({ status: "invalid", reason });
  }
});

test("verifies the outcome of this release alone", async () => {
  const key = newKey();
  const release = releaseOf([itemOf("a", {})]);
  const parts = { feed: FEED, previous: undefined, signedAt: AT };
  const statement = await signStatement(releaseStatement(release, TARGETS, parts), key);
  const outcomeOf = async (about: { readonly statement: string }, by = key) =>
    signStatement(outcomeStatement(release, TARGETS, { feed: FEED, statement: about }), by);
  const verdictOf = (outcome: typeof statement) =>
    verifyOutcome(outcome, { statement, pinned: key.pem });
  const outcome = await outcomeOf(statement);
  expect(verdictOf(outcome)).toMatchObject({ status: "valid", state: "released" });
  const changed = { ...outcome, statement: outcome.statement.replace("released", "failed") };
  for (const [wrong, words] of [
    [await outcomeOf({ statement: "{}" }), "another release"],
    [await outcomeOf(statement, newKey()), "signed with the key"],
    [changed, "does not fit"],
    [statement, "something else"],
  ] as const) {
    const reason = expect.stringContaining(words) as string;
    expect(verdictOf(wrong)).toEqual({ status: "invalid", reason });
  }
});
