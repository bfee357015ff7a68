import { createMemoryLeases } from "@sealhouse/jobs/testing";
import type { Finding, Publisher, SendOutcome } from "../publishers/publisher.ts";
import { createTarget } from "../target/create-target.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import type { SignedStatement } from "../statement/release-statement.ts";
import { createMemoryReleases } from "../testing/memory-releases.ts";
import type { MemoryReleases } from "../testing/memory-releases.ts";
import type { ReleaseParts } from "./release-parts.ts";
import type { ReleaseMember } from "../model/release.ts";
import { runRelease } from "./run-release.ts";

/** A target in memory, which counts what it is sent. */
export type ScriptedTarget = {
  readonly target: PublishTarget;
  readonly publisher: { -readonly [K in keyof Publisher]: Publisher[K] };
  /** Digest by version. */
  readonly versions: Map<string, string>;
  readonly tags: Map<string, string>;
  readonly carried: Set<string>;
  sends: number;
  /** Answers of the next publishes, in order; afterwards they succeed. */
  readonly answers: SendOutcome[];
};

const keyOf = ({ name, version }: ReleaseMember) => `${name}@${version}`;

export function createScriptedTarget(name: string, options: ScriptedOptions = {}): ScriptedTarget {
  const scripted = {
    target: createTarget({ name, protocol: "npm", endpoint: `https://${name}.example/` }),
    versions: new Map<string, string>(),
    tags: new Map<string, string>(),
    carried: new Set<string>(),
    answers: [],
    sends: 0,
  };
  return Object.assign(scripted, { publisher: publisherOf(scripted, options) });
}

type ScriptedOptions = { readonly isReversible?: boolean; readonly check?: Finding };

function publisherOf(
  at: Omit<ScriptedTarget, "publisher">,
  { isReversible = true, check }: ScriptedOptions,
): Publisher {
  return {
    isReversible,
    isFinal: !isReversible,
    namesAtOnce: 1,
    async check(member) {
      if (check) return check;
      const tags = member.tags.map((tag) => [tag, at.tags.get(tag) ?? null]);
      const before = { tags: Object.fromEntries(tags) as Record<string, string | null> };
      const there = at.versions.get(keyOf(member));
      if (there === undefined) return { status: "absent", before };
      if (there === member.received.sha512) return { status: "same", before };
      return { status: "conflict", reason: "has other content" };
    },
    async carry({ member }) {
      at.carried.add(keyOf(member));
      return { status: "done" };
    },
    async publish({ member }) {
      const answer = at.answers.shift() ?? { status: "done" };
      if (answer.status === "done" || answer.status === "pending") {
        at.sends += 1;
        at.versions.set(keyOf(member), member.received.sha512);
      }
      return answer;
    },
    async look({ member }) {
      return { status: at.versions.has(keyOf(member)) ? "same" : "absent" };
    },
    async point({ member }) {
      for (const tag of member.tags) at.tags.set(tag, member.version);
      return { status: "done" };
    },
    async undo({ member, before, wasThere }) {
      if (!wasThere && isReversible) at.versions.delete(keyOf(member));
      for (const [tag, version] of Object.entries(before?.tags ?? {})) {
        if (version === null) at.tags.delete(tag);
        else at.tags.set(tag, version);
      }
      return isReversible ? { status: "undone" } : { status: "stuck", reason: "stays" };
    },
  };
}

export function memberOf(name: string, version = "1.0.0"): ReleaseMember {
  const received = { sha256: name.padEnd(64, "0"), sha512: name.padEnd(128, "0") };
  return { protocol: "npm", name, version, size: 1, mediaType: "", received, tags: ["latest"] };
}

/** Troubles around a release, by names of targets and packages. */
function createTroubles() {
  return {
    paused: new Map<string, string>(),
    lost: new Set<string>(),
    withdrawn: new Map<string, string>(),
    /** Where the tags of a package point now. */
    tagged: new Map<string, ReadonlyMap<string, string>>(),
    probe: { status: "unproven" as "unproven" | "unauthorized", words: "" },
  };
}

const STATEMENT: SignedStatement = {
  statement: "{}",
  envelopeSignature: "",
  plainSignature: "",
  keyId: "",
  publicKey: "",
};

type Surroundings = ReturnType<typeof createTroubles> & {
  readonly targets: readonly ScriptedTarget[];
  readonly members: readonly ReleaseMember[];
  readonly releases: MemoryReleases;
  readonly now: () => Date;
};

function partsOf(at: Surroundings): ReleaseParts {
  const { targets, members, releases, now, paused, lost, withdrawn, tagged, probe } = at;
  const shown = ({ target }: ScriptedTarget): PublishTarget => {
    const reason = paused.get(target.name);
    const pause = reason === undefined ? {} : { pause: { at: now(), reason } };
    return { ...target, ...pause, hasLostCredentials: lost.has(target.name) };
  };
  return {
    rows: releases.rows,
    lanes: releases.lanes,
    catalog: {
      withdrawal: async (member) => withdrawn.get(member.name),
      tagged: async ({ name }) => tagged.get(name) ?? new Map<string, string>(),
    },
    resolve: async () => ({ status: "resolved", members }),
    targets: {
      list: async () => targets.map(shown),
      pause: async (name, reason) => {
        const isNew = !paused.has(name);
        paused.set(name, reason);
        return isNew;
      },
    },
    publisherOf: ({ name }) => {
      const scripted = targets.find(({ target }) => target.name === name);
      if (!scripted) throw new Error(`There is no target ${name}`);
      return scripted.publisher;
    },
    probe: async () => probe,
    sign: async () => STATEMENT,
    signOutcome: async ({ state, items }) => {
      const states = items.map(({ state: item }) => item);
      return { ...STATEMENT, statement: JSON.stringify({ state, states }) };
    },
    statement: (id) => releases.statements.find(id),
    leases: createMemoryLeases(),
    now,
    random: () => 0.5,
  };
}

/** A registry with a release of the members to the targets, and a clock that tests move. */
export function openScripted(
  targets: readonly ScriptedTarget[],
  options: { readonly members?: readonly ReleaseMember[] } = {},
) {
  const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
  const now = () => new Date(clock.now);
  const releases = createMemoryReleases(now);
  const troubles = createTroubles();
  const { members = [memberOf("a"), memberOf("b")] } = options;
  const parts = partsOf({ ...troubles, targets, members, releases, now });
  const { signal } = new AbortController();
  const names = targets.map(({ target }) => target.name);
  const open = async (kind: "promotion" | "syndication" = "promotion") =>
    releases.rows.open(
      { id: "r1", key: "k1", lane: "web", group: "web", kind, targets: names },
      { actor: "alice" },
    );
  const run = (through: ReleaseParts = parts) => runRelease(through, "r1", signal);
  const found = async () => {
    const release = await releases.rows.find("r1");
    if (!release) throw new Error("The release is lost");
    return release;
  };
  /** Lets the clock reach the next attempt until the release has ended. */
  const runToEnd = async (through: ReleaseParts = parts) => {
    for (let passes = 0; passes < 500; passes++) {
      await run(through);
      const { endedAt, nextAt } = await found();
      if (endedAt) return found();
      clock.now = Math.max(clock.now + 1, nextAt?.getTime() ?? 0);
    }
    throw new Error("The release does not end");
  };
  return { ...troubles, parts, releases, clock, open, run, found, runToEnd };
}
