import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { messageHeaders, secretText } from "./signature.ts";

// The official library of Standard Webhooks reads what this package signs.

const time = new Date("2026-01-01T00:00:00.900Z");
const body = '{"type":"sealhouse.package.published","subject":"npm/blåbær"}';
const message = { id: "m-1", time, type: "package.published", body };
const [former, secret] = [secretText(new Uint8Array(32).fill(1)), secretText(Buffer.alloc(32, 2))];

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: time }));
afterEach(() => void vi.useRealTimers());

/** Whether a receiver with this secret takes a message. */
function takes(receiver: Webhook, headers: Readonly<Record<string, string>>, text = body): boolean {
  try {
    receiver.verify(text, headers);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

test.each([
  ["whsec_", secret, new Webhook(secret)],
  ["another form", "blåbær", new Webhook(Buffer.from("blåbær"), { format: "raw" })],
])("receivers with the library take messages; secret: %s", (_, own, receiver) => {
  const headers = messageHeaders({ ...message, secrets: [own] });
  expect(receiver.verify(body, headers)).toEqual(JSON.parse(body));
  expect(takes(receiver, headers, body.replace("npm", "NPM"))).toBe(false);
  expect(takes(receiver, { ...headers, "webhook-id": "m-2" })).toBe(false);
  expect(takes(receiver, { ...headers, "webhook-timestamp": "1767225601" })).toBe(false);
  expect(takes(new Webhook(former), headers)).toBe(false);
});

test("old and new receivers take messages during a rotation", () => {
  const headers = messageHeaders({ ...message, secrets: [secret, former] });
  for (const own of [secret, former]) expect(takes(new Webhook(own), headers)).toBe(true);
});

test.each([
  [300, true],
  [301, false],
  [-300, true],
  [-301, false],
])("a receiver whose clock is off by %s seconds takes a message: %s", (seconds, isTaken) => {
  const headers = messageHeaders({ ...message, secrets: [secret] });
  vi.setSystemTime(time.getTime() + seconds * 1000);
  expect(takes(new Webhook(secret), headers)).toBe(isTaken);
});
