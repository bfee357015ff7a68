import { expect, test } from "vitest";
import type { Finding } from "../publishers/publisher.ts";
import { memberOf } from "../release/scripted-target.test.support.ts";
import { createTarget } from "./create-target.ts";
import type { TargetParts } from "./create-target.ts";
import { packageRight } from "./package-rights.ts";
import { probePackage } from "./probe-package.ts";

// Stand-ins that answer as npmjs and nuget.org are documented or were read to answer.

const { signal } = new AbortController();
const absent: Finding = { status: "absent", before: { tags: {} } };
const bearer = { type: "bearer", token: "secret" } as const;
const apiKey = { type: "api-key", key: "secret" } as const;

const NPM: TargetParts = {
  name: "npm",
  protocol: "npm",
  endpoint: "https://npm.example",
  credentials: bearer,
};
const GALLERY: TargetParts = {
  name: "gallery",
  protocol: "nuget",
  endpoint: "https://api.nuget.org/v3/index.json",
  credentials: apiKey,
  options: { allowedOrigins: ["https://www.nuget.org"] },
};
const OCI: TargetParts = { name: "images", protocol: "oci", endpoint: "https://images.example" };

const INDEX = {
  version: "3.0.0",
  resources: [
    { "@id": "https://www.nuget.org/api/v2/package", "@type": "PackagePublish/2.0.0" },
    { "@id": "https://api.nuget.org/flat/", "@type": "PackageBaseAddress/3.0.0" },
  ],
};

/** Answers by the end of the path; a number is a status. */
type Answers = Readonly<Record<string, unknown>>;

const collaborators = (right: string): Answers => ({
  "/-/whoami": { username: "ada" },
  "/-/package/a/collaborators": { ada: right },
});
const verifies = (status: number): Answers => ({
  "/v3/index.json": INDEX,
  "/flat/a/index.json": { versions: ["0.9.0"] },
  "/api/v2/verifykey/a/0.9.0": status,
});

type Case = {
  readonly case: string;
  readonly parts: TargetParts;
  readonly finding?: Finding;
  readonly answers?: Answers;
  /** Status and a part of the words. */
  readonly probe: readonly [status: string, words: string];
};

const same: Finding = { ...absent, status: "same" };
const CASES: readonly Case[] = [
  {
    case: "npm: the account may write",
    parts: NPM,
    answers: collaborators("read-write"),
    probe: ["unproven", "The account may publish"],
  },
  {
    case: "npm: the account may only read",
    parts: NPM,
    answers: collaborators("read-only"),
    probe: ["refused", "may not publish"],
  },
  {
    case: "npm: an unknown account",
    parts: NPM,
    answers: { "/-/whoami": 401 },
    probe: ["unproven", "only known after a publish"],
  },
  {
    case: "nuget.org: a key of the package",
    parts: GALLERY,
    answers: verifies(200),
    probe: ["ready", "may publish"],
  },
  {
    case: "nuget.org: a key of another package",
    parts: GALLERY,
    answers: verifies(403),
    probe: ["refused", "may not publish"],
  },
  {
    case: "nuget.org: a new id",
    parts: GALLERY,
    answers: { "/v3/index.json": INDEX },
    probe: ["unproven", "only known after a publish"],
  },
  { case: "images: an upload was begun", parts: OCI, probe: ["ready", "may publish"] },
  { case: "the same content", parts: OCI, finding: same, probe: ["ready", "has it already"] },
  {
    case: "other content",
    parts: NPM,
    finding: { status: "conflict", reason: "it has other content" },
    probe: ["refused", "it has other content"],
  },
  {
    case: "a target that does not answer",
    parts: NPM,
    finding: { status: "failed", reason: "503" },
    probe: ["failed", "503"],
  },
];

test.each(CASES)("$case", async ({ parts, finding = absent, answers = {}, probe: expected }) => {
  const target = createTarget(parts);
  const calls: string[] = [];
  const fetch = async (url: URL, init: RequestInit) => {
    calls.push(init.method ?? "GET");
    const [, answer = 404] = Object.entries(answers).find(([path]) => url.pathname === path) ?? [];
    return typeof answer === "number"
      ? Response.json({}, { status: answer })
      : Response.json(answer);
  };
  const right = (member: { readonly name: string }) => packageRight(target, member, fetch, signal);
  const publisher = { check: async () => finding };
  const probe = await probePackage(target, memberOf("a"), { publisher, right }, signal);
  const [status, words] = expected;
  expect(probe).toMatchObject({ member: "a 1.0.0", status });
  expect(probe.words).toContain(words);
  expect(calls.filter((method) => method !== "GET")).toEqual([]);
});

test("a key that was exchanged for the package is the right to it", async () => {
  const credentials = { type: "lent", kind: "id-token" } as const;
  const target = createTarget({ ...NPM, credentials });
  const publisher = { check: async () => absent };
  const right = async () => "unknown" as const;
  const probe = await probePackage(target, memberOf("a"), { publisher, right }, signal);
  expect(probe.status).toBe("ready");
});
