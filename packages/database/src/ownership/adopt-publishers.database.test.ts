import { OWNERS_OF_NAME_MAX } from "@sealhouse/identity";
import { newPerson } from "@sealhouse/identity/testing";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { afterAll, expect, test } from "vitest";
import { leaveTestServers, testableDatabases } from "../testing/index.ts";
import { openTestParts } from "../testing/open-test-parts.ts";

const by = { actor: "test" };

afterAll(leaveTestServers);

test.each(testableDatabases())(
  "%s: publishers beyond the most owners of a name are reported",
  async (type) => {
    await using parts = await openTestParts(type);
    const { npm, ownership, people } = parts.database;
    await npm.recorder.publish(newNpmVersion({ name: "crowded" }), by);
    const handles = Array.from({ length: OWNERS_OF_NAME_MAX + 2 }, (_, n) => `user-${n}`);
    for (const handle of handles) await people.add(newPerson(handle), new Date(), by);
    const maintainers = JSON.stringify(handles.map((name) => ({ name })));
    const sql = `update npm_packages set maintainers = '${maintainers}' where name = 'crowded'`;
    await parts.connections.port.run({ sql }, []);
    const name = { protocol: "npm", name: "crowded" } as const;
    expect(await ownership.unowned.adoptPublishers(by)).toEqual({
      adopted: 1,
      left: [],
      crowded: [{ ...name, others: handles.slice(OWNERS_OF_NAME_MAX) }],
    });
    expect(await ownership.ownerships.list(name)).toHaveLength(OWNERS_OF_NAME_MAX);
  },
);
