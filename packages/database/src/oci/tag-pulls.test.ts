import { expect, test, vi } from "vitest";
import { createTagPulls } from "./tag-pulls.ts";

test("a pull that could not be written is written with the next one", async () => {
  const written: unknown[] = [];
  const run = vi
    .fn()
    .mockRejectedValueOnce(new Error("the database is away"))
    .mockImplementation(async (_statement, values) => void written.push(values));
  const queries = { run } as unknown as Parameters<typeof createTagPulls>[0];
  const pulls = createTagPulls(queries);
  const now = new Date("2026-03-01T10:00:00Z");
  pulls.note(1, "1.0", now);
  await pulls.written();
  expect(written).toEqual([]);
  pulls.note(1, "2.0", now);
  await pulls.written();
  expect(written).toEqual([
    { repository: 1, tag: "1.0", now },
    { repository: 1, tag: "2.0", now },
  ]);
});
