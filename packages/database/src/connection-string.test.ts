import { expect, test } from "vitest";
import { parseConnectionString } from "./connection-string.ts";
import { ConnectionStringError } from "./errors.ts";

const SECRET = "Tr0ub4dor";

test.each([
  ["Data Source=./data/sealhouse.db", "./data/sealhouse.db"],
  ["data source = feed.db ; Cache=Shared;", "feed.db"],
  ["Filename='it''s; here.db'", "it's; here.db"],
  ["sqlite:data/a.db", "data/a.db"],
  ["file:///var/lib/a%20b.db", "/var/lib/a b.db"],
  ["C:\\data\\a.db", "C:\\data\\a.db"],
])("parses the SQLite file in %s", (text, path) => {
  expect(parseConnectionString("Sqlite", text)).toEqual({ type: "Sqlite", path });
});

const usual = { type: "PostgreSQL", host: "db", port: 5432, user: "u", database: "d" };

test.each([
  ["Host=db;Username=u;Database=d", { ...usual, ssl: "prefer" }],
  [
    `Server=db;Port=6432;User Id=u;Password="a;""b""";Database=d;SSL Mode=VerifyFull`,
    { ...usual, port: 6432, password: 'a;"b"', ssl: "verify-full" },
  ],
  [
    "host=db;uid=u;pwd=p=q;db=d;sslmode=require;Maximum Pool Size=20;Timeout=5;",
    { ...usual, password: "p=q", ssl: "require", poolMax: 20 },
  ],
  ["Host=db;Username=u", { ...usual, database: "u", ssl: "prefer" }],
  [
    "postgres://u:p%40ss@db:6000/d?sslmode=verify-ca&sslrootcert=/ca.pem",
    {
      ...usual,
      port: 6000,
      password: "p@ss",
      ssl: "verify-ca",
      rootCertificate: "/ca.pem",
    },
  ],
  ["postgresql://u@[::1]/d", { ...usual, host: "::1", ssl: "prefer" }],
])("parses the PostgreSQL server in %s", (text, expected) => {
  expect(parseConnectionString("PostgreSQL", text)).toEqual(expected);
});

const feed = { type: "MySql", host: "db", port: 3306, user: "u", database: "d", ssl: "prefer" };

test.each([
  ["Server=db;User ID=u;Database=d", feed],
  [
    "server=db;port=3307;uid=u;pwd='a;b';initial catalog=d;SslMode=VerifyFull;SslCa=/ca.pem;",
    {
      ...feed,
      port: 3307,
      password: "a;b",
      ssl: "verify-full",
      rootCertificate: "/ca.pem",
    },
  ],
  [
    "Server=db;User=u;Database=d;SslMode=None;AllowPublicKeyRetrieval=True;Max Pool Size=5",
    { ...feed, ssl: "disable", poolMax: 5 },
  ],
  [
    "Server=/run/mysqld/mysqld.sock;User=u;Database=d",
    { ...feed, host: "/run/mysqld/mysqld.sock" },
  ],
  [
    "mysql://u:p%40ss@db:6000/d?ssl-mode=VERIFY_CA",
    { ...feed, port: 6000, password: "p@ss", ssl: "verify-ca" },
  ],
  ["mariadb://u@[::1]/d?sslmode=required", { ...feed, host: "::1", ssl: "require" }],
])("parses the MySQL server in %s", (text, expected) => {
  expect(parseConnectionString("MySql", text)).toEqual(expected);
});

const sqlServer = { type: "SqlServer", host: "db", port: 1433, user: "u", database: "d" };

test.each([
  ["Server=db;User Id=u;Database=d", { ...sqlServer, ssl: "verify-full" }],
  [
    "Data Source=tcp:db,1500;Initial Catalog=d;UID=u;PWD='a;b';Encrypt=True;" +
      "TrustServerCertificate=True;MultipleActiveResultSets=False;Max Pool Size=5",
    { ...sqlServer, port: 1500, password: "a;b", ssl: "require", poolMax: 5 },
  ],
  ["Server=db;User=u;Database=d;Encrypt=Optional", { ...sqlServer, ssl: "disable" }],
  [
    "Server=db;User=u;Database=d;Encrypt=Strict;HostNameInCertificate=sql;ServerCertificate=/a.pem",
    {
      ...sqlServer,
      ssl: "verify-full",
      isStrict: true,
      certificateHost: "sql",
      rootCertificate: "/a.pem",
    },
  ],
  [
    "Server=db\\feeds;User=u;Database=d;Integrated Security=False",
    { ...sqlServer, instance: "feeds", ssl: "verify-full" },
  ],
  ["Server=.;User=u;Database=d", { ...sqlServer, host: "localhost", ssl: "verify-full" }],
  [
    "mssql://u:p%40ss@db:1434/d?trustServerCertificate=true",
    { ...sqlServer, port: 1434, password: "p@ss", ssl: "require" },
  ],
  ["sqlserver://u@[::1]/d?encrypt=false", { ...sqlServer, host: "::1", ssl: "disable" }],
])("parses the SQL Server in %s", (text, expected) => {
  expect(parseConnectionString("SqlServer", text)).toEqual(expected);
});

test.each([
  ["SqlServer", `User=u;Database=d;Password=${SECRET}`, "Server"],
  ["SqlServer", `Server=db;User=u;Password=${SECRET}`, "Database"],
  ["SqlServer", `Server=np:db;User=u;Database=d;Password=${SECRET}`, "Server"],
  ["SqlServer", "Server=(localdb)\\v11;User=u;Database=d", "Server"],
  ["SqlServer", "Server=db;User=u;Database=d;Encrypt=maybe", "Encrypt"],
  ["SqlServer", "Server=db;User=u;Database=d;Trust Server Certificate=x", "TrustServerCertificate"],
  ["SqlServer", "Server=db;Database=d;Integrated Security=SSPI", "Integrated Security"],
  ["SqlServer", "Server=db;Database=d;Authentication=Active Directory Default", "Authentication"],
  ["SqlServer", "Server=db;User=u;Database=d;ApplicationIntent=ReadOnly", "ApplicationIntent"],
  ["SqlServer", "Server=db;User=u;Database=d;Failover Partner=other", "Failover Partner"],
  ["SqlServer", `Server=db;User=u;Pwd=a;${SECRET}=1;Database=d`, "what follows Pwd"],
  ["SqlServer", "Server=db;User=u;Database=d;Sauce=1", "Sauce"],
  ["MySql", `User=u;Database=d;Password=${SECRET}`, "Server"],
  ["MySql", `Server=db;Database=d;Password=${SECRET}`, "User ID"],
  ["MySql", `Server=db;User=u;Password=${SECRET}`, "Database"],
  ["MySql", `Server=db;User=u;Database=d;SSL Mode=maybe;Password=${SECRET}`, "SSL Mode"],
  ["MySql", `Server=db;User=u;Pwd=a;${SECRET}=1;Database=d`, "what follows Pwd"],
  ["MySql", `Server=10.0.0.1;User=u;Database=d;SSL Mode=VerifyFull;Password=${SECRET}`, "SSL Mode"],
  ["MySql", `Server=::1;User=u;Database=d;SSL Mode=VerifyFull;Password=${SECRET}`, "SSL Mode"],
  ["Sqlite", "", ""],
  ["Sqlite", "Data Source=", "Data Source"],
  ["Sqlite", "Data Source=:memory:", "Data Source"],
  ["Sqlite", "Sauce=a.db", "Sauce"],
  ["PostgreSQL", `Username=u;Password=${SECRET}`, "Host"],
  ["PostgreSQL", `Host=db;Password=${SECRET}`, "Username"],
  ["PostgreSQL", `Host=db;Username=u;Port=x;Password=${SECRET}`, "Port"],
  ["PostgreSQL", `Host=db;Username=u;SSL Mode=maybe;Password=${SECRET}`, "SSL Mode"],
  ["PostgreSQL", `Host=db;Usrname=u;Password=${SECRET}`, "Usrname"],
  ["PostgreSQL", `Host=db;${SECRET}`, "part 2"],
  ["PostgreSQL", `Host=db;Pwd=a;${SECRET}=1;Username=u`, "what follows Pwd"],
  ["PostgreSQL", `Host=db;Password="${SECRET}`, "Username"],
  ["PostgreSQL", `postgres://u:${SECRET}%zz@db/d`, "password"],
  ["PostgreSQL", `postgres://u:${SECRET}@/d`, "URL"],
  ["PostgreSQL", `postgres://u:${SECRET}@db:99999/d`, "URL"],
] as const)("%s: refuses %s, names the part and tells no secret", (type, text, part) => {
  const error = thrownBy(() => parseConnectionString(type, text));
  expect(error).toBeInstanceOf(ConnectionStringError);
  expect(error).toMatchObject({ part });
  expect(String(error)).not.toContain(SECRET);
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
