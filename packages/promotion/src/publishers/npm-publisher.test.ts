import { expect, test } from "vitest";
import type { NpmScript, PublishScript } from "./scripted-npm.test.support.ts";
import { openNpm, WEAK } from "./scripted-npm.test.support.ts";

// Stand-ins that answer as the registries are documented or were read to answer.

const OURS = Buffer.from("ours");
const OTHER = Buffer.from("other");

function says(status: number, error = "", headers: Record<string, string> = {}) {
  return () => Response.json({ error }, { status, headers });
}

const stored: PublishScript = { answer: says(201), stores: OURS };
const TAKEN = "You cannot publish over the previously published versions: 1.0.0.";
const RACE = "Failed to save packument. A common cause is a too fast publish.";
const PRESENT = "this package is already present";
const NO_CHANGE = "Can't modify pre-existing version: @acme/bar@1.0.0";

const LOSES = Array.from({ length: 3 }, (): PublishScript => ({ answer: says(201) }));
const GONE = LOSES.map((): PublishScript => ({ answer: says(403, TAKEN) }));

type Case = {
  readonly case: string;
  readonly registry: NpmScript;
  readonly ends?: "rolled-back";
  /** Part of the reason of the release, or of the note of its item. */
  readonly words?: string;
};

const CASES: readonly Case[] = [
  { case: "a publish", registry: { publishes: [stored] } },
  {
    case: "a registry that does not list its tags",
    registry: { publishes: [stored], listsTags: false },
  },
  {
    case: "npmjs: 403 after its own success, which was cut",
    registry: { publishes: [{ stores: OURS }, { answer: says(403, TAKEN) }], readableAfter: 1 },
  },
  {
    case: "npmjs: 403 for a version that was unpublished",
    registry: { publishes: GONE },
    ends: "rolled-back",
    words: TAKEN,
  },
  {
    case: "npmjs: a packument race that was lost",
    registry: { publishes: [{ answer: says(409, RACE) }, stored] },
  },
  {
    case: "npmjs: a packument race that succeeded",
    registry: { publishes: [{ answer: says(409, RACE), stores: OURS }] },
  },
  {
    case: "npmjs: a one-time password",
    registry: {
      publishes: [
        {
          answer: says(401, "This operation requires a one-time password.", {
            "www-authenticate": "OTP",
          }),
        },
      ],
    },
    ends: "rolled-back",
    words: "--publish stage",
  },
  {
    case: "npmjs: 401 for one package with a good token",
    registry: { publishes: [{ answer: says(401, "not a maintainer") }] },
    ends: "rolled-back",
    words: "not a maintainer",
  },
  {
    case: "npmjs: 404 without the right to the scope",
    registry: { publishes: [{ answer: says(404, "not found") }] },
    ends: "rolled-back",
    words: "no registry at this address",
  },
  {
    case: "npmjs: 422",
    registry: { publishes: [{ answer: says(422, "Error verifying the provenance") }] },
    ends: "rolled-back",
    words: "Error verifying",
  },
  {
    case: "npmjs: 429",
    registry: { publishes: [{ answer: says(429, "slow", { "retry-after": "70" }) }, stored] },
  },
  {
    case: "cnpmcore: 403 for the same content",
    registry: { publishes: [{ answer: says(403, NO_CHANGE), stores: OURS }] },
  },
  {
    case: "cnpmcore: 403 for other content",
    registry: { publishes: [{ answer: says(403, NO_CHANGE), stores: OTHER }] },
    ends: "rolled-back",
    words: "other content",
  },
  {
    case: "cnpmcore: 409 while its lock is busy",
    registry: { publishes: [{ answer: says(409, "[CONFLICT] lock is busy") }, stored] },
  },
  {
    case: "GitHub Packages: 409 for the same content",
    registry: {
      publishes: [{ answer: says(409, "Cannot publish over existing version"), stores: OURS }],
    },
  },
  {
    case: "Verdaccio: 409 for the same content",
    registry: { publishes: [{ answer: says(409, PRESENT), stores: OURS }] },
  },
  {
    case: "Verdaccio: the version is there, the tag is not",
    registry: { publishes: [], before: OURS },
  },
  {
    case: "Verdaccio: 400 because of the provenance",
    registry: {
      publishes: [{ answer: says(400, "unsupported registry call") }, stored],
      provenance: "sent",
    },
    words: "without its provenance: unsupported registry call",
  },
  {
    case: "Verdaccio: 503 while an uplink is down",
    registry: { publishes: [{ answer: says(503) }, stored] },
  },
  {
    case: "a target that is given no provenance",
    registry: { publishes: [stored], provenance: "kept" },
    words: "without its provenance",
  },
  {
    case: "a target that takes provenance",
    registry: { publishes: [stored], provenance: "sent" },
  },
  {
    case: "a registry that loses the version once",
    registry: { publishes: [{ answer: says(201) }, stored] },
  },
  {
    case: "a registry that loses everything",
    registry: { publishes: LOSES },
    ends: "rolled-back",
    words: "was accepted, but is not there",
  },
];

test.each(CASES)("$case", async ({ registry: script, ends = "released", words = "" }) => {
  const { open, runToEnd, calls, registry, paused } = openNpm(OURS, script);
  await open();
  const release = await runToEnd();
  const { state, reason = "", items } = release;
  expect([state, reason]).toEqual([ends, expect.any(String)]);
  expect(`${reason} ${items[0]?.note ?? ""}`).toContain(words);
  expect(calls("PUT /@acme/bar")).toHaveLength(script.publishes.length);
  const tags = ends === "released" ? [["latest", "1.0.0"]] : [];
  expect([...registry.tags]).toEqual(tags);
  // Nothing of others is taken back.
  expect(calls("DELETE /@acme/bar")).toHaveLength(0);
  expect(paused.size).toBe(0);
});

test("sends the provenance only to targets that take it", async () => {
  for (const provenance of ["sent", "kept"] as const) {
    const { open, runToEnd, calls } = openNpm(OURS, { publishes: [stored], provenance });
    await open();
    await runToEnd();
    const [publish] = calls("PUT /@acme/bar");
    expect(publish?.body.includes(".sigstore")).toBe(provenance === "sent");
  }
});

test.each([
  ["another SHA-512 and our SHA-1", OTHER, (hash: string) => `${WEAK} ${hash}`, "conflict"],
  ["our SHA-512 and another one", OURS, (hash: string) => `${hash} sha512-AAAA`, "conflict"],
  ["our SHA-512 alone", OURS, (hash: string) => hash, "same"],
  ["our SHA-1 alone", OURS, () => WEAK, "same"],
] as const)("a registry that states %s", async (_what, before, states, expected) => {
  const { publisher, member } = openNpm(OURS, { publishes: [], before, states });
  const found = await publisher.check(member, new AbortController().signal);
  expect(found.status).toBe(expected);
});

test("takes back only its own content", async () => {
  for (const [there, deletions] of [
    [OURS, 1],
    [OTHER, 0],
  ] as const) {
    const { publisher, member, calls } = openNpm(OURS, { publishes: [], before: there });
    const item = { member, release: "r1", wasThere: false, mayBeThere: true };
    const { signal } = new AbortController();
    expect(await publisher.undo(item, signal)).toMatchObject({ status: "undone" });
    expect(calls("DELETE /@acme/bar")).toHaveLength(deletions);
  }
});
