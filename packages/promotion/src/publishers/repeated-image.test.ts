import { digestOf } from "@sealhouse/oci-distribution";
import { expect, test } from "vitest";
import { memberOf } from "../release/scripted-target.test.support.ts";
import type { SignedStatement } from "../statement/release-statement.ts";
import { attachOnce } from "./repeated-image.ts";

const DIGEST = digestOf(Buffer.from("image"));
const OTHER = digestOf(Buffer.from("other"));
const MEMBER = { ...memberOf("app", DIGEST), tags: ["1.0", "latest"] };
const STATEMENT: SignedStatement = {
  statement: "{}",
  envelopeSignature: "",
  plainSignature: "",
  keyId: "",
  publicKey: "",
};

test.each([
  { case: "all tags and a statement", tags: [DIGEST, DIGEST], had: true, attaches: false },
  { case: "all tags, no statement", tags: [DIGEST, DIGEST], had: false, attaches: true },
  { case: "one tag elsewhere", tags: [DIGEST, OTHER], had: true, attaches: true },
  { case: "one tag missing", tags: [DIGEST, null], had: true, attaches: true },
])("an image that had $case", async ({ tags: [first = null, second = null], had, attaches }) => {
  const attached = new Set(had ? [DIGEST] : []);
  const ledger = {
    has: async (digest: string) => [...attached].some((known) => known === digest),
    add: async () => void attached.add(DIGEST),
  };
  const before = { tags: { "1.0": first, latest: second } };
  const item = { release: "r1", member: MEMBER, wasThere: false, mayBeThere: false, before };
  const seen: (SignedStatement | undefined)[] = [];
  await attachOnce(ledger, { item, statement: STATEMENT }, async (statement) => {
    seen.push(statement);
    return { status: "done" };
  });
  expect(seen).toEqual([attaches ? STATEMENT : undefined]);
  expect(attached.size).toBe(1);
});

test("a statement that could not be attached is attached the next time", async () => {
  const attached: string[] = [];
  const ledger = {
    has: async () => false,
    add: async (digest: string) => void attached.push(digest),
  };
  const item = { release: "r1", member: MEMBER, wasThere: false, mayBeThere: false };
  const failure = { status: "failed", reason: "503" } as const;
  const outcome = await attachOnce(ledger, { item, statement: STATEMENT }, async () => failure);
  expect(outcome).toEqual(failure);
  expect(attached).toEqual([]);
});
