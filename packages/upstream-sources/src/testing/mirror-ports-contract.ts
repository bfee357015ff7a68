import assert from "node:assert/strict";
import type { Caller } from "@sealhouse/request-types";
import type {
  DocumentKey,
  KeptDocument,
  KeptDocuments,
  NameOrigins,
  SourceStates,
} from "../mirror/ports.ts";
import type { FirstSeen, PolicyRule, PolicyRules } from "../policy/policy-rule.ts";
import type { SourceRow, SourceRows } from "../sources/source-rows.ts";

/** The rows of a mirror. */
export type MirrorPorts = {
  readonly documents: KeptDocuments;
  readonly origins: NameOrigins;
  readonly states: SourceStates;
  readonly sources: SourceRows;
  readonly rules: PolicyRules;
  readonly firstSeen: FirstSeen;
};

export type MirrorPortsTest = {
  readonly name: string;
  readonly run: (ports: MirrorPorts) => Promise<void>;
};

const NOW = new Date("2026-03-01T10:00:00.123Z");
const LATER = new Date("2026-03-01T11:00:00.123Z");
const caller: Caller = { actor: "ada" };
const key: DocumentKey = {
  protocol: "npm",
  source: "npm https://registry.example/",
  kind: "packument",
  name: "left-pad",
  part: "",
};
const found: KeptDocument = { status: "found", revision: "a".repeat(64), checkedAt: NOW };
const absent: KeptDocument = { status: "absent", revision: "", checkedAt: NOW };
const row: SourceRow = {
  name: "Npmjs",
  protocol: "npm",
  url: "https://registry.example/",
  type: "upstream",
  priority: 10,
  strategy: "IndexAndCache",
  signaturePolicy: "Merge",
  isEnabled: true,
  settings: "{}",
};

const documents: readonly MirrorPortsTest[] = [
  {
    name: "a kept document is found by its whole key, with its bytes",
    async run({ documents: kept }) {
      const all = { ...found, etag: '"1"', lastModified: "yesterday", goneSince: LATER };
      await kept.put(key, { ...all, bytes: Buffer.from("one") }, ["npm/left-pad"]);
      assert.deepEqual(await kept.find(key), all);
      assert.equal(Buffer.from((await kept.bytes(key)) ?? []).toString(), "one");
      for (const other of ["protocol", "source", "kind", "name", "part"] as const) {
        const otherKey = { ...key, [other]: other === "protocol" ? "nuget" : "other" };
        assert.equal(await kept.find(otherKey), undefined, other);
      }
    },
  },
  {
    name: "a kept document without new bytes has the bytes before, and an absent one has none",
    async run({ documents: kept }) {
      await kept.put(key, { ...found, bytes: Buffer.from("one") }, []);
      await kept.put(key, { ...found, checkedAt: LATER }, []);
      assert.deepEqual(await kept.find(key), { ...found, checkedAt: LATER });
      assert.equal(Buffer.from((await kept.bytes(key)) ?? []).toString(), "one");
      await kept.put(key, absent, []);
      assert.deepEqual(await kept.find(key), absent);
      assert.equal(await kept.bytes(key), undefined);
    },
  },
  {
    name: "a kept document claims its name, unless the name has an origin",
    async run({ documents: kept, origins: names }) {
      await names.reserve("npm", "mine", caller);
      for (const name of ["left-pad", "mine"]) {
        const claim = { protocol: "npm", name, source: "one" } as const;
        await kept.put({ ...key, name }, { ...found, bytes: Buffer.from("one") }, [], claim);
      }
      assert.equal((await names.find("npm", "left-pad"))?.origin, "mirrored");
      assert.equal((await names.find("npm", "mine"))?.origin, "reserved");
    },
  },
  {
    name: "only old memories of absent names are dropped",
    async run({ documents: kept }) {
      const keyOf = (name: string) => ({ ...key, name });
      await kept.put(keyOf("old"), absent, []);
      await kept.put(keyOf("new"), { ...absent, checkedAt: LATER }, []);
      await kept.put(keyOf("found"), { ...found, bytes: Buffer.from("one") }, []);
      assert.equal(await kept.count(), 1);
      assert.equal(await kept.dropAbsent(LATER), 1);
      assert.equal(await kept.find(keyOf("old")), undefined);
      assert.ok(await kept.find(keyOf("new")));
      assert.ok(await kept.find(keyOf("found")));
    },
  },
];

const origins: readonly MirrorPortsTest[] = [
  {
    name: "the first source that has a name keeps it, also with concurrent claims",
    async run({ origins: names }) {
      assert.equal(await names.find("npm", "left-pad"), undefined);
      const claims = ["one", "two", "three"].map((source) =>
        names.claim("npm", "left-pad", source),
      );
      const [first, ...others] = await Promise.all(claims);
      for (const other of others) assert.deepEqual(other, first);
      assert.deepEqual(await names.find("npm", "left-pad"), first);
      assert.equal(await names.find("oci", "left-pad"), undefined);
    },
  },
  {
    name: "a reserved name cannot be claimed, and a mirrored one cannot be reserved",
    async run({ origins: names }) {
      assert.deepEqual(await names.reserve("npm", "mine", caller), { status: "reserved" });
      assert.deepEqual(await names.reserve("npm", "mine", caller), { status: "repeated" });
      assert.equal((await names.claim("npm", "mine", "one")).origin, "reserved");
      assert.equal((await names.find("npm", "mine"))?.origin, "reserved");
      await names.claim("npm", "theirs", "one");
      const outcome = await names.reserve("npm", "theirs", caller);
      assert.deepEqual(outcome, { status: "mirrored", source: "one" });
    },
  },
  {
    name: "a reserved pattern keeps its names from sources, also those found before",
    async run({ origins: names }) {
      await names.claim("npm", "@acme/old", "one");
      await names.claim("npm", "@other/one", "one");
      assert.deepEqual(await names.reserve("npm", "@acme/*", caller), { status: "reserved" });
      for (const name of ["@acme/old", "@acme/new"]) {
        assert.equal((await names.find("npm", name))?.origin, "reserved", name);
      }
      assert.equal((await names.claim("npm", "@acme/new", "one")).origin, "reserved");
      assert.equal((await names.find("npm", "@other/one"))?.origin, "mirrored");
      assert.equal(await names.find("npm", "@acmes/one"), undefined);
      assert.equal(await names.find("oci", "@acme/new"), undefined);
      assert.deepEqual(await names.release("npm", "@acme/*", caller), { status: "ended" });
      assert.equal((await names.find("npm", "@acme/old"))?.origin, "mirrored");
      assert.equal(await names.find("npm", "@acme/new"), undefined);
    },
  },
  {
    name: "a reserved or own name of npm keeps its spellings with capitals from sources",
    async run({ origins: names }) {
      await names.reserve("npm", "@acme/*", caller);
      await names.reserve("npm", "kept", caller);
      for (const name of ["@Acme/core", "@acme/Core", "Kept"]) {
        assert.equal((await names.find("npm", name))?.origin, "reserved", name);
        assert.equal((await names.claim("npm", name, "npmjs")).origin, "reserved", name);
      }
      assert.equal((await names.claim("npm", "jsonstream", "npmjs")).origin, "mirrored");
      assert.equal(await names.find("npm", "JSONStream"), undefined);
    },
  },
  {
    name: "a pattern for NuGet matches ids without regard to letter case",
    async run({ origins: names }) {
      await names.reserve("nuget", "Acme.*", caller);
      assert.equal((await names.find("nuget", "acme.one"))?.origin, "reserved");
    },
  },
  {
    name: "a released name is an own one",
    async run({ origins: names }) {
      assert.deepEqual(await names.release("oci", "library/alpine", caller), { status: "absent" });
      await names.claim("oci", "library/alpine", "hub");
      const released = await names.release("oci", "library/alpine", caller);
      assert.deepEqual(released, { status: "released", source: "hub" });
      assert.equal((await names.find("oci", "library/alpine"))?.origin, "own");
      assert.deepEqual(await names.release("oci", "library/alpine", caller), { status: "own" });
      assert.deepEqual(await names.reserve("oci", "library/alpine", caller), { status: "own" });
      assert.equal((await names.claim("oci", "library/alpine", "hub")).origin, "own");
    },
  },
  {
    name: "the sources of many names are those of mirrored names only",
    async run({ origins: names }) {
      for (const name of ["a", "b", "@acme/kept", "released"]) {
        await names.claim("npm", name, name === "b" ? "two" : "one");
      }
      await names.reserve("npm", "@acme/*", caller);
      await names.release("npm", "released", caller);
      await names.claim("nuget", "nuget-only", "one");
      const all = ["a", "b", "@acme/kept", "released", "nuget-only", "unknown"];
      const many = Array.from({ length: 2_500 }, (_, index) => `other-${index}`);
      const sources = await names.sourcesOf("npm", [...many, ...all]);
      assert.deepEqual(Object.fromEntries(sources), { a: "one", b: "two" });
      assert.equal((await names.sourcesOf("npm", [])).size, 0);
    },
  },
  {
    name: "own names are listed in order, without mirrored and reserved ones",
    async run({ origins: names }) {
      for (const name of ["b", "a", "c"]) {
        await names.claim("npm", name, "one");
        await names.release("npm", name, caller);
      }
      await names.claim("npm", "a-mirrored", "one");
      await names.reserve("npm", "a-reserved", caller);
      const first = await names.ownNames("npm", { after: "", limit: 2 });
      assert.deepEqual(first, ["a", "b"]);
      assert.deepEqual(await names.ownNames("npm", { after: "b", limit: 2 }), ["c"]);
      assert.deepEqual(await names.ownNames("oci", { after: "", limit: 2 }), []);
    },
  },
];

const states: readonly MirrorPortsTest[] = [
  {
    name: "the state of a source is the last one, without regard to letter case",
    async run({ states: noted }) {
      await noted.note("Npmjs", { lastErrorAt: NOW, lastError: "answered with status 503" });
      await noted.note("other", { pausedUntil: LATER });
      const recentErrors = [{ at: NOW, words: "answered with status 503" }];
      await noted.note("npmjs", { lastSuccessAt: LATER, recentErrors });
      assert.deepEqual(
        await noted.all(),
        new Map([
          ["npmjs", { lastSuccessAt: LATER, recentErrors }],
          ["other", { pausedUntil: LATER }],
        ]),
      );
    },
  },
];

const sources: readonly MirrorPortsTest[] = [
  {
    name: "a source comes back as it was put",
    async run({ sources: rows }) {
      const full = { ...row, surface: "team", credentials: Buffer.from([0, 1, 255]) };
      await rows.put(full, caller);
      const [first] = await rows.list();
      const { credentials = [], ...rest } = first ?? row;
      assert.deepEqual({ ...rest, credentials: Buffer.from(credentials) }, full);
    },
  },
  {
    name: "sources are listed by priority, and replaced and removed without regard to letter case",
    async run({ sources: rows }) {
      await rows.put({ ...row, surface: "team" }, caller);
      await rows.put({ ...row, name: "first", priority: 1 }, caller);
      await rows.put({ ...row, name: "NPMJS", isEnabled: false }, caller);
      const names = async () => (await rows.list()).map(({ name }) => name);
      assert.deepEqual(await names(), ["first", "NPMJS"]);
      assert.deepEqual((await rows.list())[1], { ...row, name: "NPMJS", isEnabled: false });
      assert.equal(await rows.remove("npmjs", caller), "removed");
      assert.equal(await rows.remove("npmjs", caller), "absent");
      assert.deepEqual(await names(), ["first"]);
    },
  },
];

const policy: readonly MirrorPortsTest[] = [
  {
    name: "rules come back as they were added, oldest first, until they are removed",
    async run({ rules }) {
      const denied: PolicyRule = {
        id: "b3f1a0c2-0000-4000-8000-000000000001",
        effect: "deny",
        protocol: "npm",
        pattern: "@acme/*",
        versions: "<2.0.0",
        conditions: { licenses: ["GPL-*"], hasInstallScripts: true, severity: 2 },
        reason: "It calls home — see the report.",
        createdBy: "command line (ada)",
        createdAt: LATER,
        expiresAt: LATER,
      };
      const { expiresAt: _, ...lasting } = denied;
      const allowed: PolicyRule = {
        ...lasting,
        id: "b3f1a0c2-0000-4000-8000-000000000000",
        effect: "allow",
        versions: "",
        conditions: {},
        createdAt: NOW,
      };
      await rules.add(denied, caller);
      await rules.add(allowed, caller);
      assert.deepEqual(await rules.list(), [allowed, denied]);
      assert.equal(await rules.remove(allowed.id, caller), "removed");
      assert.equal(await rules.remove(allowed.id, caller), "absent");
      assert.deepEqual(await rules.list(), [denied]);
    },
  },
  {
    name: "the first time of a version stays",
    async run({ firstSeen }) {
      const first = await firstSeen.note("npm one", "left-pad", ["1.0.0"]);
      await new Promise((resolve) => setTimeout(resolve, 5));
      const second = await firstSeen.note("npm one", "left-pad", ["1.0.0", "1.1.0"]);
      assert.deepEqual(second.get("1.0.0"), first.get("1.0.0"));
      assert.ok(Number(second.get("1.1.0")) > Number(second.get("1.0.0")));
      const other = await firstSeen.note("npm two", "left-pad", ["1.0.0"]);
      assert.ok(Number(other.get("1.0.0")) > Number(first.get("1.0.0")));
      assert.equal((await firstSeen.note("npm one", "left-pad", [])).size, 0);
    },
  },
];

/** Contract tests of the rows of a mirror; each starts without rows. */
export const mirrorPortsContract: readonly MirrorPortsTest[] = [
  ...documents,
  ...origins,
  ...states,
  ...sources,
  ...policy,
];
