import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { openTestPlace, leaveTestServers, testableDatabases } from "../testing/index.ts";
import { openPostgres } from "./postgres.ts";

afterAll(leaveTestServers);

describe.runIf(testableDatabases().includes("PostgreSQL"))("PostgreSQL", () => {
  test("repeats a single statement after a deadlock", async () => {
    await using place = await openTestPlace("PostgreSQL");
    if (place.config.type !== "PostgreSQL") throw new Error("another database");
    const port = await openPostgres(place.config);
    try {
      await port.run({ sql: "create table counted (id integer primary key, n integer)" }, []);
      await port.run({ sql: "insert into counted values (1, 0), (2, 0)" }, []);
      const other = await port.reserve();
      await other.begin();
      await other.execute({ sql: "update counted set n = n + 1 where id = 1" }, []);
      // Locks the second row and waits for the first; a deadlock is found a second later.
      const sql = `with locked as (select id from counted order by id desc for update)
        update counted set n = n + 1 where id in (select id from locked)`;
      const running = port.run({ sql }, []);
      await wait(300);
      await other.execute({ sql: "update counted set n = n + 1 where id = 2" }, []);
      await other.commit();
      other.release();
      expect(await running).toBe(2);
      const rows = await port.all({ sql: "select n from counted order by id" }, []);
      expect(rows).toEqual([{ n: 2 }, { n: 2 }]);
    } finally {
      await port.close();
    }
  });
});
