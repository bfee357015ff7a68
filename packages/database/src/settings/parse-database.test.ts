import { createSettings, readSources } from "@sealhouse/settings";
import { expect, test } from "vitest";
import { parseDatabase } from "./parse-database.ts";
import { DATABASE_SETTINGS } from "./table.ts";

const MISSING = "/no/such/authority.pem";

test.each([
  ["PostgreSQL", `Host=db;Username=u;Database=d;SSL Mode=VerifyFull;Root Certificate=${MISSING}`],
  ["MySql", `Server=db;Uid=u;Database=d;SslMode=VerifyFull;SslCa=${MISSING}`],
  ["SqlServer", `Server=db;User=u;Database=d;Encrypt=Strict;ServerCertificate=${MISSING}`],
])("%s: a missing file of certificate authorities names the setting", (type, text) => {
  const table = DATABASE_SETTINGS;
  const env = { Database__Type: type, Database__ConnectionString: text };
  const sources = { environmentKey: "App__Environment", args: [], folders: [] };
  const { entries } = readSources({ ...sources, table, env, readFile: () => undefined });
  const settings = createSettings(entries, { table, env });
  parseDatabase(settings, "data");
  expect(settings.problems).toEqual([
    expect.stringMatching(
      /Database__ConnectionString: .* at "Root Certificate": the file cannot be read: ENOENT/,
    ),
  ]);
});
