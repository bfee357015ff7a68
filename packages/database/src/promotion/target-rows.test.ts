import { expect, test } from "vitest";
import { openTestDatabase } from "../testing/index.ts";

test("the event of a target has its endpoint without the query, which may be secret", async () => {
  await using database = await openTestDatabase({});
  const endpoint = "https://feed.example/api/push?key=secret";
  const row = { name: "prod", protocol: "nuget", endpoint, options: "{}" };
  await database.promotion.targets.put(row, { actor: "ada" });
  const [event] = await database.events.outbox.pending("test", 10);
  expect(event?.detail).toEqual({ protocol: "nuget", endpoint: "https://feed.example/api/push" });
  expect((await database.promotion.targets.list())[0]?.endpoint).toBe(endpoint);
});
