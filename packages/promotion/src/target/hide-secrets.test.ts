import type { Fetch } from "@sealhouse/http-responses/outgoing";
import { expect, test } from "vitest";
import type { MemberContents } from "../publishers/contents.ts";
import { memberFile, memberWith } from "../publishers/release-to.test.support.ts";
import { createTarget } from "./create-target.ts";
import { openPublisher } from "./open-publisher.ts";
import { probeTarget } from "./probe-target.ts";
import type { PublishTarget, TargetCredentials } from "../model/publish-target.ts";

const BYTES = Buffer.from("a package");
const PASSWORD = "correct horse battery staple";
const KEY = "key-0123456789";
const BASIC = Buffer.from(`ci:${PASSWORD}`).toString("base64");

/** A server that refuses everything, and repeats what it was sent. */
const echo: Fetch = async (_url, { headers }) => {
  const words = `You sent ${[...new Headers(headers)].map((pair) => pair.join(": ")).join("; ")}`;
  const body = { error: words, errors: [{ code: "DENIED", message: words }] };
  return Response.json(body, { status: 403, statusText: words });
};

const contents: MemberContents = {
  nuget: async () => ({ file: memberFile(BYTES) }),
  npm: async () => ({ manifest: {}, file: memberFile(BYTES), integrity: "", shasum: "" }),
  image: () => {
    throw new Error("no image is read");
  },
};
const none = { has: async () => false, add: async () => undefined, drop: async () => undefined };

const CASES: readonly [PublishTarget["protocol"], TargetCredentials, readonly string[]][] = [
  ["nuget", { type: "api-key", key: KEY }, [KEY]],
  ["nuget", { type: "basic", username: "ci", password: PASSWORD }, [PASSWORD, BASIC]],
  ["npm", { type: "bearer", token: KEY }, [KEY]],
  ["npm", { type: "basic", username: "ci", password: PASSWORD }, [PASSWORD, BASIC]],
];

test.each(CASES)("reasons of %s targets are without credentials: %o", async (...one) => {
  const [protocol, credentials, secrets] = one;
  const endpoint = "https://target.example/api";
  const target = { ...createTarget({ name: "prod", protocol, endpoint }), credentials };
  const completed = { in: () => none };
  const publisher = openPublisher(target, { fetch: echo, contents, completed });
  const member = memberWith(BYTES, { protocol, name: "demo" });
  const item = { member, release: "r1", wasThere: false, mayBeThere: false };
  const { signal } = new AbortController();
  const texts = JSON.stringify([
    await publisher.check(member, signal),
    await publisher.publish(item, signal),
    await publisher.undo(item, signal),
    await probeTarget(target, { fetch: echo }, signal),
  ]);
  expect(texts).toContain("***");
  for (const secret of secrets) expect(texts).not.toContain(secret);
});
