import { expect, test } from "vitest";
import { WEBHOOK_ACTIONS } from "./delivery-actions.ts";

test("only admin lets private names or private networks be reached", () => {
  const needsAdmin = (id: string, input: Record<string, unknown>) => {
    const action = WEBHOOK_ACTIONS.find((one) => one.id === id);
    return action?.needsAdmin?.(action.input.parse(input) as never, {} as never) ?? false;
  };
  const url = "https://hooks.example";
  expect(needsAdmin("webhooks.add", { url })).toBe(false);
  expect(needsAdmin("webhooks.add", { url, includePrivate: true })).toBe(true);
  expect(needsAdmin("webhooks.add", { url, allowPrivateNetwork: true })).toBe(true);
  for (const id of ["webhooks.include-private", "webhooks.allow-private-network"]) {
    expect(needsAdmin(id, { id: "some" })).toBe(true);
    expect(needsAdmin(id, { id: "some", off: true })).toBe(false);
  }
});
