import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { leaveTestServers, testableDatabases } from "../testing/index.ts";
import { openWrites } from "../testing/writes/all-writes.test.support.ts";
import { NAME_WRITES } from "../testing/writes/operator-writes.test.support.ts";
import { NPM_WRITES, NUGET_WRITES } from "../testing/writes/package-writes.test.support.ts";
import { OPERATOR } from "../testing/writes/write.test.support.ts";

// Documents are rendered once per change: the change of a name drops the documents of this name in
// its transaction, and those of no other name.

/** An offer drops documents only because it locks the name. Documents do not show visibility. */
const OTHERS = new Set(["offers a name", "hides a name"]);
const WRITES = [...NUGET_WRITES, ...NPM_WRITES, ...NAME_WRITES].filter(
  ({ name }) => !OTHERS.has(name),
);

/** Events about something that no document shows. */
const NOT_SHOWN = new Set([
  "package.reuse-allowed",
  "package.stage-rejected",
  "package.staged",
  "package.trust-changed",
  "reservation.changed",
  "transfer.changed",
]);

/** The group of documents of a subject: `npm/@acme/a` for `npm/@acme/a@1.0.0`. */
function groupOf(subject: string): string | undefined {
  const [, protocol, name = ""] = /^(nuget|npm)\/(@?[^@]+)/.exec(subject) ?? [];
  return protocol && `${protocol}/${protocol === "nuget" ? name.toLowerCase() : name}`;
}

afterAll(leaveTestServers);

describe.each(testableDatabases())("%s", (type) => {
  let opened: Awaited<ReturnType<typeof openWrites>>;

  beforeAll(async () => {
    opened = await openWrites(type, WRITES);
  });
  afterAll(() => opened.parts[Symbol.asyncDispose]());

  test("each change drops the documents of its name, and no others", async () => {
    const { parts, writes } = opened;
    const { documents, events } = parts.database;
    const keep = async (group: string) => {
      const revision = await documents.revision(group);
      const document = {
        etag: "e",
        contentType: "text/plain",
        modifiedAt: new Date(0),
        identity: Buffer.from(group),
      };
      await documents.keep({ key: `${group}/index`, group, revision, document });
    };
    const prepared = await events.outbox.pending("test", 10_000);
    const groups = new Set(["npm/w-published", "nuget/w.pushed", "npm/w-other", "nuget/w.other"]);
    for (const { subject } of prepared) groups.add(groupOf(subject) ?? "npm/w-other");
    expect(groups.size).toBeGreaterThan(25);
    const wrong: string[] = [];
    for (const { name, event = "no event", run } of writes) {
      for (const group of groups) await keep(group);
      const before = (await events.outbox.pending("test", 10_000)).length;
      await run(OPERATOR);
      const added = (await events.outbox.pending("test", 10_000)).slice(before);
      const changed = added.flatMap(({ type: what, subject }) =>
        NOT_SHOWN.has(what) ? [] : [groupOf(subject) ?? []].flat(),
      );
      for (const group of groups) {
        const isKept = (await documents.read(`${group}/index`)) !== undefined;
        if (isKept === changed.includes(group)) wrong.push(`${name} (${event}): ${group}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
