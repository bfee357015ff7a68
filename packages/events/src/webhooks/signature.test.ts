import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import type { RegistryEvent } from "../event.ts";
import { bodyOf } from "./bodies.ts";
import { messageHeaders } from "./signature.ts";

const time = new Date("2026-01-01T00:00:00.900Z");
const source = { registryId: "3f0f2c8e", address: "https://feed.example" };
const message = { id: "m-1", time, type: "package.published", body: '{"a":1}' };
const base64Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

function hmac(key: Buffer, text: string, encoding: "hex" | "base64"): string {
  return createHmac("sha256", key).update(text).digest(encoding);
}

test("signs id, time and body with the bytes of the secret", () => {
  const headers = messageHeaders({ ...message, secrets: [base64Secret] });
  const key = Buffer.from(base64Secret.slice(6), "base64");
  const signed = `m-1.1767225600.${message.body}`;
  expect(headers).toMatchObject({
    "webhook-id": "m-1",
    "webhook-timestamp": "1767225600",
    "webhook-signature": `v1,${hmac(key, signed, "base64")}`,
    "x-sealhouse-event": "package.published",
    "x-sealhouse-delivery": "m-1",
    "x-sealhouse-timestamp": "1767225600",
    "x-sealhouse-signature": `sha256=${hmac(key, signed, "hex")}`,
  });
});

test("a receiver of a host for .NET verifies the body alone", () => {
  const headers = messageHeaders({ ...message, secrets: ["plain text"] });
  const key = Buffer.from("plain text");
  expect(headers["x-apfeed-event"]).toBe("package.published");
  expect(headers["x-apfeed-signature"]).toBe(`sha256=${hmac(key, message.body, "hex")}`);
});

test("both secrets sign during a rotation, the newest first", () => {
  const headers = messageHeaders({ ...message, secrets: ["new", "old"] });
  const signed = `m-1.1767225600.${message.body}`;
  const [first, second] = ["new", "old"].map((one) => hmac(Buffer.from(one), signed, "base64"));
  expect(headers["webhook-signature"]).toBe(`v1,${first} v1,${second}`);
  expect(headers["x-sealhouse-signature"]?.split(",")).toHaveLength(2);
});

test("a subscription without a secret gets no signature", () => {
  const names = Object.keys(messageHeaders({ ...message, secrets: [] }));
  expect(names.filter((name) => name.includes("signature"))).toEqual([]);
});

const event: RegistryEvent = {
  id: "7",
  type: "package.published",
  subject: "npm/@acme/bar@1.0.0",
  at: time,
  caller: { actor: "ci", tokenId: "t-1", address: "192.0.2.1", requestId: "r-1" },
  detail: { version: "1.0.0" },
};

test("renders CloudEvents 1.0 without the address of the client", () => {
  const body = bodyOf(event, source, "CloudEvents");
  expect(JSON.parse(body)).toEqual({
    specversion: "1.0",
    id: "3f0f2c8e-7",
    source: "https://feed.example",
    type: "sealhouse.package.published",
    subject: "npm/@acme/bar@1.0.0",
    time: "2026-01-01T00:00:00.900Z",
    datacontenttype: "application/json",
    dataschema: "urn:sealhouse:event:package.published:v1",
    data: { actor: "ci", tokenId: "t-1", requestId: "r-1", detail: { version: "1.0.0" } },
  });
});

test.each([
  { subject: "npm/@acme/bar@1.0.0", name: "@acme/bar", detail: "protocol=Npm; version=1.0.0" },
  { subject: "nuget/Acme@1.0.0", name: "Acme", detail: "version=1.0.0" },
  { subject: "npm/demo", name: "demo", detail: "protocol=Npm" },
  { subject: "oci/team/app:v1", name: "team/app", detail: "protocol=Oci; version=v1" },
  {
    subject: "oci/app@sha256:ab",
    name: "app",
    detail: "protocol=Oci; version=sha256:ab",
  },
])("renders the body of a host for .NET about $subject", ({ subject, name, detail }) => {
  expect(JSON.parse(bodyOf({ ...event, subject }, source, "Legacy"))).toEqual({
    eventType: "package.published",
    subject: name,
    actor: "ci",
    detail,
    timestamp: "2026-01-01T00:00:00.900Z",
  });
});
