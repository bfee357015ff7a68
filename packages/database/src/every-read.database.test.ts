import { tokenRecord } from "@sealhouse/identity/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { leaveTestServers, testableDatabases } from "./testing/index.ts";
import type { NamedRead } from "./testing/reads/named-reads.test.support.ts";
import {
  NPM_READS,
  NUGET_READS,
  OCI_READS,
  OTHER_READS,
  PEOPLE_READS,
} from "./testing/reads/named-reads.test.support.ts";
import { LIST_READS } from "./testing/reads/list-reads.test.support.ts";
import { ALL_WRITES, openWrites, rowsOf } from "./testing/writes/all-writes.test.support.ts";
import { OPERATOR } from "./testing/writes/write.test.support.ts";

// Lookups with names from outside: each finds its own name and nothing else, on every database, and
// changes no row. What a protocol refuses before does not count here.

const READS: readonly NamedRead[] = [
  ...NUGET_READS,
  ...NPM_READS,
  ...OCI_READS,
  ...PEOPLE_READS,
  ...OTHER_READS,
];

/** Names that are almost one that is known, and texts that databases read in their own way. */
const ALMOST: Readonly<Record<string, (known: string) => string>> = {
  "a space after it": (known) => `${known} `,
  "a space before it": (known) => ` ${known}`,
  "its beginning": (known) => known.slice(0, -1),
  "a longer one": (known) => `${known}x`,
  "a wildcard for its first letter": (known) => `_${known.slice(1)}`,
  "a wildcard for its end": (known) => `${known.slice(0, -1)}%`,
  "a wildcard for all names": () => "%",
  "a pattern of files": (known) => `${known.slice(0, -1)}*`,
  "a quote after it": (known) => `${known}'`,
  "a condition after it": (known) => `${known}' or '1' = '1`,
  "a comment after it": (known) => `${known}'--`,
  "a backslash after it": (known) => `${known}\\`,
  "a NUL after it": (known) => `${known}\0`,
  "an accent on its first letter": (known) => `${known.slice(0, 1)}\u0301${known.slice(1)}`,
  "letters of full width": (known) =>
    known.replaceAll(/[a-z0-9]/g, (letter) =>
      String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0),
    ),
  "half a surrogate after it": (known) => `${known}\ud83e`,
  "a list with it": (known) => JSON.stringify([known]),
  "a thousand of it": (known) => known.repeat(1_000),
  nothing: () => "",
};

/** Tables in which pulls of images keep their throttled clock. */
const CLOCKS = new Set(["blobs", "oci_manifests", "oci_repository_blobs", "oci_tags"]);

afterAll(leaveTestServers);

describe.each(testableDatabases())("%s", (type) => {
  let opened: Awaited<ReturnType<typeof openWrites>>;

  beforeAll(async () => {
    opened = await openWrites(type, ALL_WRITES, async (other) => {
      for (const { known, read } of READS) await read(other, known);
    });
    const { tokens, upstream, events } = opened.parts.database;
    await tokens.insert(tokenRecord({ prefix: "shp_w-prefix" }), OPERATOR);
    await upstream.origins.claim("npm", "w-mirrored", "npmjs");
    await events.audit.append(await events.outbox.pending("audit", 10_000));
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  test.each(READS)("$name: $known is found", async ({ known, absent, read }) => {
    expect(await read(opened.parts.database, known)).not.toEqual(absent);
  });

  test("another instance, which knew of nothing, finds each at once", async () => {
    for (const { name, known, absent, read } of READS) {
      expect(await read(opened.other, known), name).not.toEqual(absent);
    }
  });

  // The collations that MariaDB and MySQL share ignore spaces at the end.
  const almost = Object.entries(ALMOST).filter(
    ([what]) => type !== "MySql" || what !== "a space after it",
  );
  test.each(almost)("%s is not found", async (_what, textOf) => {
    const { database } = opened.parts;
    const found: string[] = [];
    for (const { name, known, absent, isPattern = false, read } of READS) {
      const text = textOf(known);
      if (isPattern && text.endsWith("*")) continue;
      const answer = await read(database, text).catch((error: unknown) => String(error));
      try {
        expect(answer).toEqual(absent);
      } catch {
        found.push(`${name}: ${JSON.stringify(answer)?.slice(0, 200)}`);
      }
    }
    expect(found).toEqual([]);
  });

  test("letter case counts, except in handles and groups", async () => {
    const { database } = opened.parts;
    const found: string[] = [];
    for (const { name, known, absent, ignoresCase = false, read } of READS) {
      const upper = known.toUpperCase();
      if (upper === known) continue;
      const answer = await read(database, upper);
      const isFound = JSON.stringify(answer) !== JSON.stringify(absent);
      if (isFound !== ignoresCase) found.push(`${name}: ${JSON.stringify(answer)}`);
    }
    expect(found).toEqual([]);
  });

  test("no lookup changes a row", async () => {
    const { database } = opened.parts;
    const rows = async () =>
      [...(await rowsOf(opened.parts))].filter(([table]) => !CLOCKS.has(table));
    const before = await rows();
    for (const { known, read } of READS) await read(database, known);
    for (const { read } of LIST_READS) await read(database);
    expect(await rows()).toEqual(before);
  });
});

describe.each(testableDatabases())("an empty database: %s", (type) => {
  let opened: Awaited<ReturnType<typeof openWrites>>;

  beforeAll(async () => {
    opened = await openWrites(type, []);
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  test("has nothing to list", async () => {
    const answers: Record<string, unknown> = {};
    for (const { name, read } of LIST_READS) answers[name] = await read(opened.parts.database);
    const expected = LIST_READS.map(({ name, empty }) => [name, empty]);
    expect(answers).toEqual(Object.fromEntries(expected));
  });

  test("answers each lookup of a name", async () => {
    for (const { name, known, absent, read } of READS) {
      expect(await read(opened.parts.database, known), name).toEqual(absent);
    }
  });
});
