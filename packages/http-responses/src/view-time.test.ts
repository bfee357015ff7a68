import { expect, test } from "vitest";
import { missingView, shownTime, viewOfPath } from "./view-time.ts";

test.each([
  ["/@2026-10-01T12:00Z/v3/index.json", "2026-10-01T12:00:00.000Z", "/v3/index.json"],
  ["/@2026-10-01T12:00:30Z/npm/demo?a=b", "2026-10-01T12:00:30.000Z", "/npm/demo?a=b"],
  ["/@2026-10-01T12:00:30.123Z", "2026-10-01T12:00:30.123Z", ""],
  ["/%402026-10-01t12%3A00z/npm/", "2026-10-01T12:00:00.000Z", "/npm/"],
  ["/@2026-02-30T12:00Z/npm/", undefined, "/npm/"],
  ["/@2026-10-01T25:00Z/npm/", undefined, "/npm/"],
  ["/@2026-10-01T12:00/npm/", undefined, "/npm/"],
])("the view of %s is as of %s", (path, time, rest) => {
  const view = viewOfPath(path);
  expect(view).toMatchObject({ segment: path.split("/")[1], rest });
  expect(view?.time?.toISOString()).toBe(time);
});

test.each(["/", "/v3/index.json", "/@2026-10-01/demo", "/@acme/demo", "/a/@2026-10-01T12:00Z"])(
  "%s has no view",
  (path) => {
    expect(viewOfPath(path)).toBeUndefined();
  },
);

test.each([
  ["2026-10-02T00:00Z", undefined],
  ["2026-10-01T00:00:00Z", undefined],
  ["2026-09-30T23:59Z", "the history begins at 2026-10-01T00:00:00.000Z"],
  ["2026-10-03T00:01Z", "in the future"],
])("there is a view as of %s, or the reason is: %s", (text, reason) => {
  const history = { now: new Date("2026-10-03"), beginning: new Date("2026-10-01") };
  const missing = missingView(new Date(text), history);
  if (reason === undefined) expect(missing).toBeUndefined();
  else expect(missing).toContain(reason);
});

test("there is no view while the history is empty", () => {
  const now = new Date("2026-10-03");
  expect(missingView(now, { now, beginning: undefined })).toContain("nothing was published");
});

test.each([
  ["2026-10-01T12:00:00.000Z", "2026-10-01T12:00Z"],
  ["2026-10-01T12:00:07.000Z", "2026-10-01T12:00:07Z"],
  ["2026-10-01T12:00:00.007Z", "2026-10-01T12:00:00.007Z"],
])("shows %s as %s", (text, shown) => {
  expect(shownTime(new Date(text))).toBe(shown);
});
