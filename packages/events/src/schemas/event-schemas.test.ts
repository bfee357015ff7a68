import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EVENT_TYPES } from "../event.ts";
import { dataSchemaOf, eventProblems, eventsPage, schemaProblems } from "./index.ts";

test("docs/events.md is what the schemas say", () => {
  const page = readFileSync(new URL("../../../../docs/events.md", import.meta.url), "utf8");
  expect(page).toBe(eventsPage());
});

test.each(EVENT_TYPES)("the schema of %s has an id and describes an object", (type) => {
  const schema = dataSchemaOf(type);
  expect(schema).toMatchObject({ $id: `urn:sealhouse:event:${type}:v1`, type: "object" });
  expect(schemaProblems(schema, {})).toContain("detail.actor is missing");
});

const sha256 = "a".repeat(64);
test.each([
  { detail: { size: 1, sha256 }, problems: 0 },
  { detail: { size: 1, digest: "sha256:a", mediaType: "x" }, problems: 0 },
  { detail: { size: "1", sha256 }, problems: 1 },
  { detail: { size: 1, sha256, other: 1 }, problems: 1 },
  { detail: { size: 1, sha256: "A" }, problems: 1 },
  { detail: { size: 1, sha256, tags: [1] }, problems: 1 },
  { detail: undefined, problems: 1 },
])("a published package with $detail: $problems problems", ({ detail, problems }) => {
  const event = { type: "package.published", ...(detail && { detail }) } as const;
  expect(eventProblems(event)).toHaveLength(problems);
});

test("a type without a detail accepts none", () => {
  expect(eventProblems({ type: "token.revoked" })).toEqual([]);
  expect(eventProblems({ type: "token.revoked", detail: {} })).toHaveLength(1);
});
