import { expect, test } from "vitest";
import { staleHeaders } from "./stale-headers.ts";

const since = new Date("2026-03-01T10:00:00Z");
const now = new Date("2026-03-01T10:01:00Z");
const stale = { source: "hub", since, checkedAt: since };

test.each([
  [{}, undefined],
  [{ stale }, '110 - "Response is Stale"'],
  [{ held: "It is young." }, '299 - "It is young."'],
  [{ stale, held: "It is young." }, '110 - "Response is Stale", 299 - "It is young."'],
])("warns of content that is not the newest", (content, warning) => {
  expect(staleHeaders(content, now)["warning"]).toBe(warning);
});
