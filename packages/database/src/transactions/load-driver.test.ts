import { expect, test } from "vitest";
import { DriverMissingError } from "../errors.ts";
import { loadDriver } from "./load-driver.ts";

const missing = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /x/postgres.js`), {
    code: "ERR_MODULE_NOT_FOUND",
  });

test.each([
  ["PostgreSQL", "pg", "npm install @mikro-orm/postgresql pg"],
  ["PostgreSQL", "@mikro-orm/postgresql", "npm install @mikro-orm/postgresql pg"],
  ["MySql", "mysql2", "npm install @mikro-orm/mysql mysql2"],
  ["SqlServer", "tedious", "npm install tedious"],
] as const)(
  "%s without the package %s names the packages of its driver",
  async (type, name, line) => {
    const loading = loadDriver(type, () => Promise.reject(missing(name)));
    await expect(loading).rejects.toThrow(DriverMissingError);
    await expect(loading).rejects.toThrow(`Database__Type=${type}`);
    await expect(loading).rejects.toThrow(line);
  },
);

test.each([
  ["another missing package", missing("left-pad")],
  ["another error", new Error("'pg' is broken")],
])("%s is not an error of the driver", async (_what, error) => {
  await expect(loadDriver("PostgreSQL", () => Promise.reject(error))).rejects.toBe(error);
});

test("an installed driver is loaded", async () => {
  await expect(loadDriver("PostgreSQL", () => import("pg"))).resolves.toHaveProperty("Pool");
});
