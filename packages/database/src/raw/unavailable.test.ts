import { expect, test } from "vitest";
import { DatabaseUnavailableError } from "../errors.ts";
import { databaseErrorOf, unavailabilityOf } from "./unavailable.ts";

const withCode = (code: string) => Object.assign(new Error(code), { code });
const withNumber = (errno: number, message = "said so") =>
  Object.assign(new Error(message), { errno, code: "ER_ANY" });

const withSqlServer = (number: number) =>
  Object.assign(new Error("said so"), { number, code: "EREQUEST" });

test.each([
  ["ECONNREFUSED, as of a stopped server", withCode("ECONNREFUSED"), "database-unreachable"],
  ["57P01, as after pg_terminate_backend", withCode("57P01"), "database-unreachable"],
  ["57P03, as of a server that starts", withCode("57P03"), "database-starting"],
  ["53300, too many connections", withCode("53300"), "database-overloaded"],
  ["53100, disk full", withCode("53100"), "database-full"],
  ["25006, a standby", withCode("25006"), "database-read-only"],
  ["57014, a statement that took too long", withCode("57014"), "database-busy"],
  ["28P01, a wrong password", withCode("28P01"), "database-refused"],
  [
    "a connection that broke in use",
    new Error("Connection terminated unexpectedly"),
    "database-unreachable",
  ],
  [
    "a pool in full use",
    new Error("timeout exceeded when trying to connect"),
    "database-overloaded",
  ],
  ["MariaDB 1040, too many connections", withNumber(1040), "database-overloaded"],
  ["MariaDB 1467, a deadlock about a table's next number", withNumber(1467), "database-busy"],
  ["MariaDB 1290, a read-only replica", withNumber(1290), "database-read-only"],
  ["MariaDB 1114, a full table space", withNumber(1114), "database-full"],
  [
    "MariaDB 1030 with errno 28",
    withNumber(1030, 'Got error 28 "No space left on device"'),
    "database-full",
  ],
  ["MariaDB 1927, KILL CONNECTION", withNumber(1927), "database-unreachable"],
  ["SQL Server 1105, a full file group", withSqlServer(1105), "database-full"],
  ["SQL Server 9002, a full log", withSqlServer(9002), "database-full"],
  ["SQL Server 1222, a lock timeout", withSqlServer(1222), "database-busy"],
  ["SQL Server 3906, a read-only database", withSqlServer(3906), "database-read-only"],
  ["SQL Server 18456, a wrong password", withSqlServer(18_456), "database-refused"],
  ["SQL Server 4060, an unknown database", withSqlServer(4060), "database-refused"],
  ["SQL Server 596, KILL", withSqlServer(596), "database-unreachable"],
  ["Azure 40613, a database that starts", withSqlServer(40_613), "database-starting"],
  ["ESOCKET, a connection of tedious that broke", withCode("ESOCKET"), "database-unreachable"],
  ["ELOGIN, a login that tedious could not do", withCode("ELOGIN"), "database-refused"],
  ["SQLITE_FULL", withCode("SQLITE_FULL"), "database-full"],
  ["SQLITE_BUSY_SNAPSHOT", withCode("SQLITE_BUSY_SNAPSHOT"), "database-busy"],
  ["SQLITE_READONLY_DBMOVED", withCode("SQLITE_READONLY_DBMOVED"), "database-read-only"],
  ["SQLITE_IOERR_WRITE", withCode("SQLITE_IOERR_WRITE"), "database-unreachable"],
] as const)("%s means that the database is unavailable", (_, error, code) => {
  expect(unavailabilityOf(error)).toBe(code);
  const databaseError = databaseErrorOf(error, "The database");
  expect(databaseError).toBeInstanceOf(DatabaseUnavailableError);
  expect(databaseError).toMatchObject({
    code,
    message: expect.stringMatching(/^The database .*[^.]\.$/),
  });
});

test.each([
  ["23505, a taken key", withCode("23505")],
  ["42P01, an unknown table", withCode("42P01")],
  ["MariaDB 1062, a taken key", withNumber(1062)],
  ["SQL Server 2627, a taken key", withSqlServer(2627)],
  ["SQL Server 208, an unknown table", withSqlServer(208)],
  ["SQLITE_CORRUPT", withCode("SQLITE_CORRUPT")],
  ["an error of the work", new Error("changed its mind")],
])("%s is an answer of the database", (_, error) => {
  expect(unavailabilityOf(error)).toBeUndefined();
  expect(databaseErrorOf(error, "The database")).toBe(error);
});
