import { refreshToken, tokenRecord } from "@sealhouse/identity/testing";
import { afterAll, describe, expect, test } from "vitest";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const most = { ofClient: 5, ofToken: 5 };
const by = { actor: "test" };

describe.each(testableDatabases())("%s", (type) => {
  test("revoking an API token deletes its refresh tokens", async () => {
    await using database = await openTestDatabase({ type });
    const { tokens, refreshTokens } = database;
    const parent = tokenRecord({});
    const child = tokenRecord({ parentId: parent.id });
    const other = tokenRecord({});
    const of = (tokenId: string) => refreshToken({ tokenId });
    const records = [of(parent.id), of(child.id), of(other.id)];
    for (const token of [parent, child, other]) await tokens.insert(token, by);
    for (const record of records) await refreshTokens.insert(record, most);
    await tokens.revoke(parent.id, new Date(), by);
    const storedRecords = await Promise.all(records.map(({ hash }) => refreshTokens.find(hash)));
    expect(storedRecords.map((record) => record?.tokenId)).toEqual([
      undefined,
      undefined,
      other.id,
    ]);
  });
});

afterAll(leaveTestServers);
