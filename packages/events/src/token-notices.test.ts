import { expect, test } from "vitest";
import { dueNotice } from "./token-notices.ts";

const at = new Date("2026-01-01T12:00:00Z");
const DAY_MS = 24 * 60 * 60 * 1000;

test.each([
  { lifeDays: 90, leftDays: 8, notice: undefined },
  { lifeDays: 90, leftDays: 7, notice: 7 },
  { lifeDays: 90, leftDays: 4, notice: 7 },
  { lifeDays: 90, leftDays: 3, notice: 3 },
  { lifeDays: 90, leftDays: 0.1, notice: 3 },
  { lifeDays: 90, leftDays: 0, notice: 0 },
  { lifeDays: 90, leftDays: -2, notice: 0 },
  { lifeDays: 90, leftDays: 5, noticedDays: 7, notice: undefined },
  { lifeDays: 90, leftDays: 2, noticedDays: 7, notice: 3 },
  { lifeDays: 90, leftDays: 2, noticedDays: 3, notice: undefined },
  { lifeDays: 90, leftDays: -1, noticedDays: 0, notice: undefined },
  { lifeDays: 5, leftDays: 4, notice: undefined },
  { lifeDays: 5, leftDays: 3, notice: 3 },
  { lifeDays: 2, leftDays: 1, notice: undefined },
  { lifeDays: 2, leftDays: 0, notice: 0 },
  { lifeDays: 0.5, leftDays: -0.1, notice: undefined },
])("a token of $lifeDays days with $leftDays left: notice $notice", (one) => {
  const { lifeDays, leftDays, noticedDays, notice } = one;
  const expiresAt = new Date(at.getTime() + leftDays * DAY_MS);
  const createdAt = new Date(expiresAt.getTime() - lifeDays * DAY_MS);
  const noticed = noticedDays === undefined ? {} : { noticedDays };
  const token = { id: "t-1", name: "laptop", createdAt, expiresAt, ...noticed };
  expect(dueNotice(token, at)).toBe(notice);
});
